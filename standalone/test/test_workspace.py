"""colcon does not find the packages of standalone/ in a workspace, and finds them in a clone."""

import sys
from pathlib import Path

from harness.processes import run

ROOT = Path(__file__).parents[2]
OURS = {path.parent.name for path in ROOT.glob("interfaces/*/package.xml")}
STAND_INS = {path.parent.name for path in ROOT.glob("standalone/interfaces/*/package.xml")}


def found(*base_paths: Path) -> set[str]:
    words = ("-m", "colcon", "list", "--names-only", "--base-paths", *base_paths)
    done = run(sys.executable, *words, check=True)
    return set(done.stdout.split())


def test_colcon_ignores_the_stand_ins_in_a_workspace():
    # One path per folder, like src/rigid_tree_kinematics/* in a shell.
    folders = [path for path in ROOT.iterdir() if path.is_dir() and path.name != ".venv"]
    assert found(*folders) == OURS
    assert found(ROOT, ROOT / "interfaces") == {"rigid_tree_kinematics", *OURS}


def test_clone_without_ros_builds_the_stand_ins():
    bases = (ROOT, ROOT / "interfaces", ROOT / "standalone" / "interfaces")
    assert found(*bases) == {"rigid_tree_kinematics", *OURS, *STAND_INS}
