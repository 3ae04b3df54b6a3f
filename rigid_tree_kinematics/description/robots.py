"""Finding and loading a robot by name or path."""

from __future__ import annotations

from rigid_tree_kinematics.model import RigidBodyTree


def load_robot(name_or_path: str) -> RigidBodyTree:
    """Load a bundled robot by name, or a .urdf, .xacro or .yaml (DH, mDH) file by path."""
    raise NotImplementedError


def list_robots() -> list[str]:
    """Return the names of the bundled robots."""
    raise NotImplementedError
