"""Obstacles as arrays that follow a scene, and the arrays of the conservative kernels."""

from rigid_tree_kinematics.collision.world.arrays import (
    ConservativeModel,
    empty_model,
    make_work,
)
from rigid_tree_kinematics.collision.world.world import World

__all__ = ["ConservativeModel", "World", "empty_model", "make_work"]
