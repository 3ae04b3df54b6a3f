"""Message types whose long sequences of points and triangles arrive as NumPy arrays.

rclpy creates an object for each point, which takes microseconds and 200 bytes; copying the C array
costs a thousandth of that. This file relies on two private parts of ROS 2: the metaclass of a
message class has the conversion as a capsule, and the C struct of a message follows from its
fields.
"""

import ctypes
from collections.abc import Callable, Iterator, Sequence
from functools import cache, reduce
from importlib import import_module
from typing import Any

import numpy as np
from numpy.typing import NDArray
from rosidl_parser import definition

LONG = 1000  # elements; longer sequences become arrays
MOST = 6_000_000  # elements that are copied; the limits of points and triangles are lower

_NUMBERS: dict[str, Any] = {
    "boolean": ctypes.c_bool,
    "octet": ctypes.c_uint8,
    "char": ctypes.c_int8,
    "float": ctypes.c_float,
    "double": ctypes.c_double,
    **{
        f"{sign}int{bits}": getattr(ctypes, f"c_{sign}int{bits}")
        for sign in ("", "u")
        for bits in (8, 16, 32, 64)
    },
}
_Read = ctypes.PYFUNCTYPE(ctypes.py_object, ctypes.c_void_p)
_Write = ctypes.PYFUNCTYPE(ctypes.c_bool, ctypes.py_object, ctypes.c_void_p)
_name_of = ctypes.PYFUNCTYPE(ctypes.c_char_p, ctypes.py_object)(
    ("PyCapsule_GetName", ctypes.pythonapi)
)
_pointer_of = ctypes.PYFUNCTYPE(ctypes.c_void_p, ctypes.py_object, ctypes.c_char_p)(
    ("PyCapsule_GetPointer", ctypes.pythonapi)
)
_new_capsule = ctypes.PYFUNCTYPE(
    ctypes.py_object, ctypes.c_void_p, ctypes.c_char_p, ctypes.c_void_p
)(("PyCapsule_New", ctypes.pythonapi))
_malloc = ctypes.CFUNCTYPE(ctypes.c_void_p, ctypes.c_size_t)(("malloc", ctypes.CDLL(None)))


class _Sequence(ctypes.Structure):
    _fields_ = (("data", ctypes.c_size_t), ("size", ctypes.c_size_t), ("room", ctypes.c_size_t))


def coordinates(points: Any, names: Sequence[str] = "xyz") -> NDArray[Any]:
    """Return a field of points as an array (n, len(names)), unchanged or float64."""
    if isinstance(points, np.ndarray):
        return points
    rows = [[getattr(point, name) for name in names] for point in points]
    return np.array(rows, dtype=np.float64).reshape(-1, len(names))


def set_rows(message: Any, field: str, rows: NDArray[Any], kind: Any, longest: int = LONG) -> None:
    """Fill a field with messages from rows (n, k), with one field per number of a row.

    More than ``longest`` stay an array; the message, or its parent message, then needs a type
    ``with_arrays``.
    """
    number, _ = _row_of(kind) or (None, 0)
    if len(rows) > longest:
        setattr(message, f"_{field}", np.ascontiguousarray(rows, dtype=number))
        return
    names = list(kind.get_fields_and_field_types())
    whole = len(names) == 1  # an array within the message
    if whole:
        made = [kind(**{names[0]: row}) for row in rows.astype(number)]
    else:
        made = [kind(**dict(zip(names, row, strict=True))) for row in rows.astype(number).tolist()]
    setattr(message, field, made)


@cache
def with_arrays(kind: Any) -> Any:
    """Return a subclass of a message's or a service's ``kind`` with arrays.

    In received messages of this type, sequences of more than LONG points, triangles or colors are
    arrays (n, k) of the fields' type; in sent messages they can be. A received sequence with more
    than MOST elements has its length, but only zeros, so that a limit can be checked before
    anything is allocated.
    """
    if hasattr(kind, "Request"):
        parts = {name: with_arrays(getattr(kind, name)) for name in ("Request", "Response")}
        return type(kind)(kind.__name__, (kind,), parts)
    meta = type(kind)
    if meta._TYPE_SUPPORT is None:
        meta.__import_type_support__()
    functions = {
        "_CONVERT_TO_PY": _Read(_reader(kind, _Read(_address(meta._CONVERT_TO_PY)))),
        "_CONVERT_FROM_PY": _Write(_writer(kind, _Write(_address(meta._CONVERT_FROM_PY)))),
    }
    members: dict[str, Any] = {
        name: _new_capsule(ctypes.cast(function, ctypes.c_void_p), None, None)
        for name, function in functions.items()
    }
    members["kept"] = tuple(functions.values())  # the capsules point to them
    content = {"__slots__": (), "__module__": kind.__module__}
    return type(meta.__name__, (meta,), members)(kind.__name__, (kind,), content)


def _reader(kind: Any, to_python: Callable[[int], Any]) -> Callable[[int], Any]:
    """Return a conversion of a C message, at an address, with its long sequences as arrays."""

    def read(address: int) -> Any:
        found = list(_long_sequences(kind, _records(kind, address, 1)))
        arrays = [_copied(sequence, element) for _, sequence, element in found]
        sizes = [int(sequence["size"]) for _, sequence, _ in found]
        for _, sequence, _ in found:
            sequence["size"] = 0
        try:
            message = to_python(address)
        finally:
            for (_, sequence, _), size in zip(found, sizes, strict=True):
                sequence["size"] = size
        for ((_, *path), _, _), array in zip(found, arrays, strict=True):
            setattr(reduce(_step, path[:-1], message), f"_{path[-1]}", array)
        return message

    return read


def _writer(kind: Any, from_python: Callable[[Any, int], bool]) -> Callable[[Any, int], bool]:
    """Return a conversion to a C message at an address, whose long sequences may be arrays."""

    def write(message: Any, address: int) -> bool:
        found = list(_arrays_in(kind, message))
        for owner, field, _, _ in found:
            setattr(owner, f"_{field}", [])
        try:
            done = from_python(message, address)
        finally:
            for owner, field, array, _ in found:
                setattr(owner, f"_{field}", array)
        if done:
            for _, _, array, path in found:
                _put(kind, address, path, array)
        return done

    return write


def _address(capsule: Any) -> Any:
    return _pointer_of(capsule, _name_of(capsule))


def _arrays_in(kind: Any, message: Any) -> Iterator[tuple[Any, str, NDArray[Any], list[Any]]]:
    """Yield the arrays in a message: its owner, the field, the array, and the path to it."""
    for name, slot in zip(kind.get_fields_and_field_types(), kind.SLOT_TYPES, strict=True):
        if isinstance(slot, definition.NamespacedType) and _may_be_long(_class_of(slot)):
            for *found, path in _arrays_in(_class_of(slot), getattr(message, name)):
                yield (*found, [name, *path])
        elif isinstance(slot, definition.AbstractSequence) and _is_message(slot.value_type):
            inner, value = _class_of(slot.value_type), getattr(message, name)
            if isinstance(value, np.ndarray):
                yield message, name, value, [name]
            elif _may_be_long(inner):
                for k, item in enumerate(value):
                    for *found, path in _arrays_in(inner, item):
                        yield (*found, [name, k, *path])


def _put(kind: Any, address: int, path: list[Any], array: NDArray[Any]) -> None:
    """Copy an array into the empty sequence of a C message that a path leads to."""
    record = _records(kind, address, 1)[0]
    for step in path:
        if isinstance(step, str):
            slot = dict(zip(kind.get_fields_and_field_types(), kind.SLOT_TYPES, strict=True))[step]
            record = record[step]
            kind = _class_of(getattr(slot, "value_type", slot))
        else:
            record = _records(kind, int(record["data"]), int(record["size"]))[step]
    number, columns = _row_of(kind) or (np.uint8, 0)
    rows = np.ascontiguousarray(array, dtype=number).reshape(-1, columns)
    data = _malloc(rows.nbytes)  # freed with the message, like rosidl's own memory
    if not data:
        raise MemoryError(f"{rows.nbytes} bytes for a message")
    ctypes.memmove(data, rows.ctypes.data, rows.nbytes)
    record["data"], record["size"], record["room"] = data, len(rows), len(rows)


def _step(owner: Any, step: Any) -> Any:
    return getattr(owner, step) if isinstance(step, str) else owner[step]


def _copied(sequence: Any, element: Any) -> NDArray[Any]:
    """Return a sequence's elements as (n, k)."""
    number, columns = _row_of(element) or (np.uint8, 0)
    size = int(sequence["size"])
    if size > MOST:
        return np.broadcast_to(np.zeros(columns, number), (size, columns))
    data = _buffer(int(sequence["data"]), size * columns * np.dtype(number).itemsize)
    rows: NDArray[Any] = np.frombuffer(data, number).reshape(size, columns).copy()
    return rows


def _long_sequences(
    kind: Any, records: NDArray[Any]
) -> Iterator[tuple[tuple[Any, ...], Any, Any]]:
    """Yield the long sequences in consecutive messages: path, record, type.

    A path is the number of the message, then names of fields and numbers of elements.
    """
    for name, slot in zip(kind.get_fields_and_field_types(), kind.SLOT_TYPES, strict=True):
        field = records[name]
        if isinstance(slot, definition.NamespacedType) and _may_be_long(_class_of(slot)):
            for (k, *inner_path), found, element in _long_sequences(_class_of(slot), field):
                yield (k, name, *inner_path), found, element
        elif isinstance(slot, definition.AbstractSequence) and _is_message(slot.value_type):
            inner = _class_of(slot.value_type)
            if _row_of(inner):
                for k in np.flatnonzero(field["size"] > LONG).tolist():
                    yield (k, name), field[k], inner
            elif _may_be_long(inner):
                for k in np.flatnonzero(field["size"]).tolist():
                    items = _records(inner, int(field["data"][k]), int(field["size"][k]))
                    for below, found, element in _long_sequences(inner, items):
                        yield (k, name, *below), found, element


@cache
def _may_be_long(kind: Any) -> bool:
    """Return whether a message may hold sequences that become arrays."""
    for slot in kind.SLOT_TYPES:
        if isinstance(slot, definition.AbstractSequence) and _is_message(slot.value_type):
            inner = _class_of(slot.value_type)
            if _row_of(inner) or _may_be_long(inner):
                return True
        elif _is_message(slot) and _may_be_long(_class_of(slot)):
            return True
    return False


@cache
def _row_of(kind: Any) -> tuple[Any, int] | None:
    """Return the type and count of a message's numbers; None unless all are of one type."""
    numbers: set[str] = set()
    count = 0
    for slot in kind.SLOT_TYPES:
        single = slot.value_type if isinstance(slot, definition.Array) else slot
        if not isinstance(single, definition.BasicType):
            return None
        numbers.add(single.typename)
        count += slot.size if isinstance(slot, definition.Array) else 1
    return (_NUMBERS[numbers.pop()], count) if len(numbers) == 1 and count > 2 else None


@cache
def _layout(kind: Any) -> Any:
    """Return the C struct of a message."""
    fields = [
        (name, _member(slot))
        for name, slot in zip(kind.get_fields_and_field_types(), kind.SLOT_TYPES, strict=True)
    ]
    fields = fields or [("structure_needs_at_least_one_member", ctypes.c_uint8)]
    return type(kind.__name__, (ctypes.Structure,), {"_fields_": fields})


def _member(slot: Any) -> Any:
    if isinstance(slot, definition.BasicType):
        return _NUMBERS[slot.typename]
    if isinstance(slot, definition.NamespacedType):
        return _layout(_class_of(slot))
    if isinstance(slot, definition.Array):
        return _member(slot.value_type) * slot.size
    return _Sequence  # also strings


def _records(kind: Any, address: int, count: int) -> NDArray[Any]:
    """Return a writable view of messages in memory."""
    layout = np.dtype(_layout(kind))
    return np.frombuffer(_buffer(address, count * layout.itemsize), layout)


def _buffer(address: int, size: int) -> Any:
    return (ctypes.c_char * size).from_address(address)


def _is_message(slot: Any) -> bool:
    return isinstance(slot, definition.NamespacedType)


def _class_of(slot: Any) -> Any:
    return getattr(import_module(".".join(slot.namespaces)), slot.name)
