"""Arithmetic in robot tables: numbers, pi, constants, + - * / ( ), deg(x); and steps.

Python parses the text, and only these elements of its syntax are evaluated: a table cannot run
code.
"""

import ast
import difflib
import math
import re
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager

from rigid_tree_kinematics.errors import DescriptionError

MAX_LENGTH = 1000  # characters; far above any sensible formula

# Elementary transforms with their numbers of arguments.
STEP_ARGUMENTS = {f"{kind}{axis}": 1 for kind in ("Rot", "Trans") for axis in "XYZ"}
STEP_ARGUMENTS["Translation"] = 3

Lookup = Callable[[str], float]


class ExpressionError(DescriptionError):
    """A formula is invalid; the caller adds its location."""


def evaluate(text: str, lookup: Lookup) -> float:
    """Return the value of a formula such as ``deg(90)`` or ``(Arm + 0.015) * 2``.

    ``lookup`` returns the value of a name. Raises ExpressionError for wrong syntax, division by
    zero, or a result that is not finite.
    """
    with _bounded(text):
        return _value(_parse(text, text), text, lookup)


def evaluate_steps(text: str, lookup: Lookup) -> list[tuple[str, tuple[float, ...]]]:
    """Return the steps of a transform such as ``RotX(-pi/2) Translation(Reach, 0, -0.01)``.

    Each is (name, arguments), in the order of the text; commas between the steps are optional.
    ``identity`` has no steps.
    """
    if text.strip() == "identity":
        return []
    with_commas = re.sub(r"\)(\s*)(?=[A-Za-z_])", r"),\1", text)
    parsed = _parse(f"[{with_commas}]", text)
    calls = parsed.elts if isinstance(parsed, ast.List) else [parsed]
    with _bounded(text):
        return [_step(call, text, lookup) for call in calls]


@contextmanager
def _bounded(text: str) -> Iterator[None]:
    try:
        yield
    except RecursionError:
        raise _error("the formula is nested too deeply", text) from None


def unknown_name(name: str, known: Iterable[str]) -> str:
    """Return 'unknown name ...' with the most similar known name."""
    by_lower = {word.lower(): word for word in known}
    close = difflib.get_close_matches(name.lower(), by_lower, n=1)
    hint = f"; did you mean '{by_lower[close[0]]}'?" if close else ""
    return f"unknown name '{name}'{hint}"


def _error(message: str, text: str) -> ExpressionError:
    return ExpressionError(f"{message}, in '{text.strip()}'")


def _parse(code: str, text: str) -> ast.expr:
    """Return the syntax tree of code that was generated from a text."""
    if not text.strip():
        raise ExpressionError("an empty value; a formula is expected")
    if len(text) > MAX_LENGTH:
        raise ExpressionError(f"a formula has at most {MAX_LENGTH} characters, not {len(text)}")
    try:
        return ast.parse(" ".join(code.split()), mode="eval").body
    except (SyntaxError, ValueError, MemoryError, RecursionError) as error:
        reason = error.msg if isinstance(error, SyntaxError) else str(error) or "too long"
        raise _error(f"not a formula: {reason}", text) from None


def _step(call: ast.expr, text: str, lookup: Lookup) -> tuple[str, tuple[float, ...]]:
    known = ", ".join(STEP_ARGUMENTS)
    if not isinstance(call, ast.Call) or not isinstance(call.func, ast.Name) or call.keywords:
        raise _error(f"a step is missing: one of {known}, with its arguments in brackets", text)
    name, count = call.func.id, len(call.args)
    if name not in STEP_ARGUMENTS:
        raise _error(f"{unknown_name(name, STEP_ARGUMENTS)} Steps are {known}", text)
    if count != STEP_ARGUMENTS[name]:
        raise _error(f"{name} takes {STEP_ARGUMENTS[name]} argument(s), not {count}", text)
    return name, tuple(_value(argument, text, lookup) for argument in call.args)


def _value(node: ast.expr, text: str, lookup: Lookup) -> float:
    """Return the value of a part of a formula; ``text`` is the whole formula, for messages."""
    try:
        value = _unchecked_value(node, text, lookup)
    except ZeroDivisionError:
        raise _error("a division by zero", text) from None
    except OverflowError:
        value = math.inf
    if not math.isfinite(value):
        raise _error("the value overflows", text)
    return value


def _unchecked_value(node: ast.expr, text: str, lookup: Lookup) -> float:
    match node:
        case ast.Constant(value=bool()):
            return lookup(str(node.value))
        case ast.Constant(value=int() | float() as number):
            return float(number)
        case ast.Name(id="pi"):
            return math.pi
        case ast.Name(id=name):
            return lookup(name)
        case ast.UnaryOp(op=ast.USub() | ast.UAdd()):
            value = _value(node.operand, text, lookup)
            return -value if isinstance(node.op, ast.USub) else value
        case ast.BinOp(op=ast.Add() | ast.Sub() | ast.Mult() | ast.Div()):
            left, right = (_value(part, text, lookup) for part in (node.left, node.right))
            if isinstance(node.op, ast.Add):
                return left + right
            if isinstance(node.op, ast.Sub):
                return left - right
            return left * right if isinstance(node.op, ast.Mult) else left / right
        case ast.Call(func=ast.Name(id="deg"), args=[argument], keywords=[]):
            return math.radians(_value(argument, text, lookup))
        case ast.Call(func=ast.Name(id=name)) if name != "deg":
            raise _error(f"unknown function '{name}'; the only one is deg(x)", text)
    raise _error(f"'{ast.unparse(node)}' is not allowed in a formula", text)
