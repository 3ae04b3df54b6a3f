"""The entry point of a kernel: what C calls, as a function for Numba.

It is a function of ``slots`` and ``numbers``, written here as Python text. Both are the address of
the same slots of eight bytes, as int64 and as float64. ``call.c`` fills them: a number takes one
slot; an array takes one for its address, and one for the length of each axis. The entry point
writes the results into the slots behind the arguments.
"""

from collections.abc import Iterator
from itertools import count
from typing import Any

import numba
from numba.extending import intrinsic

from rigid_tree_kinematics.kernels.numba_private import cgutils, populate_array
from rigid_tree_kinematics.kernels.types import (
    Array,
    Record,
    Signature,
    Tuple,
    Type,
    boolean,
    float64,
)

numba_types: Any = numba.types

# Division by zero as in NumPy; ``contract`` allows fused multiply-adds and no other change.
# Without _nrt, Numba's runtime, kernels cannot create arrays and need no runtime.
OPTIONS: dict[str, Any] = {
    "nogil": True,
    "error_model": "numpy",
    "fastmath": {"contract"},
    "_nrt": False,
}
BARE: dict[str, Any] = {"no_cpython_wrapper": True, "no_cfunc_wrapper": True}
ENTRY = numba_types.void(
    numba_types.CPointer(numba_types.intp), numba_types.CPointer(numba_types.float64)
)


def numba_type(of: Type) -> Any:
    """Return Numba's type."""
    if isinstance(of, Array):
        return numba_types.Array(numba_type(of.dtype), of.ndim, "C", readonly=of.readonly)
    if isinstance(of, Tuple):
        items = [numba_type(item) for item in of.items]
        if of.kind is not None:
            return numba_types.NamedTuple(items, of.kind)
        return numba_types.Tuple(items)
    if isinstance(of, Record):
        return numba.from_dtype(of.dtype)
    return getattr(numba_types, of.name)


def numba_signature(of: Signature) -> Any:
    """Return Numba's signature of a kernel."""
    return numba_type(of.result)(*map(numba_type, of.arguments))


def entry(symbol: str, kernel: Any, signature: Signature) -> Any:
    """Return the entry point of a kernel, given as Numba's function, as a function for Numba."""
    names: dict[str, Any] = {"kernel": kernel}
    slot = count()
    arguments = ", ".join(_argument(of, slot, names) for of in signature.arguments)
    text = f"def {symbol}(slots, numbers):\n    result = kernel({arguments})\n"
    result = signature.result
    for k, of in enumerate(result.items if isinstance(result, Tuple) else [result]):
        if getattr(of, "code", ""):
            item = f"result[{k}]" if isinstance(result, Tuple) else "result"
            place = "numbers" if of == float64 else "slots"
            text += f"    {place}[{next(slot)}] = {item}\n"
    exec(text, names)
    return names[symbol]


def _argument(of: Type, slot: Iterator[int], names: dict[str, Any]) -> str:
    """Return the text that reads an argument from the slots; add what it calls to ``names``."""
    if isinstance(of, Tuple):
        items = "".join(f"{_argument(item, slot, names)}, " for item in of.items)
        return f"{_named(of.kind, names)}({items})" if of.kind else f"({items})"
    first = next(slot)
    if isinstance(of, Array):
        lengths = "".join(f"slots[{next(slot)}], " for _ in range(of.ndim))
        return f"{_named(_array_at(numba_type(of)), names)}(slots[{first}], ({lengths}))"
    if of == float64:
        return f"numbers[{first}]"
    return f"slots[{first}] != 0" if of == boolean else f"slots[{first}]"


def _named(value: Any, names: dict[str, Any]) -> str:
    name = f"of_{len(names)}"
    names[name] = value
    return name


def _array_at(of: Any) -> Any:
    """Return a function that makes an array of a Numba type of an address and its lengths."""

    @intrinsic
    def array_at(typing: Any, address: Any, lengths: Any) -> Any:
        def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
            item = context.get_data_type(of.dtype)
            shape = cgutils.unpack_tuple(builder, arguments[1])
            size = context.get_constant(numba_types.intp, context.get_abi_sizeof(item))
            strides = [size]
            for length in reversed(shape[1:]):
                strides.insert(0, builder.mul(length, strides[0], flags=("nsw",)))
            array = context.make_array(of)(context, builder)
            data = builder.inttoptr(arguments[0], item.as_pointer())
            populate_array(array, data, shape, strides, size, meminfo=None, parent=None)
            return array._getvalue()

        return of(numba_types.intp, numba_types.UniTuple(numba_types.intp, of.ndim)), generate

    return array_at
