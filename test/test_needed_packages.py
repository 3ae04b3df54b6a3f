"""Missing packages are reported with the install command."""

import pytest

from harness.start.imports import check_missing
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
    "mujoco": "from rigid_tree_kinematics import load_robot; load_robot('a.xml')",
    "xacro": "from rigid_tree_kinematics import load_robot; load_robot('a.xacro')",
    "pinocchio": (
        "from rigid_tree_kinematics import load_robot; "
        "from rigid_tree_kinematics.conversions import to_pinocchio; "
        "to_pinocchio(load_robot('ur5'))"
    ),
    "robot_descriptions": (
        "from rigid_tree_kinematics import load_robot; load_robot('robot_descriptions:a')"
    ),
    "urdf_parser_py": (
        "from rigid_tree_kinematics import RigidBodyTree; "
        "from rigid_tree_kinematics.conversions import to_urdf_parser; "
        "to_urdf_parser(RigidBodyTree('r'))"
    ),
}


def test_tasks_report_their_missing_packages(tmp_path):
    (tmp_path / "a.xacro").write_text("<robot name='a'/>")
    (tmp_path / "a.xml").write_text("<mujoco/>")
    (tmp_path / "a.dae").write_text("<COLLADA/>")
    arrow = "v -1 1 0\nv 0 -1 0\nv 1 1 0\nv 0 0 0\nf 1 2 3 4\n"  # a concave polygon
    (tmp_path / "a.obj").write_text(arrow)
    check_missing(TASKS, tmp_path)


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
