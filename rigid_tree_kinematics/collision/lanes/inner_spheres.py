"""Spheres inside a part: if one hits an obstacle, the part cannot be proven clear."""

import hashlib
from functools import lru_cache

import numpy as np

from rigid_tree_kinematics.arrays import Array
from rigid_tree_kinematics.collision.robot import Part
from rigid_tree_kinematics.collision.shapes import Hull
from rigid_tree_kinematics.collision.shapes.fit_cache import cached_fit, rounded
from rigid_tree_kinematics.collision.shapes.hulls import convex_hull
from rigid_tree_kinematics.collision.shapes.spheres import spread

SPHERES_VERSION = 5  # increment when the spheres of a part change: they are cached on disk
SMALLEST = 0.003  # m; smaller spheres are left out
MOST_SPHERES = 40  # of a part: the spheres of a cloud can be many
INSCRIBED = 8  # at most, in each hull
FEWEST_COVERED = 0.03  # of a hull's candidates: spheres that add less are left out
GRID = 9  # candidates for their centers along each side of a box around the hull
TOWARD_CORNERS = (0.0, 0.3, 0.5, 0.7, 0.85)  # and from its middle to corners of it
CORNERS = 60


@lru_cache(maxsize=4096)
def inner_spheres(part: Part) -> Array:
    """Return inner spheres (k, 4), body frame, largest first.

    Each is inside one of the part's spheres and one of its hulls. The conservative level proves a
    part clear of an obstacle by all of its spheres, or by all of its hulls. So if one of these
    spheres hits an obstacle, neither proof is possible. Cached on disk.
    """
    if not part.hulls:
        return _largest(part.spheres)
    hulls = [(rounded(hull.corners).tolist(), hull.radius) for hull in part.hulls]
    content = f"{rounded(part.spheres).tolist()} {hulls}"
    digest = hashlib.sha256(content.encode()).hexdigest()
    return cached_fit(f"{digest}-inner-{SPHERES_VERSION}", lambda: _fitted(part))


def _fitted(part: Part) -> Array:
    """Return the part's spheres, shrunk until they are inside a hull, and inscribed ones."""
    depth = np.max([_depth(hull, part.spheres[:, :3]) for hull in part.hulls], axis=0)
    shrunk = np.column_stack([part.spheres[:, :3], np.minimum(part.spheres[:, 3], depth)])
    inscribed = [_inscribed(part, hull, shrunk) for hull in part.hulls]
    return _largest(np.vstack([shrunk, *inscribed]))


def _largest(spheres: Array) -> Array:
    spheres = spheres[spheres[:, 3] > SMALLEST]
    return np.asarray(spheres[np.argsort(-spheres[:, 3])[:MOST_SPHERES]])


def _inscribed(part: Part, hull: Hull, others: Array) -> Array:
    """Return spheres (k, 4) that, together with ``others``, fill much of a hull.

    The next one contains the most of the candidates that no other one contains.
    """
    low, high = hull.corners.min(axis=0), hull.corners.max(axis=0)
    sides = [np.linspace(a, b, GRID + 2)[1:-1] for a, b in zip(low, high, strict=True)]
    grid = np.stack(np.meshgrid(*sides), axis=-1).reshape(-1, 3)
    middle = hull.corners.mean(axis=0)
    corners = spread(hull.corners, CORNERS)
    toward = [middle + share * (corners - middle) for share in TOWARD_CORNERS]
    centers = np.vstack([grid, *toward])
    in_part = part.spheres[:, 3] - _distances(centers, part.spheres)
    radii = np.minimum(_depth(hull, centers), in_part.max(axis=1))
    centers, radii = centers[radii > SMALLEST], radii[radii > SMALLEST]
    covers = _distances(centers, centers) < radii[:, np.newaxis]
    covers[:, (_distances(centers, others) < others[:, 3]).any(axis=1)] = False
    chosen = []
    for _ in range(INSCRIBED):
        count = covers.sum(axis=1)
        if not len(count) or count.max() <= FEWEST_COVERED * len(centers):
            break
        best = int(np.argmax(count))
        chosen.append(np.append(centers[best], radii[best]))
        covers[:, covers[best]] = False
    return np.reshape(chosen, (-1, 4))


def _distances(points: Array, others: Array) -> Array:
    """Return distances (k, m) of points (k, 3) from spheres' centers or other points (m, ...)."""
    from scipy.spatial.distance import cdist

    return np.asarray(cdist(points, others[:, :3]))


def _depth(hull: Hull, points: Array) -> Array:
    """Return the radius of the inner sphere at each point (k, 3); negative outside the hull."""
    if len(hull.corners) == 1:
        return np.asarray(hull.radius - np.linalg.norm(points - hull.corners[0], axis=1))
    faces = convex_hull(hull.corners)
    if faces is None:
        return np.full(len(points), -1.0)
    beyond = (points @ faces.equations[:, :3].T + faces.equations[:, 3]).max(axis=1)
    return np.where(beyond <= 0.0, hull.radius - beyond, -1.0)
