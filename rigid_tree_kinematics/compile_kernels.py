"""Compile every kernel into Numba's cache: ``python -m rigid_tree_kinematics.compile_kernels``."""

import importlib

# Importing these compiles what they hold, because their kernels have explicit signatures.
MODULES_WITH_KERNELS = (
    "rigid_tree_kinematics.kinematics",
    "rigid_tree_kinematics.ik",
    "rigid_tree_kinematics.collision",
    "rigid_tree_kinematics.planning",
    "rigid_tree_kinematics.planning.planar_arm",
    "rigid_tree_kinematics.dynamics",
)


def main() -> None:
    """Import every module that holds kernels."""
    for module in MODULES_WITH_KERNELS:
        importlib.import_module(module)


if __name__ == "__main__":
    main()
