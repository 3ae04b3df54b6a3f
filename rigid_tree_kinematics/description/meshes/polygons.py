"""Triangulation of the polygons in mesh files, also concave ones."""

import numpy as np

from rigid_tree_kinematics.arrays import Array, Integers
from rigid_tree_kinematics.model.transforms import rotation_taking_z_to
from rigid_tree_kinematics.needed_packages import needs

# Relative to a polygon's area: triangles of a fan that turn back by less are rounding.
TURNED_BACK = 1e-9
SAME_AREA = 1e-6  # relative: of a polygon and its triangles, whose corners are 32-bit floats


@np.errstate(over="ignore", invalid="ignore")
def triangulate(points: Array, sizes: Integers) -> Integers:
    """Return triangles (m, 3) that cover polygons, as rows of ``points``.

    Args:
        points: the corners (n, 3) of all polygons, one polygon after the other.
        sizes: number of corners of each polygon; those with fewer than 3 are left out.

    A polygon that its triangle fan from the first corner covers exactly gets this fan, and so does
    a polygon with crossing sides: the fan covers at least its inside. The package manifold3d cuts
    the others, which are concave.
    """
    starts = np.cumsum(sizes) - sizes
    counts = np.maximum(sizes - 2, 0)
    owner = np.repeat(np.arange(len(sizes)), counts)
    first = starts[owner]
    second = first + 1 + np.arange(len(owner)) - (np.cumsum(counts) - counts)[owner]
    fans = np.column_stack([first, second, second + 1])
    normals = _doubled_areas(points, fans)
    totals = np.column_stack(
        [np.bincount(owner, normals[:, axis], len(sizes)) for axis in range(3)]
    )
    facing = np.einsum("ij,ij->i", normals, totals[owner])
    turned = facing < -TURNED_BACK * np.einsum("ij,ij->i", totals, totals)[owner]
    concave = np.zeros(len(sizes), dtype=bool)
    concave[owner[turned]] = True
    cuts = []
    for polygon in np.flatnonzero(concave):
        rows = np.arange(starts[polygon], starts[polygon] + sizes[polygon])
        cut = _cut(points[rows], totals[polygon])
        if cut is None:
            concave[polygon] = False
        else:
            cuts.append(rows[cut])
    return np.concatenate([fans[~concave[owner]], *cuts])


def _cut(corners: Array, normal: Array) -> Integers | None:
    """Return triangles that cover a polygon with this doubled area; None if its sides cross."""
    area = float(np.linalg.norm(normal))
    flat = (corners - corners.mean(axis=0)) @ rotation_taking_z_to(normal / area)[:, :2]
    with needs("manifold3d", "a mesh with concave polygons"):
        import manifold3d
    triangles = np.array(manifold3d.triangulate([flat]), dtype=np.int64).reshape(-1, 3)
    areas = _doubled_areas(np.column_stack([flat, np.zeros(len(flat))]), triangles)[:, 2]
    same = max(abs(areas.sum() - area), abs(np.abs(areas).sum() - area)) <= SAME_AREA * area
    return triangles if same else None


def _doubled_areas(points: Array, triangles: Integers) -> Array:
    """Return the normals (m, 3) of triangles, twice as long as their areas."""
    a, b, c = (points[triangles[:, k]] for k in range(3))
    doubled: Array = np.cross(b - a, c - a)
    return doubled
