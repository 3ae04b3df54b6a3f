"""Shortening of paths whose motions hold constraints."""

from __future__ import annotations

import numpy as np

from rigid_tree_kinematics.arrays import Array
from rigid_tree_kinematics.deadline import Deadline
from rigid_tree_kinematics.ik import ConstraintSet
from rigid_tree_kinematics.planning.constrained.motion_kernels import LONGEST_PIECE
from rigid_tree_kinematics.planning.constrained.shortening_kernels import (
    VAIN,
    leave_out,
    take_held_shortcuts,
    tighten,
)
from rigid_tree_kinematics.planning.search import Motions

ATTEMPTS = 50  # shortcuts tried in all
SLICE = 10  # of them between two looks at the deadline
MOST_PIECES = 2_000  # of a shortcut
SWEEPS = 20  # of the tightening
ENOUGH = 0.998  # of the length that a sweep leaves: what the next one would save is little


def shorten_held(
    motions: Motions, held: ConstraintSet, path: Array, seed: int, deadline: Deadline
) -> Array:
    """Return a path (k, nq) with the same ends that is not longer; every motion is free and holds.

    Where the conservative level is in doubt everywhere, the path stays as it is.
    """
    if not motions.has_conservative or len(path) < 3:
        return path
    width = path.shape[1]
    arrays, work, weights = held.arrays, held.work, motions.space.weights
    model, collision_work = motions.model, motions.work
    room = np.empty((len(path) + MOST_PIECES, width))
    room[: len(path)] = path
    points, vectors = np.empty((MOST_PIECES, width)), np.empty((3, width))
    state = np.array([len(path), 0, 0], dtype=np.int64)
    for _ in range(ATTEMPTS // SLICE):
        if deadline.over or state[2] >= VAIN:
            break
        take_held_shortcuts(
            arrays,
            weights,
            room,
            state,
            seed,
            points,
            vectors,
            work,
            model,
            collision_work,
            SLICE,
        )
    for _ in range(SWEEPS):
        if deadline.over:
            break
        left = tighten(arrays, weights, room, state, vectors, work, model, collision_work)
        if left > ENOUGH:
            break
    if not deadline.over:
        leave_out(
            arrays, weights, room, state, LONGEST_PIECE, vectors, work, model, collision_work
        )
    return room[: state[0]].copy()
