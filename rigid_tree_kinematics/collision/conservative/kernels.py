"""Kernels that prove configurations and motions free.

All distances are lower bounds, because the spheres contain the shapes. What these kernels report
as free is proven free; the exact level decides the rest.
"""

import rigid_tree_kinematics.collision.world.arrays as arrays
from rigid_tree_kinematics.arrays import Array, Integers, Mask
from rigid_tree_kinematics.collision.conservative.clearances import time_cleared
from rigid_tree_kinematics.collision.conservative.map_walk import apart_on_map
from rigid_tree_kinematics.collision.conservative.twist_kernels import (
    write_accelerations,
    write_twists,
)
from rigid_tree_kinematics.collision.lanes.clear_kernels import drop_satisfied
from rigid_tree_kinematics.collision.lanes.never_free_kernels import is_never_free
from rigid_tree_kinematics.collision.world.arrays import MODEL, WORK, ConservativeModel, Work
from rigid_tree_kinematics.kernels import MATRIX, VECTOR, inlined, kernel, types
from rigid_tree_kinematics.kinematics.motion import (
    IDENTITY,
    compose,
    parent_from_body,
    read_table,
)
from rigid_tree_kinematics.kinematics.topology import KINDS, write_between
from rigid_tree_kinematics.model.columns import PARENT

FREE, UNDECIDED = 1, 0
MOST_CHECKS = 100  # configurations checked in one motion before it is given up as undecided


@inlined
def _place_bodies(model: ConservativeModel, q: Array, frames: Array) -> None:
    """Write the frames of the bodies that move."""
    for k in range(model.rows.shape[0]):
        i = model.rows[k]
        parent = int(model.table[i, PARENT])
        above = IDENTITY
        if parent > 0:
            above = read_table(frames, parent, 0)
        m = compose(above, parent_from_body(model.table, q, i))
        for c in range(12):
            frames[i, c] = m[c]


@inlined
def _list_checks(model: ConservativeModel, a: Array, difference: Array, work: Work) -> None:
    """List the checks of a motion in the first row of ``work.open``.

    The last undecided check comes first, as it is likely to be undecided again. Pairs of bodies
    that a map proves apart along the whole motion are left out.
    """
    entities, pairs, last = model.entities, model.pairs, work.counts[arrays.LAST_UNDECIDED]
    count = 0
    checks = entities.shape[0] + pairs.shape[0]
    for k in range(-1, checks):
        check = last if k < 0 else k
        if not 0 <= check < checks or k == last:
            continue
        if check >= entities.shape[0]:
            row = pairs[check - entities.shape[0]]["map"]
            if row >= 0 and apart_on_map(model.maps, model.map_cells, row, a, difference):
                continue
        elif entities[check]["in_world"] == 0:
            continue
        count += 1
        work.open[0, count] = check
    work.open[0, 0] = count


@kernel(types.boolean(MODEL, VECTOR, WORK))
def is_clear(model: ConservativeModel, q: Array, work: Work) -> bool:
    """Return whether all distances are proven to exceed MARGIN."""
    work.counts[arrays.CHECKED] += 1
    _place_bodies(model, q, work.frames)
    work.steps[:] = 0.0
    work.speeds[:] = 0.0
    _list_checks(model, q, work.steps, work)
    _, undecided = time_cleared(model, work, 0, 1.0)
    if undecided >= 0:
        work.counts[arrays.LAST_UNDECIDED] = undecided
    return undecided < 0


@kernel(types.void(MODEL, MATRIX, types.boolean[::1], WORK))
def free_batch(model: ConservativeModel, q: Array, out: Mask, work: Work) -> None:
    """Batch version of ``is_clear``: ``q`` (N, nq), ``out`` (N,)."""
    for k in range(q.shape[0]):
        out[k] = is_clear(model, q[k], work)


@kernel(types.float64(MODEL, types.int64, VECTOR, types.float64, WORK))
def pair_cleared(model: ConservativeModel, pair: int, q: Array, speed: float, work: Work) -> float:
    """Return the time for which a pair approaching at ``speed`` is clear around ``q`` (nq,).

    At least 1 if it is clear for a time of 1, negative if undecided. ``work.steps`` (nq,) are the
    magnitudes of the positions' displacements in a time of 1.
    """
    check = model.entities.shape[0] + pair
    _place_bodies(model, q, work.frames)
    work.speeds[check] = speed
    work.open[0, 0], work.open[0, 1] = 1, check
    cleared, undecided = time_cleared(model, work, 0, 1.0)
    return cleared if undecided < 0 else -1.0


@inlined
def _write_speeds(model: ConservativeModel, difference: Array, work: Work) -> None:
    """Write each check's maximum approach along a motion, and how far the positions move."""
    speeds, bodies = work.speeds, model.reach.shape[0]
    speeds[:] = 0.0
    for j in range(difference.shape[0]):
        step = abs(difference[j])
        work.steps[j] = step
        if step > 0.0:
            for check in range(bodies):
                speeds[check] += step * model.reach[check, j]
            for pair in range(model.pair_reach.shape[0]):
                speeds[bodies + pair] += step * model.pair_reach[pair, j]


@inlined
def _divide(work: Work, at: int, middle: float, cleared: float) -> None:
    """Replace interval ``at`` by the two parts around its middle, which is clear."""
    intervals, opened = work.intervals, work.open
    for k in range(opened[at, 0] + 1):
        opened[at + 1, k] = opened[at, k]
    intervals[at + 1, 0], intervals[at + 1, 1] = middle + cleared, intervals[at, 1]
    intervals[at, 1] = middle - cleared


@kernel(types.int64(MODEL, KINDS, VECTOR, VECTOR, WORK))
def motion_verdict(
    model: ConservativeModel, kinds: Integers, a: Array, difference: Array, work: Work
) -> int:
    """Return FREE if the whole motion from ``a`` along ``difference`` is free, else UNDECIDED.

    An interval of the motion is free if every clearance at its middle exceeds the possible
    approach until its ends. Otherwise the parts before and after the part that is clear become
    two intervals, for which only the checks that were not satisfied are done.
    """
    intervals = work.intervals
    if is_never_free(model, a, difference, work):
        return UNDECIDED
    _list_checks(model, a, difference, work)
    _write_speeds(model, difference, work)
    write_accelerations(model, work.steps, work.accelerations)
    drop_satisfied(model, work)
    if work.open[0, 0] == 0:
        return FREE
    intervals[0, 0], intervals[0, 1] = 0.0, 1.0
    waiting = 1
    for _ in range(MOST_CHECKS):
        waiting -= 1
        low, high = intervals[waiting, 0], intervals[waiting, 1]
        middle, half = 0.5 * (low + high), 0.5 * (high - low)
        work.counts[arrays.CHECKED] += 1
        write_between(kinds, a, difference, middle, work.q)
        _place_bodies(model, work.q, work.frames)
        write_twists(model, work.frames, difference, work.twists)
        cleared, undecided = time_cleared(model, work, waiting, half)
        if undecided >= 0:
            work.counts[arrays.LAST_UNDECIDED] = undecided
            return UNDECIDED
        if cleared < half:
            if waiting + 2 > arrays.STACK:
                return UNDECIDED
            _divide(work, waiting, middle, cleared)
            waiting += 2
        if waiting == 0:
            return FREE
    return UNDECIDED
