"""Detection of colliding motions with spheres inside the links, in SIMD lanes."""

from rigid_tree_kinematics.collision.inner.joints import InnerLevel

__all__ = ["InnerLevel"]
