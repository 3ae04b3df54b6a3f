"""The URDF files of the Python package example-robot-data."""

from __future__ import annotations

import sysconfig
import warnings
from pathlib import Path

from rigid_tree_kinematics.description import read_urdf_file
from rigid_tree_kinematics.model import RigidBodyTree

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
