"""Build description of the ament_python package; colcon runs it."""

import os
import subprocess
import sys
from glob import glob
from pathlib import Path

from setuptools import Command, find_packages, setup
from setuptools.command.develop import develop
from setuptools.command.install import install

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


def share(folder: str) -> tuple[str, list[str]]:
    """Install the files of a folder under share/."""
    files = [name for name in glob(f"{folder}/*") if Path(name).is_file()]
    return (f"share/{NAME}/{folder}", files)


def compile_kernels(folder: str) -> None:
    """Compile the kernels of the package in a folder, so that no node's first start has to."""
    path = os.pathsep.join([folder, *filter(None, [os.environ.get("PYTHONPATH")])])
    command = [sys.executable, "-m", f"{NAME}.compile_kernels"]
    environment = os.environ | {"PYTHONPATH": path}
    if subprocess.run(command, env=environment, cwd=folder, check=False).returncode:
        print("The kernels could not be compiled now; the first start will do it.")


class Develop(develop):
    """What colcon runs for --symlink-install."""

    def run(self) -> None:
        """Link to the sources, and compile the kernels beside them."""
        super().run()
        if not self.uninstall:
            compile_kernels(str(Path(__file__).resolve().parent))


class Install(install):
    """What colcon runs otherwise."""

    def run(self) -> None:
        """Install, and compile the kernels that were installed."""
        super().run()
        # A wheel is for any machine, kernels are for this one's processor.
        if self.distribution.get_command_obj("bdist_wheel", create=False) is None:
            compile_kernels(os.path.abspath(self.install_lib))


COMMANDS: dict[str, type[Command]] = {"develop": Develop, "install": Install}

setup(
    name=NAME,
    version="0.1.0",
    packages=find_packages(include=[NAME, f"{NAME}.*"]),
    data_files=[
        ("share/ament_index/resource_index/packages", [f"resource/{NAME}"]),
        (f"share/{NAME}", ["package.xml"]),
        share("launch"),
        share("config"),
        share("robots"),
        share("robots/fits"),
        share("scenes"),
    ],
    install_requires=["setuptools"],
    extras_require={"test": ["pytest"]},  # which makes colcon test run pytest
    python_requires=">=3.10",
    zip_safe=False,
    maintainer="rigid_tree_kinematics maintainers",
    maintainer_email="maintainers@users.noreply.github.com",
    description="Kinematics, inverse kinematics and planning for rigid body trees, for ROS 2",
    license="Apache-2.0",
    cmdclass=COMMANDS,
    entry_points={
        "console_scripts": [f"{program} = {NAME}.start:main" for program in PROGRAMS],
    },
)
