"""What is checked before a request becomes a call of the robot."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy as np

from rigid_tree_kinematics.nao.errors import NaoError

if TYPE_CHECKING:
    from rigid_tree_kinematics.nodes.nao.methods.method import Method
    from rigid_tree_kinematics.nodes.nao.robot import NaoRobot


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


# The checks of methods whose requests hold no angles: a remark on joints without stiffness.


def limp_effector(robot: NaoRobot, request: Any) -> list[str]:
    """Check the chain or hand in ``name``; the torso is moved by the legs."""
    return [robot.limp(["Legs" if request.name == "Torso" else request.name])]


def limp_effectors(robot: NaoRobot, request: Any) -> list[str]:
    """Check the chains in ``names``."""
    return [robot.limp(list(request.names))]


def reachable_place(robot: NaoRobot, request: Any) -> list[str]:
    """Check the place of a walk (m, rad); refuse one that no room holds, and more than a turn."""
    distance = math.hypot(request.x, request.y)
    if distance > robot.walk_range:
        raise NaoError(
            f"refused: the place is {distance:.4g} m away, the parameter walk_range allows "
            f"{robot.walk_range:g} m"
        )
    if abs(request.theta) > 2.0 * math.pi:
        raise NaoError(f"refused: theta is {request.theta:.4g} rad, more than a full turn")
    return limp_legs(robot, request)


def limp_legs(robot: NaoRobot, request: Any) -> list[str]:
    """Check the legs."""
    return [robot.limp(["Legs"])]


def limp_body(robot: NaoRobot, request: Any) -> list[str]:
    """Check all joints."""
    return [robot.limp(["Body"])]
