"""Kernels: how they are compiled and called, and the types of their arrays."""

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
from rigid_tree_kinematics.kernels.sources import PACKAGE
