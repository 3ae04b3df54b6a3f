#!/usr/bin/env python3
"""Run the node tests on another ROS 2 distribution from PyPI than that of ``make test``.

    python scripts/try_ros.py jazzy                     # all node tests
    python scripts/try_ros.py jazzy test/nodes/tf -x    # these, with further arguments of pytest

The sources are copied to build/ros-jazzy, and set up there like a clone, with the wheels of
standalone/requirements-jazzy.txt. A second run continues with what the first one has built.
"""

import os
import shutil
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
DISTRIBUTIONS = ("jazzy",)
NOT_SOURCES = (".*", "build", "install", "log", "*.egg-info", "__pycache__")
# What an activated clone sets.
OF_A_CLONE = (
    "AMENT_PREFIX_PATH",
    "CMAKE_PREFIX_PATH",
    "COLCON_PREFIX_PATH",
    "FASTDDS_DEFAULT_PROFILES_FILE",
    "LD_LIBRARY_PATH",
    "PYTHONPATH",
    "VIRTUAL_ENV",
    "_ROS_WHEELS_BOOTSTRAP_COMPLETE",  # set by each Python of the clone
)
TESTS = (
    "test/nodes",
    "test/launch",
    "packages/rigid_tree_moveit/test",
    "packages/rigid_tree_nao/test",
    "packages/rigid_tree_web/test/viewer",
    "standalone/test",
)


def main() -> int:
    """Build and test the distribution of the command line; return pytest's exit code."""
    distribution, *arguments = sys.argv[1:] or [""]
    if distribution not in DISTRIBUTIONS:
        print(f"unknown distribution {distribution!r}; known: {', '.join(DISTRIBUTIONS)}")
        return 2
    folder = ROOT / "build" / f"ros-{distribution}"
    ignored = shutil.ignore_patterns(*NOT_SOURCES)
    shutil.copytree(ROOT, folder, ignore=ignored, dirs_exist_ok=True)
    wheels = folder / "standalone" / f"requirements-{distribution}.txt"
    shutil.copyfile(wheels, folder / "standalone" / "requirements.txt")
    environment = {name: text for name, text in os.environ.items() if name not in OF_A_CLONE}
    setup = ["scripts/setup.sh", "test"]
    subprocess.run(setup, cwd=folder, env=environment, check=True)
    command = '. standalone/setup.bash && exec python -m pytest -r fEs "$@"'
    tests = ["bash", "-c", command, "pytest", *(arguments or TESTS)]
    return subprocess.run(tests, cwd=folder, env=environment).returncode


if __name__ == "__main__":
    sys.exit(main())
