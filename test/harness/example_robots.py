"""The URDF files of the Python package example-robot-data, and random robots."""

import sysconfig
import warnings
from pathlib import Path

import numpy as np

from rigid_tree_kinematics.description import read_urdf_file
from rigid_tree_kinematics.model import Inertia, Joint, Mimic, RigidBody, RigidBodyTree
from rigid_tree_kinematics.model.transforms import quaternion_matrix, transform

ROBOTS = Path(sysconfig.get_path("purelib"), "cmeel.prefix/share/example-robot-data/robots")
URDFS = sorted(ROBOTS.rglob("*.urdf"))
# The urdfdom under Pinocchio refuses it: its <robot> has no name.
NOT_LOADED_BY_PINOCCHIO = {"ur3"}
LOADED_BY_PINOCCHIO = [path for path in URDFS if path.stem not in NOT_LOADED_BY_PINOCCHIO]


def read(path: Path) -> RigidBodyTree:
    """Read a file without its warnings."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return read_urdf_file(path)


def random_robot(seed: int) -> RigidBodyTree:
    """Return a tree with joints of every type, mimics, and bodies off their joints' frames."""
    rng = np.random.default_rng(seed)
    tree = RigidBodyTree("random", "base")
    tree.gravity = rng.normal(size=3)
    types = ["revolute", "continuous", "prismatic", "planar", "floating", "fixed"] * 2
    for number, kind in enumerate(rng.permutation(types)):
        joint = Joint(f"joint {number}", str(kind), rng.normal(size=3))
        joint.set_transforms(*(random_transform(rng) for _ in range(2)))
        body = RigidBody(f"body {number}", joint)
        half = rng.normal(size=(3, 3))
        spread = half @ half.T
        matrix = np.trace(spread) * np.eye(3) - spread
        body.inertia = Inertia(rng.uniform(0.1, 5), rng.normal(size=3), matrix)
        single = [j.name for j in tree.joints if j.position_count == 1 and j.mimic is None]
        if joint.position_count == 1 and single and rng.random() < 0.5:
            body.joint.mimic = Mimic(str(rng.choice(single)), 2.0 * rng.normal(), rng.normal())
        tree.add_body(body, rng.choice([tree.base_name, *tree.body_names]))
    return tree


def random_transform(rng: np.random.Generator) -> np.ndarray:
    return transform(rng.normal(size=3), quaternion_matrix(rng.normal(size=4)))
