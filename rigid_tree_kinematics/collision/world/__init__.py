"""Obstacles as arrays that are updated with a scene, and the conservative kernels' arrays."""

from rigid_tree_kinematics.collision.world.arrays import ConservativeModel, empty_model, make_work
from rigid_tree_kinematics.collision.world.world import World
