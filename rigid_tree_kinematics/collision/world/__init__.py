"""A scene's obstacles as arrays, and the conservative kernels' arrays."""

from rigid_tree_kinematics.collision.world.arrays import ConservativeModel, empty_model, make_work
from rigid_tree_kinematics.collision.world.world import NO_OBSTACLES, World, follow
