"""The table of NAO's methods that nao_bridge offers: one row a method, one file a group."""

from __future__ import annotations

from rigid_tree_kinematics.nodes.nao.methods import (
    cartesian,
    general,
    idle,
    joints,
    locomotion,
    postures,
    protection,
    stiffness,
    tasks,
    whole_body,
)
from rigid_tree_kinematics.nodes.nao.methods.joints import (
    ANGLE_INTERPOLATION,
    ANGLE_INTERPOLATION_WITH_SPEED,
    CHANGE_ANGLES,
    SET_ANGLES,
)
from rigid_tree_kinematics.nodes.nao.methods.locomotion import (
    MOVE,
    MOVE_TO,
    SET_MOVE_ARMS_ENABLED,
    STOP_MOVE,
)
from rigid_tree_kinematics.nodes.nao.methods.postures import GO_TO_POSTURE, STOP_POSTURE
from rigid_tree_kinematics.nodes.nao.methods.stiffness import REST, SET_STIFFNESSES, WAKE_UP
from rigid_tree_kinematics.nodes.nao.methods.tasks import KILL_TASKS_USING_RESOURCES
from rigid_tree_kinematics.nodes.nao.robot import Lasting, Method

__all__ = [
    "ANGLE_INTERPOLATION",
    "ANGLE_INTERPOLATION_WITH_SPEED",
    "CHANGE_ANGLES",
    "GO_TO_POSTURE",
    "KILL_TASKS_USING_RESOURCES",
    "METHODS",
    "MOVE",
    "MOVE_TO",
    "REST",
    "SET_ANGLES",
    "SET_MOVE_ARMS_ENABLED",
    "SET_STIFFNESSES",
    "STOP_MOVE",
    "STOP_POSTURE",
    "WAKE_UP",
    "Lasting",
    "Method",
]

METHODS: tuple[Method, ...] = (
    *stiffness.METHODS,
    *joints.METHODS,
    *locomotion.METHODS,
    *cartesian.METHODS,
    *whole_body.METHODS,
    *idle.METHODS,
    *protection.METHODS,
    *general.METHODS,
    *tasks.METHODS,
    *postures.METHODS,
)
