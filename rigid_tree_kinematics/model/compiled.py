"""A tree as flat arrays for the kernels, parents first."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, fields
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

import rigid_tree_kinematics.model.columns as columns
import rigid_tree_kinematics.model.joints.joint_types as joint_types
from rigid_tree_kinematics.arrays import Array
from rigid_tree_kinematics.errors import UnknownNameError
from rigid_tree_kinematics.model.geometry import Inertia
from rigid_tree_kinematics.model.joints.joint_layout import JointLayout, joint_layout
from rigid_tree_kinematics.model.joints.mimic import resolve_mimic
from rigid_tree_kinematics.model.transforms.matrices import (
    inverse,
    rotation_taking_z_to,
    transform,
)

if TYPE_CHECKING:
    from rigid_tree_kinematics.model.body import RigidBody
    from rigid_tree_kinematics.model.joints.joint import Joint

IDENTITY_ROWS = np.eye(4)[:3].ravel()


@dataclass(frozen=True, eq=False)
class CompiledTree(JointLayout):
    """The immutable arrays of a tree with n bodies (base first), nq positions, nv velocities.

    ``table`` (n, 34) is the input of all kernels; columns.py names its columns. The other arrays
    are for Python code. A circle (in ``position_kinds``) is unlimited, and its mimic joints do
    not distinguish its turns.

    Example:
        >>> compiled = load_robot("ur5").compiled()
        >>> compiled.position_names[compiled.slot_of("elbow_joint")[0]]
        'elbow_joint'
        >>> print(compiled.lower[2].round(3), compiled.upper[2].round(3))  # rad
        -3.142 3.142
    """

    name: str
    body_names: tuple[str, ...]
    table: Array  # (n, 34)
    home: Array  # (nq,)
    lower: Array  # (nq,) soft limits, narrowed so that mimic joints stay inside theirs too
    upper: Array
    velocity_limit: Array  # (nv,) narrowed likewise
    acceleration_limit: Array  # (nv,) likewise, the smaller one of acceleration and deceleration
    jerk_limit: Array  # (nv,) likewise
    effort_limit: Array  # (nv,)
    mass: Array  # (n,) kg
    center_of_mass: Array  # (n, 3) m, body frame
    inertia: Array  # (n, 3, 3) kg m^2 about the center of mass, body axes
    damping: Array  # (nv,) N m s/rad or N s/m, of the joints and those that mimic them
    friction: Array  # (nv,) N m or N
    armature: Array  # (nv,) kg m^2 or kg, of the motors, likewise
    gravity: Array  # (3,) m/s^2, base frame
    body_index: dict[str, int] = field(repr=False)

    def index_of(self, body: str) -> int:
        """Return the row of a body by name; raises UnknownNameError."""
        try:
            return self.body_index[body]
        except (KeyError, TypeError):
            where = f"robot '{self.name}'"
            raise UnknownNameError("body", body, self.body_names, where) from None

    def slot_of(self, joint: str) -> tuple[int, int]:
        """Return (first entry, count) of a joint's positions; raises UnknownNameError."""
        if joint not in self.joint_slots:
            where = f"robot '{self.name}'"
            raise UnknownNameError("independent joint", joint, self.joint_names, where)
        return self.joint_slots[joint]

    @cached_property
    def parents(self) -> NDArray[np.int64]:
        """The row of each body's parent; -1 for the base."""
        parents = self.table[:, columns.PARENT].astype(np.int64)
        parents.flags.writeable = False
        return parents


def row_transform(row: Array, column: int) -> Array:
    """Return the transform (4, 4) in twelve columns of a table row, starting at ``column``."""
    T = np.eye(4)
    T[:3] = row[column : column + 12].reshape(3, 4)
    return T


def compile_tree(
    name: str, base: RigidBody, bodies: Sequence[RigidBody], gravity: Array
) -> CompiledTree:
    """Return the arrays of a tree with a ``base`` and its other ``bodies``, parents first."""
    joints = [body.joint for body in bodies]
    independent = [joint for joint in joints if joint.position_count and not joint.mimic]
    layout = joint_layout(independent)
    names = (base.name, *(body.name for body in bodies))
    index = {body: row for row, body in enumerate(names)}
    by_name = {joint.name: joint for joint in joints}
    table = np.zeros((len(names), columns.TABLE_COLUMNS))
    table[:, (columns.POSITION, columns.VELOCITY)] = table[0, columns.PARENT] = -1
    table[0, columns.FIXED_TRANSFORM : columns.FIXED_TRANSFORM + 12] = IDENTITY_ROWS
    table[0, columns.CHILD_TRANSFORM : columns.CHILD_TRANSFORM + 12] = IDENTITY_ROWS
    limits, limited = _Limits(layout), []
    for row, body in zip(table[1:], bodies, strict=True):
        assert body.parent is not None
        row[columns.PARENT] = index[body.parent.name]
        source, multiplier, offset = resolve_mimic(body.joint, by_name, name)
        sign = _fill_motion(row, body)
        row[columns.MULTIPLIER], row[columns.OFFSET] = sign * multiplier, sign * offset
        if body.joint.position_count:
            window, velocities = layout.windows(source.name)
            row[columns.POSITION], row[columns.VELOCITY] = window.start, velocities.start
            limited.append((body.joint, window, velocities, multiplier, offset))
    for arguments in sorted(limited, key=lambda row: row[0].mimic is not None):  # sources first
        limits.add(*arguments)
    _open_circles(layout.position_kinds, table, limits.lower, limits.upper)
    homes = [np.atleast_1d(joint.home_position) for joint in independent]
    home = np.concatenate([np.empty(0), *homes])
    inertias = [body.inertia or Inertia() for body in (base, *bodies)]
    compiled = CompiledTree(
        **{entry.name: getattr(layout, entry.name) for entry in fields(layout)},
        **vars(limits),
        name=name,
        body_names=names,
        table=table,
        home=np.clip(home, limits.lower, limits.upper),
        mass=np.array([inertia.mass for inertia in inertias]),
        center_of_mass=np.array([inertia.center_of_mass for inertia in inertias]),
        inertia=np.array([inertia.matrix for inertia in inertias]),
        gravity=np.array(gravity),
        body_index=index,
    )
    for value in vars(compiled).values():
        if isinstance(value, np.ndarray):
            value.flags.writeable = False
    return compiled


class _Limits:
    """Limits, friction and armature of the independent joints, as fields of CompiledTree."""

    def __init__(self, layout: JointLayout) -> None:
        self.lower = np.full(layout.position_count, -np.inf)
        self.upper = np.full(layout.position_count, np.inf)
        self.velocity_limit = np.full(layout.velocity_count, np.inf)
        self.acceleration_limit = np.full(layout.velocity_count, np.inf)
        self.jerk_limit = np.full(layout.velocity_count, np.inf)
        self.effort_limit = np.full(layout.velocity_count, np.inf)
        self.damping = np.zeros(layout.velocity_count)
        self.friction = np.zeros(layout.velocity_count)
        self.armature = np.zeros(layout.velocity_count)

    def add(
        self, joint: Joint, window: slice, velocities: slice, multiplier: float, offset: float
    ) -> None:
        """Narrow the limits to those of a joint, or of a mimic joint with this source."""
        low, high = (np.atleast_1d(side) for side in joint.soft_limits)
        if joint.mimic is not None and multiplier == 0.0:
            low, high = np.array([-np.inf]), np.array([np.inf])
        elif joint.mimic is not None:  # those of the source
            ends = (low - offset) / multiplier, (high - offset) / multiplier
            low, high = np.minimum(*ends), np.maximum(*ends)
        low, high = np.maximum(self.lower[window], low), np.minimum(self.upper[window], high)
        # Limits of a mimic joint that contradict its source's are an error in the description,
        # not a robot that cannot move: the source's own limits apply.
        if joint.mimic is None or (low < high).all():
            self.lower[window], self.upper[window] = low, high
        acceleration = min(
            limit or np.inf for limit in (joint.acceleration_limit, joint.deceleration_limit)
        )
        for limits, limit in (
            (self.velocity_limit, joint.velocity_limit),
            (self.acceleration_limit, acceleration),
            (self.jerk_limit, joint.jerk_limit),
        ):
            # Many URDFs have velocity="0" where none is known; MoveIt takes it like that, too.
            if multiplier and limit > 0.0:
                own = limit / abs(multiplier)
                limits[velocities] = np.minimum(limits[velocities], own)
        if joint.mimic is None:
            self.effort_limit[velocities] = joint.effort_limit
        self.armature[velocities] += multiplier**2 * joint.armature
        if joint.dynamics is not None:
            self.damping[velocities] += multiplier**2 * joint.dynamics.damping
            self.friction[velocities] += abs(multiplier) * joint.dynamics.friction


def _open_circles(kinds: NDArray[np.int64], table: Array, lower: Array, upper: Array) -> None:
    """Convert circles to intervals if a mimic joint makes their turns distinct.

    Limits make turns distinct, and so do mimic joints that are prismatic or whose multiplier is
    not a whole number.
    """
    limited = np.isfinite(lower) | np.isfinite(upper)
    kinds[(kinds == joint_types.CIRCLE) & limited] = joint_types.INTERVAL
    for row in table[1:]:
        motion, multiplier = row[columns.KIND], float(row[columns.MULTIPLIER])
        whole = multiplier.is_integer() and (motion != joint_types.PRISMATIC or multiplier == 0.0)
        others = joint_types.FIXED, joint_types.PLANAR, joint_types.FLOATING
        if motion not in others and not whole:
            kinds[int(row[columns.POSITION])] = joint_types.INTERVAL


def _fill_motion(row: Array, body: RigidBody) -> float:
    """Write a body's kind, transforms and axis into its row; return the axis' sign."""
    joint = body.joint
    before, after, axis, sign = joint.joint_to_parent, joint.child_to_joint, joint.axis, 1.0
    kind = joint.layout.motion
    if kind == joint_types.PLANAR:
        # The kernel moves in the x-y plane: rotate the joint frame so that z is the normal.
        turn = transform(rotation=rotation_taking_z_to(axis))
        before, after, axis = before @ turn, inverse(turn) @ after, np.array([0.0, 0.0, 1.0])
    elif kind == joint_types.REVOLUTE and np.count_nonzero(axis) == 1:
        coordinate = int(np.flatnonzero(axis)[0])
        kind = (joint_types.REVOLUTE_X, joint_types.REVOLUTE_Y, joint_types.REVOLUTE_Z)[coordinate]
        sign = float(np.sign(axis[coordinate]))
        axis = np.abs(axis)
    elif kind == joint_types.FIXED:
        before, after = before @ after, np.eye(4)
    row[columns.FIXED_TRANSFORM : columns.FIXED_TRANSFORM + 12] = before[:3].ravel()
    row[columns.CHILD_TRANSFORM : columns.CHILD_TRANSFORM + 12] = after[:3].ravel()
    row[columns.AXIS : columns.AXIS + 3] = axis
    row[columns.KIND] = kind
    row[columns.MOVED_CHILD] = (after[:3].ravel() != IDENTITY_ROWS).any()
    return sign
