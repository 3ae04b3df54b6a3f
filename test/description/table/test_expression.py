"""Formulas in robot tables have Python's values, and nothing but arithmetic in them."""

from __future__ import annotations

import contextlib
import math
import random
import warnings

import pytest

from rigid_tree_kinematics.description.table.expression import (
    MAX_LENGTH,
    ExpressionError,
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
                *(f"{rng.randint(1, 9)}.e-2", ".5", "pi", *CONSTANTS),
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


@pytest.mark.parametrize(
    ("formula", "wanted"),
    [
        ("-3/4*pi", -0.75 * math.pi),
        ("- 3/4 * pi", -0.75 * math.pi),
        ("2 - 3 - 4", -5.0),
        ("12 / 3 / 2", 2.0),
        ("2 + 3 * 4", 14.0),
        ("-(UpperArm + 0.015) * 2", -0.24),
        ("--2", 2.0),
        ("2 - -3", 5.0),
        ("1e3", 1000.0),
        ("deg(180)", math.pi),
        ("deg(90) + deg(-45)", math.pi / 4),
    ],
)
def test_signs_order_and_degrees(formula: str, wanted: float) -> None:
    assert evaluate(formula, lookup) == pytest.approx(wanted, abs=1e-15)


@pytest.mark.parametrize(
    ("formula", "message"),
    [
        ("1 / 0", "division by zero"),
        ("1 / (x - x)", "division by zero"),
        ("1e308 * 10", "overflows"),
        ("1e999", "overflows"),
        ("9" * 400, "overflows"),
        ("", "empty"),
        ("  ", "empty"),
        ("1 +", "missing before the end"),
        ("* 2", r"missing before '\*'"),
        ("(1 + 2", r"'\)' is missing"),
        ("1 2", "does not continue"),
        ("2 ** 3", "missing before"),
        ("sin(1)", "unknown function 'sin'"),
        ("nope", "unknown name 'nope'"),
        ("1; 2", "';' is not allowed"),
        ("__import__('os')", "not allowed"),
        ("x.real", "not allowed"),
        ("[1]", "not allowed"),
        ("True", "unknown name"),
        ("inf", "unknown name"),
        ("nan", "unknown name"),
        ("1_000", "does not continue"),
        ("0x10", "does not continue"),
        ("½", "not allowed"),
        ("(" * 60 + "1" + ")" * 60, "nested"),
        ("1+" * MAX_LENGTH + "1", "characters"),
        ("deg 3", "unknown name 'deg'"),
        ("deg()", "missing before"),
    ],
)
def test_what_is_not_arithmetic_is_refused(formula: str, message: str) -> None:
    with pytest.raises(ExpressionError, match=message):
        evaluate(formula, lookup)


def test_steps_keep_their_order_with_and_without_commas() -> None:
    wanted = [("RotX", (-math.pi / 2,)), ("Translation", (0.105, 0.0, -1.0)), ("TransZ", (2.0,))]
    assert evaluate_steps("RotX(-pi/2) Translation(UpperArm, 0, -1) TransZ(2)", lookup) == wanted
    assert evaluate_steps("RotX(-pi/2), Translation(UpperArm, 0, -1), TransZ(2)", lookup) == wanted
    assert evaluate_steps("identity", lookup) == []


@pytest.mark.parametrize(
    ("steps", "message"),
    [
        ("Rotx(1)", "did you mean 'RotX'"),
        ("RotX", r"'\(' is missing"),
        ("RotX()", "missing before"),
        ("RotX(1, 2)", r"RotX takes 1 argument\(s\), not 2"),
        ("Translation(1, 2)", r"Translation takes 3 argument\(s\), not 2"),
        ("0.1", "a step is missing"),
        ("RotX(1) +", "a step is missing"),
        ("RotX(1),,RotY(1)", "a step is missing"),
    ],
)
def test_wrong_steps_are_refused(steps: str, message: str) -> None:
    with pytest.raises(ExpressionError, match=message):
        evaluate_steps(steps, lookup)


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
