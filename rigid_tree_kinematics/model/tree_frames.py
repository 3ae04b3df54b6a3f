"""Where all bodies are, in NumPy: without the compiled kernels, which take 130 MB of memory.

For programs that need nothing else of the kernels. Of a joint with one position, the frame of its
body in the parent's is linear in (1, cos, sin, value), so that all joints take one product.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from rigid_tree_kinematics.arrays import Array
from rigid_tree_kinematics.model.columns import (
    AXIS,
    CHILD_TRANSFORM,
    FIXED_TRANSFORM,
    KIND,
    MULTIPLIER,
    OFFSET,
    POSITION,
)
from rigid_tree_kinematics.model.compiled import CompiledTree
from rigid_tree_kinematics.model.frames import parent_from_body
from rigid_tree_kinematics.model.joints import FIXED, FLOATING, PLANAR, PRISMATIC
from rigid_tree_kinematics.model.transforms import matrix_quaternion

# What a joint's transform is made of: 1, the cosine and the sine of its angle, and its value.
TERMS = 4


class TreeFrames:
    """Computes the frames of one tree; configurations (nq,) are trusted to be finite."""

    def __init__(self, compiled: CompiledTree) -> None:
        self._compiled = compiled
        table = compiled.table
        kinds = table[:, KIND].astype(int)
        joints = [row for row in range(len(table)) if kinds[row] not in (FIXED, PLANAR, FLOATING)]
        self._wide = [row for row in range(len(table)) if kinds[row] in (PLANAR, FLOATING)]
        self._joints = np.array(joints, dtype=np.intp)
        self._positions = table[joints, POSITION].astype(np.intp)
        self._multipliers, self._offsets = table[joints, MULTIPLIER], table[joints, OFFSET]
        self._turns = kinds[joints] != PRISMATIC

        self._local = np.tile(np.eye(4), (len(table), 1, 1))  # of fixed joints; others follow
        self._local[:, :3] = table[:, FIXED_TRANSFORM : FIXED_TRANSFORM + 12].reshape(-1, 3, 4)
        terms = [_transform_terms(table[row], kinds[row]) for row in joints]
        self._transform_terms = np.reshape(terms, (-1, TERMS, 16))
        self._poses = np.array([_pose(T) for T in self._local])
        halves = [_quaternion_terms(table[row]) for row in joints]
        self._quaternion_terms = np.reshape(halves, (-1, 2, 4))
        self._levels = _levels(compiled.parents)

    def in_base(self, q: Array) -> Array:
        """Return every body's frame in the base (n, 4, 4)."""
        frames = self._local.copy()
        if self._joints.size:
            values, angles = self._values(q)
            factors = np.stack((np.ones(len(values)), np.cos(angles), np.sin(angles), values), 1)
            products = factors[:, None] @ self._transform_terms
            frames[self._joints] = products.reshape(-1, 4, 4)
        for row in self._wide:
            frames[row, :3] = self._wide_transform(row, q)
        for rows, parents in self._levels:
            frames[rows] = frames[parents] @ frames[rows]
        return frames

    def in_parents(self, q: Array) -> Array:
        """Return every body's pose in its parent (n, 7): x y z (m), qx qy qz qw with qw >= 0.

        The base's row is the identity.
        """
        poses = self._poses.copy()
        if self._joints.size:
            values, angles = self._values(q)
            factors = np.stack((np.ones(len(values)), np.cos(angles), np.sin(angles), values), 1)
            positions = factors[:, None] @ self._transform_terms[:, :, 3:12:4]
            halves = np.stack((np.cos(0.5 * angles), np.sin(0.5 * angles)), 1)
            quaternions = (halves[:, None] @ self._quaternion_terms)[:, 0]
            quaternions[quaternions[:, 3] < 0.0] *= -1.0
            poses[self._joints, :3], poses[self._joints, 3:] = positions[:, 0], quaternions
        for row in self._wide:
            poses[row] = _pose(self._wide_transform(row, q))
        return poses

    def _wide_transform(self, row: int, q: Array) -> Array:
        """Return rows 0 to 2 of the transform of a planar or floating joint."""
        return np.array(parent_from_body(self._compiled.rows[row], q.tolist())).reshape(3, 4)

    def _values(self, q: Array) -> tuple[Array, Array]:
        """Return the joints' values (rad or m), and their angles: 0 for those that slide."""
        values = self._multipliers * q[self._positions] + self._offsets
        return values, values * self._turns


def _transform_terms(row: Array, kind: int) -> Array:
    """Return the parts (4, 16) of a body's transform, of which the last row is counted once."""
    before, after = (
        np.vstack((row[start : start + 12].reshape(3, 4), (0.0, 0.0, 0.0, 1.0)))
        for start in (FIXED_TRANSFORM, CHILD_TRANSFORM)
    )
    x, y, z = axis = row[AXIS : AXIS + 3]
    terms = np.zeros((TERMS, 4, 4))
    if kind == PRISMATIC:
        terms[0] = np.eye(4)
        terms[3, :3, 3] = axis
    else:  # Rodrigues' formula
        terms[0, :3, :3] = np.outer(axis, axis)
        terms[0, 3, 3] = 1.0
        terms[1, :3, :3] = np.eye(3) - np.outer(axis, axis)
        terms[2, :3, :3] = ((0.0, -z, y), (z, 0.0, -x), (-y, x, 0.0))
    return np.reshape(before @ terms @ after, (TERMS, 16))


def _quaternion_terms(row: Array) -> Array:
    """Return what the cosine and the sine of half the angle (2, 4) are multiplied with."""
    before, after = (
        matrix_quaternion(row[start : start + 12].reshape(3, 4))
        for start in (FIXED_TRANSFORM, CHILD_TRANSFORM)
    )
    axis = np.append(row[AXIS : AXIS + 3], 0.0)
    return np.array([_product(before, after), _product(_product(before, axis), after)])


def _product(a: Array, b: Array) -> Array:
    """Return the product of two quaternions (x, y, z, w)."""
    vector = a[3] * b[:3] + b[3] * a[:3] + np.cross(a[:3], b[:3])
    return np.append(vector, a[3] * b[3] - a[:3] @ b[:3])


def _pose(T: Array) -> Array:
    return np.concatenate((T[:3, 3], matrix_quaternion(T)))


def _levels(parents: NDArray[np.int64]) -> list[tuple[NDArray[np.intp], NDArray[np.intp]]]:
    """Return the rows of the bodies at each distance from the base, nearest first, with parents.

    The base's children are left out: their frames in the base are those in their parent.
    """
    depths = np.zeros(len(parents), dtype=int)
    for row in range(1, len(parents)):  # parents first
        depths[row] = depths[parents[row]] + 1
    rows = [np.flatnonzero(depths == depth) for depth in range(2, int(depths.max()) + 1)]
    return [(level, parents[level].astype(np.intp)) for level in rows]
