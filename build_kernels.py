"""Build commands of setup.py: install the package, and compile its kernels.

KERNELS_FOR lists the x86-64 levels, or aarch64, of a wheel's compiled kernels
(``scripts/build_wheel.py``); without it the wheel needs Numba.
"""

import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

from setuptools import Command, Distribution
from setuptools.command.build_py import build_py
from setuptools.command.develop import develop
from setuptools.command.install import install

NAME = "rigid_tree_kinematics"
KERNELS_FOR = os.environ.get("KERNELS_FOR", "").split()


def compile_kernels(folder: str, **settings: str) -> bool:
    """Compile the kernels of the package in a folder; return whether it succeeded."""
    path = os.pathsep.join([folder, *filter(None, [os.environ.get("PYTHONPATH")])])
    command = [sys.executable, "-m", f"{NAME}.compile_kernels"]
    environment = os.environ | {"PYTHONPATH": path} | settings
    return subprocess.run(command, env=environment, cwd=folder, check=False).returncode == 0


def compile_for_here(folder: str) -> None:
    """Compile the kernels for this machine, to keep the first start of a node short."""
    if not compile_kernels(folder):
        print("The kernels could not be compiled now; the first start compiles them.")


class BuildPy(build_py):
    """Build command of wheels."""

    def run(self) -> None:
        """Copy the package, and compile its kernels for other machines."""
        super().run()
        for level in KERNELS_FOR:
            with tempfile.TemporaryDirectory() as folder:
                settings = {"NUMBA_CPU_NAME": level, "NUMBA_CPU_FEATURES": ""}
                if not level.startswith("x86-64"):
                    settings["NUMBA_CPU_NAME"] = "x86-64-v2"  # vectors of the same length
                    settings["KERNELS_TARGET"] = f"{level}-linux-gnu"
                if not compile_kernels(self.build_lib, NUMBA_CACHE_DIR=folder, **settings):
                    raise RuntimeError(f"the kernels could not be compiled for {level}")
                (module,) = Path(folder).glob("_kernels-*.so")
                shutil.copy(module, Path(self.build_lib, NAME, "kernels"))


class WithKernels(Distribution):
    """A package for one kind of machine and one Python."""

    def has_ext_modules(self) -> bool:
        """Return True: kernels are an extension module."""
        return True


class Develop(develop):
    """Install command of colcon with --symlink-install."""

    def run(self) -> None:
        """Link to the sources, and compile the kernels beside them."""
        super().run()
        if not self.uninstall:
            compile_for_here(str(Path(__file__).resolve().parent))


class Install(install):
    """Install command of colcon without --symlink-install."""

    def run(self) -> None:
        """Install, and compile the kernels that were installed."""
        super().run()
        # Wheels run on any machine; these kernels run on this processor only.
        if self.distribution.get_command_obj("bdist_wheel", create=False) is None:
            compile_for_here(os.path.abspath(self.install_lib))


COMMANDS: dict[str, type[Command]] = {
    "build_py": BuildPy,
    "develop": Develop,
    "install": Install,
}
DISTRIBUTION = WithKernels if KERNELS_FOR else Distribution
