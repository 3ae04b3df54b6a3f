"""Every error that the package raises on purpose; all derive from :class:`RigidTreeError`."""

from __future__ import annotations

import difflib
from collections.abc import Iterable


class RigidTreeError(Exception):
    """Base class: catch this to catch all errors of this package."""


class ModelError(RigidTreeError, ValueError):
    """A tree, body or joint was asked to become something that it cannot be."""


class UnknownNameError(ModelError, LookupError):
    """A body, joint or robot of this name does not exist; the message lists those that do."""

    def __init__(self, kind: str, name: object, known: Iterable[str], where: str) -> None:
        """Keep what was looked for, and say which of the known names comes closest."""
        self.kind = kind
        self.name = name
        self.known = tuple(known)
        close = difflib.get_close_matches(str(name), self.known, n=1)
        hint = f"; did you mean '{close[0]}'?" if close else ""
        listed = ", ".join(self.known[:40]) + (", ..." if len(self.known) > 40 else "")
        super().__init__(f"{where} has no {kind} '{name}'{hint} Known: {listed or 'none'}")


class ConfigurationError(RigidTreeError, ValueError):
    """A configuration has the wrong length, an unknown or missing joint, or a bad number."""


class DescriptionError(RigidTreeError, ValueError):
    """A robot description (URDF, xacro, YAML table, mesh) cannot be read or written.

    ``source`` is the file or topic it came from, ``line`` the 1-based line if it is known.
    """

    def __init__(self, message: str, source: str | None = None, line: int | None = None) -> None:
        """Prefix the message with its place."""
        self.source = source
        self.line = line
        place = f"{source or '<text>'}:{line}: " if line else (f"{source}: " if source else "")
        super().__init__(place + message)


class DescriptionWarning(UserWarning):
    """Something in a robot description is suspicious, but the robot is usable."""


class CollisionError(RigidTreeError, ValueError):
    """A shape, an obstacle or a scene cannot be what it was asked to be."""


class PlanningError(RigidTreeError, ValueError):
    """A plan was asked for with settings, a start or a goal that make no sense."""
