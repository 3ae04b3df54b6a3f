"""Forward kinematics and Jacobians beside Pinocchio's, on the same URDFs.

Both work on the same URDFs of example-robot-data, in one run, turn about; a figure is the median
over repeats of the mean over many calls, Python's call overhead included.
"""

from __future__ import annotations

import argparse
import json
import platform
import statistics
import time
import warnings
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pinocchio as pin

from rigid_tree_kinematics.description import read_urdf_file
from rigid_tree_kinematics.kinematics import body_transforms, geometric_jacobian, kernels
from rigid_tree_kinematics.kinematics.arguments import without_questions
from rigid_tree_kinematics.kinematics.batch import body_transforms_batch

DATA = Path(pin.__file__).parents[4] / "share/example-robot-data/robots"
ROBOTS = {
    "panda": ("panda_description/urdf/panda.urdf", "panda_link8"),
    "ur5": ("ur_description/urdf/ur5_robot.urdf", "tool0"),
    "talos": ("talos_data/robots/talos_full_v2.urdf", "gripper_left_base_link"),
}
CALLS, REPEATS, BATCH = 5_000, 15, 100_000


def microseconds(calls: dict[str, Callable[[], object]]) -> dict[str, float]:
    """Return the median processor time of each call, taken turn about: noise hits all alike."""
    samples: dict[str, list[float]] = {name: [] for name in calls}
    for _ in range(REPEATS):
        for name, call in calls.items():
            start = time.thread_time()
            for _ in range(CALLS):
                call()
            samples[name].append((time.thread_time() - start) / CALLS * 1e6)
    return {name: statistics.median(values) for name, values in samples.items()}


def measure(urdf: Path, body: str) -> dict[str, float]:
    """Return microseconds a call, and millions of configurations a second for a batch."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        tree = read_urdf_file(urdf)
    model = pin.buildModelFromUrdf(str(urdf))
    data = model.createData()
    compiled = tree.compiled()
    row = compiled.index_of(body)
    frame = model.getFrameId(body)
    q = tree.random_configuration(0)
    pin_q = pin.randomConfiguration(model)
    frames = np.empty(compiled.frames_shape)
    jacobian = np.empty((6, compiled.velocity_count))

    # As the public functions call them.
    frames_kernel = without_questions(kernels.body_transforms)
    jacobian_kernel = without_questions(kernels.jacobian)

    def pin_frames() -> None:
        pin.forwardKinematics(model, data, pin_q)
        pin.updateFramePlacements(model, data)

    result = microseconds(
        {
            "pinocchio, all frames, left in its data": pin_frames,
            "ours, all frames as 4x4, the kernel": lambda: frames_kernel(
                compiled.table, q, frames
            ),
            "ours, all frames as 4x4, body_transforms()": lambda: body_transforms(compiled, q),
            "pinocchio, Jacobian of one frame": lambda: pin.computeFrameJacobian(
                model, data, pin_q, frame, pin.LOCAL_WORLD_ALIGNED
            ),
            "ours, Jacobian, the kernel": lambda: jacobian_kernel(
                compiled.table, q, row, True, jacobian
            ),
            "ours, Jacobian, geometric_jacobian()": lambda: geometric_jacobian(compiled, q, body),
        }
    )
    batch = np.random.default_rng(0).uniform(-1, 1, (BATCH, compiled.position_count))
    out = np.empty((BATCH, *compiled.frames_shape))
    rates, alone = [], []
    for _ in range(5):
        start = time.perf_counter()
        body_transforms(compiled, batch, out)
        rates.append(BATCH / (time.perf_counter() - start) / 1e6)
        start = time.thread_time()
        body_transforms_batch(compiled.table, batch, out)
        alone.append(BATCH / (time.thread_time() - start) / 1e6)
    result["ours, batch of 100,000, all frames, millions a second"] = statistics.median(rates)
    result["the same, one core, by processor time"] = statistics.median(alone)
    return result


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--json", type=Path, help="write the figures to this file, too")
    arguments = parser.parse_args()
    report: dict[str, object] = {
        "machine": f"{platform.machine()}, Python {platform.python_version()}",
        "pinocchio": pin.__version__,
    }
    for name, (urdf, body) in ROBOTS.items():
        figures = measure(DATA / urdf, body)
        report[name] = figures
        print(f"{name} (microseconds a call)")
        for label, value in figures.items():
            print(f"  {value:8.2f}  {label}")
    if arguments.json:
        arguments.json.write_text(json.dumps(report, indent=2))


if __name__ == "__main__":
    main()
