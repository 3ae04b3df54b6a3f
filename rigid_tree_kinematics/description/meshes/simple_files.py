"""Binary STL and small OBJ files, read in less time than importing a mesh library takes."""

import re

import numpy as np

from rigid_tree_kinematics.arrays import Array, Integers
from rigid_tree_kinematics.description.meshes.polygons import triangulate

LARGEST_OBJ = 2 << 20  # bytes; a mesh library reads larger ones faster
HEADER = 84  # bytes: a comment, and the number of triangles
TRIANGLE = np.dtype([("normal", "<f4", 3), ("corners", "<f4", (3, 3)), ("attribute", "<u2")])
MERGED = 1e-8  # vertices that agree to these digits are one, as in trimesh
PER_UNIT = 10**8  # the same digits
MULTIPLIER, HALF = np.uint64(0x9E3779B97F4A7C15), np.uint64(32)  # mix the bits of numbers
FARTHEST = 1e9  # in the file's unit; beyond, these digits do not fit into an integer


def read_binary_stl(content: bytes) -> tuple[Array, Integers] | None:
    """Return vertices (n, 3) in the file's unit and faces (m, 3); None for any other content.

    Bytes after the last triangle are ignored, like in RViz.
    """
    count = int.from_bytes(content[HEADER - 4 : HEADER], "little")
    if not count or len(content) < HEADER + count * TRIANGLE.itemsize:
        return None
    triangles = np.frombuffer(content, TRIANGLE, count, HEADER)
    return merged(triangles["corners"].reshape(-1, 3).astype(np.float64))


def read_obj(content: bytes) -> tuple[Array, Integers] | None:
    """Return vertices (n, 3) in the file's unit and faces (m, 3); None if unsupported.

    Polygons become triangles. Materials, textures and normals are ignored.
    """
    try:
        vertices, faces = _parse_obj(_lines(content))
        corners = vertices[[number for _, _, face in faces for number in face]]
        sizes = np.array([len(face) for _, _, face in faces], dtype=np.int64)
        return merged(corners[triangulate(corners, sizes)].reshape(-1, 3))
    except (ValueError, IndexError, OverflowError):
        return None


def triangulated_obj(content: bytes) -> bytes:
    """Return the text of an OBJ file with triangles in place of its polygons."""
    lines = _lines(content)
    try:
        vertices, faces = _parse_obj(lines)
        faces = [face for face in faces if len(face[1]) > 3]
        corners = vertices[[number for _, _, face in faces for number in face]]
        words = [word for _, words, _ in faces for word in words]
        sizes = np.array([len(face) for _, _, face in faces], dtype=np.int64)
        triangles = triangulate(corners, sizes)
    except (ValueError, IndexError, OverflowError):
        return content  # for the reader to reject
    for number, _, _ in faces:
        lines[number] = b""
    owners = np.searchsorted(np.cumsum(sizes), triangles[:, 0], side="right")
    for owner, triangle in zip(owners, triangles, strict=True):
        lines[faces[owner][0]] += b"f " + b" ".join(words[row] for row in triangle) + b"\n"
    return b"\n".join(lines)


def _lines(content: bytes) -> list[bytes]:
    """Return the lines of an OBJ file; a backslash continues a line."""
    if b"\\" in content:
        content = re.sub(rb"\\\r?\n", b" ", content)
    return content.splitlines()


def _parse_obj(lines: list[bytes]) -> tuple[Array, list[tuple[int, list[bytes], list[int]]]]:
    """Return an OBJ file's vertices, and the line, words and vertices of each face."""
    vertices: list[list[float]] = []
    faces: list[tuple[int, list[bytes], list[int]]] = []
    for number, line in enumerate(lines):
        kind, *words = line.partition(b"#")[0].split() or (b"",)
        if kind == b"v":
            x, y, z = words[:3]
            vertices.append([float(x), float(y), float(z)])
        elif kind == b"f":
            corners = [int(word.partition(b"/")[0]) for word in words]
            # 1 is the first vertex of the file, -1 the last one above the face.
            face = [corner - 1 if corner > 0 else corner + len(vertices) for corner in corners]
            if 0 in corners or min(face) < 0:
                raise ValueError("a face's vertex is not in the file")
            faces.append((number, words, face))
    return np.array(vertices), faces


def merged(corners: Array) -> tuple[Array, Integers] | None:
    """Return vertices and faces of triangles with corners (3 m, 3); None if too large."""
    if corners.shape[1:] != (3,) or not (np.abs(corners) <= FARTHEST).all():
        return None
    first, number = _equal_rows(np.round(corners / MERGED).astype(np.int64))
    return corners[first], number.reshape(-1, 3)


def merged_in_order(vertices: Array, faces: Integers) -> tuple[Array, Integers] | None:
    """Return the distinct vertices of faces and these faces, exactly as trimesh merges them.

    None if a vertex is too far away.
    """
    is_used = np.zeros(len(vertices), dtype=np.bool_)
    is_used[faces] = True
    used = np.flatnonzero(is_used)
    if not (np.abs(vertices[used]) <= FARTHEST).all():
        return None
    first, number = _equal_rows(np.round(vertices[used] * PER_UNIT).astype(np.int64))
    order = np.argsort(first)
    rank = np.empty(len(order), dtype=np.int64)
    rank[order] = np.arange(len(order))
    new = np.empty(len(vertices), dtype=np.int64)
    new[used] = rank[number]
    return vertices[used[first[order]]], new[faces]


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
