"""A tree as flat arrays, parents first: what the kernels read."""

from __future__ import annotations

from dataclasses import dataclass, field, fields
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from rigid_tree_kinematics.arrays import Array
from rigid_tree_kinematics.errors import UnknownNameError
from rigid_tree_kinematics.model.joints.joint_layout import JointLayout, joint_layout
from rigid_tree_kinematics.model.joints.joint_types import (
    CIRCLE,
    FIXED,
    FLOATING,
    INTERVAL,
    PLANAR,
    PRISMATIC,
    REVOLUTE,
    REVOLUTE_X,
    REVOLUTE_Y,
    REVOLUTE_Z,
)
from rigid_tree_kinematics.model.joints.mimic import resolve_mimic
from rigid_tree_kinematics.model.transforms.matrices import (
    inverse,
    rotation_taking_z_to,
    transform,
)

if TYPE_CHECKING:
    from rigid_tree_kinematics.model.body import BodyTree, RigidBody

# Columns of ``table``: one row a body, row 0 the base. One float64 table, whole numbers included,
# because every further array argument costs a kernel call a tenth of a microsecond.
FIXED_TRANSFORM = 0  # 12 numbers: parent body -> joint frame, rows 0-2 of the 4x4, row-major
CHILD_TRANSFORM = 12  # 12 numbers: joint frame -> child body
AXIS = 24  # 3 numbers: the axis in the joint frame
MULTIPLIER = 27  # position of the joint = multiplier * q[POSITION] + offset
OFFSET = 28
PARENT = 29  # row of the parent body, -1 for the base
KIND = 30  # the kind of motion, see joint_types.py
POSITION = 31  # first entry in q and in v, of the source for a mimic joint; -1 if fixed
VELOCITY = 32
MOVED_CHILD = 33  # 1 where the child transform is not the identity
TABLE_COLUMNS = 34


@dataclass(frozen=True, eq=False)
class CompiledTree(JointLayout):
    """The immutable arrays of a tree with n bodies (base first), nq positions, nv velocities.

    ``table`` (n, 34) is what every kernel takes; its columns are named in this module. The other
    arrays are what people ask for. A circle (of ``position_kinds``) is unlimited, and no mimic
    joint tells its turns apart.
    """

    name: str
    body_names: tuple[str, ...]
    table: Array  # (n, 34)
    home: Array  # (nq,)
    lower: Array  # (nq,) narrowed so that mimic joints stay inside their limits too
    upper: Array
    velocity_limit: Array  # (nv,) narrowed likewise
    effort_limit: Array  # (nv,)
    mass: Array  # (n,) kg
    center_of_mass: Array  # (n, 3) m, body frame
    inertia: Array  # (n, 3, 3) kg m^2 about the centre of mass, body axes
    damping: Array  # (nv,) N m s/rad or N s/m, of the joints and those that mimic them
    friction: Array  # (nv,) N m or N
    gravity: Array  # (3,) m/s^2, base frame
    body_index: dict[str, int] = field(repr=False)

    def index_of(self, body: str) -> int:
        """Return the row of a body by name; UnknownNameError if there is none."""
        try:
            return self.body_index[body]
        except (KeyError, TypeError):
            where = f"robot '{self.name}'"
            raise UnknownNameError("body", body, self.body_names, where) from None

    @cached_property
    def frames_shape(self) -> tuple[int, int, int]:
        """The shape of all bodies' frames: (n, 4, 4)."""
        return (len(self.body_names), 4, 4)

    @cached_property
    def rows(self) -> tuple[tuple[float, ...], ...]:
        """The table as Python numbers, which plain Python reads faster."""
        return tuple(tuple(row) for row in self.table.tolist())

    @cached_property
    def parents(self) -> NDArray[np.int64]:
        """Row of each body's parent; -1 for the base."""
        return self.table[:, PARENT].astype(np.int64)


def compile_tree(tree: BodyTree) -> CompiledTree:
    """Return the arrays of ``tree`` as it is now."""
    bodies = tree.bodies
    by_name = {joint.name: joint for joint in tree.joints}
    independent = [
        body.joint for body in bodies if body.joint.position_count and not body.joint.mimic
    ]
    layout = joint_layout(independent)

    body_names = (tree.base_name, *tree.body_names)
    body_index = {name: row for row, name in enumerate(body_names)}
    table = np.zeros((len(body_names), TABLE_COLUMNS))
    table[:, (POSITION, VELOCITY)] = -1
    table[0, PARENT] = -1
    table[0, FIXED_TRANSFORM : FIXED_TRANSFORM + 12] = np.eye(4)[:3].ravel()
    table[0, CHILD_TRANSFORM : CHILD_TRANSFORM + 12] = np.eye(4)[:3].ravel()

    lower = np.full(layout.position_count, -np.inf)
    upper = np.full(layout.position_count, np.inf)
    velocity_limit = np.full(layout.velocity_count, np.inf)
    effort_limit = np.full(layout.velocity_count, np.inf)
    damping = np.zeros(layout.velocity_count)
    friction = np.zeros(layout.velocity_count)

    for row, body in enumerate(bodies, start=1):
        joint = body.joint
        parent = body.parent
        assert parent is not None
        source, multiplier, offset = resolve_mimic(joint, by_name, tree.name)
        table[row, PARENT] = body_index[parent.name]
        kind, sign = _fill_motion(table[row], body)
        table[row, KIND] = kind
        table[row, MOVED_CHILD] = not np.array_equal(
            table[row, CHILD_TRANSFORM : CHILD_TRANSFORM + 12], np.eye(4)[:3].ravel()
        )
        table[row, MULTIPLIER] = sign * multiplier
        table[row, OFFSET] = sign * offset
        if not joint.position_count:
            continue
        window, velocities = layout.windows(source.name)
        table[row, (POSITION, VELOCITY)] = window.start, velocities.start
        low, high = (np.atleast_1d(side) for side in joint.position_limits)
        if joint.mimic is not None:
            low, high = _seen_from_source(low, high, multiplier, offset)
        low, high = np.maximum(lower[window], low), np.minimum(upper[window], high)
        # Limits of a mimic joint that contradict its source's are a slip of the description,
        # not a robot that cannot move: the source's own limits stand.
        if joint.mimic is None or (low < high).all():
            lower[window], upper[window] = low, high
        speed = joint.velocity_limit / abs(multiplier) if multiplier else np.inf
        velocity_limit[velocities] = np.minimum(velocity_limit[velocities], speed)
        if joint.mimic is None:
            effort_limit[velocities] = joint.effort_limit
        if joint.dynamics is not None:
            damping[velocities] += multiplier**2 * joint.dynamics.damping
            friction[velocities] += abs(multiplier) * joint.dynamics.friction

    _open_circles(layout.position_kinds, table, lower, upper)
    home = [value for joint in independent for value in np.atleast_1d(joint.home_position)]
    mass, center_of_mass, inertia = _inertias((tree.base, *bodies))
    compiled = CompiledTree(
        **{entry.name: getattr(layout, entry.name) for entry in fields(layout)},
        name=tree.name,
        body_names=body_names,
        table=table,
        home=np.clip(np.array(home, dtype=np.float64), lower, upper),
        lower=lower,
        upper=upper,
        velocity_limit=velocity_limit,
        effort_limit=effort_limit,
        mass=mass,
        center_of_mass=center_of_mass,
        inertia=inertia,
        damping=damping,
        friction=friction,
        gravity=np.array(tree.gravity),
        body_index=body_index,
    )
    for value in vars(compiled).values():
        if isinstance(value, np.ndarray):
            value.flags.writeable = False
    return compiled


def _open_circles(kinds: NDArray[np.int64], table: Array, lower: Array, upper: Array) -> None:
    """Make intervals of the circles whose turns are not all alike.

    Limits tell turns apart, and so do mimic joints that slide, or turn by a multiple that is not a
    whole number.
    """
    kinds[(kinds == CIRCLE) & (np.isfinite(lower) | np.isfinite(upper))] = INTERVAL
    for row in table[1:]:
        at, motion, multiplier = int(row[POSITION]), row[KIND], float(row[MULTIPLIER])
        whole = multiplier.is_integer() and (motion != PRISMATIC or multiplier == 0.0)
        if motion not in (FIXED, PLANAR, FLOATING) and not whole:
            kinds[at] = INTERVAL


def _fill_motion(row: Array, body: RigidBody) -> tuple[int, float]:
    """Write a body's transforms and axis into its row; return its kind and the axis' sign."""
    joint = body.joint
    before, after, axis, sign = joint.joint_to_parent, joint.child_to_joint, joint.axis, 1.0
    kind = joint.layout.motion
    if kind == PLANAR:
        # The kernel moves in the x-y plane: turn the joint frame so that z is the plane's normal.
        turn = transform(rotation=rotation_taking_z_to(axis))
        before, after, axis = before @ turn, inverse(turn) @ after, np.array([0.0, 0.0, 1.0])
    elif kind == REVOLUTE and np.count_nonzero(axis) == 1:
        coordinate = int(np.flatnonzero(axis)[0])
        kind = (REVOLUTE_X, REVOLUTE_Y, REVOLUTE_Z)[coordinate]
        sign = float(np.sign(axis[coordinate]))
        axis = np.abs(axis)
    elif kind == FIXED:
        before, after = before @ after, np.eye(4)
    row[FIXED_TRANSFORM : FIXED_TRANSFORM + 12] = before[:3].ravel()
    row[CHILD_TRANSFORM : CHILD_TRANSFORM + 12] = after[:3].ravel()
    row[AXIS : AXIS + 3] = axis
    return kind, sign


def _seen_from_source(
    low: Array, high: Array, multiplier: float, offset: float
) -> tuple[Array, Array]:
    """Return the source's limits that keep multiplier * q + offset within (low, high)."""
    if multiplier == 0.0:
        return np.array([-np.inf]), np.array([np.inf])
    first, second = (low - offset) / multiplier, (high - offset) / multiplier
    return np.minimum(first, second), np.maximum(first, second)


def _inertias(bodies: tuple[RigidBody, ...]) -> tuple[Array, Array, Array]:
    mass = np.zeros(len(bodies))
    center = np.zeros((len(bodies), 3))
    matrix = np.zeros((len(bodies), 3, 3))
    for row, body in enumerate(bodies):
        if body.inertia is not None:
            mass[row] = body.inertia.mass
            center[row] = body.inertia.center_of_mass
            matrix[row] = body.inertia.matrix
    return mass, center, matrix
