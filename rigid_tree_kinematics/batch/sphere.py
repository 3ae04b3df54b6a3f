"""Evenly spread orientations: directions of an axis, and rotations about it."""

from __future__ import annotations

import numpy as np

from rigid_tree_kinematics.arrays import Array
from rigid_tree_kinematics.model.transforms import axis_angle_matrix, rotation_taking_z_to

AXES = ("x", "y", "z")
GOLDEN = np.pi * (1.0 + 5.0**0.5)


def directions(count: int) -> Array:
    """Return unit vectors (count, 3), evenly spread over a sphere (Fibonacci lattice)."""
    number = np.arange(count) + 0.5
    height = 1.0 - 2.0 * number / count
    flat = np.sqrt(1.0 - height**2)
    angle = GOLDEN * number
    return np.column_stack([flat * np.cos(angle), flat * np.sin(angle), height])


def orientations(count: int, rolls: int = 1, axis: str = "z") -> Array:
    """Return rotations (count * rolls, 3, 3): an axis along each direction, and rolls about it.

    All rolls of the first direction come first. ``axis`` is the one of the rotated frame that
    has the direction.

    Example:
        >>> orientations(50, rolls=4).shape
        (200, 3, 3)
    """
    # This permutation of the axes is a rotation that moves the axis to z.
    to_z = np.roll(np.eye(3), 2 - AXES.index(axis), axis=0)
    turns = [axis_angle_matrix((0.0, 0.0, 1.0), 2.0 * np.pi * k / rolls) for k in range(rolls)]
    return np.array(
        [rotation_taking_z_to(way) @ turn @ to_z for way in directions(count) for turn in turns]
    )
