"""Frames and Jacobians compared with Pinocchio, for robots of example-robot-data.

Calls of both libraries alternate in one run. Each figure is the median over repeats of the mean
processor time of many calls, including Python's call overhead. Our frames are 4x4 matrices;
Pinocchio keeps frames in its own objects.
"""

import statistics
import time
import warnings
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pinocchio as pin

from benchmarks.frame import Report, main, timed
from benchmarks.ik.problem import DATA
from rigid_tree_kinematics import RigidBodyTree
from rigid_tree_kinematics.description import read_urdf_file
from rigid_tree_kinematics.kinematics import body_transforms, geometric_jacobian, kernels

ROBOTS = {
    "panda": ("panda_description/urdf/panda.urdf", "panda_link8"),
    "ur5": ("ur_description/urdf/ur5_robot.urdf", "tool0"),
    "talos": ("talos_data/robots/talos_full_v2.urdf", "gripper_left_base_link"),
}
CALLS, BATCH = 5_000, 100_000


COLUMNS = ("our kernel us", "our function us", "Pinocchio us")

Calls = dict[str, tuple[Callable[[], object], ...]]  # in the order of COLUMNS


def microseconds(calls: Calls, repeats: int) -> dict[str, dict[str, float]]:
    """Return the median processor time of each call; calls alternate to share the noise."""
    samples: dict[str, list[list[float]]] = {name: [[], [], []] for name in calls}
    for _ in range(repeats):
        for name, row in calls.items():
            for call, found in zip(row, samples[name], strict=True):
                start = time.thread_time()
                for _ in range(CALLS):
                    call()
                found.append((time.thread_time() - start) / CALLS * 1e6)
    return {
        name: dict(zip(COLUMNS, map(statistics.median, rows), strict=True))
        for name, rows in samples.items()
    }


def millions(call: Callable[[], object], clock: Callable[[], float]) -> float:
    """Return the millions of configurations per second of a call with BATCH of them."""
    return BATCH / 1e6 / statistics.median(timed(clock, call)[1] for _ in range(5))


def load(urdf: Path) -> RigidBodyTree:
    """Return a robot of example-robot-data."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return read_urdf_file(urdf)


def calls_of(tree: RigidBodyTree, urdf: Path, body: str) -> Calls:
    """Return the timed functions of a robot."""
    model = pin.buildModelFromUrdf(str(urdf))
    data = model.createData()
    compiled = tree.compiled()
    row, frame = compiled.index_of(body), model.getFrameId(body)
    q, pin_q = tree.random_configuration(0), pin.randomConfiguration(model)
    frames = body_transforms(compiled, q)
    jacobian = np.empty((6, compiled.velocity_count))

    def pin_frames() -> None:
        pin.forwardKinematics(model, data, pin_q)
        pin.updateFramePlacements(model, data)

    return {
        "all frames": (
            lambda: kernels.body_transforms(compiled.table, q, frames),
            lambda: body_transforms(compiled, q),
            pin_frames,
        ),
        "Jacobian": (
            lambda: kernels.jacobian(compiled.table, q, row, True, jacobian),
            lambda: geometric_jacobian(compiled, q, body),
            lambda: pin.computeFrameJacobian(model, data, pin_q, frame, pin.LOCAL_WORLD_ALIGNED),
        ),
    }


def run(options: Any, report: Report) -> None:
    """Measure each robot, call by call, and batches of configurations."""
    for name, (path, body) in ROBOTS.items():
        tree = load(DATA / path)
        calls = calls_of(tree, DATA / path, body)
        for what, row in microseconds(calls, options.repeats).items():
            report.row("frames and Jacobians", f"{name}, {what}", row)
    for name, (path, _) in ROBOTS.items():
        compiled = load(DATA / path).compiled()
        batch = np.random.default_rng(0).uniform(-1, 1, (BATCH, compiled.position_count))
        out = body_transforms(compiled, batch)
        one_core = partial(kernels.body_transforms_batch, compiled.table, batch, out)
        figures = {
            "all cores": millions(
                partial(body_transforms, compiled, batch, out), time.perf_counter
            ),
            "one core": millions(one_core, time.thread_time),
        }
        report.row("millions of configurations per second", f"{name}, all frames", figures)


if __name__ == "__main__":
    main(run, repeats=15)
