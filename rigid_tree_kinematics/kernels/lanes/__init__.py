"""Sixteen numbers of float32 in the lanes of vector registers.

``+``, ``-``, ``*`` and ``/`` work lane by lane, also with a float for all lanes. LLVM does not
vectorize loops over many arrays that might overlap, so kernels say so themselves. In Python the
lanes are an array; in kernels the functions are the instructions of the same name.
"""

from typing import Any

import numpy as np

from rigid_tree_kinematics.kernels.decorators import by_numba
from rigid_tree_kinematics.kernels.lanes.width import WIDE


def sixteen(first: float, step: float) -> Any:
    """Return sixteen numbers with equal steps."""
    return np.float32(first) + np.float32(step) * np.arange(WIDE, dtype=np.float32)


def floor_of(a: Any) -> Any:
    """Return the greatest whole number up to each lane."""
    return np.floor(a)


def absolute(a: Any) -> Any:
    """Return the absolute value of each lane."""
    return np.abs(a)


def root_of(a: Any) -> Any:
    """Return the square root of each lane."""
    return np.sqrt(a)


def above_zero(a: Any) -> Any:
    """Return each lane, with negative values replaced by 0."""
    return np.where(a > 0.0, a, np.float32(0.0))


def before(a: Any) -> Any:
    """Return each lane's predecessor; the first lane keeps its own value."""
    return np.concatenate([a[:1], a[:-1]])


def any_less(a: Any, b: Any) -> bool:
    """Return whether any lane is less than a number, or than the same lane of ``b``."""
    return bool(np.any(a < b))


def load_lanes(array: Any, index: int) -> Any:
    """Return neighbors in a C-contiguous float32 array, by the first one's index, unchecked."""
    return array[index : index + WIDE].copy()


def store_lanes(array: Any, index: int, value: Any) -> None:
    """Write neighbors in a C-contiguous float32 array, unchecked."""
    array[index : index + WIDE] = value


if by_numba():
    from rigid_tree_kinematics.kernels.lanes.instructions import (
        above_zero,
        absolute,
        any_less,
        before,
        floor_of,
        load_lanes,
        root_of,
        sixteen,
        store_lanes,
    )
