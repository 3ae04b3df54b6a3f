"""The frames of a robot's joints, whose z axes are the joints' axes, and the bodies in them."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

import rigid_tree_kinematics.collision.world.arrays as arrays
import rigid_tree_kinematics.model.columns as columns
from rigid_tree_kinematics.arrays import Array, Integers
from rigid_tree_kinematics.collision.robot.reach import axis_of, travel
from rigid_tree_kinematics.model import CompiledTree
from rigid_tree_kinematics.model.compiled import row_transform
from rigid_tree_kinematics.model.joints import FIXED, PRISMATIC


@dataclass(frozen=True, eq=False)
class JointFrames:
    """The base, 0, and the robot's joints that are not fixed, 1 to J, parents first.

    Bodies fixed to each other share a joint.
    """

    rows: Integers  # (J,) the body that each joint moves
    above: Integers  # (J,) the joint above it
    placements: Array  # (J, 4, 4) frames at position 0, in that of the joint above
    carriers: Integers  # (n,) the joint that carries each body
    poses: Array  # (n, 4, 4) the bodies in the frames of these joints
    lengths: Array  # (J + 1,) m, the longest distance of a frame from the base along its chain
    depths: Integers  # (J + 1,) the number of joints of the chain

    @classmethod
    def of(cls, compiled: CompiledTree) -> JointFrames:
        """Return the frames of a robot's joints."""
        count = len(compiled.table)
        carriers, poses = np.zeros(count, dtype=np.int64), np.tile(np.eye(4), (count, 1, 1))
        rows, above, placements, lengths, depths = [], [], [], [0.0], [0]
        for row in range(1, count):
            entry, parent = compiled.table[row], int(compiled.table[row, columns.PARENT])
            carrier = int(carriers[parent])
            placement = poses[parent] @ row_transform(entry, columns.FIXED_TRANSFORM)
            if int(entry[columns.KIND]) == FIXED:
                carriers[row], poses[row] = carrier, placement
                continue
            turn = _z_along(axis_of(entry))
            rows.append(row)
            above.append(carrier)
            placements.append(placement @ turn)
            carriers[row] = len(rows)
            poses[row] = turn.T @ row_transform(entry, columns.CHILD_TRANSFORM)
            shift = float(np.linalg.norm(placement[:3, 3]))
            lengths.append(lengths[carrier] + shift + joint_travel(compiled, row))
            depths.append(depths[carrier] + 1)
        return cls(
            np.array(rows, dtype=np.int64),
            np.array(above, dtype=np.int64),
            np.reshape(placements, (-1, 4, 4)),
            carriers,
            poses,
            np.array(lengths),
            np.array(depths),
        )


def joint_travel(compiled: CompiledTree, row: int) -> float:
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
    turn = np.eye(4)
    turn[:3, :3] = np.column_stack([x, np.cross(axis, x), axis])
    return turn
