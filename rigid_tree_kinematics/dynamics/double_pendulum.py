"""The falling double pendulum.

    python -m rigid_tree_kinematics.dynamics.double_pendulum --out DIR

Links A, B and C, with joint_A at 30 degrees at the start, move under gravity. Writes the motion as
motion.csv, its plot as motion.png, and an animation as fall.gif.
"""

import argparse
import math
import sys
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from rigid_tree_kinematics.description import load_robot
from rigid_tree_kinematics.dynamics.simulation import Simulation, simulate
from rigid_tree_kinematics.gif import FRAMES_A_SECOND, write_gif
from rigid_tree_kinematics.kinematics import body_transforms
from rigid_tree_kinematics.model import RigidBodyTree
from rigid_tree_kinematics.needed_packages import needs

START = {"joint_A": math.radians(30.0), "joint_B": 0.0}
DURATION, STEP = 10.0, 1e-3  # s
TRACE = 1.5  # s of the tip's path that the animation shows
ROD_B, ROD_C, TIP = "#2666bf", "#f2801a", "#c2255c"


def fall(duration: float = DURATION, step: float = STEP) -> tuple[RigidBodyTree, Simulation]:
    """Return the pendulum, and its motion from rest with joint_A at 30 degrees."""
    tree = load_robot("double_pendulum")
    return tree, simulate(tree, tree.configuration(START), [0.0, 0.0], None, duration, step)


def main(arguments: Sequence[str] | None = None) -> int:
    """Simulate the fall, write the files, and print a summary."""
    parser = argparse.ArgumentParser(prog="double_pendulum", description=__doc__.splitlines()[0])
    parser.add_argument("--out", type=Path, required=True, help="output folder")
    parser.add_argument("--duration", type=float, default=DURATION, help="s")
    chosen = parser.parse_args(arguments)
    if not 0.1 <= chosen.duration <= 600.0:
        parser.error("--duration must be between 0.1 and 600 s")
    try:
        chosen.out.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        parser.error(f"--out: {error}")
    begin = time.perf_counter()
    tree, motion = fall(chosen.duration)
    seconds = time.perf_counter() - begin
    drift = float(np.abs(motion.energy - motion.energy[0]).max())
    print(
        f"{chosen.duration:g} s in {len(motion.times) - 1} steps took {seconds:.2f} s; "
        f"the energy of {motion.energy[0]:.6f} J changed by {drift:.1e} J at most"
    )
    table = np.column_stack((motion.times, motion.positions, motion.velocities, motion.energy))
    names = [*tree.joint_names, *(f"{name}_velocity" for name in tree.joint_names)]
    header = ",".join(("time", *names, "energy"))
    np.savetxt(chosen.out / "motion.csv", table, delimiter=",", header=header, comments="")
    _draw(tree, motion, chosen.out)
    print(f"written to {chosen.out}: fall.gif, motion.csv, motion.png")
    return 0


def _draw(tree: RigidBodyTree, motion: Simulation, out: Path) -> None:
    with needs("matplotlib", "a figure"):  # slow, and not needed for the motion itself
        import matplotlib as mpl

    mpl.use("Agg")  # files only, no window
    from matplotlib import pyplot as plt

    figure, axes = plt.subplots(2, 1, figsize=(8, 5), sharex=True)
    for column, (name, color) in enumerate(zip(tree.joint_names, (ROD_B, ROD_C), strict=True)):
        axes[0].plot(motion.times, np.degrees(motion.positions[:, column]), color, label=name)
        axes[1].plot(motion.times, motion.velocities[:, column], color, label=name)
    axes[0].set_ylabel("position (deg)")
    axes[1].set(xlabel="time (s)", ylabel="velocity (rad/s)")
    for one in axes:
        one.grid(alpha=0.3)
        one.legend(loc="upper right")
    figure.tight_layout()
    figure.savefig(out / "motion.png", dpi=100)
    plt.close(figure)

    points = rod_ends(tree, motion)
    stride = round(1.0 / (FRAMES_A_SECOND * (motion.times[1] - motion.times[0])))
    behind = round(TRACE / (motion.times[1] - motion.times[0]))
    figure, room = plt.subplots(figsize=(4, 4))
    reach = 1.1 * np.abs(points).max()
    room.set(xlim=(-reach, reach), ylim=(-reach, reach), xlabel="x (m)", ylabel="z (m)")
    room.set_aspect("equal")
    (trace,) = room.plot([], [], color=TIP, linewidth=1)
    (upper,) = room.plot([], [], "o-", color=ROD_B, linewidth=4)
    (lower,) = room.plot([], [], "o-", color=ROD_C, linewidth=4)

    def show(frame: int) -> None:
        k = frame * stride
        trace.set_data(*points[max(0, k - behind) : k + 1, 2].T)
        upper.set_data(*points[k, :2].T)
        lower.set_data(*points[k, 1:].T)

    figure.tight_layout()
    frames = range((len(points) - 1) // stride + 1)
    write_gif(figure, [trace, upper, lower], show, frames, out / "fall.gif")


def rod_ends(tree: RigidBodyTree, motion: Simulation) -> Any:
    """Return the rods' ends, (N, 3, 2): x and z (m) of both joints and the tip."""
    frames = body_transforms(tree, motion.positions)
    rows = [tree.compiled().index_of(name) for name in ("B", "C")]
    joints = frames[:, rows][:, :, :3, 3]
    length = np.linalg.norm(joints[0, 1, [0, 2]] - joints[0, 0, [0, 2]])
    tip = joints[:, 1] + frames[:, rows[1], :3, :3] @ np.array([0.0, 0.0, -length])
    return np.concatenate((joints, tip[:, None]), axis=1)[:, :, [0, 2]]


if __name__ == "__main__":
    sys.exit(main())
