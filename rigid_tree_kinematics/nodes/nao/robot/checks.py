"""What is checked before a request becomes a call of the robot."""

from __future__ import annotations

import copy
import math
from typing import TYPE_CHECKING, Any

import numpy as np

from rigid_tree_kinematics.nao import NaoError

if TYPE_CHECKING:
    from rigid_tree_kinematics.nodes.nao.robot.method import Method
    from rigid_tree_kinematics.nodes.nao.robot.robot import NaoRobot


def checked(robot: NaoRobot, method: Method, request: Any) -> list[str]:
    """Check a request and clamp its angles to the limits in place; return remarks.

    Raises NaoError for numbers that are not finite, and where the lengths of lists differ. Names
    that the model does not know pass: the robot refuses them.
    """
    refuse_non_finite(request)
    return [remark for remark in method.check(robot, request) if remark]


def refuse_non_finite(message: Any, place: str = "") -> None:
    """Raise NaoError for the first field that holds a number that is not finite.

    ``place`` is what leads to the fields of this message from the outermost one: "header.".
    """
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


def one_for_all(count: int, lists: Any) -> list[Any]:
    """Return one list for each of ``count`` joints, where one may stand for all of them.

    Raises NaoError for another number of lists.
    """
    rows = list(lists)
    if len(rows) == 1:
        return [copy.deepcopy(rows[0]) for _ in range(count)]
    if len(rows) != count:
        raise NaoError(f"{len(rows)} lists for {count} joints")
    return rows


# The checks of methods whose requests hold no angles: a remark on joints without stiffness.


def limp_effector(robot: NaoRobot, request: Any) -> list[str]:
    """Check the chain or hand in ``name``; the torso is moved by the legs."""
    return [robot.limp(["Legs" if request.name == "Torso" else request.name])]


def limp_effectors(robot: NaoRobot, request: Any) -> list[str]:
    """Check the chains in ``names``."""
    return [robot.limp(list(request.names))]


def reachable_place(robot: NaoRobot, request: Any) -> list[str]:
    """Check the place of a walk (m, rad); refuse one that no room holds, and more than a turn."""
    _refuse_far(robot, request)
    return limp_legs(robot, request)


def reachable_places(robot: NaoRobot, request: Any) -> list[str]:
    """Check several places."""
    if not request.places:
        raise NaoError("refused: there is no place to walk to")
    for place in request.places:
        _refuse_far(robot, place)
    return limp_legs(robot, request)


def _refuse_far(robot: NaoRobot, place: Any) -> None:
    distance = math.hypot(place.x, place.y)
    if distance > robot.walk_range:
        raise NaoError(
            f"refused: the place is {distance:.4g} m away, the parameter walk_range allows "
            f"{robot.walk_range:g} m"
        )
    if abs(place.theta) > 2.0 * math.pi:
        raise NaoError(f"refused: theta is {place.theta:.4g} rad, more than a full turn")


def limp_legs(robot: NaoRobot, request: Any) -> list[str]:
    """Check the legs."""
    return [robot.limp(["Legs"])]


def limp_body(robot: NaoRobot, request: Any) -> list[str]:
    """Check all joints."""
    return [robot.limp(["Body"])]
