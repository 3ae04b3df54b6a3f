"""Constraints as flat arrays, which the kernels read; ``compile.py`` fills them.

An item bounds up to three values of the transform from its frame to its tool: the frame is fixed
to one body, the tool to another. Items of the same group are alternatives.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numba import types
from numpy.typing import NDArray

from rigid_tree_kinematics.arrays import Array
from rigid_tree_kinematics.kernels import MATRIX, VECTOR
from rigid_tree_kinematics.model.compiled import TABLE_COLUMNS

# What an item bounds of the tool in the frame: the coordinates of its origin; their length;
# distance from z and height; how far it is beyond the worst of some planes; the turns about x, the
# new y and the new z; roll, pitch, yaw; the rotation vector; the angle; the angle of both z axes.
POINT, BALL, CYLINDER, PLANES, XYZ_ANGLES, RPY_ANGLES, ROTATION_VECTOR, ANGLE, CONE = range(9)
CIRCLE_JOINT = 9  # a circle's position, from the middle of its bounds
SIGHT = 10  # the angle from z to the tool's origin
ROWS = 3  # values of an item, at most

# Columns of an item.
KIND, BODY, REFERENCE, GROUP = 0, 1, 2, 3
FIRST, LAST = 4, 5  # its planes; the position and the velocity of a circle
FRAME = 6  # 12 numbers: T_frame_reference
TOOL = 18  # 12 numbers: T_body_tool
BOUNDS = 30  # for each level three lows, then three highs
# Levels of tightness: the bounds as requested, those of a motion, of a node of a search, and those
# that a projection aims at.
REQUESTED, MOTION, NODE, AIM = range(4)
LEVELS = 4
ITEM_COLUMNS = BOUNDS + 2 * ROWS * LEVELS


class ConstraintArrays(NamedTuple):
    """Constraints of a robot with n bodies, nq positions and nv velocities."""

    table: Array  # (n, 34) the compiled tree
    kinds: NDArray[np.int64]  # (nq,) of the positions
    bodies: NDArray[np.int64]  # the rows whose frames the items need, parents first
    items: Array  # (C, ITEM_COLUMNS), those of a group one after the other
    planes: Array  # (P, 4) outward normal and offset, in an item's frame, m
    lower: Array  # (nq,) limits of the positions
    upper: Array
    moves: Array  # (nv,) 1 where a velocity may change something, else 0
    position_of_velocity: NDArray[np.int64]  # (nv,)


class ConstraintWork(NamedTuple):
    """Work space of the kernels; one for each thread."""

    frames: Array  # (n, 12)
    values: Array  # (3,) of one item
    slopes: Array  # (3, 6) their rates by the tool's velocity and turning, in the frame's axes
    errors: Array  # (R,) by how much rows miss their bounds
    J: Array  # (R, nv)
    A: Array  # (R, R)
    y: Array  # (R,)
    v: Array  # (nv,)
    mask: Array  # (nv,)
    way: Array  # (nq,)
    q: Array  # (nq,)
    at: Array  # (nq,)


_INTEGERS = types.int64[::1]
CONSTRAINTS = types.NamedTuple(
    (MATRIX, _INTEGERS, _INTEGERS, MATRIX, MATRIX, VECTOR, VECTOR, VECTOR, _INTEGERS),
    ConstraintArrays,
)
CONSTRAINT_WORK = types.NamedTuple(
    (
        MATRIX,
        VECTOR,
        MATRIX,
        VECTOR,
        MATRIX,
        MATRIX,
        VECTOR,
        VECTOR,
        VECTOR,
        VECTOR,
        VECTOR,
        VECTOR,
    ),
    ConstraintWork,
)


def make_constraint_work(constraints: ConstraintArrays) -> ConstraintWork:
    """Return work arrays for the kernels."""
    positions, velocities = len(constraints.kinds), len(constraints.moves)
    rows = ROWS * max(1, len(np.unique(constraints.items[:, GROUP])))
    return ConstraintWork(
        np.zeros((len(constraints.table), 12)),
        np.zeros(ROWS),
        np.zeros((ROWS, 6)),
        np.zeros(rows),
        np.zeros((rows, velocities)),
        np.zeros((rows, rows)),
        np.zeros(rows),
        np.zeros(velocities),
        np.zeros(velocities),
        np.zeros(positions),
        np.zeros(positions),
        np.zeros(positions),
    )


def no_constraints(kinds: NDArray[np.int64]) -> ConstraintArrays:
    """Return empty arrays of constraints, which every configuration satisfies."""
    count = len(kinds)
    return ConstraintArrays(
        np.zeros((1, TABLE_COLUMNS)),
        kinds.copy(),
        np.zeros(0, dtype=np.int64),
        np.zeros((0, ITEM_COLUMNS)),
        np.zeros((0, 4)),
        np.zeros(count),
        np.zeros(count),
        np.zeros(0),
        np.zeros(0, dtype=np.int64),
    )
