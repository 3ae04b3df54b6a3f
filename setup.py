"""Build description of the package: colcon runs it for ROS 2, pip for the library alone.

colcon installs robots and scenes under share/; pip installs them inside the package, without the
programs, which need ROS 2. KERNELS_FOR lists the x86-64 levels, or aarch64, of a wheel's compiled
kernels (``scripts/build_wheel.py``); without it the wheel needs Numba.
"""

import os
import re
import shutil
import subprocess
import sys
import tempfile
from glob import glob
from itertools import chain
from pathlib import Path
from typing import Any

from setuptools import Command, Distribution, find_packages, setup
from setuptools.command.build_py import build_py
from setuptools.command.develop import develop
from setuptools.command.install import install
from setuptools.command.install_scripts import install_scripts

NAME = "rigid_tree_kinematics"
PROGRAMS = (
    "frame_watch",
    "ik_demo",
    "ik_server",
    "interactive_target",
    "joint_state_source",
    "move_group",
    "move_robot",
    "nao_bridge",
    "nao_demo",
    "planar_rrt",
    "planning_demo",
    "python",
    "reachability_display",
    "robot_host",
    "robot_simulator",
    "simulated_nao",
    "tour",
    "rrt_planner",
    "servo_keyboard",
    "servo_node",
    "tree_state_publisher",
    "web_viewer",
)


HERE = Path(__file__).resolve().parent
# Commands of pip and other front ends; colcon uses none of them.
FOR_PIP = not {"sdist", "bdist_wheel", "dist_info", "editable_wheel"}.isdisjoint(sys.argv)
# Packages that only some tasks import, with ``needs`` of needed_packages.py.
EXTRAS = {
    "planning": ("coal",),
    "figures": ("matplotlib",),
    "viewer": ("viser", "nh3", "markdown-it-py"),
    "nao": ("qi",),
    "urdf_parser": ("urdf-parser-py",),
}
KERNELS_FOR = os.environ.get("KERNELS_FOR", "").split()
if KERNELS_FOR:
    EXTRAS["compile"] = ("numba",)
# Packages of optional formats; the setup of a clone does not install them.
FURTHER_EXTRAS = {
    "batch": ("dask", "distributed", "pyarrow", "zarr"),
    "meshes": ("example-robot-data",),
    "mcap": ("mcap-ros2-support",),
    "pinocchio": ("pin",),
    "robot_descriptions": ("robot_descriptions",),
}


def share(folder: str) -> tuple[str, list[str]]:
    """Install the files of a folder under share/."""
    files = [name for name in glob(f"{folder}/*") if Path(name).is_file()]
    return (f"share/{NAME}/{folder}", files)


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


# The text of every program; start.py selects the node by the program's name. The script that
# setuptools writes imports for 0.1 s before this package can handle Ctrl-C.
PROGRAM = """
import os
import signal
import sys

if __name__ == "__main__":
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, lambda *_: os._exit(0))
    signal.pthread_sigmask(signal.SIG_UNBLOCK, (signal.SIGINT, signal.SIGTERM))

    from rigid_tree_kinematics.start import main

    sys.exit(main())
"""
# Blocks signals while Python starts; coreutils' env has the option since 8.31.
PATIENT = "/usr/bin/env", "-S", "--block-signal=INT,TERM"
LONGEST_FIRST_LINE = 127  # characters, in Linux before 5.1


def program(written: str) -> str:
    """Return a program that runs with the Python of the script setuptools would write."""
    first_line = written.splitlines()[0]
    patient = f"#!{' '.join(PATIENT)} {first_line[2:]}"
    is_plain = re.fullmatch(r"#![\w./+-]+", first_line) and len(patient) <= LONGEST_FIRST_LINE
    if is_plain and not subprocess.run([*PATIENT[::2], "true"], check=False).returncode:
        first_line = patient
    return f"{first_line}\n{PROGRAM.lstrip()}"


class Develop(develop):
    """Install command of colcon with --symlink-install."""

    def write_script(self, name: str, text: str, mode: str = "t", blockers: Any = ()) -> None:
        """Write a program."""
        super().write_script(name, program(text), mode, blockers)

    def run(self) -> None:
        """Link to the sources, and compile the kernels beside them."""
        super().run()
        if not self.uninstall:
            compile_for_here(str(Path(__file__).resolve().parent))


class InstallScripts(install_scripts):
    """Script writer of ``Install``."""

    def write_script(self, name: str, text: str, mode: str = "t", *others: Any) -> None:
        """Write a program."""
        super().write_script(name, program(text), mode, *others)


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
    "install_scripts": InstallScripts,
}


def project_urls() -> dict[str, str]:
    """Return the URLs of the repository and its manual, for builds on GitHub."""
    repository = os.environ.get("GITHUB_REPOSITORY", "")
    if not repository:
        return {}
    owner, _, name = repository.partition("/")
    source = f"https://github.com/{repository}"
    return {
        "Documentation": f"https://{owner.lower()}.github.io/{name}/",
        "Source": source,
        "Issues": f"{source}/issues",
    }


def requirements(file: str = "requirements.txt") -> dict[str, str]:
    """Return the requirement lines of a file by package name."""
    lines = [line.split("#")[0].strip() for line in (HERE / file).open()]
    return {re.split(r"[^\w-]", line)[0]: line for line in lines if line}


def for_pip() -> dict[str, Any]:
    """Return the arguments for a wheel: library, data inside it, and requirements."""
    needed = requirements()
    further = requirements("requirements-test.txt")
    extras = {extra: [needed.pop(name) for name in names] for extra, names in EXTRAS.items()}
    extras |= {extra: [further[name] for name in names] for extra, names in FURTHER_EXTRAS.items()}
    return {
        "packages": [*LIBRARY, f"{NAME}.robots", f"{NAME}.scenes"],
        "package_dir": {f"{NAME}.{folder}": folder for folder in ("robots", "scenes")},
        "package_data": {
            **PACKAGE_DATA,
            f"{NAME}.robots": ["*.yaml", "*.urdf", "*.srdf", "fits/*.fit"],
            f"{NAME}.scenes": ["*.yaml"],
        },
        # ROS 2 brings its own xacro, so requirements.txt omits it.
        "install_requires": [*needed.values(), "xacro>=2.1"],
        "extras_require": extras | {"all": list(chain(*extras.values()))},
    }


def for_colcon() -> dict[str, Any]:
    """Return the arguments for colcon; requirements are in package.xml."""
    return {
        "packages": LIBRARY,
        "package_data": PACKAGE_DATA,
        "data_files": [
            ("share/ament_index/resource_index/packages", [f"resource/{NAME}"]),
            (f"share/{NAME}", ["package.xml"]),
            share("examples"),
            share("launch"),
            share("config"),
            share("robots"),
            share("robots/fits"),
            share("scenes"),
        ],
        "install_requires": ["setuptools"],
        "extras_require": {"test": ["pytest"]},  # makes colcon test run pytest
        "entry_points": {
            "console_scripts": [f"{program} = {NAME}.start:main" for program in PROGRAMS],
        },
    }


PACKAGE_DATA = {NAME: ["py.typed"], f"{NAME}.kernels": ["call.c"]}
LIBRARY = find_packages(include=[NAME, f"{NAME}.*"])

setup(
    name=NAME,
    version="0.1.0",
    python_requires=">=3.10",
    zip_safe=False,
    maintainer="rigid_tree_kinematics maintainers",
    maintainer_email="maintainers@users.noreply.github.com",
    description="Kinematics, inverse kinematics and planning for rigid body trees, for ROS 2",
    long_description=(HERE / "README.md").read_text(encoding="utf-8"),
    long_description_content_type="text/markdown",
    license="Apache-2.0",
    project_urls=project_urls(),
    keywords=["robotics", "kinematics", "inverse kinematics", "motion planning", "ROS", "URDF"],
    classifiers=[
        "Development Status :: 4 - Beta",
        "Intended Audience :: Science/Research",
        "Operating System :: POSIX :: Linux",
        "Programming Language :: Python :: 3.10",
        "Programming Language :: Python :: 3.11",
        "Programming Language :: Python :: 3.12",
        "Programming Language :: Python :: 3.13",
        "Topic :: Scientific/Engineering",
        "Typing :: Typed",
    ],
    cmdclass=COMMANDS,
    distclass=WithKernels if KERNELS_FOR else Distribution,
    **(for_pip() if FOR_PIP else for_colcon()),
)
