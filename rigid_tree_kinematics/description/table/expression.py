"""Arithmetic in robot tables: numbers, pi, named constants, + - * / ( ), deg(x); and steps.

A small recursive-descent parser that knows nothing else, so that a table cannot run code.
"""

from __future__ import annotations

import difflib
import math
import re
from collections.abc import Callable, Iterable

from rigid_tree_kinematics.errors import DescriptionError

# Far beyond any sensible formula; they keep the recursion and the time bounded.
MAX_LENGTH = 1000
MAX_DEPTH = 50

# Elementary transforms, with how many arguments each takes.
STEP_ARGUMENTS = {
    "RotX": 1,
    "RotY": 1,
    "RotZ": 1,
    "TransX": 1,
    "TransY": 1,
    "TransZ": 1,
    "Translation": 3,
}

_TOKEN = re.compile(
    r"\s*(?:(?P<number>(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?)"
    r"|(?P<name>[A-Za-z_]\w*)|(?P<sign>[-+*/(),]))",
    re.ASCII,
)

Lookup = Callable[[str], float]


class ExpressionError(DescriptionError):
    """A formula is wrong; the caller adds where it stands."""


def evaluate(text: str, lookup: Lookup) -> float:
    """Return the value of a formula such as ``-3/4*pi`` or ``(UpperArm + 0.015) * 2``.

    Args:
        text: the formula. ``deg(x)`` is x degrees in rad.
        lookup: returns the value of a name other than ``pi``, or raises DescriptionError.

    Raises:
        ExpressionError: syntax, division by zero, or a result that is not finite.
    """
    parser = _Parser(text, lookup)
    value = parser.sum()
    parser.expect_end()
    return value


def evaluate_steps(text: str, lookup: Lookup) -> list[tuple[str, tuple[float, ...]]]:
    """Return the steps of a transform such as ``RotX(-pi/2) Translation(Reach, 0, -0.01)``.

    Each is (name, arguments), in the order written; commas between the steps are optional.
    ``identity`` is no step at all.
    """
    if text.strip() == "identity":
        return []
    parser = _Parser(text, lookup)
    steps = [parser.step()]
    while not parser.at_end():
        parser.skip(",")
        steps.append(parser.step())
    return steps


def unknown_name(name: str, known: Iterable[str]) -> str:
    """Return 'unknown name ...' with the known name that comes closest, in any case."""
    by_lower = {word.lower(): word for word in known}
    close = difflib.get_close_matches(name.lower(), by_lower, n=1)
    hint = f"; did you mean '{by_lower[close[0]]}'?" if close else ""
    return f"unknown name '{name}'{hint}"


class _Parser:
    def __init__(self, text: str, lookup: Lookup) -> None:
        self.text = text
        self.lookup = lookup
        self.depth = 0
        self.index = 0
        self.tokens = self._tokens()

    def _tokens(self) -> list[tuple[str, str]]:
        if len(self.text) > MAX_LENGTH:
            raise ExpressionError(f"a formula of more than {MAX_LENGTH} characters")
        tokens = []
        position, end = 0, len(self.text.rstrip())
        if not end:
            raise ExpressionError("an empty value where a formula is wanted")
        while position < end:
            match = _TOKEN.match(self.text, position)
            if match is None:
                found = self.text[position:].lstrip()[:1]
                raise self._error(f"'{found}' is not allowed in a formula")
            kind = str(match.lastgroup)
            tokens.append((kind, match.group(kind)))
            position = match.end()
        return tokens

    def _error(self, message: str) -> ExpressionError:
        return ExpressionError(f"{message}, in '{self.text.strip()}'")

    def at_end(self) -> bool:
        return self.index == len(self.tokens)

    def peek(self) -> str:
        """Return the next sign, or '' if it is a number, a name or the end."""
        if self.at_end() or self.tokens[self.index][0] != "sign":
            return ""
        return self.tokens[self.index][1]

    def skip(self, sign: str) -> bool:
        if self.peek() != sign:
            return False
        self.index += 1
        return True

    def expect(self, sign: str) -> None:
        if not self.skip(sign):
            found = "the end" if self.at_end() else f"'{self.tokens[self.index][1]}'"
            raise self._error(f"'{sign}' is missing before {found}")

    def expect_end(self) -> None:
        if not self.at_end():
            raise self._error(f"'{self.tokens[self.index][1]}' does not continue the formula")

    def sum(self) -> float:
        self.depth += 1
        if self.depth > MAX_DEPTH:
            raise ExpressionError(f"a formula with more than {MAX_DEPTH} nested brackets")
        value = self.product()
        while self.peek() in ("+", "-"):
            if self.skip("+"):
                value += self.product()
            else:
                self.index += 1
                value -= self.product()
            self.check(value)
        self.depth -= 1
        return value

    def product(self) -> float:
        value = self.signed()
        while self.peek() in ("*", "/"):
            if self.skip("*"):
                value *= self.signed()
            else:
                self.index += 1
                divisor = self.signed()
                if divisor == 0.0:
                    raise self._error("a division by zero")
                value /= divisor
            self.check(value)
        return value

    def signed(self) -> float:
        negative = False
        while self.peek() in ("+", "-"):
            negative ^= self.peek() == "-"
            self.index += 1
        value = self.atom()
        return -value if negative else value

    def atom(self) -> float:
        if self.skip("("):
            value = self.sum()
            self.expect(")")
            return value
        if self.at_end() or self.peek():
            found = f"'{self.peek()}'" if self.peek() else "the end"
            raise self._error(f"a number or a name is missing before {found}")
        kind, word = self.tokens[self.index]
        self.index += 1
        if kind == "number":
            return self.check(float(word))
        if self.skip("("):
            if word != "deg":
                raise self._error(f"unknown function '{word}'; the only one is deg(x)")
            value = math.radians(self.sum())
            self.expect(")")
            return value
        return math.pi if word == "pi" else self.check(self.lookup(word))

    def step(self) -> tuple[str, tuple[float, ...]]:
        known = ", ".join(STEP_ARGUMENTS)
        if self.at_end() or self.tokens[self.index][0] != "name":
            raise self._error(f"a step is missing: one of {known}")
        name = self.tokens[self.index][1]
        if name not in STEP_ARGUMENTS:
            raise self._error(f"{unknown_name(name, STEP_ARGUMENTS)} Steps are {known}")
        self.index += 1
        self.expect("(")
        arguments = [self.sum()]
        while self.skip(","):
            arguments.append(self.sum())
        self.expect(")")
        if len(arguments) != STEP_ARGUMENTS[name]:
            wanted = STEP_ARGUMENTS[name]
            raise self._error(f"{name} takes {wanted} argument(s), not {len(arguments)}")
        return name, tuple(arguments)

    def check(self, value: float) -> float:
        if not math.isfinite(value):
            raise self._error("the value overflows")
        return value
