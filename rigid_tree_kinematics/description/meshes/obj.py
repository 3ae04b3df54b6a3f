"""Small OBJ files, read without a mesh library, whose import takes longer than the file."""

from __future__ import annotations

from itertools import pairwise

import numpy as np

from rigid_tree_kinematics.arrays import Array, Integers
from rigid_tree_kinematics.description.meshes.stl import merged

LARGEST_OBJ = 2 << 20  # bytes; a mesh library reads larger ones faster


def read_obj(content: bytes) -> tuple[Array, Integers] | None:
    """Return vertices (n, 3) in the file's unit and faces (m, 3); None if in doubt.

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
