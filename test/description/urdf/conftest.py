"""Tests that take ``example_urdf`` run on every URDF file of the package example-robot-data."""

import sysconfig
from pathlib import Path

ROBOTS = Path(sysconfig.get_path("purelib"), "cmeel.prefix/share/example-robot-data/robots")

# What is left of a xacro file that defined macros only: a robot without links.
EMPTY = ROBOTS / "ur_description/urdf/ur3.urdf"


def pytest_generate_tests(metafunc):
    if "example_urdf" in metafunc.fixturenames:
        files = [path for path in sorted(ROBOTS.rglob("*.urdf")) if path != EMPTY]
        metafunc.parametrize("example_urdf", files, ids=[path.stem for path in files])
    if "empty_urdf" in metafunc.fixturenames:
        metafunc.parametrize("empty_urdf", [EMPTY] if EMPTY.exists() else [])
