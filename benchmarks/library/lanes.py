"""The check that rejects motions, and the search for nearest nodes, with and without lanes.

Without lanes, 16 configurations of a motion are checked one by one until one is in collision. The
table has the processor time per motion or position. Numba compiles the kernels in this process,
which takes some minutes the first time.
"""

# ruff: noqa: E402 (what is imported depends on the line that chooses Numba)

import math
import time
import types as python
from collections.abc import Callable
from typing import Any

import numpy as np
from numba import njit

from rigid_tree_kinematics.kernels import decorators

vars(decorators)["has_only_numba"] = lambda: True

from benchmarks.frame import Report, main, timed
from rigid_tree_kinematics import load_robot
from rigid_tree_kinematics.collision import CollisionChecker, load_scene
from rigid_tree_kinematics.collision.lanes.never_free_kernels import is_never_free
from rigid_tree_kinematics.collision.world.arrays import make_work
from rigid_tree_kinematics.kernels import inlined
from rigid_tree_kinematics.kernels.entry import OPTIONS, numba_signature
from rigid_tree_kinematics.kernels.lanes import WIDE
from rigid_tree_kinematics.kernels.registry import KERNELS
from rigid_tree_kinematics.kinematics.topology import difference, squared_distance
from rigid_tree_kinematics.model.configuration import random_configuration
from rigid_tree_kinematics.planning.search.tree_kernels import (
    NODE,
    STATE,
    Trees,
    nearest,
)

MOTIONS, LONGEST = 2_000, 1.5  # rad
# The lane operations for one number, in float64, which is as fast as float32.
ONE: dict[str, Callable[..., Any]] = {
    "sixteen": lambda first, step: first,
    "load_lanes": lambda array, index: np.float64(array[index]),
    "floor_of": math.floor,
    "absolute": abs,
    "root_of": math.sqrt,
    "above_zero": lambda a: max(a, 0.0),
    "any_less": lambda a, b: a < b,
}


def store_one(array: Any, index: int, value: Any) -> None:
    """Store one number, like ``store_lanes`` stores sixteen."""
    array[index] = value


ONE = {name: inlined(f) if isinstance(f, python.FunctionType) else f for name, f in ONE.items()}
ONE["store_lanes"] = inlined(store_one)


def without_lanes(function: Any) -> Any:
    """Return a kernel's function and its callees for one number instead of lanes."""
    function = function.py_func
    names = {**function.__globals__, **ONE}
    own = {name: names[name] for name in function.__code__.co_names if name in names}
    own = {name: without_lanes(f) if hasattr(f, "py_func") else f for name, f in own.items()}
    own["__name__"], own["__builtins__"] = names["__name__"], names["__builtins__"]
    return inlined(python.FunctionType(function.__code__, own, function.__name__))


registered = KERNELS[is_never_free]
in_lanes = is_never_free
signature = numba_signature(registered.signature)
at_one_moment = njit(signature, **OPTIONS)(without_lanes(is_never_free).py_func)


@njit(nogil=True)
def count_in_lanes(model: Any, starts: Any, motions: Any, work: Any) -> int:
    """Return the number of rejected motions."""
    found = 0
    for k in range(len(starts)):
        found += in_lanes(model, starts[k], motions[k], work)
    return found


@njit(nogil=True)
def count_one_by_one(model: Any, starts: Any, motions: Any, work: Any) -> int:
    """Return the same number without lanes."""
    found, q, still = 0, np.empty(starts.shape[1]), np.zeros(starts.shape[1])
    for k in range(len(starts)):
        for moment in range(WIDE):
            for i in range(len(q)):
                q[i] = starts[k, i] + motions[k, i] * (moment / (WIDE - 1))
            if at_one_moment(model, q, still, work):
                found += 1
                break
    return found


@njit(**OPTIONS)  # type: ignore[untyped-decorator]
def nearest_in_lanes(trees: Any, states: Any, positions: Any) -> int:
    """Return the sum of the numbers of the nodes nearest to some positions (N, nq)."""
    found = 0
    for k in range(positions.shape[0]):
        found += nearest(trees, states[0], 0, positions[k], math.inf)[0]
    return found


@njit(**OPTIONS)  # type: ignore[untyped-decorator]
def nearest_one_by_one(trees: Any, states: Any, positions: Any) -> int:
    """Return the same sum without lanes."""
    found = 0
    for k in range(positions.shape[0]):
        best, at = math.inf, -1
        for i in range(states[0].count[0]):
            here = trees.nodes[0, i]
            squared = squared_distance(trees.kinds, trees.weights, here, positions[k])
            if squared < best and trees.links[0][i].cost + math.sqrt(squared) <= math.inf:
                best, at = squared, i
        found += at
    return found


def compare(report: Report, repeats: int, what: str, arrays: Any, *forms: Any) -> None:
    """Report the processor time of two functions that return the same number."""
    found = [form(*arrays) for form in forms]  # compiles the kernel
    assert found[0] == found[1]
    least = [
        1e6 / MOTIONS * min(timed(time.thread_time, form, *arrays)[1] for _ in range(repeats))
        for form in forms
    ]
    row = {"16 lanes us": least[0], "no lanes us": least[1], "ratio": least[1] / least[0]}
    report.row("lanes", what.format(found[0]), row)


def run(options: Any, report: Report) -> None:
    """Measure random motions between two pillars, and the nearest nodes of trees."""
    checker = CollisionChecker(load_robot("panda"), load_scene("panda_pillars"))
    compiled, rng = checker.compiled, np.random.default_rng(0)
    starts, ends = (
        np.array([random_configuration(compiled, rng) for _ in range(MOTIONS)]) for _ in range(2)
    )
    model = checker.conservative_model(starts[0], np.arange(compiled.position_count))
    motions = np.array(
        [difference(checker.kinds, a, b) for a, b in zip(starts, ends, strict=True)]
    )
    motions *= np.minimum(1.0, LONGEST / np.linalg.norm(motions, axis=1))[:, np.newaxis]
    arrays = model, starts, motions, make_work(model)
    what = f"motions, {{}} of {MOTIONS} rejected"
    compare(report, options.repeats, what, arrays, count_in_lanes, count_one_by_one)
    room, width = 1024, 7
    nodes, positions = rng.uniform(-2, 2, (2, room, width)), rng.uniform(-2, 2, (MOTIONS, width))
    kinds, (end, way, target) = np.zeros(width, np.int64), np.zeros((3, width))
    columns, lanes = np.zeros(2 * width * room, np.float32), np.zeros(WIDE, np.float32)
    links, states = np.zeros((2, room), NODE), np.zeros(1, STATE)
    trees = Trees(kinds, np.ones(width), nodes, links, columns, lanes, end, way, target, states)
    for count in (30, 300, 1000):
        states["count"], states["copied"] = count, 0
        what = f"nearest of {count} nodes"
        forms = nearest_in_lanes, nearest_one_by_one
        compare(report, options.repeats, what, (trees, states, positions), *forms)


if __name__ == "__main__":
    main(run, repeats=15)
