"""ALMotion's stiffness control."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import nao_motion_interfaces.srv as srv

from rigid_tree_kinematics.nao import NaoError
from rigid_tree_kinematics.nao.guard import WalkEffect
from rigid_tree_kinematics.nodes.nao.robot import (
    FLAG,
    Method,
    awake,
    into,
    lists_of_all_fields,
    numbers,
    one_for_all,
    resting,
    stiffness_reached,
)

if TYPE_CHECKING:
    from rigid_tree_kinematics.nodes.nao.robot import NaoRobot


def _one_list_for_all(robot: NaoRobot, request: Any) -> list[str]:
    """Give every joint a list; the robot reports joints that do not exist."""
    try:
        joints = robot.body.joints(request.names)
    except NaoError:
        return []
    request.names = list(joints)
    request.stiffness_lists = one_for_all(len(joints), request.stiffness_lists)
    request.time_lists = one_for_all(len(joints), request.time_lists)
    return []


WAKE_UP = Method("wake_up", srv.Call, "ALMotion.wakeUp", outcome=awake)
SET_STIFFNESSES = Method("set_stiffnesses", srv.SetStiffnesses, "ALMotion.setStiffnesses")

REST = Method("rest", srv.Call, "ALMotion.rest", walk=WalkEffect.ENDS, outcome=resting)

METHODS = (
    WAKE_UP,
    REST,
    Method("robot_is_wake_up", srv.GetFlag, "ALMotion.robotIsWakeUp", fill=FLAG),
    SET_STIFFNESSES,
    Method(
        "get_stiffnesses",
        srv.GetStiffnesses,
        "ALMotion.getStiffnesses",
        fill=into("stiffnesses", numbers),
    ),
    Method(
        "stiffness_interpolation",
        srv.StiffnessInterpolation,
        "ALMotion.stiffnessInterpolation",
        arguments=lists_of_all_fields,
        check=_one_list_for_all,
        outcome=stiffness_reached,
    ),
)
