"""Compile all kernels: ``python -m rigid_tree_kinematics.compile_kernels``.

It uses all cores, skips unchanged kernels and prints one line per kernel.
"""

import importlib
import subprocess
import sys

from rigid_tree_kinematics.kernels.build import build, kernel_modules


def main() -> int:
    """Build the extension module of the kernels, or fill Numba's cache; return the exit code."""
    try:
        print(build())
    except FileNotFoundError as error:
        print(f"{error}. Numba's cache is used instead: each start takes 2 s longer.")
        for module in kernel_modules():
            importlib.import_module(module)
            print(module, flush=True)
    except (OSError, subprocess.CalledProcessError) as error:
        print(f"The kernels could not be compiled: {error}", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
