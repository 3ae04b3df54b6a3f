#!/usr/bin/env python3
"""Install the package with pip as somebody without ROS 2 does, and run what README.md promises.

A source distribution is built, a wheel from that, and the wheel is installed into an empty
virtual environment in a temporary folder. The README's first Python block runs there, in a folder
that holds nothing of the sources. Needs PyPI.
"""

import os
import re
import shutil
import subprocess
import sys
import tempfile
import time
import venv
from pathlib import Path

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
    assert str(error).endswith("pip install coal"), error
else:
    raise AssertionError("checked collisions without coal")
"""


def main() -> None:
    """Do all of it; whatever fails ends the script."""
    with tempfile.TemporaryDirectory() as folder:
        place = Path(folder)
        environment = {name: value for name, value in os.environ.items() if name not in HIDDEN}
        environment["MPLBACKEND"] = "Agg"  # figures without a screen
        venv.create(place / "venv", with_pip=True)
        python = place / "venv" / "bin" / "python"
        begin = time.monotonic()

        def run(*arguments: str) -> None:
            subprocess.run([python, *arguments], cwd=place, env=environment, check=True)

        def say(what: str) -> None:
            print(f"[pip install, {time.monotonic() - begin:3.0f} s] {what}", flush=True)

        say(f"building with {sys.version.split()[0]}")
        run("-m", "pip", "install", "-q", "build")
        sources = place / "sources"  # a copy, since building leaves files in it
        shutil.copytree(ROOT, sources, ignore=shutil.ignore_patterns(*NOT_SOURCES))
        run("-m", "build", "--outdir", folder, str(sources))
        (wheel,) = place.glob("*.whl")
        say(f"installing {wheel.name}")
        run("-m", "pip", "install", "-q", f"{wheel}[figures]")
        say("running the first Python block of README.md")
        text = (ROOT / "README.md").read_text()
        block = re.search(r"^```python\n(.*?)^```", text, re.DOTALL | re.MULTILINE)
        assert block is not None
        run("-c", block[1])
        run("-c", WITHOUT_COAL)
        say("works")


if __name__ == "__main__":
    main()
