"""Formulas in robot tables have Python's values, and allow only arithmetic."""

import contextlib
import math
import random
import warnings
from collections.abc import Callable

import pytest

from rigid_tree_kinematics.description.table.expression import (
    MAX_LENGTH,
    ExpressionError,
    Lookup,
    evaluate,
    evaluate_steps,
)
from rigid_tree_kinematics.errors import RigidTreeError

CONSTANTS = {"UpperArm": 0.105, "x": -2.5, "_y2": 7.0}


def lookup(name: str) -> float:
    if name not in CONSTANTS:
        raise ExpressionError(f"unknown name '{name}'")
    return CONSTANTS[name]


def random_formula(rng: random.Random, depth: int) -> str:
    choice = rng.random()
    if depth == 0 or choice < 0.25:
        return rng.choice(
            [
                *(f"{rng.uniform(0, 9):.3f}", str(rng.randint(0, 99))),
                *(f"{rng.randint(1, 9)}.e-2", "1e3", ".5", "pi", *CONSTANTS),
            ]
        )
    if choice < 0.35:
        return f"({random_formula(rng, depth - 1)})"
    if choice < 0.45:
        return f"{rng.choice('+-')}{random_formula(rng, depth - 1)}"
    if choice < 0.5:
        return f"deg({random_formula(rng, depth - 1)})"
    space = rng.choice(["", " "])
    left, right = random_formula(rng, depth - 1), random_formula(rng, depth - 1)
    return f"{left}{space}{rng.choice('+-*/')}{space}{right}"


def test_random_formulas_have_the_value_that_python_gives_them() -> None:
    rng = random.Random(7)
    names = {**CONSTANTS, "pi": math.pi, "deg": math.radians}
    compared = 0
    for _ in range(3000):
        formula = random_formula(rng, 5)
        if len(formula) > MAX_LENGTH:
            continue
        try:
            wanted = eval(formula, {"__builtins__": {}}, names)
        except ZeroDivisionError:
            with pytest.raises(ExpressionError, match="zero"):
                evaluate(formula, lookup)
            continue
        if math.isfinite(wanted):
            assert evaluate(formula, lookup) == wanted, formula
            compared += 1
    assert compared > 2500
    assert evaluate("1 +\n 2", lookup) == 3.0


def message_of_error(read: Callable[[str, Lookup], object], text: str) -> str:
    with pytest.raises(ExpressionError) as caught:
        read(text, lookup)
    return str(caught.value)


def test_everything_but_arithmetic_is_rejected() -> None:
    for formulas, message in (
        (("1 / 0", "1 / (x - x)"), "division by zero"),
        (("1e308 * 10", "1e999", "9" * 400), "overflows"),
        (("", "  "), "empty"),
        (("1 +", "* 2", "(1 + 2", "1 2", "1; 2", "½", "deg 3", "(" * 300 + ")" * 300), "not a f"),
        (("a\0b", "\udcff"), "not a formula"),
        (
            ("2 ** 3", "x.real", "[1]", "deg()", "deg(1, 2)", "'1'", "1j", "x if x else 1"),
            "not al",
        ),
        (("2 // 3", "x if x else 1", "(x := 1)", "lambda: 1", "f'{x}'"), "not allowed"),
        (("sin(1)", "__import__('os')"), "unknown function"),
        (("nope", "True", "inf", "nan"), "unknown name"),
        (("1+" * MAX_LENGTH + "1",), "at most 1000 characters"),
        (("1" + "+1" * 400, "-" * 900 + "1"), "nested too deeply"),
    ):
        for formula in formulas:
            assert message in message_of_error(evaluate, formula), formula


def test_steps_keep_their_order_with_and_without_commas() -> None:
    wanted = [("RotX", (-math.pi / 2,)), ("Translation", (0.105, 0.0, -1.0)), ("TransZ", (2.0,))]
    assert evaluate_steps("RotX(-pi/2) Translation(UpperArm, 0, -1) TransZ(2)", lookup) == wanted
    assert evaluate_steps("RotX(-pi/2), Translation(UpperArm, 0, -1), TransZ(2)", lookup) == wanted
    assert evaluate_steps("identity", lookup) == []


def test_wrong_steps_are_rejected() -> None:
    for steps, message in {
        "Rotx(1)": "did you mean 'RotX'",
        "RotX": "a step is missing",
        "RotX()": "RotX takes 1 argument(s), not 0",
        "RotX(1, 2)": "RotX takes 1 argument(s), not 2",
        "Translation(1, 2)": "Translation takes 3 argument(s), not 2",
        "0.1": "a step is missing",
        "RotX(1) +": "not a formula",
        "RotX(1),,RotY(1)": "not a formula",
        "RotX(1)] + [RotX(1)": "a step is missing",
        "RotX(x=1)": "a step is missing",
    }.items():
        assert message in message_of_error(evaluate_steps, steps), steps


def test_random_texts_raise_only_our_errors() -> None:
    rng = random.Random(11)
    pieces = [*"+-*/(),.eE 0123456789_xÄ'\"\n\t[]{};:", "pi", "deg", "RotX(", "1e", "UpperArm"]
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        for _ in range(5000):
            text = "".join(rng.choices(pieces, k=rng.randint(0, 12)))
            for read in (evaluate, evaluate_steps):
                with contextlib.suppress(RigidTreeError):
                    read(text, lookup)
