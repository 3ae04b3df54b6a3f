"""Constraints as flat arrays, which the kernels read; ``constraint_set.py`` fills them.

An item bounds up to three values of the transform from its frame to its tool: the frame is fixed
to one body, the tool to another. Items of the same group are alternatives.
"""

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from rigid_tree_kinematics.arrays import Array, Integers
from rigid_tree_kinematics.kernels.types import type_of
from rigid_tree_kinematics.model.columns import TABLE_COLUMNS

# What an item bounds. Of the position of the tool's origin in the frame: its coordinates; its
# length; the distance from z and the height; the height over the highest of some planes, also for
# the center of mass instead of a tool; the angle from z; the two components of that angle.
POINT, BALL, CYLINDER, PLANES, CENTER_OF_MASS, SIGHT, SIGHT_VECTOR = range(7)
# Of the orientation of the tool in the frame: the rotations about x, the new y and the new z;
# roll, pitch, yaw; the rotation vector; the angle; the angle between both z axes; its components.
XYZ_ANGLES, RPY_ANGLES, ROTATION_VECTOR, ANGLE, CONE, CONE_VECTOR = range(7, 13)
# The position of a joint, and of a circle, from the middle of its bounds.
JOINT, CIRCLE_JOINT = 13, 14
ROWS = 3  # values of an item, at most

# Levels of tightness: the bounds as requested, those of a motion, of a node of a search, and those
# that a projection aims at.
REQUESTED, MOTION, NODE, AIM = range(4)
LEVELS = 4

ITEM = np.dtype(
    [
        ("kind", "i8"),  # POINT to CIRCLE_JOINT
        ("group", "i8"),
        ("body", "i8"),
        ("reference", "i8"),
        ("frame", "f8", (12,)),  # T_frame_reference
        ("tool", "f8", (12,)),  # T_body_tool
        ("planes", "i8", (2,)),  # the first of its planes, and the end
        ("position", "i8"),  # of a joint
        ("velocity", "i8"),
        ("middle", "f8"),  # the joint position from which the value is measured
        ("weight", "f8"),  # factor of its rows
        ("lower", "f8", (LEVELS, ROWS)),
        ("upper", "f8", (LEVELS, ROWS)),
    ]
)

Items = NDArray[Any]  # of ITEM


class ConstraintArrays(NamedTuple):
    """Constraints of a robot with n bodies, nq positions and nv velocities."""

    table: Array  # (n, 34) the compiled tree
    kinds: Integers  # (nq,) of the positions
    bodies: Integers  # the rows whose frames the items need, parents first
    items: Items  # (C,) those of a group one after the other
    planes: Array  # (P, 4) outward normal and offset, in an item's frame, m
    lower: Array  # (nq,) limits of the positions
    upper: Array
    moves: Array  # (nv,) 1 for velocities of joints that can move, else 0
    slides: Array  # (nv,) 1 for translations, 0 for rotations
    position_of_velocity: Integers  # (nv,)
    mass: Array  # (n,) shares of the robot's mass
    center: Array  # (n, 3) centers of mass in the bodies, m


class ConstraintWork(NamedTuple):
    """Work space of the kernels; one for each thread."""

    frames: Array  # (n, 12)
    values: Array  # (3,) of one item
    slopes: Array  # (3, 6) their rates by the tool's velocity and rotation, in the frame's axes
    errors: Array  # (R,) violations of the rows' bounds
    J: Array  # (R, nv)
    A: Array  # (R, R)
    y: Array  # (R,)
    v: Array  # (nv,)
    mask: Array  # (nv,) squared units of the velocities, 0 for those that must not move
    displacement: Array  # (nq,)
    q: Array  # (nq,)
    at: Array  # (nq,)


def make_constraint_work(constraints: ConstraintArrays) -> ConstraintWork:
    """Return work arrays for the kernels."""
    positions, velocities = len(constraints.kinds), len(constraints.moves)
    rows = ROWS * max(1, len(np.unique(constraints.items["group"])))
    return ConstraintWork(
        frames=np.zeros((len(constraints.table), 12)),
        values=np.zeros(ROWS),
        slopes=np.zeros((ROWS, 6)),
        errors=np.zeros(rows),
        J=np.zeros((rows, velocities)),
        A=np.zeros((rows, rows)),
        y=np.zeros(rows),
        v=np.zeros(velocities),
        mask=np.zeros(velocities),
        displacement=np.zeros(positions),
        q=np.zeros(positions),
        at=np.zeros(positions),
    )


def no_constraints(kinds: Integers) -> ConstraintArrays:
    """Return empty arrays of constraints, which every configuration satisfies."""
    return ConstraintArrays(
        table=np.zeros((1, TABLE_COLUMNS)),
        kinds=kinds.copy(),
        bodies=np.zeros(0, dtype=np.int64),
        items=np.zeros(0, ITEM),
        planes=np.zeros((0, 4)),
        lower=np.zeros(len(kinds)),
        upper=np.zeros(len(kinds)),
        moves=np.zeros(0),
        slides=np.zeros(0),
        position_of_velocity=np.zeros(0, dtype=np.int64),
        mass=np.zeros(1),
        center=np.zeros((1, 3)),
    )


# The types of both, for the kernels' signatures.
CONSTRAINTS = type_of(no_constraints(np.zeros(1, dtype=np.int64)))
CONSTRAINT_WORK = type_of(make_constraint_work(no_constraints(np.zeros(1, dtype=np.int64))))
