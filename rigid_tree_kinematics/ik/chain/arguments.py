"""Checks of numbers that the solvers take."""

from __future__ import annotations

import math

from rigid_tree_kinematics.errors import ModelError


def positive(value: float, name: str) -> float:
    """Return ``value`` as a float; ModelError naming ``name`` if it is not positive and finite."""
    number = float(value)
    if not (math.isfinite(number) and number > 0.0):
        raise ModelError(f"{name} must be a positive number, not {value!r}")
    return number


def natural(value: int, name: str) -> int:
    """Return ``value`` as an int; ModelError naming ``name`` unless it is 0 to 2^63 - 1."""
    if not (0 <= value < 2**63 and int(value) == value):
        raise ModelError(f"{name} must be a whole number from 0 to 2^63 - 1, not {value!r}")
    return int(value)
