"""Dynamics of the Panda of example-robot-data with fixed fingers, ours and Pinocchio's.

Calls of both libraries alternate in one run. Each figure is the median over repeats of the mean
processor time of many calls, including Python's call overhead.
"""

import time
from functools import partial
from typing import Any

import numpy as np
import pinocchio as pin

from benchmarks.frame import Report, main
from benchmarks.ik.problem import DATA
from benchmarks.library.kinematics import BATCH, ROBOTS, Calls, load, microseconds, millions
from rigid_tree_kinematics import Joint, RigidBodyTree
from rigid_tree_kinematics.description import write_urdf
from rigid_tree_kinematics.dynamics import forward_dynamics, inverse_dynamics, kernels, mass_matrix
from rigid_tree_kinematics.dynamics.lumped import lumped


def panda() -> RigidBodyTree:
    """Return the Panda with fixed fingers."""
    tree = load(DATA / ROBOTS["panda"][0])
    for body in reversed(tree.bodies):
        if "finger" in body.joint.name:
            joint = Joint(body.joint.name, "fixed")
            joint.set_transforms(body.joint.joint_to_parent, body.joint.child_to_joint)
            tree.replace_joint(body.name, joint)
    return tree


def calls_of(tree: RigidBodyTree, rng: np.random.Generator) -> Calls:
    """Return the timed functions."""
    model = pin.buildModelFromXML(write_urdf(tree))
    data = model.createData()
    compiled = tree.compiled()
    table = lumped(compiled).table
    q = tree.random_configuration(rng)
    v, a = rng.normal(size=(2, 7))
    out, M, n = np.empty(7), np.empty((7, 7)), len(table)
    first = np.empty((n, kernels.NEWTON_EULER_COLUMNS))
    second = np.empty((n, kernels.COMPOSITE_COLUMNS))
    third = np.empty((n, kernels.ARTICULATED_COLUMNS)), np.empty((n, 6, 6))
    return {
        "inverse dynamics": (
            lambda: kernels.inverse_dynamics(table, q, v, a, first, out),
            lambda: inverse_dynamics(compiled, q, v, a),
            lambda: pin.rnea(model, data, q, v, a),
        ),
        "mass matrix": (
            lambda: kernels.mass_matrix(table, q, second, M),
            lambda: mass_matrix(compiled, q),
            lambda: pin.crba(model, data, q),
        ),
        "forward dynamics": (
            lambda: kernels.articulated_dynamics(table, q, v, a, *third, out),
            lambda: forward_dynamics(compiled, q, v, a),
            lambda: pin.aba(model, data, q, v, a),
        ),
    }


def run(options: Any, report: Report) -> None:
    """Measure call by call, and batches of configurations."""
    tree, rng = panda(), np.random.default_rng(0)
    for name, row in microseconds(calls_of(tree, rng), options.repeats).items():
        report.row("Panda", name, row)
    batch = rng.uniform(-1, 1, (3, BATCH, 7))
    for name, function in (("inverse", inverse_dynamics), ("forward", forward_dynamics)):
        rate = millions(partial(function, tree.compiled(), *batch), time.perf_counter)
        table = f"batches of {BATCH:,}, all cores"
        report.row(table, f"{name} dynamics", {"millions per second": rate})


if __name__ == "__main__":
    main(run, repeats=15)
