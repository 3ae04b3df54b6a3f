"""Decorators of kernels, and the types of their arrays.

A kernel is loaded when its module is imported, so that no call stalls: from the extension module
(``extension.py``), or compiled by Numba if it is missing there (``cache.py``). Only a package that
pip installed, which has no nodes, compiles a kernel at its first call. Kernels release the GIL,
except through ``bound`` in ``extension.py``.
"""

import functools
import os
from collections.abc import Callable
from typing import Any, TypeVar, cast

from rigid_tree_kinematics.kernels import registry
from rigid_tree_kinematics.kernels.extension import extension_function, is_from_pip
from rigid_tree_kinematics.kernels.registry import INLINED, INSTRUCTIONS, KERNELS, Kernel
from rigid_tree_kinematics.kernels.types import Array, Signature, float64
from rigid_tree_kinematics.needed_packages import needs

READ_1D = Array(float64, 1, readonly=True)
READ_2D = Array(float64, 2, readonly=True)
TABLE = READ_2D  # of a compiled tree
VECTOR = float64[::1]
MATRIX = float64[:, ::1]
BATCH = float64[:, :, ::1]
STACK = float64[:, :, :, ::1]

Function = TypeVar("Function", bound=Callable[..., Any])


def inlined(function: Function) -> Function:
    """Mark a function that is compiled into the kernels that call it.

    It returns numbers, not arrays: kernels that do not allocate do not count references to arrays.
    """
    INLINED.add(function)
    return function


def instruction(module: str) -> Callable[[Function], Function]:
    """Mark a function for kernels that ``module`` implements as LLVM instructions."""

    def marked(function: Function) -> Function:
        INSTRUCTIONS[function] = module
        return function

    return marked


def kernel(signature: Signature, *, allocates: bool = True) -> Callable[[Function], Function]:
    """Return a decorator that compiles for one signature, such as ``float64(VECTOR)``.

    A kernel that creates no arrays is faster with ``allocates=False``: Numba then does not count
    references to the arrays that its functions pass on. Raises Numba's errors if the function
    cannot be compiled.
    """

    def compiled(function: Function) -> Function:
        found = Kernel(function, signature, allocates)
        ready: Any = function
        if not (registry.is_building or os.environ.get("NUMBA_DISABLE_JIT", "0") != "0"):
            ready = extension_function(found) or _by_numba(found)
        KERNELS[ready] = found
        return cast(Function, ready)

    return compiled


def _by_numba(found: Kernel) -> Any:
    if not is_from_pip():
        return _compile(found)
    compiled = functools.cache(lambda: _compile(found))
    return lambda *arguments: compiled()(*arguments)


def _compile(found: Kernel) -> Any:
    with needs("numba", "Compiling kernels for this processor and this Python"):
        from rigid_tree_kinematics.kernels.cache import compile_or_load

    return compile_or_load(found)
