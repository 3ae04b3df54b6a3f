"""Compile all kernels into Numba's cache: ``python -m rigid_tree_kinematics.compile_kernels``.

It uses all cores, skips unchanged kernels and prints one line per module.
"""

from __future__ import annotations

import importlib
import logging
import os
import subprocess
import sys

from rigid_tree_kinematics.kernels import PACKAGE


def kernel_modules() -> list[str]:
    """Return the names of the modules that define kernels; importing one compiles them."""
    files = (path for path in PACKAGE.rglob("*.py") if b"\n@kernel(" in path.read_bytes())
    names = (path.relative_to(PACKAGE.parent).with_suffix("") for path in files)
    return sorted(".".join(name.parts) for name in names)


def compile_share(modules: list[str], worker: int, workers: int) -> None:
    """Import all modules, this worker's share first.

    Workers that need the same kernel wait for the one that compiles it; different first modules
    avoid that.
    """
    logging.getLogger(f"{__package__}.kernels.cache").setLevel(logging.ERROR)
    first = len(modules) * worker // workers
    for module in modules[first:] + modules[:first]:
        importlib.import_module(module)
        print(module, flush=True)


def main() -> int:
    """Compile in as many processes as there are cores; return the exit code."""
    modules, workers = kernel_modules(), len(os.sched_getaffinity(0))
    code = "from rigid_tree_kinematics.compile_kernels import *; compile_share({}, {}, {})"
    processes = [
        subprocess.Popen([sys.executable, "-c", code.format(modules, worker, workers)])
        for worker in range(workers)
    ]
    return max(abs(process.wait()) for process in processes)


if __name__ == "__main__":
    sys.exit(main())
