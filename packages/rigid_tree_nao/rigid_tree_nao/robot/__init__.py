"""The connection to a NAO by libqi, and the state that it reports."""

from rigid_tree_nao.robot.connection import ConnectionState, NaoConnection, load_libqi
from rigid_tree_nao.robot.nao_state import (
    BASE_VERSION,
    BUMPERS,
    HAND_SENSORS,
    HEAD_SENSORS,
    SONAR,
    TOUCH,
    NaoHealth,
    NaoState,
    StateReader,
    footprint,
)
