"""The package's errors, which derive from :class:`RigidTreeError`."""

import difflib
from collections.abc import Iterable

from rigid_tree_kinematics.text import LONGEST_NAME, plain


class RigidTreeError(Exception):
    """Base class of all errors of this package. Messages are ``plain``."""

    def __init__(self, *arguments: object) -> None:
        """Store the message as plain text."""
        super().__init__(*(plain(a) if isinstance(a, str) else a for a in arguments))


class ModelError(RigidTreeError, ValueError):
    """A value is invalid for a tree, body or joint."""


class UnknownNameError(ModelError, LookupError):
    """No body, joint or robot has this name; the message lists the known names."""

    def __init__(
        self, kind: str, name: object, known: Iterable[str], where: str, advice: str = ""
    ) -> None:
        """Store the unknown name, and suggest the most similar known one."""
        self.kind = kind
        self.name = name
        self.known = tuple(known)
        text = plain(str(name), LONGEST_NAME)
        close = difflib.get_close_matches(text, self.known, n=1)
        hint = f"; did you mean '{plain(close[0], LONGEST_NAME)}'?" if close else "."
        first = (plain(known, LONGEST_NAME) for known in self.known[:40])
        listed = ", ".join(first) + (", ..." if len(self.known) > 40 else "")
        found = f"{where} has no {kind} '{text}'{hint} Known: {listed or 'none'}"
        super().__init__(f"{found}. {advice}" if advice else found)


class ConfigurationError(RigidTreeError, ValueError):
    """A configuration has a wrong length, an unknown or missing joint, or an invalid number."""


class DescriptionError(RigidTreeError, ValueError):
    """A robot description (URDF, xacro, YAML table, mesh) cannot be read or written.

    ``source`` is the file or topic it came from, ``line`` the 1-based line if it is known.
    """

    def __init__(self, message: str, source: str | None = None, line: int | None = None) -> None:
        """Prefix the message with its location."""
        self.source = source
        self.line = line
        place = f"{source or '<text>'}:{line}: " if line else (f"{source}: " if source else "")
        super().__init__(place + message)


class DescriptionWarning(UserWarning):
    """A robot description has suspicious content, but is usable."""


class CollisionError(RigidTreeError, ValueError):
    """A shape, an obstacle or a scene is invalid."""


class PlanningError(RigidTreeError, ValueError):
    """The settings, start or goal of a plan are invalid."""


class NoRobotError(RigidTreeError):
    """A node has no robot description yet."""


class UnknownFrameError(RigidTreeError, LookupError):
    """TF has no transform between two frames; the message has tf2's reason."""


class OutOfTimeError(RigidTreeError, TimeoutError):
    """A request timed out or was canceled; the message names the step."""

    def __init__(self, message: str, cancelled: bool = False) -> None:
        """Store whether the request was canceled."""
        super().__init__(message)
        self.cancelled = cancelled
