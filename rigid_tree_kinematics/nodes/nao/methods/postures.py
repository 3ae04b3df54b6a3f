"""ALRobotPosture."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import nao_motion_interfaces.srv as srv
from nao_motion_interfaces import action

from rigid_tree_kinematics.nodes.nao.robot import (
    DONE,
    NAMES,
    TEXT,
    Lasting,
    Method,
    limp_body,
    no_arguments,
    posture_taken,
)

if TYPE_CHECKING:
    from rigid_tree_kinematics.nodes.nao.robot import NaoRobot


def _present_posture(goal: Any, feedback: Any, robot: NaoRobot) -> None:
    if robot.health is not None:
        feedback.posture = robot.health.posture


STOP_POSTURE = Method("stop_posture", srv.Call, "ALRobotPosture.stopMove", arguments=no_arguments)
GO_TO_POSTURE = Method(
    "go_to_posture",
    srv.GoToPosture,
    "ALRobotPosture.goToPosture",
    fill=DONE,
    check=limp_body,
    outcome=posture_taken,
    lasting=Lasting(action.GoToPosture, STOP_POSTURE, _present_posture),
)

METHODS = (
    GO_TO_POSTURE,
    Method(
        "apply_posture",
        srv.GoToPosture,
        "ALRobotPosture.applyPosture",
        fill=DONE,
        check=limp_body,
        outcome=posture_taken,
    ),
    STOP_POSTURE,
    Method("get_posture_list", srv.GetNames, "ALRobotPosture.getPostureList", fill=NAMES),
    Method("get_posture", srv.GetText, "ALRobotPosture.getPosture", fill=TEXT),
    Method("get_posture_family", srv.GetText, "ALRobotPosture.getPostureFamily", fill=TEXT),
)
