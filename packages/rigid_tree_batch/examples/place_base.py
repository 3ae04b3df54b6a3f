"""Find base poses from which a Panda reaches objects on a table, with a reachability map.

python packages/rigid_tree_batch/examples/place_base.py           # needs the extra "batch"
"""

import numpy as np

from rigid_tree_batch import base_placement, reachability_map, show_reachability
from rigid_tree_kinematics import InverseKinematics, load_robot
from rigid_tree_kinematics.model.transforms import inverse, transform

DOWN = np.diag([1.0, -1.0, -1.0])  # the flange looks down


def main() -> None:
    # The second run reads the map from a file.
    reach_map = reachability_map("panda", "panda_0.1.zarr", resolution=0.1, directions=30)
    show_reachability(reach_map).savefig("reachability.png")

    places = [(x, y, 0.3) for x in (2.0, 2.2, 2.4) for y in (0.0, 0.25, 0.5)]  # m, in the world
    tasks = np.array([transform(place, DOWN) for place in places])
    found = base_placement(reach_map, tasks, most=10)

    ik = InverseKinematics(load_robot("panda"), reach_map.body, weights=(1, 1, 0, 1, 1, 1))
    for base, reached in zip(found.poses, found.reached, strict=True):
        # The map uses the nearest voxel and direction, so a solver checks the result.
        solved = ik.solve_batch(inverse(base) @ tasks).success.sum()
        x, y, _ = base[:3, 3]
        print(f"base at ({x:.2f}, {y:.2f}): {reached} tasks by the map, {solved} by a solver")
        if solved == len(tasks):
            break


if __name__ == "__main__":
    main()
