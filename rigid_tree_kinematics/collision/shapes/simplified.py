"""Simplification of large meshes by clustering vertices."""

import math

import numpy as np

from rigid_tree_kinematics.arrays import Array, Integers

MOST_TRIANGLES = 200_000
FINEST = 1.0 / 256.0  # initial cell side, as a share of the mesh's size
COARSER = 1.05  # minimum growth of the cells from one try to the next


def simplified(vertices: Array, faces: Integers) -> tuple[Array, Integers, Array]:
    """Return vertices, up to MOST_TRIANGLES triangles and radii that contain a surface.

    The vertices in each cube are replaced by their mean (Rossignac and Borrel 1993). A triangle's
    radius is the largest displacement of its vertices: the surface is within the radii of the
    triangles, and each triangle is within its radius of the surface. Triangles can be degenerate.
    Small surfaces are returned unchanged.
    """
    if len(faces) <= MOST_TRIANGLES:
        return vertices, faces, np.zeros(len(faces))
    low = vertices.min(axis=0)
    cell = FINEST * float((vertices.max(axis=0) - low).max())
    while True:
        number = ((vertices - low) / cell).astype(np.int64)
        along = number.max(axis=0) + 1
        key = (number[:, 0] * along[1] + number[:, 1]) * along[2] + number[:, 2]
        _, cluster, sizes = np.unique(key, return_inverse=True, return_counts=True)
        found = _without_repeats(np.sort(cluster[faces], axis=1), len(sizes))
        if len(found) <= MOST_TRIANGLES:
            break
        cell *= max(COARSER, math.sqrt(len(found) / MOST_TRIANGLES))
    sums = [np.bincount(cluster, vertices[:, axis]) for axis in range(3)]
    means = np.column_stack(sums) / sizes[:, np.newaxis]
    moved = np.zeros(len(means))
    np.maximum.at(moved, cluster, np.linalg.norm(vertices - means[cluster], axis=1))
    return means, found, moved[found].max(axis=1)


def _without_repeats(faces: Integers, count: int) -> Integers:
    """Return the distinct faces (m, 3), with sorted indices below ``count``.

    Degenerate ones are left out if they equal an edge or a corner of another face.
    """
    keys = (faces[:, 0] * count + faces[:, 1]) * count + faces[:, 2]
    keys.sort()  # np.unique would hash them, which is many times slower
    keys = keys[np.append(True, keys[1:] != keys[:-1])]
    a, b, c = keys // count**2, keys // count % count, keys % count
    proper = (a != b) & (b != c)
    flat = np.flatnonzero(~proper & (a != c))
    ends = a[flat] * count + c[flat]
    edges = np.concatenate([(k * count + m)[proper] for k, m in ((a, b), (b, c), (a, c))])
    edges.sort()
    at = np.minimum(edges.searchsorted(ends), len(edges) - 1)
    kept = proper
    kept[flat] = edges[at] != ends if len(edges) else True
    used = np.zeros(count, dtype=np.bool_)
    used[np.concatenate([k[kept] for k in (a, b, c)])] = True
    kept |= (a == c) & ~used[a]
    return np.asarray(np.column_stack([a, b, c])[kept])


def widened(
    vertices: Array, faces: Integers, width: float, share: float = 0.0
) -> tuple[Array, Integers, Array]:
    """Return triangles of at least a width, with vertices of their own if they were narrower.

    The width is ``width`` (m), or ``share`` of the longest side if that is more. Also returns by
    how much each triangle must grow (m,) to contain the one that it replaces, m; mostly 0.
    """
    corners = vertices[faces]
    sides = np.linalg.norm(np.roll(corners, -1, axis=1) - corners, axis=2)
    longest = sides.max(axis=1)
    widths = np.maximum(width, share * longest)
    a, b, c = (corners[:, k] for k in range(3))
    doubled = np.linalg.norm(np.cross(b - a, c - a), axis=1)
    narrow = np.flatnonzero(doubled <= widths * longest)
    growth = np.zeros(len(faces))
    if not len(narrow):
        return vertices, faces, growth
    growth[narrow] = widths[narrow]
    start = sides[narrow].argmax(axis=1)
    first, last = corners[narrow, start], corners[narrow, (start + 1) % 3]
    along = last - first
    beside = np.cross(along, np.eye(3)[np.abs(along).argmin(axis=1)])
    points = longest[narrow] <= width  # all corners nearly coincide
    along[points], beside[points] = (width, 0.0, 0.0), (0.0, 1.0, 0.0)
    beside *= (widths[narrow] / np.linalg.norm(beside, axis=1))[:, np.newaxis]
    added = np.stack((first, first + along, first + beside), axis=1).reshape(-1, 3)
    faces = faces.copy()
    faces[narrow] = len(vertices) + np.arange(len(added)).reshape(-1, 3)
    return np.vstack((vertices, added)), faces, growth
