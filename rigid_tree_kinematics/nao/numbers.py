"""Numbers that came over the wire: finite, or refused."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from rigid_tree_kinematics.nao.errors import NaoError


def finite_numbers(values: Sequence[float]) -> NDArray[np.float64]:
    """Return numbers as an array; NaoError if one of them is not finite."""
    numbers = np.asarray(values, dtype=np.float64)
    if not np.isfinite(numbers).all():
        raise NaoError("a number is not finite")
    return numbers
