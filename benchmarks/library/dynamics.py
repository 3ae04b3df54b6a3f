"""Dynamics beside Pinocchio's: ``python -m benchmarks.library.dynamics``.

The Panda of example-robot-data with its fingers fixed, in one run, turn about; a figure is the
median over repeats of the mean over many calls, Python's call overhead included.
"""

from __future__ import annotations

import argparse
import json
import platform
import statistics
import time
import warnings
from pathlib import Path

import numpy as np
import pinocchio as pin

from benchmarks.library.kinematics import DATA, ROBOTS, microseconds
from rigid_tree_kinematics import Joint, RigidBodyTree
from rigid_tree_kinematics.description import read_urdf_file, write_urdf
from rigid_tree_kinematics.dynamics import forward_dynamics, inverse_dynamics, kernels, mass_matrix
from rigid_tree_kinematics.dynamics.lumped import lumped
from rigid_tree_kinematics.kinematics.arguments import without_questions

BATCH = 100_000


def panda() -> RigidBodyTree:
    """Return the Panda with fixed fingers."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        tree = read_urdf_file(DATA / ROBOTS["panda"][0])
    for body in reversed(tree.bodies):
        if "finger" in body.joint.name:
            joint = Joint(body.joint.name, "fixed")
            joint.set_transforms(body.joint.joint_to_parent, body.joint.child_to_joint)
            tree.replace_joint(body.name, joint)
    return tree


def measure() -> dict[str, float]:
    """Return microseconds a call, and millions of configurations a second for a batch."""
    tree = panda()
    model = pin.buildModelFromXML(write_urdf(tree))
    data = model.createData()
    compiled = tree.compiled()
    arrays = lumped(compiled)
    rng = np.random.default_rng(0)
    q = tree.random_configuration(rng)
    v, a = rng.normal(size=(2, 7))
    out, M, n = np.empty(7), np.empty((7, 7)), len(arrays.table)
    first = np.empty((n, kernels.NEWTON_EULER_COLUMNS))
    second = np.empty((n, kernels.COMPOSITE_COLUMNS))
    third = np.empty((n, kernels.ARTICULATED_COLUMNS)), np.empty((n, 6, 6))
    table = arrays.table
    # As the public functions call them.
    inverse_kernel = without_questions(kernels.inverse_dynamics)
    mass_kernel = without_questions(kernels.mass_matrix)
    forward_kernel = without_questions(kernels.articulated_dynamics)
    result = microseconds(
        {
            "pinocchio rnea": lambda: pin.rnea(model, data, q, v, a),
            "ours, inverse dynamics, the kernel": lambda: inverse_kernel(
                table, q, v, a, first, out
            ),
            "ours, inverse_dynamics()": lambda: inverse_dynamics(compiled, q, v, a),
            "pinocchio crba": lambda: pin.crba(model, data, q),
            "ours, mass matrix, the kernel": lambda: mass_kernel(table, q, second, M),
            "ours, mass_matrix()": lambda: mass_matrix(compiled, q),
            "pinocchio aba": lambda: pin.aba(model, data, q, v, a),
            "ours, forward dynamics, the kernel": lambda: forward_kernel(
                table, q, v, a, *third, out
            ),
            "ours, forward_dynamics()": lambda: forward_dynamics(compiled, q, v, a),
        }
    )
    batch = rng.uniform(-1, 1, (3, BATCH, 7))
    for name, function in (("inverse", inverse_dynamics), ("forward", forward_dynamics)):
        rates = []
        for _ in range(5):
            start = time.perf_counter()
            function(compiled, *batch)
            rates.append(BATCH / (time.perf_counter() - start) / 1e6)
        result[f"ours, {name} dynamics of {BATCH}, millions a second"] = statistics.median(rates)
    return result


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--json", type=Path, help="write the figures to this file, too")
    arguments = parser.parse_args()
    figures = measure()
    print(f"panda (microseconds a call), Pinocchio {pin.__version__}")
    for label, value in figures.items():
        print(f"  {value:8.2f}  {label}")
    if arguments.json:
        machine = f"{platform.machine()}, Python {platform.python_version()}"
        report = {"machine": machine, "pinocchio": pin.__version__, "panda": figures}
        arguments.json.write_text(json.dumps(report, indent=2))


if __name__ == "__main__":
    main()
