"""Posture search along a sequence of poses, for redundant arms.

The joint motions that leave the tool where it is add a dimension to the path for each redundant
joint. This space is searched depth first on a grid: from pose to pose, each time with the posture
kept, or changed to one side or the other.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from rigid_tree_kinematics.arrays import Array
from rigid_tree_kinematics.collision import CollisionChecker
from rigid_tree_kinematics.deadline import Deadline
from rigid_tree_kinematics.ik import InverseKinematics
from rigid_tree_kinematics.kinematics import geometric_jacobian

MOST_TRIES = 4000  # about a second
MOST_LAYERS = 40  # poses that are searched; those between follow
CHANGE = 0.15  # rad or m, by which the posture changes from one layer to the next, at most twice
CHANGES = (0.0, CHANGE, -CHANGE, 2.0 * CHANGE, -2.0 * CHANGE)
CELL = 0.1  # rad or m; postures of one pose that are nearer than that in all joints are one
LONGEST_STEP = 0.6  # rad or m, of a joint between two layers
SINGULAR = 1e-3  # of the greatest singular value: what is below leaves the tool where it is


def search_postures(
    solver: InverseKinematics,
    start: Array,
    poses: Sequence[Array],
    checker: CollisionChecker | None,
    deadline: Deadline,
) -> tuple[list[int], Array]:
    """Return the searched poses, and a posture for each reached one, ``start`` first.

    Poses count from 1; 0 is the start. If the last one is not reached, the longest sequence
    is returned.
    """
    count = min(MOST_LAYERS, len(poses))
    layers = [0, *np.unique(np.linspace(1, len(poses), count).astype(int)).tolist()]
    known: list[set[bytes]] = [set() for _ in layers]
    branch = [start]
    best = list(branch)
    open_ends = [_changed(solver, start)]
    tries = 0
    while open_ends and tries < MOST_TRIES and not deadline.over:
        seed = next(open_ends[-1], None)
        if seed is None:
            open_ends.pop()
            branch.pop()
            continue
        tries += 1
        layer = len(branch)
        q = _reached(solver, branch[-1], seed, poses[layers[layer] - 1], checker)
        if q is None or _is_known(known[layer], q):
            continue
        branch.append(q)
        if len(branch) > len(best):
            best = list(branch)
        if len(branch) == len(layers):
            break
        open_ends.append(_changed(solver, q))
    return layers[: len(best)], np.array(best)


def _reached(
    solver: InverseKinematics,
    last: Array,
    seed: Array,
    pose: Array,
    checker: CollisionChecker | None,
) -> Array | None:
    found = solver.solve(pose, seed, max_step=LONGEST_STEP, max_restarts=0)
    q = np.array(found.configuration)
    if not found.success or float(np.abs(q - last).max()) > LONGEST_STEP:
        return None
    if checker is not None and not checker.motion_free(last, q):
        return None
    return q


def _is_known(known: set[bytes], q: Array) -> bool:
    """Return whether a similar posture was tried before, and store it."""
    key = np.round(q / CELL).astype(np.int32).tobytes()
    if key in known:
        return True
    known.add(key)
    return False


def _changed(solver: InverseKinematics, q: Array) -> Iterator[Array]:
    """Yield seeds of the next posture: unchanged, and changed in both directions."""
    compiled = solver.compiled
    yield q
    columns = compiled.velocity_of_position[list(solver.involved)]
    jacobian = geometric_jacobian(compiled, q, solver.body)[:, columns]
    _, values, rows = np.linalg.svd(jacobian)
    rank = int((values > SINGULAR * values[0]).sum())
    for change in CHANGES[1:]:
        for row in rows[rank:]:
            seed = q.copy()
            seed[list(solver.involved)] += change * row / np.abs(row).max()
            yield np.clip(seed, compiled.lower, compiled.upper)
