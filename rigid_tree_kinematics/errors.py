"""The package's errors, which derive from :class:`RigidTreeError`."""

import difflib
import re
from collections.abc import Iterable

LONGEST_NAME = 100  # characters of a name in a list of names
LONGEST_TEXT = 2000  # characters of a message; external names can have any length
_BREAKS = re.compile(r"[\t\n\v\f\r\x1c-\x1e\x85\u2028\u2029]+ *")


def plain(text: str, most: int = LONGEST_TEXT) -> str:
    """Return text as one line, truncated to ``most`` characters with a note.

    Unprintable characters are escaped: in a terminal, escape sequences and characters that change
    the writing direction could make a name look like another message.
    """
    if len(text) > most:
        start = most * 2 // 3
        left_out = len(text) - most
        text = f"{text[:start]} ... ({left_out} characters) ... {text[len(text) - most + start :]}"
    text = _BREAKS.sub(" ", text)
    if text.isprintable():
        return text
    return "".join(
        letter if letter.isprintable() else letter.encode("unicode_escape").decode()
        for letter in text
    )


def told_apart(*numbers: float, digits: int = 6) -> tuple[str, ...]:
    """Return numbers as text, with as many digits as it takes to see which of them differ.

    For messages that state a value beside its limits. ``digits`` is the least number of
    significant digits.
    """
    different = len(set(numbers))
    texts: tuple[str, ...] = ()
    for count in range(digits, 18):
        texts = tuple(f"{number:.{count}g}" for number in numbers)
        if len(set(texts)) >= different:
            break
    return texts


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


class OutOfTimeError(RigidTreeError, TimeoutError):
    """A request timed out or was canceled; the message names the step."""

    def __init__(self, message: str, cancelled: bool = False) -> None:
        """Store whether the request was canceled."""
        super().__init__(message)
        self.cancelled = cancelled
