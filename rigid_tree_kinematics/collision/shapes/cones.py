"""Cones, which no other shape is: as triangles."""

from __future__ import annotations

import math

import numpy as np

from rigid_tree_kinematics.collision.shapes.obstacle_shapes import Triangles

SIDES = 32


def cone(radius: float, height: float) -> Triangles:
    """Return a cone about z, its tip up and its middle at half its height, with flat sides.

    ``radius`` and ``height`` are in m; the sides lie around the round. Raises CollisionError for
    invalid sizes.
    """
    around = radius / math.cos(math.pi / SIDES)
    angles = 2.0 * math.pi * np.arange(SIDES) / SIDES
    ring = np.column_stack(
        [around * np.cos(angles), around * np.sin(angles), np.full(SIDES, -0.5 * height)]
    )
    ends = [[0.0, 0.0, 0.5 * height], [0.0, 0.0, -0.5 * height]]
    top, foot = SIDES, SIDES + 1
    faces = []
    for k in range(SIDES):
        after = (k + 1) % SIDES
        faces += [[k, after, top], [after, k, foot]]
    return Triangles(np.vstack([ring, ends]), np.array(faces))
