"""The kernel that finds the corners of a path."""

import math

from rigid_tree_kinematics.arrays import Array, Integers
from rigid_tree_kinematics.kernels import MATRIX, READ_2D, inlined, kernel, types

SHORTEST_WAY = 1e-12  # rad (m); shorter motions are ignored
STRAIGHT = 1e-9  # difference of the unit vectors of motions that are joined


@inlined
def norm(vector: Array) -> float:
    """Return the Euclidean length of a vector (n,)."""
    squared = 0.0
    for j in range(vector.shape[0]):
        squared += vector[j] ** 2
    return math.sqrt(squared)


@inlined
def _bend(before: Array, before_length: float, after: Array, after_length: float) -> float:
    """Return the difference of the directions of two motions."""
    squared = 0.0
    for j in range(before.shape[0]):
        squared += (after[j] / after_length - before[j] / before_length) ** 2
    return math.sqrt(squared)


@kernel(types.int64(READ_2D, types.int64[::1], MATRIX))
def write_straight_motions(motions: Array, starts: Integers, joined: Array) -> int:
    """Join motions (k, n) with the same direction; return the number of ``joined`` (k, n).

    ``starts`` (k,) are the indices of their first parts. Motions without length are left out.
    """
    count, before, before_length = 0, 0, 0.0
    for k in range(motions.shape[0]):
        length = norm(motions[k])
        if length <= SHORTEST_WAY:
            continue
        if count == 0 or _bend(motions[before], before_length, motions[k], length) > STRAIGHT:
            starts[count], joined[count] = k, 0.0
            count += 1
        for j in range(motions.shape[1]):
            joined[count - 1, j] += motions[k, j]
        before, before_length = k, length
    return count
