"""Thinning what a depth camera or laser scanner sees: one ball for the points of a small cube."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import ArrayLike

from rigid_tree_kinematics.collision.shapes.obstacle_shapes import SMALLEST_SIZE, PointCloud
from rigid_tree_kinematics.collision.shapes.voxel_kernels import FARTHEST, fill_voxels
from rigid_tree_kinematics.errors import CollisionError


def voxel_cloud(points: ArrayLike, voxel: float, radius: float = 0.0) -> PointCloud:
    """Return a cloud of few balls that contain a ball of ``radius`` (m) around each point (n, 3).

    Points in the same cube of side ``voxel`` (m) share a ball, which is never larger than one
    around the whole cube. Points that are not finite are left out, as depth cameras mark what they
    do not see; 100,000 points take some milliseconds.

    Raises CollisionError for another shape, a voxel that is not positive, a negative radius, if
    no point is finite, or if one is more than a million voxels away.
    """
    given = np.ascontiguousarray(points, dtype=np.float64)
    if given.ndim != 2 or given.shape[1] != 3:
        raise CollisionError(f"points take an array of shape (n, 3), not {given.shape}")
    if not (math.isfinite(voxel) and voxel > 0.0 and math.isfinite(radius) and radius >= 0.0):
        raise CollisionError(
            f"a voxel must be positive and a radius not negative, not {voxel} and {radius}"
        )
    boxes = np.empty((len(given), 6))
    table = np.full(2 << max(1, len(given) - 1).bit_length(), -1, dtype=np.int64)
    keys = np.empty(len(given), dtype=np.int64)
    count = fill_voxels(given, voxel, table, keys, boxes)
    if count < 0:
        raise CollisionError(f"a point lies more than {FARTHEST:.0f} voxels of {voxel} m away")
    if count == 0:
        raise CollisionError("a cloud needs at least one finite point")
    low, high = boxes[:count, :3], boxes[:count, 3:]
    largest = 0.5 * float(np.sqrt(((high - low) ** 2).sum(axis=1).max()))
    # The middle of two numbers is rounded, and so is the distance from it.
    grown = largest + radius + 1e-9 * voxel + 1e-15 * float(np.abs(boxes[:count]).max())
    return PointCloud(0.5 * (low + high), max(grown, SMALLEST_SIZE))
