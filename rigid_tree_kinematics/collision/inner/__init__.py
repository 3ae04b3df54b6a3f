"""Motions that are never free: balls inside the links, checked against obstacles in lanes."""

from rigid_tree_kinematics.collision.inner.joints import InnerLevel

__all__ = ["InnerLevel"]
