"""What colcon finds of this repository: in a workspace nothing of standalone/, in a clone all."""

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


def test_a_workspace_does_not_see_the_stand_ins():
    # A path for each folder, as src/rigid_tree_kinematics/* in a shell.
    folders = [path for path in ROOT.iterdir() if path.is_dir() and path.name != ".venv"]
    assert found(*folders) == OURS
    assert found(ROOT, ROOT / "interfaces") == {"rigid_tree_kinematics", *OURS}


def test_a_clone_without_ros_builds_them():
    bases = (ROOT, ROOT / "interfaces", ROOT / "standalone" / "interfaces")
    assert found(*bases) == {"rigid_tree_kinematics", *OURS, *STAND_INS}
