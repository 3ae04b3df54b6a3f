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
    found, outer = np.empty(4), np.empty((len(DIRECTIONS), 4))
    _enclose(np.ascontiguousarray(spheres, dtype=np.float64), DIRECTIONS, outer, found)
    return found


@kernel(types.void(MATRIX, MATRIX, MATRIX, VECTOR))
def _enclose(spheres: Array, directions: Array, outer: Array, found: Array) -> None:
    """Write the sphere into ``found`` (4,); its center moves towards the farthest spheres.

    Badoiu and Clarkson, "Smaller core-sets for balls", 2003. Only spheres that are farthest in
    some direction are considered, and written into ``outer`` (n, 4).
    """
    count = spheres.shape[0]
    lx, ly, lz = math.inf, math.inf, math.inf
    hx, hy, hz = -math.inf, -math.inf, -math.inf
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
        lx, ly, lz = min(lx, spheres[at, 0]), min(ly, spheres[at, 1]), min(lz, spheres[at, 2])
        hx, hy, hz = max(hx, spheres[at, 0]), max(hy, spheres[at, 1]), max(hz, spheres[at, 2])
    x, y, z = 0.5 * (lx + hx), 0.5 * (ly + hy), 0.5 * (lz + hz)
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
