"""Near bodies: closest points, rows of the collision barrier, and the guard of whole motions."""

from rigid_tree_kinematics.ik.differential.near.collision_barrier import (
    DECAY_RATE,
    CollisionBarrier,
)
from rigid_tree_kinematics.ik.differential.near.near_bodies import NearBodies

__all__ = ["DECAY_RATE", "CollisionBarrier", "NearBodies"]
