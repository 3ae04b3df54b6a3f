"""The robot's joints, with spheres in and around their links, as arrays of the lanes kernels."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from rigid_tree_kinematics.arrays import Array, Integers
from rigid_tree_kinematics.collision.lanes.inner_spheres import inner_spheres
from rigid_tree_kinematics.collision.robot import Part
from rigid_tree_kinematics.collision.robot.reach import axis_of
from rigid_tree_kinematics.collision.shapes.enclosing import enclosing_sphere
from rigid_tree_kinematics.collision.world.arrays import (
    ABOVE,
    FARTHEST,
    FIRST_INNER,
    JOINT_COLUMNS,
    LAST_INNER,
    MARGIN,
    SLIDES,
    SOURCE,
    LaneArrays,
)
from rigid_tree_kinematics.model import CompiledTree
from rigid_tree_kinematics.model.columns import (
    CHILD_TRANSFORM,
    FIXED_TRANSFORM,
    KIND,
    MULTIPLIER,
    OFFSET,
    PARENT,
    POSITION,
)
from rigid_tree_kinematics.model.joints import (
    CIRCLE,
    FIXED,
    FLOATING,
    PLANAR,
    POSITION_COUNTS,
    PRISMATIC,
)

# What float32 may round: a part of 1 m is 6e-8 m, and each joint adds a few such errors to all
# that it carries. Inner spheres are smaller by these, outer ones larger.
SLACK = 1e-4  # m
SLACK_PER_JOINT = 1e-6  # m for each joint and each m from the base


class LaneLevel:
    """A robot's spheres in the frames of their joints, whose z axes are the joints' axes.

    Bodies fixed to each other share a joint. What moves with a joint of several positions is left
    out.
    """

    def __init__(self, compiled: CompiledTree, parts: Sequence[Part], padding: float) -> None:
        table = compiled.table
        carrier = np.full(len(table), -1)  # the joint that carries each body, -1 for the base
        on_joint = [np.eye(4) for _ in table]  # the bodies' poses in that joint's frame
        rows: list[int] = []
        placements: list[Array] = []
        lengths, depths = [0.0], [0]
        for row in range(1, len(table)):
            entry, parent = table[row], int(table[row, PARENT])
            placement = on_joint[parent] @ _transform(entry, FIXED_TRANSFORM)
            if int(entry[KIND]) == FIXED:
                carrier[row], on_joint[row] = carrier[parent], placement
                continue
            turned = _z_along(axis_of(entry))
            placements.append(placement @ turned)
            on_joint[row] = turned.T @ _transform(entry, CHILD_TRANSFORM)
            carrier[row] = len(rows)
            rows.append(row)
            above = carrier[parent] + 1
            lengths.append(
                lengths[above] + np.linalg.norm(placement[:3, 3]) + _travel(compiled, row)
            )
            depths.append(depths[above] + 1)
        carried: list[list[Array]] = [[] for _ in rows]
        around: list[Array] = []
        spheres: list[Array] = []
        for part in parts:
            joint, pose = int(carrier[part.row]), on_joint[part.row]
            outer, sphere = _placed(part.spheres, pose), _placed(part.bounding_sphere, pose)
            farthest = lengths[joint + 1] + np.linalg.norm(outer[:, :3], axis=1).max()
            slack = SLACK + SLACK_PER_JOINT * depths[joint + 1] * farthest
            outer[:, 3] += padding + MARGIN + slack
            sphere[:, 3] += padding + MARGIN + slack
            spheres.extend(outer)
            around.extend(sphere)
            if joint >= 0:
                inner = _placed(inner_spheres(part), pose)
                inner[:, 3] += padding - slack
                carried[joint].extend(inner[inner[:, 3] > 0.0])
        self._carriers = carrier[[part.row for part in parts]] + 1
        self._rows = np.array(rows, dtype=np.int64)
        self._from_body = np.array([np.linalg.inv(on_joint[row]) for row in rows])
        self._arrays = _arrays(table[self._rows], carrier, placements, carried)._replace(
            bounding_spheres=_floats(around).reshape(-1, 4),
            spheres=_floats(spheres).reshape(-1, 4),
        )
        self._sources = [_positions(table[row]) for row in rows]
        self._readable = [_is_readable(compiled, row) for row in rows]

    def at(self, frames: Array, moving: Integers) -> LaneArrays:
        """Return the arrays for a robot with frames (n, 4, 4) of which some positions move."""
        joints, positions = self._arrays.joints, set(moving.tolist())
        moves, lost = [False], [False]
        for number, above in enumerate(joints[:, ABOVE].tolist()):
            own = not positions.isdisjoint(self._sources[number])
            moves.append(own or moves[above])
            lost.append(lost[above] or (moves[-1] and not self._readable[number]))
        carries = np.isin(np.arange(1, len(joints) + 1), self._carriers)
        for number in range(len(joints) - 1, -1, -1):
            above = joints[number, ABOVE] - 1
            if above >= 0:
                carries[above] |= carries[number]
        chosen = carries & moves[1:] & ~np.array(lost[1:], dtype=np.bool_)
        still = np.tile(np.eye(4), (len(joints) + 1, 1, 1))
        still[1:] = frames[self._rows] @ self._from_body
        return self._arrays._replace(
            moving=np.flatnonzero(chosen),
            frames=_floats(still[:, :3].reshape(-1, 12)),
            carriers=np.where(np.array(lost)[self._carriers], -1, self._carriers),
        )


def _arrays(
    entries: Array, carrier: Integers, placements: list[Array], carried: list[list[Array]]
) -> LaneArrays:
    """Return the arrays of joints with these rows of the table; ``at`` fills in the rest."""
    joints = np.zeros((len(entries), JOINT_COLUMNS), dtype=np.int64)
    joints[:, ABOVE] = carrier[entries[:, PARENT].astype(np.int64)] + 1
    joints[:, SOURCE] = entries[:, POSITION]
    joints[:, SLIDES] = entries[:, KIND] == PRISMATIC
    ends = np.cumsum([len(spheres) for spheres in carried], dtype=np.int64)
    joints[:, FIRST_INNER], joints[:, LAST_INNER] = np.concatenate([[0], ends])[:-1], ends
    bounds = [enclosing_sphere(np.array(b)) if b else np.zeros(4) for b in carried]
    return LaneArrays(
        moving=np.zeros(0, dtype=np.int64),
        joints=joints,
        rates=entries[:, [MULTIPLIER, OFFSET]].copy(),
        placements=_floats([p[:3].ravel() for p in placements]).reshape(-1, 12),
        frames=np.zeros((len(entries) + 1, 12), dtype=np.float32),
        bounds=_floats(bounds).reshape(-1, 4),
        inner_spheres=_floats([sphere for spheres in carried for sphere in spheres]).reshape(
            -1, 4
        ),
        carriers=np.zeros(0, dtype=np.int64),
        bounding_spheres=_floats([]).reshape(-1, 4),
        spheres=_floats([]).reshape(-1, 4),
    )


def _is_readable(compiled: CompiledTree, row: int) -> bool:
    """Return whether the kernel supports a joint's motion."""
    entry = compiled.table[row]
    if int(entry[KIND]) in (PLANAR, FLOATING):
        return False
    if compiled.position_kinds[int(entry[POSITION])] == CIRCLE:
        # A fraction of an angle depends on how often it went around, and so does a distance.
        return int(entry[KIND]) != PRISMATIC and entry[MULTIPLIER] % 1.0 == 0.0
    return _travel(compiled, row) <= FARTHEST


def _positions(entry: Array) -> range:
    """Return the indices of a joint's positions."""
    first = int(entry[POSITION])
    return range(first, first + POSITION_COUNTS[int(entry[KIND])])


def _travel(compiled: CompiledTree, row: int) -> float:
    """Return a joint's maximum displacement, m."""
    entry = compiled.table[row]
    if int(entry[KIND]) != PRISMATIC:
        return 0.0
    at = int(entry[POSITION])
    ends = np.array([compiled.lower[at], compiled.upper[at]])
    farthest = float(np.abs(entry[MULTIPLIER] * ends + entry[OFFSET]).max())
    return farthest if math.isfinite(farthest) else 2.0 * FARTHEST


def _transform(entry: Array, first: int) -> Array:
    """Return the transform (4, 4) that starts at a column of a table row."""
    return np.vstack([entry[first : first + 12].reshape(3, 4), [0.0, 0.0, 0.0, 1.0]])


def _z_along(axis: Array) -> Array:
    """Return a rotation (4, 4) of z to a unit axis."""
    x = np.cross(np.eye(3)[np.argmin(np.abs(axis))], axis)
    x /= np.linalg.norm(x)
    turned = np.eye(4)
    turned[:3, :3] = np.column_stack([x, np.cross(axis, x), axis])
    return turned


def _placed(spheres: Array, pose: Array) -> Array:
    """Return spheres (k, 4) or one (4,) moved by a pose, (k, 4)."""
    spheres = spheres.reshape(-1, 4).copy()
    spheres[:, :3] = spheres[:, :3] @ pose[:3, :3].T + pose[:3, 3]
    return spheres


def _floats(rows: object) -> np.ndarray[tuple[int, ...], np.dtype[np.float32]]:
    return np.array(rows, dtype=np.float32)
