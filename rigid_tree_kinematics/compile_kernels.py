"""Compile kernels: ``python -m rigid_tree_kinematics.compile_kernels``, without a name: all.

It uses all cores, skips unchanged kernels and prints one line per kernel. With names of Python
modules it compiles their kernels. It exits if the reader of its output has exited.
"""

import subprocess
import sys


def main() -> int:
    """Build the extension module of the kernels; return the exit code."""
    from rigid_tree_kinematics.kernels.build import build  # takes a second: it imports Numba

    try:
        print(build(sys.argv[1:]))
    except (OSError, subprocess.CalledProcessError) as error:
        print(f"The kernels could not be compiled: {error}", file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        return 130
    return 0


if __name__ == "__main__":
    sys.exit(main())
