"""Modules without kernels do not load them or other heavy libraries."""

import trimesh

from harness.start.imports import check_light, loaded

LIGHT = (
    "rigid_tree_kinematics",
    "rigid_tree_kinematics.nodes.tools.interactive_target",
    "rigid_tree_kinematics.nodes.tools.joint_state_source",
    "rigid_tree_kinematics.nodes.tools.move_robot",
    "rigid_tree_kinematics.nodes.tree_state_publisher",
)


def test_light_modules_load_nothing_heavy():
    check_light(LIGHT)


def test_a_small_node_loads_no_openssl_readers_of_mails_or_processes():
    code = "import rigid_tree_kinematics.nodes.tree_state_publisher\n"
    code += "from rigid_tree_kinematics import load_robot; load_robot('panda'); print(found())"
    assert loaded(code, {"_hashlib", "email", "subprocess"}) == ["[]"]


def test_solving_and_planning_load_no_compiler():
    code = """
from rigid_tree_kinematics import *
from rigid_tree_kinematics.planning import MotionPlanner
tree = load_robot("panda")
q = tree.home_configuration()
T = tree.get_transform(q + 0.1, "panda_link8")
assert InverseKinematics(tree, "panda_link8").solve(T, q).success
assert MotionPlanner(tree).plan(q, q + 0.1).success
print(found())
"""
    assert loaded(code, {"numba", "llvmlite"}) == ["[]"]


def test_planning_loads_no_kernels_of_differential_inverse_kinematics():
    """The first plan would compile them, too."""
    code = "from rigid_tree_kinematics.planning import MotionPlanner; print(found())"
    assert loaded(code, {"rigid_tree_kinematics.ik.differential"}) == ["[]"]


def test_triangles_of_common_formats_load_no_mesh_library(tmp_path):
    """Importing trimesh takes longer than reading the files of a robot."""
    for suffix in ("stl", "obj", "dae"):
        trimesh.creation.box((1, 2, 3)).export(tmp_path / f"box.{suffix}")
        code = f"""
from rigid_tree_kinematics.description.meshes import load_triangles
from rigid_tree_kinematics.model import Mesh
assert len(load_triangles(Mesh("box.{suffix}", directory="{tmp_path}"))[1]) == 12
print(found())
"""
        assert loaded(code, {"trimesh"}) == ["[]"]
