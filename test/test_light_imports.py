"""Modules without kernels do not load them or other heavy libraries."""

import sys

import pytest

from harness.processes import run

HEAVY = {"coal", "llvmlite", "matplotlib", "numba", "scipy", "trimesh"}
LIGHT = (
    "rigid_tree_kinematics",
    "rigid_tree_kinematics.kinematics.joint_positions",
    "rigid_tree_kinematics.nao.model.motion_model",
    "rigid_tree_kinematics.nao.simulated.server",
    "rigid_tree_kinematics.nodes.commander",
    "rigid_tree_kinematics.nodes.tools.interactive_target",
    "rigid_tree_kinematics.nodes.tools.joint_state_source",
    "rigid_tree_kinematics.nodes.tools.move_robot",
    "rigid_tree_kinematics.nodes.nao_bridge",
    "rigid_tree_kinematics.nodes.tree_state_publisher",
    "rigid_tree_kinematics.nodes.web_viewer",
)


@pytest.mark.parametrize("module", LIGHT)
def test_a_light_module_loads_nothing_heavy(module):
    code = f"import sys, {module}; print(*sorted({HEAVY!r} & sys.modules.keys()))"
    loaded = run(sys.executable, "-c", code)
    assert loaded.returncode == 0, loaded.stderr
    assert loaded.stdout.split() == []


def test_a_small_node_loads_no_openssl_readers_of_mails_or_processes():
    code = "import sys, rigid_tree_kinematics.nodes.tree_state_publisher; "
    code += "from rigid_tree_kinematics import load_robot; load_robot('panda'); "
    code += "print(*sorted({'_hashlib', 'email', 'subprocess'} & sys.modules.keys()))"
    loaded = run(sys.executable, "-c", code)
    assert loaded.returncode == 0, loaded.stderr
    assert loaded.stdout.split() == []


def test_what_is_solved_and_planned_loads_no_compiler():
    code = "import sys; from rigid_tree_kinematics import *; "
    code += (
        "from rigid_tree_kinematics.planning import MotionPlanner; tree = load_robot('panda'); "
    )
    code += "q = tree.home_configuration(); goal = q + 0.1; "
    code += "assert InverseKinematics(tree, 'panda_link8').solve("
    code += "tree.get_transform(goal, 'panda_link8'), q).success; "
    code += "assert MotionPlanner(tree).plan(q, goal).success; "
    code += "print(*sorted({'numba', 'llvmlite'} & sys.modules.keys()))"
    loaded = run(sys.executable, "-c", code)
    assert loaded.returncode == 0, loaded.stderr
    assert loaded.stdout.split() == []
