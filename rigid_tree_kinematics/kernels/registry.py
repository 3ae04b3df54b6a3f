"""Which functions are kernels or parts of kernels; Numba is told only where it has to compile."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from rigid_tree_kinematics.kernels.sources import sources_digest
from rigid_tree_kinematics.kernels.types import Signature

# Division by zero as in NumPy; ``contract`` allows fused multiply-adds and no other change.
OPTIONS: dict[str, Any] = {"nogil": True, "error_model": "numpy", "fastmath": {"contract"}}


@dataclass(frozen=True)
class Kernel:
    """A function and the signature that it is compiled for."""

    function: Callable[..., Any]
    signature: Signature
    allocates: bool

    @property
    def name(self) -> tuple[str, str]:
        """The names of the module and of the function."""
        return self.function.__module__, self.function.__name__

    @property
    def symbol(self) -> str:
        """The name of its entry point in an object file."""
        return "__".join(self.name).replace(".", "_")

    @property
    def file(self) -> Path:
        """The source file."""
        # Resolved: an installed package may link to its sources, which are the same kernels.
        return Path(self.function.__code__.co_filename).resolve()

    @property
    def digest(self) -> str:
        """The digest of all sources that the kernel is compiled from; OSError."""
        return sources_digest(self.file)


# By what stands for it in its module: the function, or what calls it compiled.
KERNELS: dict[Any, Kernel] = {}
INLINED: set[Any] = set()
# Of functions that are written as instructions of LLVM: the module that has them.
INSTRUCTIONS: dict[Any, str] = {}

is_building = False  # then nothing is loaded or compiled when a kernel's module is imported
