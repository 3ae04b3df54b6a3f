"""The planar demo without ROS, as a program.

Writes the map, figures and animations, and the joint path as path.csv. The map is reused for the
same arm and obstacles.
"""

import argparse
import sys
import time
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np

from rigid_tree_kinematics.needed_packages import needs
from rigid_tree_kinematics.planning.configuration_map import saved_map
from rigid_tree_kinematics.planning.planar_demo.arm import JOINTS, PLANAR_DEMO
from rigid_tree_kinematics.planning.planar_demo.search import DEMO_SETTINGS, evenly, search_paths

PATH_STEP = 0.01  # rad between two rows of path.csv


def main(arguments: Sequence[str] | None = None) -> int:
    """Plan, write all files, print a summary; return 1 if there is no path."""
    parser = argparse.ArgumentParser(prog="planar_demo", description=__doc__.splitlines()[0])
    parser.add_argument("--out", type=Path, required=True, help="output folder")
    parser.add_argument("--seed", type=int, default=0, help="random seed")
    chosen = parser.parse_args(arguments)
    try:
        chosen.out.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        parser.error(f"--out: {error}")
    with needs("matplotlib", "a figure"):  # which is slow to import
        from rigid_tree_kinematics.planning.planar_demo import figures as figures

    arm, out = PLANAR_DEMO, chosen.out
    begin = time.perf_counter()
    found_map, reused = saved_map(out / "map.npz", arm.map_key(), arm.map)
    seconds = time.perf_counter() - begin
    print(
        f"map: {found_map.free_count} cells free, {found_map.blocked_count} blocked; "
        f"{'reused' if reused else 'made and saved'} in {1e3 * seconds:.1f} ms"
    )
    plan = search_paths(arm, replace(DEMO_SETTINGS, seed=chosen.seed))
    print(*plan.report(found_map), sep="\n")
    figures.draw_workspace(plan, out / "workspace.png")
    figures.draw_map(plan, found_map, out / "map.png")
    best = plan.best
    if best is None:
        return 1
    path = evenly(arm, best.best.path, PATH_STEP)
    np.savetxt(out / "path.csv", path, delimiter=",", header=",".join(JOINTS), comments="")
    nearest = min(arm.clearance(q) for q in path)
    print(f"the clearance of the shorter path is at least {1e3 * nearest:.1f} mm")
    figures.draw_path(plan, best, found_map, out / "path.png")
    figures.animate_tree(plan, best, found_map, out / "tree.gif")
    figures.animate_arm(plan, best, out / "arm.gif")
    print(f"written to {out}: {', '.join(sorted(file.name for file in out.iterdir()))}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
