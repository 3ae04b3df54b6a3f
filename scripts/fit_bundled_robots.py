#!/usr/bin/env python3
"""Refit the collision shapes of the bundled robots into robots/fits.npz, which is committed."""

import os
import tempfile
from pathlib import Path

import numpy as np

from rigid_tree_kinematics import list_robots, load_robot
from rigid_tree_kinematics.collision import CollisionChecker
from rigid_tree_kinematics.collision.shapes.fit_cache import ARCHIVE, cache_folder, read_fit

FILE = Path(__file__).resolve().parent.parent / "robots" / ARCHIVE


def main() -> None:
    """Replace the archive with the fits that the checkers of all bundled robots cache."""
    FILE.unlink(missing_ok=True)
    with tempfile.TemporaryDirectory() as home:
        os.environ["XDG_CACHE_HOME"] = home
        for name in list_robots():
            CollisionChecker(load_robot(name))
        fits = {file.stem: read_fit(file) for file in sorted(cache_folder().iterdir())}
    np.savez_compressed(FILE, **fits)
    print(f"{len(fits)} fits, {FILE.stat().st_size / 1000:.0f} kB")


if __name__ == "__main__":
    main()
