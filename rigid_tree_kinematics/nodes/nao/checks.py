"""What nao_bridge looks at, and changes, before a request becomes a command."""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np
from nao_motion_interfaces.msg import NumberList

from rigid_tree_kinematics.nao.command_check import (
    limited_angles,
    limited_changes,
    limited_lists,
)
from rigid_tree_kinematics.nao.errors import NaoError
from rigid_tree_kinematics.nodes.nao.robot import NaoRobot

Check = Callable[[NaoRobot, Any], list[str]]


def checked(robot: NaoRobot, name: str, request: Any) -> list[str]:
    """Cut a request's angles at the limits; return remarks for the reply.

    ``name`` is the ROS name of the method. Raises NaoError for numbers that are not finite.
    Names that the model does not know are left to the robot, which has its own words for them.
    """
    refuse_non_finite(request)
    check = CHECKS.get(name)
    return [] if check is None else [remark for remark in check(robot, request) if remark]


def refuse_non_finite(message: Any, place: str = "") -> None:
    """Raise NaoError that names the first field with a number that is not finite."""
    for field in message.get_fields_and_field_types():
        value = getattr(message, field)
        if isinstance(value, (str, bool, int)):
            continue
        if isinstance(value, float):
            if not math.isfinite(value):
                raise NaoError(f"refused: {place}{field} is not finite")
        elif hasattr(value, "get_fields_and_field_types"):
            refuse_non_finite(value, f"{place}{field}.")
        else:
            _refuse_in_sequence(value, f"{place}{field}")


def _refuse_in_sequence(values: Any, place: str) -> None:
    if len(values) and hasattr(values[0], "get_fields_and_field_types"):
        for number, item in enumerate(values):
            refuse_non_finite(item, f"{place}[{number}].")
        return
    numbers = [value for value in values if not isinstance(value, str)]
    if not np.isfinite(np.asarray(numbers, dtype=float)).all():
        raise NaoError(f"refused: {place} holds a number that is not finite")


def _known(robot: NaoRobot, names: Any) -> bool:
    try:
        robot.body.joints(names)
    except NaoError:
        return False
    return True


def _angles(robot: NaoRobot, request: Any, limited: Any = limited_angles) -> list[str]:
    if not _known(robot, request.names):
        return []
    joints, angles, remarks = limited(
        robot.body, request.names, list(request.angles), robot.commands
    )
    request.names, request.angles = joints, angles
    return [*remarks, robot.limp(joints)]


def _lists(robot: NaoRobot, request: Any) -> list[str]:
    if not _known(robot, request.names):
        return []
    joints, rows, remarks = limited_lists(
        robot.body,
        request.names,
        [list(item.values) for item in request.angle_lists],
        robot.commands,
        request.is_absolute,
    )
    request.names, request.angle_lists = joints, [NumberList(values=row) for row in rows]
    return [*remarks, robot.limp(joints)]


def _bezier(robot: NaoRobot, request: Any) -> list[str]:
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


def _one(robot: NaoRobot, request: Any) -> list[str]:
    return [robot.limp(["Legs" if request.name == "Torso" else request.name])]


def _many(robot: NaoRobot, request: Any) -> list[str]:
    return [robot.limp(list(request.names))]


def _legs(robot: NaoRobot, request: Any) -> list[str]:
    return [robot.limp(["Legs"])]


def _body(robot: NaoRobot, request: Any) -> list[str]:
    return [robot.limp(["Body"])]


CHECKS: dict[str, Check] = {
    "set_angles": _angles,
    "angle_interpolation_with_speed": _angles,
    "change_angles": partial(_angles, limited=limited_changes),
    "angle_interpolation": _lists,
    "angle_interpolation_bezier": _bezier,
    **dict.fromkeys(("open_hand", "close_hand", "set_position", "change_position"), _one),
    **dict.fromkeys(("set_transform", "change_transform"), _one),
    **dict.fromkeys(("position_interpolation", "transform_interpolation"), _one),
    **dict.fromkeys(("set_positions", "set_transforms"), _many),
    **dict.fromkeys(("position_interpolations", "transform_interpolations"), _many),
    **dict.fromkeys(("move", "move_toward", "move_to", "move_init", "walk_to"), _legs),
    **dict.fromkeys(("set_foot_steps", "set_foot_steps_with_speed"), _legs),
    "set_walk_target_velocity": _legs,
    **dict.fromkeys(("go_to_posture", "apply_posture"), _body),
}
