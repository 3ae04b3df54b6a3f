"""What colcon finds of this repository: in a workspace nothing of standalone/, in a clone all."""

import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[2]
OURS = {path.parent.name for path in ROOT.glob("interfaces/*/package.xml")}
STAND_INS = {path.parent.name for path in ROOT.glob("standalone/interfaces/*/package.xml")}


def found(*base_paths: Path) -> set[str]:
    command = [sys.executable, "-m", "colcon", "list", "--names-only", "--base-paths"]
    done = subprocess.run(
        [*command, *map(str, base_paths)],
        capture_output=True,
        text=True,
        check=True,
        timeout=120.0,
    )
    return set(done.stdout.split())


def test_a_workspace_does_not_see_the_stand_ins():
    # A path for each folder, as src/rigid_tree_kinematics/* in a shell.
    folders = [path for path in ROOT.iterdir() if path.is_dir() and path.name != ".venv"]
    assert found(*folders) == OURS
    assert found(ROOT, ROOT / "interfaces") == {"rigid_tree_kinematics", *OURS}


def test_a_clone_without_ros_builds_them():
    bases = (ROOT, ROOT / "interfaces", ROOT / "standalone" / "interfaces")
    assert found(*bases) == {"rigid_tree_kinematics", *OURS, *STAND_INS}
