#!/usr/bin/env python3
"""Refit the collision shapes of the bundled robots into robots/fits/, which is committed."""

import os
import shutil
import tempfile
from pathlib import Path

from rigid_tree_kinematics import list_robots, load_robot
from rigid_tree_kinematics.collision import CollisionChecker
from rigid_tree_kinematics.collision.shapes.fit_cache import cache_folder

FITS = Path(__file__).resolve().parent.parent / "robots" / "fits"


def main() -> None:
    """Replace the folder with the fits that the checkers of all bundled robots cache."""
    shutil.rmtree(FITS, ignore_errors=True)
    with tempfile.TemporaryDirectory() as home:
        os.environ["XDG_CACHE_HOME"] = home
        for name in list_robots():
            CollisionChecker(load_robot(name))
        FITS.mkdir()
        for file in sorted(cache_folder().iterdir()):
            shutil.copyfile(file, FITS / file.name)
    total = sum(file.stat().st_size for file in FITS.iterdir())
    print(f"{len(list(FITS.iterdir()))} files, {total / 1000:.0f} kB")


if __name__ == "__main__":
    main()
