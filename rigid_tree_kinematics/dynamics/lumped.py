"""A tree for the dynamics kernels: moving bodies with their fixed bodies merged.

Bodies on fixed joints are merged with the nearest moving body. Bodies fixed to the base are
ignored, as they never move.
"""

from dataclasses import dataclass
from functools import lru_cache

import numpy as np

import rigid_tree_kinematics.model.columns as columns
from rigid_tree_kinematics.arrays import Array
from rigid_tree_kinematics.model.compiled import CompiledTree, row_transform
from rigid_tree_kinematics.model.joints.joint_types import FIXED, FLOATING, PLANAR, PRISMATIC

# Columns after those of CompiledTree's table; a second array would cost each call 0.1 us.
# 6 numbers: a body's motion per unit of its joint's velocity, in its own frame, where that is
# constant: not for planar and floating joints
MOTION_AXIS = columns.TABLE_COLUMNS
BODY_INERTIA = MOTION_AXIS + 6  # 10 numbers, in this order:
MASS, MOMENT, INERTIA = 0, 1, 4  # kg; 3 of kg m; 6 of kg m^2 about the frame's origin: xx, xy, xz,
# yy, yz, zz; all along the body's axes
INERTIA_COLUMNS = 10
GRAVITY = BODY_INERTIA + INERTIA_COLUMNS  # 3 numbers in row 0: m/s^2, base frame
ARMATURE = GRAVITY + 3  # kg m^2 or kg, of each of the joint's velocities
LUMPED_COLUMNS = ARMATURE + 1


@dataclass(frozen=True, eq=False)
class LumpedTree:
    """The table of the n moving bodies, parents first, row 0 the base.

    ``is_plain``: every joint has one velocity of its own, so none is planar, floating or mimic.
    """

    table: Array  # (n, LUMPED_COLUMNS)
    weightless: Array  # the same without gravity
    is_plain: bool


@lru_cache(maxsize=64)
def lumped(compiled: CompiledTree) -> LumpedTree:
    """Return the moving bodies of a compiled tree, cached for each tree."""
    carrier = np.zeros(len(compiled.body_names), dtype=np.int64)  # new row of each body
    T_carrier_body = [np.eye(4)]
    table = [compiled.table[0].copy()]
    inertia = [np.zeros(INERTIA_COLUMNS)]
    for row in range(1, len(compiled.body_names)):
        parent = int(compiled.table[row, columns.PARENT])
        T = T_carrier_body[parent] @ row_transform(compiled.table[row], columns.FIXED_TRANSFORM)
        if compiled.table[row, columns.KIND] == FIXED:
            carrier[row] = carrier[parent]
            T_carrier_body.append(T)
        else:
            carrier[row] = len(table)
            T_carrier_body.append(np.eye(4))
            moving = compiled.table[row].copy()
            moving[columns.PARENT] = carrier[parent]
            moving[columns.FIXED_TRANSFORM : columns.FIXED_TRANSFORM + 12] = T[:3].ravel()
            table.append(moving)
            inertia.append(np.zeros(INERTIA_COLUMNS))
        inertia[carrier[row]] += _seen_from(compiled, row, T_carrier_body[row])
    made = np.zeros((len(table), LUMPED_COLUMNS))
    made[:, : columns.TABLE_COLUMNS] = table
    made[:, MOTION_AXIS : MOTION_AXIS + 6] = [_axis(row) for row in table]
    made[:, BODY_INERTIA : BODY_INERTIA + INERTIA_COLUMNS] = inertia
    # Joints that share a velocity share its armature: it is in the first one's row.
    shared, first = np.unique(made[1:, columns.VELOCITY].astype(np.int64), return_index=True)
    made[1 + first, ARMATURE] = compiled.armature[shared]
    weightless = made.copy()
    made[0, GRAVITY : GRAVITY + 3] = compiled.gravity
    for array in (made, weightless):
        array.flags.writeable = False
    slots = made[1:, columns.VELOCITY]
    simple = bool(np.all(made[1:, columns.KIND] <= PRISMATIC))
    is_plain = simple and len(np.unique(slots)) == len(slots)
    return LumpedTree(made, weightless, is_plain)


def _axis(row: Array) -> Array:
    """Return the twist, angular before linear, of a row's body per unit of velocity."""
    if row[columns.KIND] in (FIXED, PLANAR, FLOATING):
        return np.zeros(6)
    R = row[columns.CHILD_TRANSFORM : columns.CHILD_TRANSFORM + 12].reshape(3, 4)
    axis = R[:, :3].T @ (row[columns.MULTIPLIER] * row[columns.AXIS : columns.AXIS + 3])
    if row[columns.KIND] == PRISMATIC:
        return np.concatenate((np.zeros(3), axis))
    point = -R[:, :3].T @ R[:, 3]  # the joint's origin
    return np.concatenate((axis, np.cross(point, axis)))


def _seen_from(compiled: CompiledTree, row: int, T: Array) -> Array:
    """Return a body's ten inertia numbers in the frame in which its pose is ``T``."""
    mass = compiled.mass[row]
    center = T[:3, :3] @ compiled.center_of_mass[row] + T[:3, 3]
    about_center = T[:3, :3] @ compiled.inertia[row] @ T[:3, :3].T
    about_origin = about_center + mass * (center @ center * np.eye(3) - np.outer(center, center))
    return np.array([mass, *(mass * center), *about_origin[np.triu_indices(3)]])
