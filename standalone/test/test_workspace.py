"""What colcon finds in a workspace and in a clone, and where a clone cannot be set up."""

import shutil
import sys
from pathlib import Path

from harness.processes import run

ROOT = Path(__file__).parents[2]
OURS = {path.parent.name for path in ROOT.glob("packages/*/package.xml")}
STAND_INS = {path.parent.name for path in ROOT.glob("standalone/interfaces/*/package.xml")}


def found(*base_paths: Path) -> set[str]:
    words = ("-m", "colcon", "list", "--names-only", "--base-paths", *base_paths)
    done = run(sys.executable, *words, check=True)
    return set(done.stdout.split())


def test_colcon_ignores_the_stand_ins_in_a_workspace():
    # One path per folder, like src/rigid_tree_kinematics/* in a shell.
    folders = [path for path in ROOT.iterdir() if path.is_dir() and path.name != ".venv"]
    assert found(*folders) == OURS
    assert found(ROOT, ROOT / "packages") == {"rigid_tree_kinematics", *OURS}


def test_a_link_beside_the_clone_spares_the_second_base_path(tmp_path):
    (tmp_path / "clone").symlink_to(ROOT)
    assert found(tmp_path) == {"rigid_tree_kinematics"}
    (tmp_path / "rigid_tree_packages").symlink_to("clone/packages")
    assert found(tmp_path) == {"rigid_tree_kinematics", *OURS}


def test_clone_without_ros_builds_the_stand_ins():
    bases = (ROOT, ROOT / "packages", ROOT / "standalone" / "interfaces")
    assert found(*bases) == {"rigid_tree_kinematics", *OURS, *STAND_INS}


def test_a_clone_below_a_folder_with_a_space_is_refused(tmp_path):
    script = tmp_path / "my clone" / "scripts" / "setup.sh"
    script.parent.mkdir(parents=True)
    shutil.copy(ROOT / "scripts" / "setup.sh", script)
    done = run(script)
    assert done.returncode == 1
    assert f"{tmp_path}/my clone has a space" in done.stderr
