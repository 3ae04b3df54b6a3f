"""Bounding spheres of spheres."""

import math

import numpy as np

from rigid_tree_kinematics.arrays import Array
from rigid_tree_kinematics.kernels import MATRIX, VECTOR, kernel, types

STEPS = 60
ROUNDING = 1e-9  # m, added to every radius
# Directions, evenly distributed (a golden spiral).
DIRECTIONS = np.array(
    [
        (math.sqrt(1.0 - z * z) * math.cos(2.4 * k), math.sqrt(1.0 - z * z) * math.sin(2.4 * k), z)
        for k, z in enumerate(np.linspace(-1.0, 1.0, 64))
    ]
)


def enclosing_sphere(spheres: Array) -> Array:
    """Return one sphere (4,), only slightly larger than necessary, that contains all (k, 4)."""
    if len(spheres) == 1:
        return np.array(spheres[0])
    found = np.empty(4)
    _enclose(np.ascontiguousarray(spheres, dtype=np.float64), DIRECTIONS, found)
    return found


@kernel(types.void(MATRIX, MATRIX, VECTOR))
def _enclose(spheres: Array, directions: Array, found: Array) -> None:
    """Write the sphere into ``found`` (4,); its center moves towards the farthest spheres.

    Badoiu and Clarkson, "Smaller core-sets for balls", 2003. Only spheres that are farthest in
    some direction are considered.
    """
    count = spheres.shape[0]
    outer = np.empty((directions.shape[0], 4))
    low, high = np.full(3, math.inf), np.full(3, -math.inf)
    for d in range(directions.shape[0]):
        farthest, at = -math.inf, 0
        for k in range(count):
            along = (
                spheres[k, 0] * directions[d, 0]
                + spheres[k, 1] * directions[d, 1]
                + spheres[k, 2] * directions[d, 2]
                + spheres[k, 3]
            )
            if along > farthest:
                farthest, at = along, k
        for c in range(4):
            outer[d, c] = spheres[at, c]
        for c in range(3):
            low[c] = min(low[c], spheres[at, c])
            high[c] = max(high[c], spheres[at, c])
    x, y, z = 0.5 * (low[0] + high[0]), 0.5 * (low[1] + high[1]), 0.5 * (low[2] + high[2])
    best = math.inf
    for step in range(STEPS):
        radius, at = -1.0, 0
        for k in range(outer.shape[0]):
            dx, dy, dz = outer[k, 0] - x, outer[k, 1] - y, outer[k, 2] - z
            reach = math.sqrt(dx * dx + dy * dy + dz * dz) + outer[k, 3]
            if reach > radius:
                radius, at = reach, k
        if radius < best:
            best = radius
            found[0], found[1], found[2] = x, y, z
        x += (outer[at, 0] - x) / (step + 2.0)
        y += (outer[at, 1] - y) / (step + 2.0)
        z += (outer[at, 2] - z) / (step + 2.0)
    radius = 0.0
    for k in range(count):
        dx, dy, dz = spheres[k, 0] - found[0], spheres[k, 1] - found[1], spheres[k, 2] - found[2]
        radius = max(radius, math.sqrt(dx * dx + dy * dy + dz * dz) + spheres[k, 3])
    found[3] = radius + ROUNDING
