"""A map of a robot's workspace: the fraction of tool directions reachable at each position.

python examples/reach_map.py            # a UR5
python examples/reach_map.py panda panda_link8
"""

import sys

import numpy as np
from matplotlib import pyplot as plt

from rigid_tree_kinematics import InverseKinematics, load_robot
from rigid_tree_kinematics.model.transforms import rotation_taking_z_to, transform

CELLS, REACH = 25, 1.1  # cells along each axis of the map; half its width, m
DIRECTIONS = 20  # tool directions, spread evenly over a sphere (Fibonacci lattice)


def directions(count: int) -> np.ndarray:
    """Return unit vectors (count, 3)."""
    number = np.arange(count) + 0.5
    height, angle = 1.0 - 2.0 * number / count, np.pi * (1.0 + 5.0**0.5) * number
    flat = np.sqrt(1.0 - height**2)
    return np.column_stack([flat * np.cos(angle), flat * np.sin(angle), height])


def main(name: str = "ur5", body: str = "tool0") -> None:
    robot = load_robot(name)
    # The tool may rotate about its own axis. A few restarts are sufficient.
    ik = InverseKinematics(robot, body, weights=(1, 1, 0, 1, 1, 1), max_restarts=20, timeout=0.02)
    x, z = np.linspace(-REACH, REACH, CELLS), np.linspace(-0.4, 1.4, CELLS)
    rotations = [rotation_taking_z_to(direction) for direction in directions(DIRECTIONS)]
    targets = [transform((a, 0.0, c), R) for c in z for a in x for R in rotations]
    batch = ik.solve_batch(np.array(targets))
    fraction = batch.success.reshape(CELLS, CELLS, DIRECTIONS).mean(axis=2)
    print(f"{batch.success.sum()} of {len(targets)} poses in {batch.seconds:.1f} s")
    print(f"best position: {100.0 * fraction.max():.0f} % of all directions")

    figure, axes = plt.subplots(figsize=(7, 6))
    picture = axes.pcolormesh(x, z, 100.0 * fraction, cmap="viridis")
    figure.colorbar(picture, label="reachable tool directions (%)")
    axes.plot(0.0, 0.0, "r+", markersize=12)
    axes.set(xlabel="x (m)", ylabel="z (m)", aspect="equal", title=f"{name}, y = 0")
    figure.savefig("reach_map.png")


if __name__ == "__main__":
    main(*sys.argv[1:])
