"""Types of kernels' arguments and results, by Numba's names, without importing Numba."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np


class _Returned:
    """A type that a kernel can return; calling it with argument types gives a signature."""

    def __call__(self, *arguments: Type) -> Signature:
        """Return the signature of a kernel that returns this."""
        return Signature(self, arguments)  # type: ignore[arg-type]


@dataclass(frozen=True)
class Number(_Returned):
    """A number; ``code`` is NumPy's character for it."""

    name: str
    code: str

    def __getitem__(self, axes: slice | tuple[slice, ...]) -> Array:
        """Return the type of C-contiguous arrays, as in ``float64[:, ::1]``."""
        return Array(self, len(axes) if isinstance(axes, tuple) else 1)


@dataclass(frozen=True)
class Record:
    """The entries of a structured array."""

    dtype: np.dtype[Any]

    @property
    def code(self) -> str:
        """NumPy's character for it, and its number of bytes."""
        return f"V{self.dtype.itemsize}:"


@dataclass(frozen=True)
class Array(_Returned):
    """A C-contiguous array."""

    dtype: Number | Record
    ndim: int
    readonly: bool = False


@dataclass(frozen=True)
class Tuple(_Returned):
    """Several values; ``kind`` is a class made by typing.NamedTuple, or None."""

    items: tuple[Type, ...]
    kind: type | None = None


@dataclass(frozen=True)
class Signature:
    """The argument and result types of a kernel."""

    result: Type
    arguments: tuple[Type, ...]


Type = Number | Record | Array | Tuple

void = Number("void", "")
boolean = Number("boolean", "?")
uint8 = Number("uint8", "B")
int64 = intp = Number("int64", "q")
float32 = Number("float32", "f")
float64 = Number("float64", "d")


def UniTuple(item: Type, count: int) -> Tuple:  # noqa: N802 (Numba's name)
    """Return the type of a tuple of equal types."""
    return Tuple((item,) * count)


def NamedTuple(items: tuple[Type, ...], kind: type) -> Tuple:  # noqa: N802 (Numba's name)
    """Return the type of a named tuple's instances."""
    return Tuple(tuple(items), kind)


def from_dtype(dtype: np.dtype[Any]) -> Record:
    """Return the type of a structured array's entries."""
    return Record(dtype)


def type_of(value: Any) -> Type:
    """Return the type of an array, or of a named tuple of arrays."""
    if isinstance(value, tuple):
        return NamedTuple(tuple(map(type_of, value)), type(value))
    if value.dtype.names:
        return Array(from_dtype(value.dtype), value.ndim)
    (number,) = (
        n for n in (uint8, int64, float32, float64) if n.code == value.dtype.char.replace("l", "q")
    )
    return Array(number, value.ndim)


def text_of(of: Type) -> str:
    """Return a type as call.c reads it: d; d2 an array to read, d2w to write; V96:1w; (dq)."""
    if isinstance(of, Tuple):
        return f"({''.join(map(text_of, of.items))})"
    if isinstance(of, Array):
        return f"{of.dtype.code}{of.ndim}{'' if of.readonly else 'w'}"
    return of.code
