"""The arrays of the lanes: a robot's joints, and spheres in and around the parts they carry."""

from collections.abc import Sequence

import numpy as np

import rigid_tree_kinematics.collision.world.arrays as arrays
import rigid_tree_kinematics.model.columns as columns
from rigid_tree_kinematics.arrays import Array, Integers, Mask
from rigid_tree_kinematics.collision.lanes.inner_spheres import inner_spheres
from rigid_tree_kinematics.collision.lanes.joint_frames import JointFrames, joint_travel
from rigid_tree_kinematics.collision.robot import Part
from rigid_tree_kinematics.collision.robot.reach import positions_of
from rigid_tree_kinematics.collision.shapes.enclosing import enclosing_sphere
from rigid_tree_kinematics.collision.world.arrays import LaneArrays
from rigid_tree_kinematics.model import CompiledTree
from rigid_tree_kinematics.model.joints import CIRCLE, FLOATING, PLANAR, PRISMATIC

# Rounding errors of float32: 6e-8 m for a part of 1 m, and each joint adds a few of them to the
# parts that it moves. Inner spheres are smaller by these amounts, outer ones larger.
SLACK = 1e-4  # m
SLACK_PER_JOINT = 1e-6  # m for each joint and each m from the base


class LaneLevel:
    """A robot's spheres in the frames of the joints that carry them.

    Bodies that move with a joint of several positions are left out. Only spheres in parts that
    are ``in_world`` reject a motion.
    """

    def __init__(
        self, compiled: CompiledTree, parts: Sequence[Part], padding: float, in_world: Mask
    ) -> None:
        self._joints = joints = JointFrames.of(compiled)
        self._carriers = joints.carriers[[part.row for part in parts]]
        self._from_body = np.linalg.inv(joints.poses[joints.rows])
        self._positions = [positions_of(compiled.table[row]) for row in joints.rows]
        self._supported = [_is_supported(compiled, row) for row in joints.rows.tolist()]
        bounds, spheres, inner = [], [], []
        owners: list[int] = []
        for entity, part in enumerate(parts):
            carrier, pose = self._carriers[entity], joints.poses[part.row]
            outer = _placed(part.spheres, pose)
            slack = _slack(joints, carrier, outer)
            grown = np.array([0.0, 0.0, 0.0, padding + arrays.MARGIN + slack])
            spheres.append(outer + grown)
            bounds.append(_placed(part.bounding_sphere, pose) + grown)
            if carrier > 0 and in_world[entity]:
                inside = _placed(inner_spheres(part), pose)
                inside[:, 3] += padding - slack
                inside = inside[inside[:, 3] > 0.0]
                inner.append(inside)
                owners += [entity] * len(inside)
        entries = compiled.table[joints.rows]
        made = arrays.no_lanes(len(parts))._replace(
            rates=entries[:, [columns.MULTIPLIER, columns.OFFSET]].copy(),
            placements=_floats(joints.placements[:, :3], 12),
            bounding_spheres=_floats(_stacked(bounds), 4),
            spheres=_floats(_stacked(spheres), 4),
        )
        # ``at`` fills in the rest.
        self._arrays = self._with_joints(
            made, entries, _stacked(inner), np.array(owners, dtype=np.int64)
        )

    def _with_joints(
        self, made: LaneArrays, entries: Array, inner: Array, owners: Integers
    ) -> LaneArrays:
        """Return arrays with the joints and their inner spheres (B, 4), of entities (B,).

        ``entries`` are the joints' rows of the compiled tree.
        """
        order = np.argsort(self._carriers[owners], kind="stable")
        inner, owners = inner[order], owners[order]
        ends = np.searchsorted(self._carriers[owners], np.arange(len(entries) + 1), side="right")
        joints = np.zeros(len(entries), arrays.JOINT)
        joints["above"] = self._joints.above
        joints["position"] = entries[:, columns.POSITION]
        joints["slides"] = entries[:, columns.KIND] == PRISMATIC
        joints["first_inner"], joints["last_inner"] = ends[:-1], ends[1:]
        carried = np.split(inner, ends)[1:-1]
        around = [enclosing_sphere(own) if len(own) else np.zeros(4) for own in carried]
        return made._replace(
            joints=joints,
            bounds=_floats(around, 4),
            inner_spheres=_floats(inner, 4),
            owners=owners,
        )

    def at(self, frames: Array, moving: Integers) -> LaneArrays:
        """Return the arrays for a robot with frames (n, 4, 4), some of whose positions move."""
        above, positions = self._joints.above.tolist(), set(moving.tolist())
        moves, unknown, carries = np.zeros((3, len(above) + 1), dtype=np.bool_)
        for joint, before in enumerate(above, start=1):
            moves[joint] = moves[before] or not positions.isdisjoint(self._positions[joint - 1])
            lost = moves[joint] and not self._supported[joint - 1]
            unknown[joint] = unknown[before] or lost
        carries[self._carriers] = True
        for joint in range(len(above), 0, -1):
            carries[above[joint - 1]] |= carries[joint]
        base_frames = np.tile(np.eye(4), (len(above) + 1, 1, 1))
        base_frames[1:] = frames[self._joints.rows] @ self._from_body
        return self._arrays._replace(
            moving=np.flatnonzero((carries & moves & ~unknown)[1:]),
            frames=_floats(base_frames[:, :3], 12),
            carriers=np.where(unknown[self._carriers], -1, self._carriers),
        )


def _is_supported(compiled: CompiledTree, row: int) -> bool:
    """Return whether the kernels support the motion of a body's joint."""
    entry = compiled.table[row]
    if int(entry[columns.KIND]) in (PLANAR, FLOATING):
        return False
    if compiled.position_kinds[int(entry[columns.POSITION])] == CIRCLE:
        # A fraction of an angle, or a distance, depends on the number of turns.
        return int(entry[columns.KIND]) != PRISMATIC and entry[columns.MULTIPLIER] % 1.0 == 0.0
    return joint_travel(compiled, row) <= arrays.FARTHEST


def _slack(joints: JointFrames, carrier: int, spheres: Array) -> float:
    """Return the rounding error (m) of spheres (k, 4) in the frame of the joint ``carrier``."""
    farthest = joints.lengths[carrier] + np.linalg.norm(spheres[:, :3], axis=1).max()
    return float(SLACK + SLACK_PER_JOINT * joints.depths[carrier] * farthest)


def _placed(spheres: Array, pose: Array) -> Array:
    """Return spheres (k, 4) or one (4,) moved by a pose, (k, 4)."""
    spheres = spheres.reshape(-1, 4).copy()
    spheres[:, :3] = spheres[:, :3] @ pose[:3, :3].T + pose[:3, 3]
    return spheres


def _stacked(blocks: Sequence[Array]) -> Array:
    """Return blocks of spheres (k, 4) as one array; there may be none."""
    return np.vstack([np.zeros((0, 4)), *blocks])


def _floats(rows: object, width: int) -> arrays.Floats:
    return np.array(rows, dtype=np.float32).reshape(-1, width)
