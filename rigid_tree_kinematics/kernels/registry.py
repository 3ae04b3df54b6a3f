"""The registered kernels; Numba is not needed to register them."""

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from rigid_tree_kinematics.kernels.sources import sources_digest
from rigid_tree_kinematics.kernels.types import Signature


@dataclass(frozen=True)
class Kernel:
    """A function and the signature that it is compiled for."""

    function: Callable[..., Any]
    signature: Signature

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
        """The digest of all sources that the kernel is compiled from; raises OSError."""
        return sources_digest(self.file)


# By the object in the kernel's module, which is what other code calls.
KERNELS: dict[Any, Kernel] = {}

is_building = False  # while True, kernels' modules hold Numba's functions, for compiler.py
