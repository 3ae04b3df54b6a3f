"""The decorators that every kernel of this package is made with, and the types of its arrays.

A kernel is compiled, or loaded from the cache, when its module is imported: its signature is
given, so no call ever stalls. Kernels release the GIL and follow NumPy where a number is divided
by zero; ``contract`` allows fused multiply-adds and no other change of the arithmetic.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar, cast

from numba import njit, types
from numba.core.dispatcher import Dispatcher

from rigid_tree_kinematics.kernels.cache import compile_or_load

READ_1D = types.Array(types.float64, 1, "C", readonly=True)
READ_2D = types.Array(types.float64, 2, "C", readonly=True)
TABLE = READ_2D  # of a compiled tree
VECTOR = types.float64[::1]
MATRIX = types.float64[:, ::1]
BATCH = types.float64[:, :, ::1]
STACK = types.float64[:, :, :, ::1]

_OPTIONS: dict[str, Any] = {"nogil": True, "error_model": "numpy", "fastmath": {"contract"}}

Function = TypeVar("Function", bound=Callable[..., Any])


def inlined(function: Function) -> Function:
    """Mark a function that only kernels call: it is compiled into each of them.

    It returns numbers, not arrays: a kernel that does not allocate counts no references to them.
    """
    return cast(Function, njit(forceinline=True, **_OPTIONS)(function))


def kernel(signature: Any, *, allocates: bool = True) -> Callable[[Function], Function]:
    """Return a decorator that compiles a function for one signature, such as ``float64(VECTOR)``.

    A kernel that makes no arrays is faster with ``allocates=False``: Numba then counts no
    references to the arrays that its functions hand to each other.

    Raises Numba's errors if the function cannot be compiled; see ``cache.py`` for the cache.
    """
    options = _OPTIONS if allocates else {**_OPTIONS, "_nrt": False}

    def compiled(function: Function) -> Function:
        dispatcher = njit(**options)(function)
        if isinstance(dispatcher, Dispatcher):  # not so with NUMBA_DISABLE_JIT=1
            compile_or_load(dispatcher, signature)
            dispatcher.disable_compile()
        return cast(Function, dispatcher)

    return compiled
