"""Spheres inside a part's collision shape."""

from __future__ import annotations

import hashlib
from functools import lru_cache

import numpy as np

from rigid_tree_kinematics.arrays import Array
from rigid_tree_kinematics.collision.robot import Part
from rigid_tree_kinematics.collision.shapes import Hull
from rigid_tree_kinematics.collision.shapes.fit_cache import kept, rounded
from rigid_tree_kinematics.collision.shapes.hulls import convex_hull

SPHERES_VERSION = 1  # raise it when the spheres of a part change: they are cached on disk
SMALLEST = 0.003  # m; smaller spheres are left out
MOST_SPHERES = 40  # of a part: the spheres of a cloud can be many


@lru_cache(maxsize=4096)
def inner_spheres(part: Part) -> Array:
    """Return inner spheres (k, 4), body frame, largest first: the part's spheres, shrunk.

    Each is inside one of the part's spheres and one of its hulls. The conservative level proves a
    part clear of an obstacle by all of its spheres, or by all of its hulls. So if one of these
    spheres hits an obstacle, neither proof is possible. Cached on disk.
    """
    if not part.hulls:
        return _shrunk(part)
    hulls = [(rounded(hull.corners).tolist(), hull.radius) for hull in part.hulls]
    content = f"{rounded(part.spheres).tolist()} {hulls}"
    digest = hashlib.sha256(content.encode()).hexdigest()
    return kept(f"{digest}-inner-{SPHERES_VERSION}", lambda: _shrunk(part))


def _shrunk(part: Part) -> Array:
    spheres = part.spheres.copy()
    if part.hulls:
        depth = np.max([_depth(hull, spheres[:, :3]) for hull in part.hulls], axis=0)
        spheres[:, 3] = np.minimum(spheres[:, 3], depth)
    spheres = spheres[spheres[:, 3] > SMALLEST]
    return np.asarray(spheres[np.argsort(-spheres[:, 3])[:MOST_SPHERES]])


def _depth(hull: Hull, points: Array) -> Array:
    """Return the radius of the inner sphere at each point (k, 3); negative outside the hull."""
    if len(hull.corners) == 1:
        return np.asarray(hull.radius - np.linalg.norm(points - hull.corners[0], axis=1))
    faces = convex_hull(hull.corners)
    if faces is None:
        return np.full(len(points), -1.0)
    beyond = (points @ faces.equations[:, :3].T + faces.equations[:, 3]).max(axis=1)
    return np.where(beyond <= 0.0, hull.radius - beyond, -1.0)
