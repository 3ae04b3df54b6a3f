"""Build description of the package: colcon runs it for ROS 2, pip for the library alone.

colcon installs robots and scenes under share/; pip installs them inside the package, without the
programs, which need ROS 2.
"""

import os
import re
import sys
from pathlib import Path
from typing import Any

from setuptools import find_packages, setup

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE))
from build_kernels import COMMANDS, DISTRIBUTION, KERNELS_FOR, NAME  # noqa: E402

# What makes the node of a program.
NODES = (
    "frame_watch = rigid_tree_kinematics.nodes.tools.frame_watch:FrameWatch",
    "ik_server = rigid_tree_kinematics.nodes.ik_server:IkServer",
    "interactive_target = rigid_tree_kinematics.nodes.tools.interactive_target:InteractiveTarget",
    "joint_state_source = rigid_tree_kinematics.nodes.tools.joint_state_source:JointStateSource",
    "robot_simulator = rigid_tree_kinematics.nodes.robot_simulator:RobotSimulator",
    "rrt_planner = rigid_tree_kinematics.nodes.rrt_planner:RrtPlanner",
    "tree_state_publisher = rigid_tree_kinematics.nodes.tree_state_publisher:TreeStatePublisher",
)
OTHERS = (
    "move_robot = rigid_tree_kinematics.nodes.tools.move_robot:main",
    "python = rigid_tree_kinematics.python:main",
    "robot_host = rigid_tree_kinematics.nodes.robot_host:main",
)
# Commands of pip and other front ends; colcon uses none of them.
FOR_PIP = not {"sdist", "bdist_wheel", "dist_info", "editable_wheel"}.isdisjoint(sys.argv)
# Packages that only some tasks import, with ``needs`` of needed_packages.py.
EXTRAS = {
    "planning": ("coal",),
    "figures": ("matplotlib",),
    "urdf_parser": ("urdf-parser-py",),
}
if KERNELS_FOR:
    EXTRAS["compile"] = ("numba",)
# Packages of optional formats; the setup of a clone does not install them.
FURTHER_EXTRAS = {
    "meshes": ("example-robot-data",),
    "mjcf": ("mujoco",),
    "pinocchio": ("pin",),
    "robot_descriptions": ("robot_descriptions",),
}
# Extensions, each with a distribution of its own.
EXTENSIONS = {name: [f"rigid_tree_{name}"] for name in ("batch", "nao", "web")}
PACKAGE_DATA = {NAME: ["py.typed"], f"{NAME}.kernels": ["call.c"]}
LIBRARY = find_packages(include=[NAME, f"{NAME}.*"])


def share(folder: str) -> tuple[str, list[str]]:
    """Install the files of a folder under share/."""
    return (f"share/{NAME}/{folder}", [str(p) for p in Path(folder).glob("*") if p.is_file()])


def project_urls() -> dict[str, str]:
    """Return the URL of the repository, for builds on GitHub."""
    repository = os.environ.get("GITHUB_REPOSITORY")
    return {"Source": f"https://github.com/{repository}"} if repository else {}


def requirements(file: str = "requirements.txt") -> dict[str, str]:
    """Return the requirement lines of a file by package name."""
    lines = [line.split("#")[0].strip() for line in (HERE / file).open()]
    return {re.split(r"[^\w-]", line)[0]: line for line in lines if line}


def for_pip() -> dict[str, Any]:
    """Return the arguments for a wheel: library, data inside it, and requirements."""
    needed, further = requirements(), requirements("requirements-test.txt")
    extras = {extra: [needed.pop(name) for name in names] for extra, names in EXTRAS.items()}
    extras |= {extra: [further[name] for name in names] for extra, names in FURTHER_EXTRAS.items()}
    every = [line for lines in extras.values() for line in lines]
    return {
        "packages": [*LIBRARY, f"{NAME}.robots", f"{NAME}.scenes"],
        "package_dir": {f"{NAME}.{folder}": folder for folder in ("robots", "scenes")},
        "package_data": {
            **PACKAGE_DATA,
            f"{NAME}.robots": ["*.yaml", "*.urdf", "*.srdf", "fits.npz"],
            f"{NAME}.scenes": ["*.yaml"],
        },
        # ROS 2 brings its own xacro, so requirements.txt omits it.
        "install_requires": [*needed.values(), "xacro>=2.1"],
        "extras_require": extras | {"all": every} | EXTENSIONS,
    }


def for_colcon() -> dict[str, Any]:
    """Return the arguments for colcon; requirements are in package.xml."""
    scripts = [f"{node.partition(':')[0]}:main" for node in NODES] + [*OTHERS]
    return {
        "packages": LIBRARY,
        "package_data": PACKAGE_DATA,
        "data_files": [
            ("share/ament_index/resource_index/packages", [f"resource/{NAME}"]),
            (f"share/{NAME}", ["package.xml"]),
            *map(share, ("examples", "launch", "config", "robots", "scenes")),
        ],
        "install_requires": ["setuptools"],
        "extras_require": {"test": ["pytest"]},  # makes colcon test run pytest
        "entry_points": {"console_scripts": scripts, f"{NAME}.nodes": [*NODES]},
    }


setup(
    name=NAME,
    version="0.1.0",
    python_requires=">=3.10",  # in setup.cfg, colcon could not read it
    long_description=(HERE / "README.md").read_text(encoding="utf-8"),
    project_urls=project_urls(),
    cmdclass=COMMANDS,
    distclass=DISTRIBUTION,
    **(for_pip() if FOR_PIP else for_colcon()),
)
