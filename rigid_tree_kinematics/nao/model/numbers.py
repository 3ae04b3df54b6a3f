"""Checks of numbers that were received over the network."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from rigid_tree_kinematics.nao.errors import NaoError


def finite_numbers(values: Sequence[float]) -> NDArray[np.float64]:
    """Return n numbers as an array (n,). Raises NaoError if one of them is not finite."""
    numbers = np.asarray(values, dtype=np.float64)
    if not np.isfinite(numbers).all():
        raise NaoError("a number is not finite")
    return numbers
