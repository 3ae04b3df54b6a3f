"""Substitutions in texts, such as ``$(var name)``, as parameter files may contain them."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

from .. import substitutions
from ..substitution import Substitution
from ..substitutions import TextSubstitution

__all__ = ["expose_substitution", "parse_substitution"]

_NAME = re.compile(r"[A-Za-z][\w-]*")
_ESCAPE = re.compile(r"\\(.)", re.DOTALL)
_registry: dict[str, Callable[..., Substitution]] = {
    "and": substitutions.AndSubstitution,
    "anon": substitutions.AnonName,
    "command": lambda command, on_stderr="fail": substitutions.Command(
        command, on_stderr=on_stderr
    ),
    "dirname": substitutions.ThisLaunchFileDir,
    "env": lambda name, default=None: substitutions.EnvironmentVariable(
        name, default_value=default
    ),
    "equals": substitutions.EqualsSubstitution,
    "eval": substitutions.PythonExpression,
    "filename": substitutions.ThisLaunchFile,
    "find-exec": lambda name: substitutions.FindExecutable(name=name),
    "if": substitutions.IfElseSubstitution,
    "not": substitutions.NotSubstitution,
    "not-equals": substitutions.NotEqualsSubstitution,
    "or": substitutions.OrSubstitution,
    "var": lambda name, default=None: substitutions.LaunchConfiguration(name, default=default),
}


def expose_substitution(name: str) -> Callable[[Any], Any]:
    """Return a decorator that makes a substitution known as ``$(name arguments)``."""

    def register(substitution: Any) -> Any:
        _registry[name] = substitution
        return substitution

    return register


def parse_substitution(string_value: str) -> list[Substitution]:
    """Return the parts of a text: literal text and substitutions.

    Arguments are separated by a space and may be quoted; a backslash takes the meaning off the
    following character. Raises ValueError for a malformed or unknown substitution.
    """
    parser = _Parser(string_value)
    return parser.parts(stop="") or [TextSubstitution(text="")]


class _Parser:
    def __init__(self, text: str) -> None:
        self._text = text
        self._position = 0

    def parts(self, *, stop: str) -> list[Substitution]:
        """Parse text and substitutions up to the end or one of the characters in ``stop``."""
        parts: list[Substitution] = []
        start = self._position
        while self._position < len(self._text) and self._text[self._position] not in (stop or ()):
            if self._text.startswith("$(", self._position):
                self._add_text(parts, start)
                parts.append(self._substitution())
                start = self._position
            else:
                self._position += 2 if self._text[self._position] == "\\" else 1
        self._add_text(parts, start)
        return parts

    def _add_text(self, parts: list[Substitution], start: int) -> None:
        if start < self._position:
            text = _ESCAPE.sub(r"\1", self._text[start : self._position])
            parts.append(TextSubstitution(text=text))

    def _substitution(self) -> Substitution:
        start = self._position
        self._position += len("$(")
        match = _NAME.match(self._text, self._position)
        if match is None or match[0] not in _registry:
            raise ValueError(
                f"no substitution is known for '{self._text[start : start + 40]}'; there are "
                f"{', '.join(sorted(_registry))}"
            )
        self._position = match.end()
        arguments = []
        while self._text.startswith(" ", self._position):
            self._position += 1
            arguments.append(self._argument())
        if not self._text.startswith(")", self._position):
            raise ValueError(f"the substitution '{self._text[start:]}' lacks its ')'")
        self._position += 1
        return _registry[match[0]](*arguments)

    def _argument(self) -> list[Substitution]:
        quote = self._text[self._position : self._position + 1]
        if quote not in ("'", '"'):
            return self.parts(stop=" )")
        self._position += 1
        argument = self.parts(stop=quote)
        if not self._text.startswith(quote, self._position):
            raise ValueError(f"a quoted argument lacks its closing {quote} in '{self._text}'")
        self._position += 1
        return argument or [TextSubstitution(text="")]
