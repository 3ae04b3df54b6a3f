"""A planar arm with known reachable positions, and the files of a folder."""

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from rigid_tree_kinematics.model import Joint, RigidBody, RigidBodyTree
from rigid_tree_kinematics.model.transforms import transform

LENGTHS = (0.5, 0.3)  # m


@pytest.fixture
def lengths() -> tuple[float, float]:
    return LENGTHS


@pytest.fixture
def planar_arm() -> RigidBodyTree:
    """Return two links in the plane z = 0 and a wrist that takes any orientation, without limits.

    The third of the wrist's axes is the second one's neighbour at zero: no gimbal lock there.
    """
    tree = RigidBodyTree("planar", "base")
    places = [("upper", 0.0, "z"), ("lower", LENGTHS[0], "z"), ("yaw", LENGTHS[1], "z")]
    places += [("pitch", 0.0, "y"), ("tip", 0.0, "x")]
    parent = "base"
    for name, offset, axis in places:
        joint = Joint(f"{name} joint", "continuous", np.eye(3)["xyz".index(axis)])
        joint.set_transforms(transform((offset, 0.0, 0.0)), np.eye(4))
        tree.add_body(RigidBody(name, joint), parent)
        parent = name
    return tree


@pytest.fixture
def content() -> Callable[[Path], dict[str, bytes]]:
    """Return a function: the files of a folder by name."""

    def files(folder: Path) -> dict[str, bytes]:
        return {
            str(path.relative_to(folder)): path.read_bytes()
            for path in folder.rglob("*")
            if path.is_file()
        }

    return files
