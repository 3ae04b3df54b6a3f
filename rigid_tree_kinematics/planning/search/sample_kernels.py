"""Samples of a search: uniform, or restricted to configurations that can shorten a path.

The first are an additive recurrence (Roberts, "The unreasonable effectiveness of quasirandom
sequences", 2018), shifted by the seed: they cover the space more evenly than random ones.
"""

import math
import random
from functools import cache
from typing import Any, NamedTuple

import numpy as np

from rigid_tree_kinematics.arrays import Array, Integers
from rigid_tree_kinematics.kernels import MATRIX, VECTOR, inlined, types
from rigid_tree_kinematics.kernels.random_stream import uniform
from rigid_tree_kinematics.kinematics.topology import distance
from rigid_tree_kinematics.model.joints.joint_types import CIRCLE, INTERVAL, QUATERNION


class Samples(NamedTuple):
    """The sampled region."""

    moving: Integers  # positions
    lower: Array  # (nq,)
    upper: Array  # (nq,)
    recurrence: Array  # (2, nq) first numbers, and their increments


SAMPLES = types.NamedTuple((types.int64[::1], VECTOR, VECTOR, MATRIX), Samples)


@inlined
def _coordinate(recurrence: Array, at: int, count: int) -> float:
    """Return the count-th number of one coordinate's recurrence, in [0, 1)."""
    value = recurrence[0, at] + count * recurrence[1, at]
    return float(value - math.floor(value))


@inlined
def draw(kinds: Integers, samples: Samples, count: int, q: Array) -> None:
    """Draw the moving positions."""
    lower, upper, recurrence = samples.lower, samples.upper, samples.recurrence
    for m in range(samples.moving.shape[0]):
        k = samples.moving[m]
        if kinds[k] == INTERVAL or kinds[k] == CIRCLE:
            q[k] = lower[k] + (upper[k] - lower[k]) * _coordinate(recurrence, k, count)
        elif kinds[k] == QUATERNION:
            # Shoemake 1992: uniform over the rotations.
            u = _coordinate(recurrence, k, count)
            first = 2.0 * math.pi * _coordinate(recurrence, k + 1, count)
            second = 2.0 * math.pi * _coordinate(recurrence, k + 2, count)
            inner, outer = math.sqrt(1.0 - u), math.sqrt(u)
            q[k] = inner * math.sin(first)
            q[k + 1] = inner * math.cos(first)
            q[k + 2] = outer * math.sin(second)
            q[k + 3] = outer * math.cos(second)


@inlined
def draw_between(
    kinds: Integers,
    weights: Array,
    samples: Samples,
    state: Any,
    start: Array,
    goal: Array,
    q: Array,
) -> bool:
    """Draw from the intervals in which a path can be shorter than ``state.bound``.

    They lie in an ellipsoid with these as foci (Gammell, Srinivasa, Barfoot, "Informed RRT*", IROS
    2014), here a stretched ball that is reflected into its place. Return False for a draw outside
    the limits.
    """
    moving, count = samples.moving, samples.moving.shape[0]
    at = state.draws * 2 * (count + 2)
    gap = max(distance(kinds, weights, start, goal), 1e-9)
    if gap >= state.bound:
        return False
    squared = 0.0
    for m in range(count):  # normal numbers by Box and Muller
        length = math.sqrt(-2.0 * math.log(1.0 - uniform(state.seed, at + 2 * m)))
        q[moving[m]] = length * math.cos(2.0 * math.pi * uniform(state.seed, at + 2 * m + 1))
        squared += q[moving[m]] ** 2
    radius = 0.5 * uniform(state.seed, at + 2 * count) ** (1.0 / count) / math.sqrt(squared)
    across = radius * math.sqrt(state.bound**2 - gap**2)
    first, dot = moving[0], 0.0
    for m in range(count):
        k = moving[m]
        q[k] *= radius * state.bound if k == first else across
        dot += q[k] * ((k == first) - weights[k] * (goal[k] - start[k]) / gap)
    lead = weights[first] * (goal[first] - start[first]) / gap
    scale = dot / (1.0 - lead) if lead < 1.0 - 1e-9 else 0.0
    inside = True
    for m in range(count):
        k = moving[m]
        q[k] -= scale * ((k == first) - weights[k] * (goal[k] - start[k]) / gap)
        q[k] = 0.5 * (start[k] + goal[k]) + q[k] / weights[k]
        inside &= samples.lower[k] <= q[k] <= samples.upper[k]
    return inside


def recurrence_of(seed: int, positions: int, moving: Integers) -> Array:
    """Return the samples' first numbers and their increments, (2, positions), for a seed.

    The increments are the powers of the root above 1 of x^(d + 1) = x + 1 in d dimensions; the
    first numbers are random.
    """
    recurrence = np.zeros((2, positions))
    # Python's generator: NumPy's takes longer to seed than an easy search takes.
    uniform_number = random.Random(seed).random
    recurrence[0] = [uniform_number() for _ in range(positions)]
    recurrence[1, moving] = _increments(len(moving))
    return recurrence


@cache
def _increments(dimension: int) -> Array:
    root = 2.0
    for _ in range(64):
        root = (1.0 + root) ** (1.0 / (dimension + 1))
    return np.asarray(root ** -np.arange(1.0, dimension + 1.0))
