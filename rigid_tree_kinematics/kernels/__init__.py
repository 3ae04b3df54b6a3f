"""Kernels: how they are compiled, cached on disk, and what their arrays are."""

from rigid_tree_kinematics.kernels.cache import PACKAGE
from rigid_tree_kinematics.kernels.decorators import (
    BATCH,
    MATRIX,
    READ_1D,
    READ_2D,
    STACK,
    TABLE,
    VECTOR,
    inlined,
    kernel,
)

__all__ = [
    "BATCH",
    "MATRIX",
    "PACKAGE",
    "READ_1D",
    "READ_2D",
    "STACK",
    "TABLE",
    "VECTOR",
    "inlined",
    "kernel",
]
