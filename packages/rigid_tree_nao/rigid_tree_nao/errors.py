"""Errors of NAO's modules."""

import difflib
from collections.abc import Iterable

from rigid_tree_kinematics.errors import RigidTreeError

LONGEST_LIST = 20  # names in a message


class NaoError(RigidTreeError, RuntimeError):
    """A method was called with invalid names or numbers, or the robot rejected it."""


class NoRobotConnectionError(NaoError):
    """There is no connection to the robot, or it was lost during a call."""


def unknown_name(kind: str, name: object, known: Iterable[str]) -> NaoError:
    """Return the error for an unknown name, with the most similar known one."""
    by_lower = {one.lower(): one for one in known}
    close = difflib.get_close_matches(str(name).lower(), by_lower, n=1)
    hint = f"; did you mean '{by_lower[close[0]]}'?" if close else ";"
    listed = list(by_lower.values())
    rest = ", ..." if len(listed) > LONGEST_LIST else ""
    return NaoError(
        f"unknown {kind} '{name}'{hint} known: {', '.join(listed[:LONGEST_LIST])}{rest}"
    )
