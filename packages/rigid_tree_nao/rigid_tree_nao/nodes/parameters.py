"""The parameters of nao_bridge."""

from dataclasses import dataclass
from functools import partial

from rigid_tree_kinematics.nodes.base import Parameters, parameter

at_start = partial(parameter, start_only=True)


@dataclass(frozen=True)
class BridgeSettings(Parameters):
    """The values of the parameters."""

    nao_ip: str = at_start("127.0.0.1", "Name or address of the robot.")
    nao_port: int = at_start(9559, "NAOqi port of the robot.", low=1, high=65535)
    user: str = at_start("", "User, for NAOqi 2.8 and later over tcps (port 9503). Empty: tcp.")
    password: str = at_start("", "Password of that user.")
    version: str = at_start("V6", "Robot version: V6, V5, V4, V33 or V32.")
    body_type: str = at_start("H25", "H25, or H21 without wrists and hands (not V6).")
    frame_prefix: str = at_start("", "Prefix of every frame name, such as 'nao/'.")
    odom_frame: str = at_start("odom", "Frame of the odometry: ALMotion's FRAME_WORLD.")
    rate: float = at_start(
        50.0, "Rate at which the robot is read.", low=1.0, high=100.0, unit="Hz"
    )
    patience: float = at_start(
        1.0,
        "Time after which a reading fails and the connection is considered lost.",
        low=0.05,
        high=60.0,
        unit="s",
    )
    cmd_vel_timeout: float = parameter(
        0.5, "Time without cmd_vel after which the walk stops.", low=0.05, high=60.0, unit="s"
    )
    walk_range: float = parameter(
        10.0, "Maximum distance of a walk's goal.", low=0.01, high=1000.0, unit="m"
    )
