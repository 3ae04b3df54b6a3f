"""The robot's joints, and spheres in and around their links, for the lanes kernels."""

import math
from collections.abc import Sequence

import numpy as np

import rigid_tree_kinematics.collision.world.arrays as arrays
import rigid_tree_kinematics.model.columns as columns
from rigid_tree_kinematics.arrays import Array, Integers, Mask
from rigid_tree_kinematics.collision.lanes.inner_spheres import inner_spheres
from rigid_tree_kinematics.collision.robot import Part
from rigid_tree_kinematics.collision.robot.reach import axis_of, positions_of, travel
from rigid_tree_kinematics.collision.shapes.enclosing import enclosing_sphere
from rigid_tree_kinematics.collision.world.arrays import LaneArrays
from rigid_tree_kinematics.model import CompiledTree
from rigid_tree_kinematics.model.compiled import row_transform
from rigid_tree_kinematics.model.joints import CIRCLE, FIXED, FLOATING, PLANAR, PRISMATIC

# Rounding errors of float32: 6e-8 m for a part of 1 m, and each joint adds a few of them to the
# parts that it moves. Inner spheres are smaller by these amounts, outer ones larger.
SLACK = 1e-4  # m
SLACK_PER_JOINT = 1e-6  # m for each joint and each m from the base


class LaneLevel:
    """A robot's spheres in the frames of their joints, whose z axes are the joints' axes.

    Bodies fixed to each other share a joint. Bodies that move with a joint of several positions
    are left out. Only spheres in parts that are ``in_world`` reject a motion.
    """

    def __init__(
        self, compiled: CompiledTree, parts: Sequence[Part], padding: float, in_world: Mask
    ) -> None:
        table = compiled.table
        carrier = np.full(len(table), -1)  # the joint that carries each body, -1 for the base
        on_joint = [np.eye(4) for _ in table]  # the bodies' poses in that joint's frame
        rows: list[int] = []
        placements: list[Array] = []
        lengths, depths = [0.0], [0]
        for row in range(1, len(table)):
            entry, parent = table[row], int(table[row, columns.PARENT])
            placement = on_joint[parent] @ row_transform(entry, columns.FIXED_TRANSFORM)
            if int(entry[columns.KIND]) == FIXED:
                carrier[row], on_joint[row] = carrier[parent], placement
                continue
            turned = _z_along(axis_of(entry))
            placements.append(placement @ turned)
            on_joint[row] = turned.T @ row_transform(entry, columns.CHILD_TRANSFORM)
            carrier[row] = len(rows)
            rows.append(row)
            above = carrier[parent] + 1
            shift = np.linalg.norm(placement[:3, 3])
            lengths.append(lengths[above] + shift + _travel(compiled, row))
            depths.append(depths[above] + 1)
        carried: list[list[Array]] = [[] for _ in rows]
        owners: list[list[int]] = [[] for _ in rows]
        bounds: list[Array] = []
        spheres: list[Array] = []
        for entity, part in enumerate(parts):
            joint, pose = int(carrier[part.row]), on_joint[part.row]
            outer, bound = _placed(part.spheres, pose), _placed(part.bounding_sphere, pose)
            farthest = lengths[joint + 1] + np.linalg.norm(outer[:, :3], axis=1).max()
            slack = SLACK + SLACK_PER_JOINT * depths[joint + 1] * farthest
            outer[:, 3] += padding + arrays.MARGIN + slack
            bound[:, 3] += padding + arrays.MARGIN + slack
            spheres.extend(outer)
            bounds.extend(bound)
            if joint >= 0 and in_world[entity]:
                inner = _placed(inner_spheres(part), pose)
                inner[:, 3] += padding - slack
                carried[joint].extend(inner := inner[inner[:, 3] > 0.0])
                owners[joint] += [entity] * len(inner)
        self._carriers = carrier[[part.row for part in parts]] + 1
        self._rows = np.array(rows, dtype=np.int64)
        self._from_body = np.linalg.inv(np.reshape([on_joint[row] for row in rows], (-1, 4, 4)))
        entries = table[self._rows]
        around = [enclosing_sphere(np.array(b)) if b else np.zeros(4) for b in carried]
        # ``at`` fills in the rest.
        self._arrays = arrays.no_lanes(len(parts))._replace(
            joints=_joint_rows(entries, carrier, [len(inner) for inner in carried]),
            rates=entries[:, [columns.MULTIPLIER, columns.OFFSET]].copy(),
            placements=_floats([p[:3].ravel() for p in placements], 12),
            bounds=_floats(around, 4),
            inner_spheres=_floats([sphere for inner in carried for sphere in inner], 4),
            owners=np.array([entity for own in owners for entity in own], dtype=np.int64),
            bounding_spheres=_floats(bounds, 4),
            spheres=_floats(spheres, 4),
        )
        self._sources = [positions_of(table[row]) for row in rows]
        self._readable = [_is_readable(compiled, row) for row in rows]

    def at(self, frames: Array, moving: Integers) -> LaneArrays:
        """Return the arrays for a robot with frames (n, 4, 4), some of whose positions move."""
        joints, positions = self._arrays.joints, set(moving.tolist())
        moves, lost = [False], [False]
        for number, above in enumerate(joints["above"].tolist()):
            own = not positions.isdisjoint(self._sources[number])
            moves.append(own or moves[above])
            lost.append(lost[above] or (moves[-1] and not self._readable[number]))
        carries = np.isin(np.arange(1, len(joints) + 1), self._carriers)
        for number in range(len(joints) - 1, -1, -1):
            above = joints[number]["above"] - 1
            if above >= 0:
                carries[above] |= carries[number]
        move, are_lost = np.array([moves[1:], lost[1:]], dtype=np.bool_)
        chosen = carries & move & ~are_lost
        base_frames = np.tile(np.eye(4), (len(joints) + 1, 1, 1))
        base_frames[1:] = frames[self._rows] @ self._from_body
        return self._arrays._replace(
            moving=np.flatnonzero(chosen),
            frames=_floats(base_frames[:, :3].reshape(-1, 12), 12),
            carriers=np.where(np.array(lost)[self._carriers], -1, self._carriers),
        )


def _joint_rows(entries: Array, carrier: Integers, spheres: Sequence[int]) -> arrays.Records:
    """Return ``joints`` of LaneArrays for joints with these rows of the table."""
    joints = np.zeros(len(entries), arrays.JOINT)
    joints["above"] = carrier[entries[:, columns.PARENT].astype(np.int64)] + 1
    joints["position"] = entries[:, columns.POSITION]
    joints["slides"] = entries[:, columns.KIND] == PRISMATIC
    joints["last_inner"] = np.cumsum(spheres)
    joints["first_inner"] = joints["last_inner"] - spheres
    return joints


def _is_readable(compiled: CompiledTree, row: int) -> bool:
    """Return whether the kernel supports a joint's motion."""
    entry = compiled.table[row]
    if int(entry[columns.KIND]) in (PLANAR, FLOATING):
        return False
    if compiled.position_kinds[int(entry[columns.POSITION])] == CIRCLE:
        # A fraction of an angle, or a distance, depends on the number of turns.
        return int(entry[columns.KIND]) != PRISMATIC and entry[columns.MULTIPLIER] % 1.0 == 0.0
    return _travel(compiled, row) <= arrays.FARTHEST


def _travel(compiled: CompiledTree, row: int) -> float:
    """Return a prismatic joint's maximum displacement, m."""
    entry = compiled.table[row]
    if int(entry[columns.KIND]) != PRISMATIC:
        return 0.0
    farthest = travel(entry, compiled.lower, compiled.upper)
    return farthest if math.isfinite(farthest) else 2.0 * arrays.FARTHEST


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


def _floats(rows: object, width: int) -> arrays.Floats:
    return np.array(rows, dtype=np.float32).reshape(-1, width)
