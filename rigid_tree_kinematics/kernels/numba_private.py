"""The undocumented parts of Numba that this package uses, mostly to compile faster.

``test/kernels/numba_private_names.json`` lists which versions have these names.
"""

from typing import Any

import llvmlite.binding as llvm
from numba.core import cgutils, codegen
from numba.np.arrayobj import populate_array

__all__ = ["cgutils", "leave_out_body", "only_emit", "optimized_module", "populate_array"]

NAMES = (
    "core.codegen.CodeLibrary._ensure_finalized",
    "core.codegen.CPUCodeLibrary._final_module",
    "core.codegen.CPUCodeLibrary._get_module_for_linking",
    "core.codegen.JITCPUCodegen.set_env",
    "core.codegen.JITCodeLibrary._finalize_specific",
    "core.codegen.JITCodeLibrary.get_pointer_to_function",
    "np.arrayobj.populate_array",
)


def only_emit() -> None:
    """Disable code generation for this process, which saves a quarter of the time."""
    library: Any = codegen.JITCodeLibrary
    library._finalize_specific = lambda self: None
    library.get_pointer_to_function = lambda self, name: self._ensure_finalized() or 0
    environments: Any = codegen.JITCPUCodegen
    environments.set_env = lambda self, name, environment: None


def optimized_module(library: Any) -> Any:
    """Return the LLVM module of a compiled function."""
    return library._final_module


def leave_out_body(library: Any) -> None:
    """Let other functions call a compiled one instead of including a copy of it."""
    nothing = llvm.parse_assembly("")
    library._get_module_for_linking = lambda: nothing
