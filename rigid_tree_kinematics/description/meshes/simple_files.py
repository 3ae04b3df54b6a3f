"""Binary STL and small OBJ files, read in less time than importing a mesh library takes."""

from itertools import pairwise

import numpy as np

from rigid_tree_kinematics.arrays import Array, Integers

LARGEST_OBJ = 2 << 20  # bytes; a mesh library reads larger ones faster
HEADER = 84  # bytes: a comment, and the number of triangles
TRIANGLE = np.dtype([("normal", "<f4", 3), ("corners", "<f4", (3, 3)), ("attribute", "<u2")])
MERGED = 1e-8  # vertices that agree to these digits are one, as in trimesh
MULTIPLIER, HALF = np.uint64(0x9E3779B97F4A7C15), np.uint64(32)  # mix the bits of numbers
FARTHEST = 1e9  # in the file's unit; beyond, these digits do not fit into an integer


def read_binary_stl(content: bytes) -> tuple[Array, Integers] | None:
    """Return vertices (n, 3) in the file's unit and faces (m, 3); None for any other content."""
    count = int.from_bytes(content[HEADER - 4 : HEADER], "little")
    if not count or len(content) != HEADER + count * TRIANGLE.itemsize:
        return None
    triangles = np.frombuffer(content, TRIANGLE, count, HEADER)
    return merged(triangles["corners"].reshape(-1, 3).astype(np.float64))


def read_obj(content: bytes) -> tuple[Array, Integers] | None:
    """Return vertices (n, 3) in the file's unit and faces (m, 3); None if unsupported.

    Polygons become fans of triangles. Materials, textures and normals are ignored.
    """
    vertices: list[list[float]] = []
    faces: list[tuple[int, int, int]] = []
    try:
        for line in content.splitlines():
            kind, *words = line.split() or (b"",)
            if kind == b"v":
                vertices.append([float(word) for word in words[:3]])
            elif kind == b"f":
                first, *others = (int(word.split(b"/")[0]) - 1 for word in words)
                faces += [(first, a, b) for a, b in pairwise(others)]
        corners, numbers = np.array(vertices), np.array(faces, dtype=np.int64)
        if numbers.min() < 0 or b"\\" in content:  # counted from the end; continued lines
            return None
        return merged(corners[numbers].reshape(-1, 3))
    except (ValueError, IndexError, OverflowError):
        return None


def merged(corners: Array) -> tuple[Array, Integers] | None:
    """Return vertices and faces of triangles with corners (3 m, 3); None if too large."""
    if corners.shape[1:] != (3,) or not (np.abs(corners) <= FARTHEST).all():
        return None
    first, number = _equal_rows(np.round(corners / MERGED).astype(np.int64))
    return corners[first], number.reshape(-1, 3)


def _equal_rows(keys: Integers) -> tuple[Integers, Integers]:
    """Return the unique rows of (n, 3) integers, and the inverse (n,).

    Many times as fast as np.unique. Very rarely, equal rows are reported as different.
    """
    # Equal rows are found among equal mixtures, which sort fast.
    mixed = np.zeros(len(keys), dtype=np.uint64)
    for column in keys.T:
        mixed = (mixed ^ column.astype(np.uint64)) * MULTIPLIER
        mixed ^= mixed >> HALF
    order = np.argsort(mixed, kind="stable")
    ordered = keys[order]
    new = np.append(True, (ordered[1:] != ordered[:-1]).any(axis=1))
    number = np.empty(len(order), dtype=np.int64)
    number[order] = np.cumsum(new) - 1
    return order[new], number
