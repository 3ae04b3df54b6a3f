"""Names that no file can have are refused with the package's own errors."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from rigid_tree_kinematics import load_robot
from rigid_tree_kinematics.collision import load_scene
from rigid_tree_kinematics.collision.srdf import read_collision_rules
from rigid_tree_kinematics.description import resolve_mesh_path
from rigid_tree_kinematics.errors import RigidTreeError

NAMES = (
    "x" * 300,
    "x" * 5000,
    "/" + "x" * 5000 + ".urdf",
    "a\0b",
    "/a\0b.yaml",
    "/a\0b.urdf",
    "/a\0b.xacro",
    "~nobody-of-this-name/x.urdf",
    "~nobody-of-this-name/x.yaml",
    "package://" + "x" * 300 + "/mesh.stl",
    "package://a\0b/mesh.stl",
    "package://a*/" + "x" * 5000,
    "\udcff/x.yaml",
)
READERS = (load_robot, load_scene, read_collision_rules, resolve_mesh_path)


@pytest.mark.parametrize("name", NAMES, ids=[ascii(name)[:30] for name in NAMES])
@pytest.mark.parametrize("read", READERS)
def test_a_path_that_cannot_be_is_refused(
    read: Callable[[str], object], name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("ROS_PACKAGE_PATH", "/usr/share:/a\N{EURO SIGN}")
    with pytest.raises(RigidTreeError):
        read(name)
