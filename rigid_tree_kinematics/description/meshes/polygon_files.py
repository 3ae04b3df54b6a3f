"""PLY and OFF files, whose faces can be polygons."""

import contextlib
import re

import numpy as np

from rigid_tree_kinematics.arrays import Array, Integers
from rigid_tree_kinematics.description.meshes.polygons import triangulate

TYPES = {
    **{"char": "i1", "uchar": "u1", "short": "i2", "ushort": "u2", "int": "i4", "uint": "u4"},
    **{"int8": "i1", "uint8": "u1", "int16": "i2", "uint16": "u2", "int32": "i4", "uint32": "u4"},
    **{"float": "f4", "double": "f8", "float32": "f4", "float64": "f8"},
}
ORDERS = {b"ascii": "", b"binary_little_endian": "<", b"binary_big_endian": ">"}
FACE_PROPERTIES = ("vertex_indices", "vertex_index")
COLORS = ("red", "green", "blue")


def read_ply(content: bytes) -> tuple[Array, Integers, Array | None]:
    """Return the vertices (n, 3), faces (m, 3) and vertex colors (n, 3), 0 to 255, of a PLY file.

    Raises ValueError for other and for incomplete files.
    """
    header = re.match(rb"ply\s(.*?)end_header\r?\n", content, re.DOTALL)
    if header is None:
        raise ValueError("it has no PLY header")
    form = re.search(rb"^format (\w+)", header[1], re.MULTILINE)
    if form is None or form[1] not in ORDERS:
        raise ValueError(f"its PLY format is not one of {', '.join(map(bytes.decode, ORDERS))}")
    body = _Body(content[header.end() :], ORDERS[form[1]])
    vertices = np.zeros((0, 3))
    colors = None
    for name, count, properties in _elements(header[1].decode("ascii", "replace")):
        names = [key for key, _, _ in properties]
        if name == "face":
            return vertices, _faces(vertices, *_polygons(body, count, properties)), colors
        if name != "vertex":
            _polygons(body, count, properties)
            continue
        if any(size for _, _, size in properties) or not {"x", "y", "z"} <= set(names):
            raise ValueError("its vertices must have the numbers x, y and z, and no lists")
        rows = body.rows([kind for _, kind, _ in properties], count)
        vertices = rows[:, [names.index(axis) for axis in "xyz"]]
        if set(COLORS) <= set(names):
            colors = rows[:, [names.index(color) for color in COLORS]]
            if properties[names.index("red")][1].startswith("f"):
                colors = 255.0 * colors
    return vertices, np.zeros((0, 3), dtype=np.int64), colors


def read_off(content: bytes) -> tuple[Array, Integers]:
    """Return the vertices (n, 3) and faces (m, 3) of an OFF file; colors are ignored.

    Raises ValueError for other and for incomplete files.
    """
    text = re.sub(rb"#.*", b"", content)
    header = re.match(rb"\s*(?:ST)?C?N?OFF\b(?!\s*BINARY)", text)
    if header is None:
        raise ValueError("it has no OFF header")
    lines = [line.split() for line in text[header.end() :].splitlines() if line.strip()]
    count, face_count = (int(word) for word in lines[0][:2]) if lines else (0, 0)
    if count < 0 or face_count < 0 or len(lines) <= count + face_count:
        raise ValueError("it ends before its last face")
    vertices = np.array([line[:3] for line in lines[1 : count + 1]], dtype=np.float64)
    faces = lines[count + 1 : count + face_count + 1]
    sizes = np.array([int(words[0]) for words in faces], dtype=np.int64)
    corners = [int(word) for words in faces for word in words[1 : int(words[0]) + 1]]
    return vertices, _faces(vertices, sizes, np.array(corners, dtype=np.int64))


def _faces(vertices: Array, sizes: Integers, corners: Integers) -> Integers:
    if (sizes < 0).any() or sizes.sum() != len(corners):
        raise ValueError("a face has fewer vertices than it states")
    if len(corners) and not (corners.min() >= 0 and corners.max() < len(vertices)):
        raise ValueError("a face's vertex is not in the file")
    faces: Integers = corners[triangulate(vertices[corners], sizes)]
    return faces


_Property = tuple[str, str, str]  # name, type, and a list's type of its size


def _elements(header: str) -> list[tuple[str, int, list[_Property]]]:
    """Return the elements of a PLY header: name, count and properties."""
    elements: list[tuple[str, int, list[_Property]]] = []
    for line in header.splitlines():
        words = line.split()
        if words[:1] == ["element"] and len(words) == 3:
            elements.append((words[1], int(words[2]), []))
        elif words[:1] == ["property"] and elements:
            *types, name = words[1:]
            is_list = types[:1] == ["list"]
            kinds = [TYPES.get(kind) for kind in types[is_list:]]
            if len(kinds) != 1 + is_list or None in kinds:
                raise ValueError(f"its header has '{line.strip()}'")
            elements[-1][2].append((name, str(kinds[-1]), str(kinds[0]) if is_list else ""))
    return elements


class _Body:
    """The numbers of a PLY file after its header."""

    def __init__(self, data: bytes, order: str) -> None:
        self.order = order
        self.numbers = None if order else np.array(data.split(), dtype=np.float64)
        self.data = data
        self.place = 0  # bytes, or numbers

    def rows(self, types: list[str], count: int) -> Array:
        """Return the next rows (count, k) of numbers of these types."""
        if self.numbers is not None:
            size = len(types) * count
            self._check(size, len(self.numbers))
            rows = self.numbers[self.place : self.place + size].reshape(count, len(types))
        else:
            kind = np.dtype([(str(k), self.order + name) for k, name in enumerate(types)])
            size = kind.itemsize * count
            self._check(size, len(self.data))
            found = np.frombuffer(self.data, kind, count, self.place)
            rows = np.column_stack([found[key].astype(np.float64) for key in kind.fields or ()])
        self.place += size
        return rows

    def _check(self, size: int, total: int) -> None:
        if not 0 <= size <= total - self.place:
            raise ValueError("it ends before its last number")


def _polygons(body: _Body, count: int, properties: list[_Property]) -> tuple[Integers, Integers]:
    """Return the sizes and corners of the polygons of the next element."""
    if not (count and properties):
        return np.zeros(0, dtype=np.int64), np.zeros(0, dtype=np.int64)
    start = body.place
    items = [_item(body, properties)]
    # Most files have faces of one size, which are read at once.
    types: list[str] = []
    lists: list[tuple[str, int, int]] = []  # name, column of the size, and columns to the end
    for (name, kind, size), values in zip(properties, items[0], strict=True):
        if size:
            lists.append((name, len(types), len(types) + 1 + len(values)))
        types += [size, *[kind] * len(values)] if size else [kind]
    after = body.place
    body.place = start
    with contextlib.suppress(ValueError):
        rows = body.rows(types, count)
        if all((rows[:, column] == rows[0, column]).all() for _, column, _ in lists):
            for name, column, end in lists:
                if name in FACE_PROPERTIES:
                    corners = rows[:, column + 1 : end].astype(np.int64)
                    return np.full(count, corners.shape[1]), corners.ravel()
            return np.zeros(0, dtype=np.int64), np.zeros(0, dtype=np.int64)
    body.place = after
    items += [_item(body, properties) for _ in range(count - 1)]
    shape = [k for k, (name, _, size) in enumerate(properties) if size and name in FACE_PROPERTIES]
    polygons = [item[shape[0]] for item in items if shape]
    sizes = np.array([len(polygon) for polygon in polygons], dtype=np.int64)
    return sizes, np.concatenate([np.zeros(0), *polygons]).astype(np.int64)


def _item(body: _Body, properties: list[_Property]) -> list[Array]:
    """Return the numbers of each property of the next item of an element."""
    values = []
    for _, kind, size in properties:
        if not size:
            values.append(body.rows([kind], 1)[0])
        else:
            length = int(body.rows([size], 1)[0, 0])
            values.append(body.rows([kind], length)[:, 0])
    return values
