"""Checks before a method is called: they clamp arguments in place and return remarks."""

import math
from collections.abc import Callable
from typing import Any

from rigid_tree_kinematics.text import told_apart
from rigid_tree_nao import NaoError
from rigid_tree_nao.model import limited_angles, limited_changes, limited_lists, places_along
from rigid_tree_nao.nodes.robot import NaoRobot

# Clamps a method's arguments to the limits, in place; returns remarks for the reply, of which some
# may be empty. Raises NaoError for unknown joints, and for arguments that cannot be executed.
Check = Callable[[NaoRobot, list[Any]], list[str]]


def reject_non_finite(message: Any, place: str = "") -> None:
    """Raise NaoError for the first number that is not finite; ``place`` is its path."""
    for field in message.get_fields_and_field_types():
        value = getattr(message, field)
        if isinstance(value, (str, bool, int)):
            continue
        if isinstance(value, float):
            if not math.isfinite(value):
                raise NaoError(f"rejected: {place}{field} is not finite")
        elif hasattr(value, "get_fields_and_field_types"):
            reject_non_finite(value, f"{place}{field}.")
        elif len(value) and hasattr(value[0], "get_fields_and_field_types"):
            for number, item in enumerate(value):
                reject_non_finite(item, f"{place}{field}[{number}].")
        elif any(not isinstance(item, str) and not math.isfinite(item) for item in value):
            raise NaoError(f"rejected: {place}{field} has a number that is not finite")


def nothing_moves(robot: NaoRobot, arguments: list[Any]) -> list[str]:
    """Accept all arguments of a method that moves nothing."""
    return []


def _clamped(limited: Callable[..., tuple[list[str], list[float], list[str]]]) -> Check:
    """Return a check of names, values and a fraction of the maximum speed."""

    def check(robot: NaoRobot, arguments: list[Any]) -> list[str]:
        names, values, fraction = arguments
        joints, angles, remarks = limited(robot.body, names, values, robot.commands)
        arguments[:2] = joints, angles
        standstill = "fraction_max_speed is 0: will not move" if fraction == 0.0 else ""
        return [*remarks, standstill, robot.stiffness_warning(joints)]

    return check


angles_within_limits = _clamped(limited_angles)
changes_within_limits = _clamped(limited_changes)


def lists_within_limits(robot: NaoRobot, arguments: list[Any]) -> list[str]:
    """Check names, lists of angles and times for each joint, and whether they are absolute."""
    names, angles, times, is_absolute = arguments
    joints = robot.body.joints(names)
    rows, remarks = limited_lists(
        robot.body, joints, _one_each(joints, angles), robot.commands, is_absolute
    )
    arguments[:3] = list(joints), rows, _one_each(joints, times)
    return [*remarks, robot.stiffness_warning(joints)]


def curves_within_limits(robot: NaoRobot, arguments: list[Any]) -> list[str]:
    """Check names, times and Bezier points; handles may extend beyond the limits."""
    names, _, curves = arguments
    joints = robot.body.joints(names)
    angles = [[point[0] for point in curve] for curve in curves]
    rows, remarks = limited_lists(robot.body, joints, angles, robot.commands, True)
    arguments[0] = list(joints)
    for curve, row in zip(curves, rows, strict=True):
        for point, angle in zip(curve, row, strict=True):
            point[0] = angle
    return [*remarks, robot.stiffness_warning(joints)]


def stiffness_lists(robot: NaoRobot, arguments: list[Any]) -> list[str]:
    """Check names, and a list of stiffnesses and of times for each joint."""
    joints = robot.body.joints(arguments[0])
    arguments[:] = list(joints), *(_one_each(joints, lists) for lists in arguments[1:])
    return []


def _one_each(joints: tuple[str, ...], lists: list[Any]) -> list[Any]:
    """Return one list for each joint, where one list may be given for all of them."""
    rows = lists * len(joints) if len(lists) == 1 else lists
    if len(rows) != len(joints):
        raise NaoError(f"{len(rows)} lists for {len(joints)} joints")
    return rows


def effectors(robot: NaoRobot, arguments: list[Any]) -> list[str]:
    """Check the stiffness of the effectors named first; the legs move the torso."""
    names = [arguments[0]] if isinstance(arguments[0], str) else arguments[0]
    return [robot.stiffness_warning(["Legs" if name == "Torso" else name for name in names])]


def _stiff(names: str) -> Check:
    """Return a check of the stiffness of some joints, whatever the arguments are."""
    return lambda robot, arguments: [robot.stiffness_warning(names)]


legs, body = _stiff("Legs"), _stiff("Body")


def reachable_places(robot: NaoRobot, arguments: list[Any]) -> list[str]:
    """Check the place of a walk (m, rad), or several, against the parameter walk_range."""
    moves = arguments[0] if isinstance(arguments[0], list) else [arguments[:3]]
    if not moves:
        raise NaoError("rejected: there is no place to walk to")
    for (_, _, theta), (x, y, _) in zip(moves, places_along(moves), strict=True):
        distance = math.hypot(x, y)
        if distance > robot.walk_range:
            away, most = told_apart(distance, robot.walk_range, digits=4)
            raise NaoError(
                f"rejected: the place is {away} m away; the parameter walk_range allows {most} m"
            )
        if abs(theta) > 2.0 * math.pi:
            angle, _ = told_apart(abs(theta), 2.0 * math.pi, digits=4)
            raise NaoError(f"rejected: theta is {angle} rad, more than a full turn")
    return legs(robot, arguments)
