"""The table of NAO's methods that nao_bridge offers, and what a method does in the bridge."""

from __future__ import annotations

from rigid_tree_kinematics.nodes.nao.methods.cartesian import CARTESIAN, WHOLE_BODY
from rigid_tree_kinematics.nodes.nao.methods.checks import reject_non_finite
from rigid_tree_kinematics.nodes.nao.methods.general import (
    GENERAL,
    IDLE,
    KILL_TASKS_USING_RESOURCES,
    PROTECTION,
    TASKS,
)
from rigid_tree_kinematics.nodes.nao.methods.joints import (
    ANGLE_INTERPOLATION,
    ANGLE_INTERPOLATION_WITH_SPEED,
    CHANGE_ANGLES,
    GO_TO_POSTURE,
    JOINTS,
    POSTURES,
    REST,
    SET_ANGLES,
    SET_STIFFNESSES,
    STIFFNESS,
    STOP_POSTURE,
    WAKE_UP,
)
from rigid_tree_kinematics.nodes.nao.methods.locomotion import (
    LOCOMOTION,
    MOVE,
    MOVE_TO,
    SET_MOVE_ARMS_ENABLED,
    STOP_MOVE,
)
from rigid_tree_kinematics.nodes.nao.methods.method import Lasting, Method

METHODS: tuple[Method, ...] = (
    *STIFFNESS,
    *JOINTS,
    *LOCOMOTION,
    *CARTESIAN,
    *WHOLE_BODY,
    *IDLE,
    *PROTECTION,
    *GENERAL,
    *TASKS,
    *POSTURES,
)
