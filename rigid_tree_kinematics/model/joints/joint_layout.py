"""Entries of the joints' positions and velocities in a robot's vectors."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from rigid_tree_kinematics.arrays import Array
from rigid_tree_kinematics.model.joints.joint import Joint
from rigid_tree_kinematics.model.joints.joint_types import QUATERNION

Slots = dict[str, tuple[int, int]]  # joint -> (first entry, count)


@dataclass(frozen=True, eq=False)
class JointLayout:
    """The layout of configurations q (nq,) and velocities v (nv,) of the independent joints.

    The quaternion of a floating joint has four positions and three velocities.
    """

    joint_names: tuple[str, ...]
    joint_slots: Slots  # in q
    velocity_slots: Slots  # in v
    position_names: tuple[str, ...]
    position_kinds: NDArray[np.int64]  # (nq,) INTERVAL, CIRCLE, QUATERNION or QUATERNION_REST
    is_angle: NDArray[np.bool_]  # (nq,) rad, not m
    is_scalar: NDArray[np.bool_]  # (nq,) changes at the rate of its own velocity: not of floating
    velocity_of_position: NDArray[np.int64]  # (nq,) the entry of v; -1 for a quaternion's w
    position_of_velocity: NDArray[np.int64]  # (nv,) the entry of q; a quaternion's x, y and z
    #                                          represent the angular velocity

    @cached_property
    def position_count(self) -> int:
        """The length of a configuration, nq."""
        return len(self.velocity_of_position)

    @cached_property
    def velocity_count(self) -> int:
        """The length of a vector of velocities, nv."""
        return len(self.position_of_velocity)

    @cached_property
    def vector_shape(self) -> tuple[int]:
        """The shape of one configuration: (nq,)."""
        return (self.position_count,)

    @cached_property
    def rate_shape(self) -> tuple[int]:
        """The shape of one vector of velocities: (nv,)."""
        return (self.velocity_count,)

    @cached_property
    def quaternions(self) -> tuple[slice, ...]:
        """The entries of floating joints' quaternions (x, y, z, w) in a configuration."""
        starts = np.flatnonzero(self.position_kinds == QUATERNION).tolist()
        return tuple(slice(start, start + 4) for start in starts)

    @cached_property
    def joint_of_position(self) -> tuple[str, ...]:
        """The name of each position's joint, (nq,)."""
        return tuple(name for name, (_, count) in self.joint_slots.items() for _ in range(count))

    def windows(self, joint: str) -> tuple[slice, slice]:
        """Return the slices of each joint's positions in q and velocities in v."""
        first, count = self.joint_slots[joint]
        first_velocity, velocities = self.velocity_slots[joint]
        return slice(first, first + count), slice(first_velocity, first_velocity + velocities)

    def by_position(self, values: Array, missing: float = 0.0) -> Array:
        """Return values (nv,) of velocities in the layout of positions, (nq,).

        Positions without a velocity get ``missing``.
        """
        spread = np.full(self.position_count, missing)
        spread[self.position_of_velocity] = values
        return spread


def joint_layout(joints: Sequence[Joint]) -> JointLayout:
    """Return the layout of these joints' positions and velocities, in their order."""
    velocity_slots = _slots((joint.name, joint.velocity_count) for joint in joints)
    positions = [(joint, position) for joint in joints for position in joint.layout.positions]
    velocity_of_position = np.array(
        [
            -1 if p.velocity is None else velocity_slots[joint.name][0] + p.velocity
            for joint, p in positions
        ],
        dtype=np.int64,
    )
    moved = np.flatnonzero(velocity_of_position >= 0)
    return JointLayout(
        joint_names=tuple(joint.name for joint in joints),
        joint_slots=_slots((joint.name, joint.position_count) for joint in joints),
        velocity_slots=velocity_slots,
        position_names=tuple(name for joint in joints for name in joint.position_names),
        position_kinds=np.array([p.kind for _, p in positions], dtype=np.int64),
        is_angle=np.array([p.is_angle for _, p in positions], dtype=bool),
        is_scalar=np.array([j.layout.has_scalar_positions for j, _ in positions], dtype=bool),
        velocity_of_position=velocity_of_position,
        position_of_velocity=moved[np.argsort(velocity_of_position[moved])],
    )


def _slots(counts: Iterable[tuple[str, int]]) -> Slots:
    slots: Slots = {}
    first = 0
    for name, count in counts:
        slots[name] = first, count
        first += count
    return slots
