"""Missing packages are reported with the install command."""

import sys

import pytest

from harness.processes import run
from rigid_tree_kinematics.errors import RigidTreeError
from rigid_tree_kinematics.needed_packages import MissingPackageError, needs

TASKS = {
    "coal": "from rigid_tree_kinematics.collision.robot.solids import solids_of; solids_of(None)",
    "collada": (
        "from rigid_tree_kinematics.description import load_mesh; "
        "from rigid_tree_kinematics.model import Mesh; load_mesh(Mesh('a.dae', directory='.'))"
    ),
    "manifold3d": (
        "from rigid_tree_kinematics.description import load_mesh; "
        "from rigid_tree_kinematics.model import Mesh; load_mesh(Mesh('a.obj', directory='.'))"
    ),
    "matplotlib": "from rigid_tree_kinematics import load_robot; load_robot('ur5').show()",
    "xacro": "from rigid_tree_kinematics import load_robot; load_robot('a.xacro')",
    "pinocchio": "from rigid_tree_kinematics import load_robot; load_robot('ur5').to_pinocchio()",
    "robot_descriptions": (
        "from rigid_tree_kinematics import load_robot; load_robot('robot_descriptions:a')"
    ),
    "urdf_parser_py": (
        "from rigid_tree_kinematics import RigidBodyTree; RigidBodyTree('r').to_urdf_parser()"
    ),
    "zarr": "from rigid_tree_batch import ReachMap; ReachMap.open('map.zarr')",
    "pyarrow": "from rigid_tree_batch import ik_data; ik_data('ur5', 'poses', 1)",
    "mcap_ros2": (
        "from rigid_tree_web.panels.recording import read_mcap; "
        "from rigid_tree_kinematics import load_robot; "
        "read_mcap(b'', load_robot('ur5').compiled(), 'a.mcap')"
    ),
    **dict.fromkeys(
        ("viser", "nh3", "markdown_it"),
        "from rigid_tree_web.web.guard import Guard; "
        "from rigid_tree_web.web.page import open_page; "
        "open_page('localhost', 0, Guard.of('localhost'), print)",
    ),
}


ON_PYPI = {
    "collada": "pycollada",
    "pinocchio": "pin",
    "markdown_it": "markdown-it-py",
    "mcap_ros2": "mcap-ros2-support",
    "urdf_parser_py": "urdf-parser-py",
}  # where names differ


def test_tasks_report_their_missing_packages(tmp_path):
    """A module that is None in sys.modules is not found, as if it were not installed."""
    (tmp_path / "a.xacro").write_text("<robot name='a'/>")
    (tmp_path / "a.dae").write_text("<COLLADA/>")
    arrow = "v -1 1 0\nv 0 -1 0\nv 1 1 0\nv 0 0 0\nf 1 2 3 4\n"  # a concave polygon
    (tmp_path / "a.obj").write_text(arrow)
    code = f"""
import sys
for package, task in {TASKS!r}.items():
    sys.modules[package] = None
    try:
        exec(task)
        print(package, "is not missed")
    except Exception as error:
        print(error)
    del sys.modules[package]
"""
    result = run(sys.executable, "-c", code, cwd=tmp_path)
    lines = result.stdout.splitlines()
    assert len(lines) == len(TASKS), result
    for package, line in zip(TASKS, lines, strict=True):
        assert line.endswith(f"pip install {ON_PYPI.get(package, package)}"), line


def test_the_error_is_one_of_this_package_and_of_imports():
    with (
        pytest.raises(MissingPackageError, match="drawing needs no_one") as caught,
        needs("no_one", "drawing"),
    ):
        import no_one  # noqa: F401
    assert isinstance(caught.value, RigidTreeError)
    assert isinstance(caught.value, ImportError)
    assert caught.value.name == "no_one"


def test_missing_dependencies_of_a_package_are_reported_as_they_are():
    with pytest.raises(ModuleNotFoundError, match="no_one"), needs("coal", "checking collisions"):
        import no_one  # noqa: F401
