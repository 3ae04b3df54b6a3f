"""A planar arm with known reachable positions, and the files of a folder."""

from pathlib import Path

import numpy as np

from rigid_tree_kinematics.model import Joint, RigidBody, RigidBodyTree
from rigid_tree_kinematics.model.transforms import transform

LENGTHS = (0.5, 0.3)  # m


def planar_arm() -> RigidBodyTree:
    """Return two links in the plane z = 0 and a wrist that takes any orientation, without limits.

    The third of the wrist's axes is the second one's neighbor at zero: no gimbal lock there.
    """
    tree = RigidBodyTree("planar", "base")
    parent = "base"
    for name, offset, axis in (
        ("upper", 0.0, "z"),
        ("lower", LENGTHS[0], "z"),
        ("yaw", LENGTHS[1], "z"),
        ("pitch", 0.0, "y"),
        ("tip", 0.0, "x"),
    ):
        joint = Joint(f"{name} joint", "continuous", np.eye(3)["xyz".index(axis)])
        joint.set_fixed_transform(transform((offset, 0.0, 0.0)))
        parent = tree.add_body(RigidBody(name, joint), parent).name
    return tree


def content(folder: Path) -> dict[str, bytes]:
    """Return the files of a folder by name."""
    files = (path for path in folder.rglob("*") if path.is_file())
    return {str(path.relative_to(folder)): path.read_bytes() for path in files}
