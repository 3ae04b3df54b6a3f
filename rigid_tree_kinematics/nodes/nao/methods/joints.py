"""ALMotion's joint control; commands are cut at the joints' limits."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

import nao_motion_interfaces.srv as srv
from nao_motion_interfaces import action
from nao_motion_interfaces.msg import NumberList

from rigid_tree_kinematics.nao import NaoError
from rigid_tree_kinematics.nao.model import limited_angles, limited_changes, limited_lists
from rigid_tree_kinematics.nodes.nao.methods.tasks import KILL_TASKS_USING_RESOURCES
from rigid_tree_kinematics.nodes.nao.robot import (
    Check,
    Lasting,
    Method,
    angles_reached,
    curves_followed,
    floats,
    hand_opened,
    into,
    limp_effector,
    lists_followed,
    lists_of_all_fields,
    numbers,
    one_for_all,
)

if TYPE_CHECKING:
    from rigid_tree_kinematics.nodes.nao.robot import NaoRobot


def _known(robot: NaoRobot, names: Sequence[str]) -> bool:
    """Return whether the model knows these joints; the robot reports those that do not exist."""
    try:
        robot.body.joints(names)
    except NaoError:
        return False
    return True


def _cut(limited: Callable[..., tuple[list[str], list[float], list[str]]]) -> Check:
    """Return the check of one angle, or one change, for each joint."""

    def check(robot: NaoRobot, request: Any) -> list[str]:
        if not _known(robot, request.names):
            return []
        joints, angles, remarks = limited(
            robot.body, request.names, list(request.angles), robot.commands
        )
        request.names, request.angles = joints, angles
        still = "fraction_max_speed is 0: will not move" * (request.fraction_max_speed == 0.0)
        return [*remarks, still, robot.limp(joints)]

    return check


def _cut_lists(robot: NaoRobot, request: Any) -> list[str]:
    """Check a list of angles for each joint."""
    if not _known(robot, request.names):
        return []
    count = len(robot.body.joints(request.names))
    request.time_lists = one_for_all(count, request.time_lists)
    request.angle_lists = one_for_all(count, request.angle_lists)
    lists = [list(item.values) for item in request.angle_lists]
    joints, rows, remarks = limited_lists(
        robot.body, request.names, lists, robot.commands, request.is_absolute
    )
    request.names, request.angle_lists = joints, [NumberList(values=row) for row in rows]
    return [*remarks, robot.limp(joints)]


def _cut_curves(robot: NaoRobot, request: Any) -> list[str]:
    """Check the angles of each joint's control points; handles may reach beyond the limits."""
    if not _known(robot, request.names):
        return []
    curves = request.control_points
    lists = [[point.angle for point in curve.points] for curve in curves]
    joints, rows, remarks = limited_lists(robot.body, request.names, lists, robot.commands, True)
    request.names = joints
    for curve, row in zip(curves, rows, strict=True):
        for point, angle in zip(curve.points, row, strict=True):
            point.angle = angle
    return [*remarks, robot.limp(joints)]


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


SET_ANGLES = Method("set_angles", srv.SetAngles, "ALMotion.setAngles", check=_cut(limited_angles))
CHANGE_ANGLES = Method(
    "change_angles", srv.SetAngles, "ALMotion.changeAngles", check=_cut(limited_changes)
)
ANGLE_INTERPOLATION = Method(
    "angle_interpolation",
    srv.AngleInterpolation,
    "ALMotion.angleInterpolation",
    arguments=lists_of_all_fields,
    check=_cut_lists,
    outcome=lists_followed,
    lasting=Lasting(action.AngleInterpolation, KILL_TASKS_USING_RESOURCES, _present_angles),
)
ANGLE_INTERPOLATION_WITH_SPEED = Method(
    "angle_interpolation_with_speed",
    srv.SetAngles,
    "ALMotion.angleInterpolationWithSpeed",
    check=_cut(limited_angles),
    outcome=angles_reached,
    lasting=Lasting(
        action.AngleInterpolationWithSpeed, KILL_TASKS_USING_RESOURCES, _present_angles
    ),
)

METHODS = (
    Method("get_angles", srv.GetAngles, "ALMotion.getAngles", fill=into("angles", numbers)),
    SET_ANGLES,
    CHANGE_ANGLES,
    ANGLE_INTERPOLATION_WITH_SPEED,
    ANGLE_INTERPOLATION,
    Method(
        "angle_interpolation_bezier",
        srv.AngleInterpolationBezier,
        "ALMotion.angleInterpolationBezier",
        arguments=_bezier,
        check=_cut_curves,
        outcome=curves_followed,
    ),
    Method(
        "open_hand",
        srv.CallFor,
        "ALMotion.openHand",
        check=limp_effector,
        outcome=hand_opened,
    ),
    Method(
        "close_hand",
        srv.CallFor,
        "ALMotion.closeHand",
        check=limp_effector,
        outcome=hand_opened,
    ),
)
