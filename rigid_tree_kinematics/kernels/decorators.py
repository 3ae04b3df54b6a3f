"""Decorators of kernels, and the types of their arrays.

``docs/kernels.md`` tells how a kernel becomes a function of Python. A kernel creates no arrays:
its caller passes work space. Kernels release the GIL, but not through ``bound`` (extension.py).
"""

import functools
import os
from collections.abc import Callable
from typing import Any, TypeVar, cast

import numpy as np

from rigid_tree_kinematics.kernels import registry
from rigid_tree_kinematics.kernels.extension import extension_function
from rigid_tree_kinematics.kernels.first_call import has_only_numba, when_compiled
from rigid_tree_kinematics.kernels.registry import KERNELS, Kernel
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
AS_PYTHON = os.environ.get("NUMBA_DISABLE_JIT", "0") != "0"


def inlined(function: Function) -> Function:
    """Mark a function that is compiled into the kernels that call it."""
    if not by_numba():
        return function
    from rigid_tree_kinematics.kernels.compiler import inlined_by_numba

    return cast(Function, inlined_by_numba(function))


def kernel(signature: Signature) -> Callable[[Function], Function]:
    """Return a decorator that compiles for one signature, such as ``float64(VECTOR)``."""

    def declared(function: Function) -> Function:
        found = Kernel(function, signature)
        ready = _ready(found)
        KERNELS[ready] = found
        return cast(Function, ready)

    return declared


def _ready(found: Kernel) -> Any:
    if AS_PYTHON:
        return in_python(found.function)
    if not by_numba():
        return extension_function(found) or when_compiled(found)
    from rigid_tree_kinematics.kernels.compiler import kernel_by_numba

    return kernel_by_numba(found)


def in_python(function: Callable[..., Any]) -> Callable[..., Any]:
    """Return a kernel's Python function, for which fields of records are attributes, too."""

    @functools.wraps(function)
    def called(*arguments: Any) -> Any:
        return function(*map(_with_attributes, arguments))

    return called


def _with_attributes(value: Any) -> Any:
    if isinstance(value, tuple):
        items = map(_with_attributes, value)
        return type(value)(*items) if hasattr(value, "_fields") else tuple(items)
    is_structured = isinstance(value, np.ndarray) and value.dtype.names
    return value.view(np.recarray) if is_structured else value


def by_numba() -> bool:
    """Return whether kernels are Numba's functions in this process."""
    if AS_PYTHON or not (registry.is_building or has_only_numba()):
        return False
    with needs("numba", "Compiling kernels for this processor and this Python"):
        import numba  # noqa: F401
    return True
