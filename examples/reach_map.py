"""A picture of where a robot can work: how many directions of its tool are reached at each place.

python examples/reach_map.py            # a UR5
python examples/reach_map.py panda panda_link8
"""

import sys

import numpy as np
from matplotlib import pyplot as plt

from rigid_tree_kinematics import InverseKinematics, load_robot
from rigid_tree_kinematics.model.transforms import rotation_taking_z_to, transform

CELLS, REACH = 25, 1.1  # of the picture, along each side; m
DIRECTIONS = 20  # of the tool, spread evenly over a ball (a Fibonacci lattice)


def directions(count: int) -> np.ndarray:
    """Return unit vectors (count, 3)."""
    number = np.arange(count) + 0.5
    height, turn = 1.0 - 2.0 * number / count, np.pi * (1.0 + 5.0**0.5) * number
    flat = np.sqrt(1.0 - height**2)
    return np.column_stack([flat * np.cos(turn), flat * np.sin(turn), height])


def main(name: str = "ur5", body: str = "tool0") -> None:
    robot = load_robot(name)
    # The tool may turn about its own axis; a few starts tell whether a pose can be reached.
    ik = InverseKinematics(robot, body, weights=(1, 1, 0, 1, 1, 1), max_restarts=20, timeout=0.02)
    x, z = np.linspace(-REACH, REACH, CELLS), np.linspace(-0.4, 1.4, CELLS)
    turns = [rotation_taking_z_to(way) for way in directions(DIRECTIONS)]
    targets = [transform((a, 0.0, c), turn) for c in z for a in x for turn in turns]
    batch = ik.solve_batch(np.array(targets))
    share = batch.success.reshape(CELLS, CELLS, DIRECTIONS).mean(axis=2)
    print(f"{batch.success.sum()} of {len(targets)} poses in {batch.seconds:.1f} s")
    print(f"best place: {100.0 * share.max():.0f} % of all directions")

    figure, axes = plt.subplots(figsize=(7, 6))
    picture = axes.pcolormesh(x, z, 100.0 * share, cmap="viridis")
    figure.colorbar(picture, label="directions of the tool that are reached (%)")
    axes.plot(0.0, 0.0, "r+", markersize=12)
    axes.set(xlabel="x (m)", ylabel="z (m)", aspect="equal", title=f"{name}, y = 0")
    figure.savefig("reach_map.png")


if __name__ == "__main__":
    main(*sys.argv[1:])
