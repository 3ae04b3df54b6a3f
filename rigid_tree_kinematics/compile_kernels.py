"""Compile every kernel into Numba's cache: ``python -m rigid_tree_kinematics.compile_kernels``."""

import importlib

from rigid_tree_kinematics.kernel_cache import PACKAGE


def kernel_modules() -> list[str]:
    """Return the names of the modules that define kernels; importing one compiles them."""
    files = (path for path in PACKAGE.rglob("*.py") if b"\n@kernel(" in path.read_bytes())
    names = (path.relative_to(PACKAGE.parent).with_suffix("") for path in files)
    return sorted(".".join(name.parts) for name in names)


def main() -> None:
    """Import every module that holds kernels."""
    for module in kernel_modules():
        importlib.import_module(module)


if __name__ == "__main__":
    main()
