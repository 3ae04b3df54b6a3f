"""ALMotion's joint and stiffness control, and ALRobotPosture."""

from __future__ import annotations

from typing import Any

import nao_motion_interfaces.srv as srv
from nao_motion_interfaces import action

from rigid_tree_kinematics.nao.guard import WalkEffect
from rigid_tree_kinematics.nodes.nao.methods import checks, outcomes
from rigid_tree_kinematics.nodes.nao.methods.arguments import (
    floats,
    lists_of_all_fields,
    no_arguments,
)
from rigid_tree_kinematics.nodes.nao.methods.general import KILL_TASKS_USING_RESOURCES
from rigid_tree_kinematics.nodes.nao.methods.method import Lasting, Method
from rigid_tree_kinematics.nodes.nao.methods.replies import (
    DONE,
    FLAG,
    NAMES,
    TEXT,
    into,
    numbers,
)
from rigid_tree_kinematics.nodes.nao.robot import NaoRobot


def _bezier(request: Any) -> list[Any]:
    """Return names, times, and points [angle, handle before, handle after] for each joint."""
    points = [
        [
            [
                float(point.angle),
                [int(point.before_type), float(point.before_time), float(point.before_angle)],
                [int(point.after_type), float(point.after_time), float(point.after_angle)],
            ]
            for point in curve.points
        ]
        for curve in request.control_points
    ]
    times = [floats(item.values) for item in request.time_lists]
    return [list(request.names), times, points]


def _present_angles(goal: Any, feedback: Any, robot: NaoRobot) -> None:
    if robot.state is None:
        return
    joints = robot.body.joints(goal.names)
    feedback.names = list(joints)
    feedback.angles = robot.state.angles[robot.body.places(joints)].tolist()


def _present_posture(goal: Any, feedback: Any, robot: NaoRobot) -> None:
    if robot.health is not None:
        feedback.posture = robot.health.posture


WAKE_UP = Method(srv.Call, "ALMotion.wakeUp", outcome=outcomes.awake)
REST = Method(srv.Call, "ALMotion.rest", walk=WalkEffect.ENDS, outcome=outcomes.resting)
SET_STIFFNESSES = Method(srv.SetStiffnesses, "ALMotion.setStiffnesses")
STIFFNESS = (
    WAKE_UP,
    REST,
    Method(srv.GetFlag, "ALMotion.robotIsWakeUp", fill=FLAG),
    SET_STIFFNESSES,
    Method(srv.GetStiffnesses, "ALMotion.getStiffnesses", fill=into("stiffnesses", numbers)),
    Method(
        srv.StiffnessInterpolation,
        "ALMotion.stiffnessInterpolation",
        arguments=lists_of_all_fields,
        check=checks.stiffness_lists,
        outcome=outcomes.stiffness_reached,
    ),
)

SET_ANGLES = Method(srv.SetAngles, "ALMotion.setAngles", check=checks.angles_within_limits)
CHANGE_ANGLES = Method(srv.SetAngles, "ALMotion.changeAngles", check=checks.changes_within_limits)
ANGLE_INTERPOLATION = Method(
    srv.AngleInterpolation,
    "ALMotion.angleInterpolation",
    arguments=lists_of_all_fields,
    check=checks.lists_within_limits,
    outcome=outcomes.lists_followed,
    lasting=Lasting(action.AngleInterpolation, KILL_TASKS_USING_RESOURCES, _present_angles),
)
ANGLE_INTERPOLATION_WITH_SPEED = Method(
    srv.SetAngles,
    "ALMotion.angleInterpolationWithSpeed",
    check=checks.angles_within_limits,
    outcome=outcomes.angles_reached,
    lasting=Lasting(
        action.AngleInterpolationWithSpeed, KILL_TASKS_USING_RESOURCES, _present_angles
    ),
)
HAND: dict[str, Any] = {"check": checks.effectors, "outcome": outcomes.hand_is_stiff}
JOINTS = (
    Method(srv.GetAngles, "ALMotion.getAngles", fill=into("angles", numbers)),
    SET_ANGLES,
    CHANGE_ANGLES,
    ANGLE_INTERPOLATION_WITH_SPEED,
    ANGLE_INTERPOLATION,
    Method(
        srv.AngleInterpolationBezier,
        "ALMotion.angleInterpolationBezier",
        arguments=_bezier,
        check=checks.curves_within_limits,
        outcome=outcomes.curves_followed,
    ),
    Method(srv.CallFor, "ALMotion.openHand", **HAND),
    Method(srv.CallFor, "ALMotion.closeHand", **HAND),
)

STOP_POSTURE = Method(
    srv.Call, "ALRobotPosture.stopMove", name="stop_posture", arguments=no_arguments
)
POSTURE: dict[str, Any] = {"fill": DONE, "check": checks.body, "outcome": outcomes.posture_taken}
GO_TO_POSTURE = Method(
    srv.GoToPosture,
    "ALRobotPosture.goToPosture",
    lasting=Lasting(action.GoToPosture, STOP_POSTURE, _present_posture),
    **POSTURE,
)
POSTURES = (
    GO_TO_POSTURE,
    Method(srv.GoToPosture, "ALRobotPosture.applyPosture", **POSTURE),
    STOP_POSTURE,
    Method(srv.GetNames, "ALRobotPosture.getPostureList", fill=NAMES),
    Method(srv.GetText, "ALRobotPosture.getPosture", fill=TEXT),
    Method(srv.GetText, "ALRobotPosture.getPostureFamily", fill=TEXT),
)
