"""Bounds of the displacement of points by a motion, for any configuration.

A rotation moves a point by at most its angle times the point's distance from the axis. That
distance is bounded, for any positions of the joints between axis and point, by the length of the
chain between them.
"""

from collections.abc import Collection, Iterator

import numpy as np

import rigid_tree_kinematics.model.columns as columns
from rigid_tree_kinematics.arrays import Array, Integers
from rigid_tree_kinematics.model import CompiledTree
from rigid_tree_kinematics.model.joints import (
    FIXED,
    FLOATING,
    PLANAR,
    POSITION_COUNTS,
    PRISMATIC,
    REVOLUTE_X,
    REVOLUTE_Y,
    REVOLUTE_Z,
)

AXES = dict(zip((REVOLUTE_X, REVOLUTE_Y, REVOLUTE_Z), np.eye(3), strict=True))

Range = tuple[Array, Array]  # the lowest and the highest value of each position, (nq,) each


def reach_of_spheres(
    compiled: CompiledTree, body: int, spheres: Array, stop: int = 0, within: Range | None = None
) -> Array:
    """Return the spheres' maximum displacement (m, or m/m) per unit of each position, (nq,).

    ``spheres`` (k, 4) are fixed to the body. The motion is relative to body ``stop``, an ancestor:
    joints above it are ignored. For a quaternion, the unit is that of a rotation vector's entries.
    The bound holds for positions ``within`` a range (None: the limits); it is infinite where a
    position has no limits.
    """
    reaches = (reach for _, reach in reach_by_row(compiled, body, spheres, stop, within))
    return sum(reaches, np.zeros(compiled.position_count))


def reach_by_row(
    compiled: CompiledTree, body: int, spheres: Array, stop: int = 0, within: Range | None = None
) -> Iterator[tuple[int, Array]]:
    """Yield the terms of ``reach_of_spheres``, from ``body`` to ``stop``.

    These are each body's row and the contribution of its joint, (nq,).
    """
    low, high = (compiled.lower, compiled.upper) if within is None else within
    # The points in the body's frame: spheres that contain them.
    centers, radii = spheres[:, :3], spheres[:, 3]
    row = body
    while row != stop and row > 0:
        entry = compiled.table[row]
        kind = int(entry[columns.KIND])
        reach = np.zeros(compiled.position_count)
        # Into the moved joint frame.
        child = entry[columns.CHILD_TRANSFORM : columns.CHILD_TRANSFORM + 12].reshape(3, 4)
        centers = centers @ child[:, :3].T + child[:, 3]
        distances = np.sqrt(np.einsum("ij,ij->i", centers, centers))
        farthest = float((distances + radii).max())
        at = int(entry[columns.POSITION])
        if kind == FLOATING:
            reach[at : at + 3] += 1.0
            reach[at + 3 : at + 6] += farthest
        elif kind == PLANAR:
            reach[at : at + 2] += 1.0
            reach[at + 2] += float((np.hypot(centers[:, 0], centers[:, 1]) + radii).max())
        elif kind == PRISMATIC:
            reach[at] += abs(entry[columns.MULTIPLIER])
        elif kind != FIXED:
            along = centers @ axis_of(entry)
            from_axis = np.sqrt(np.maximum(distances**2 - along**2, 0.0)) + radii
            reach[at] += abs(entry[columns.MULTIPLIER]) * float(from_axis.max())
        # Into the parent's frame: fixed joints keep the shape, others sweep a sphere.
        fixed = entry[columns.FIXED_TRANSFORM : columns.FIXED_TRANSFORM + 12].reshape(3, 4)
        if kind == FIXED:
            centers = centers @ fixed[:, :3].T + fixed[:, 3]
        else:
            centers = fixed[:, 3][np.newaxis]
            radii = np.array([farthest + travel(entry, low, high)])
        yield row, reach
        row = int(entry[columns.PARENT])


def axis_of(entry: Array) -> Array:
    """Return a revolute joint's axis (3,) in the joint frame from its row of the table."""
    return AXES.get(int(entry[columns.KIND]), entry[columns.AXIS : columns.AXIS + 3])


def positions_of(entry: Array) -> range:
    """Return the indices of a joint's positions from its row of the table."""
    first = int(entry[columns.POSITION])
    return range(first, first + POSITION_COUNTS[int(entry[columns.KIND])])


def moved_rows(compiled: CompiledTree, positions: Collection[int]) -> set[int]:
    """Return the bodies that some of the positions move."""
    moved: set[int] = set()
    for row, entry in enumerate(compiled.table):
        own = not set(positions).isdisjoint(positions_of(entry))
        if row and (own or int(entry[columns.PARENT]) in moved):
            moved.add(row)
    return moved


def travel(entry: Array, low: Array, high: Array) -> float:
    """Return the maximum displacement of a joint, m; infinite without limits."""
    kind, at = int(entry[columns.KIND]), int(entry[columns.POSITION])
    if kind == PRISMATIC:
        ends = np.array([low[at], high[at]])
        return float(np.abs(entry[columns.MULTIPLIER] * ends + entry[columns.OFFSET]).max())
    if kind in (PLANAR, FLOATING):
        count = 2 if kind == PLANAR else 3
        ends = np.abs([low[at : at + count], high[at : at + count]])
        return float(np.linalg.norm(ends.max(axis=0)))
    return 0.0


def common_ancestor(compiled: CompiledTree, one: int, two: int) -> int:
    """Return the row of the last common ancestor of two bodies; it can be one of them."""
    above = {one}
    while one > 0:
        one = int(compiled.table[one, columns.PARENT])
        above.add(one)
    while two not in above:
        two = int(compiled.table[two, columns.PARENT])
    return two


def rows_between(compiled: CompiledTree, one: int, two: int) -> Integers:
    """Return the bodies below the last common ancestor of two bodies, down to both."""
    stop = common_ancestor(compiled, one, two)
    rows = []
    for row in (one, two):
        while row != stop:
            rows.append(row)
            row = int(compiled.table[row, columns.PARENT])
    return np.array(sorted(rows), dtype=np.int64)
