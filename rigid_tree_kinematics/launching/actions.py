"""Actions of launch files: included files, RViz, temporary files and exits of processes."""

import atexit
import functools
import subprocess
import tempfile
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from ament_index_python.packages import get_package_prefix
from launch import Condition, LaunchContext, LaunchDescriptionEntity
from launch.action import Action
from launch.actions import EmitEvent, IncludeLaunchDescription, OpaqueFunction
from launch.conditions import IfCondition
from launch.events import Shutdown
from launch.events.process import ProcessExited
from launch.launch_description_sources import PythonLaunchDescriptionSource
from launch.substitutions import LaunchConfiguration, PathJoinSubstitution, ThisLaunchFileDir
from launch_ros.actions import Node

from rigid_tree_kinematics.launching.arguments import PACKAGE, settings

PYTHON = "python"  # the program that runs the nodes' Python


def included(
    launch_file: str, arguments: Mapping[str, Any], condition: Condition | None = None
) -> IncludeLaunchDescription:
    """Return an include of another launch file of this package with these arguments."""
    return IncludeLaunchDescription(
        PythonLaunchDescriptionSource(PathJoinSubstitution([ThisLaunchFileDir(), launch_file])),
        launch_arguments=arguments.items(),
        condition=condition,
    )


def rviz(config: Any, fixed_frame: Any) -> Action:
    """Return RViz, enabled by the argument rviz.

    Args:
        config: file name of an RViz configuration of this package.
        fixed_frame: RViz's fixed frame.
    """
    defaults = {"frame_prefix": "", "namespace": "", "use_sim_time": "false", "srdf": ""}
    arguments = {
        "rviz_config": PathJoinSubstitution([ThisLaunchFileDir(), "..", "config", config]),
        "fixed_frame": fixed_frame,
        **{name: LaunchConfiguration(name, default=value) for name, value in defaults.items()},
    }
    return included("rviz.launch.py", arguments, IfCondition(LaunchConfiguration("rviz")))


def robot_rviz() -> Action:
    """Return RViz with the robot and the configuration of DESCRIPTION_ARGUMENTS."""

    def show(context: LaunchContext) -> list[LaunchDescriptionEntity]:
        # Only RViz needs the base frame: without it the robot is not loaded here.
        from rigid_tree_kinematics import load_robot

        base = load_robot(LaunchConfiguration("robot").perform(context)).base_name
        frame = [LaunchConfiguration("frame_prefix"), base]
        return [rviz(LaunchConfiguration("rviz_config"), frame)]

    return OpaqueFunction(function=show, condition=IfCondition(LaunchConfiguration("rviz")))


def demo(program: str, **types: type) -> Node:
    """Return a demo, which ends the launch; its parameters are launch arguments of these types."""
    return Node(
        package=PACKAGE,
        executable=program,
        parameters=[settings(**types)],
        output="screen",
        on_exit=exit_handler(program, is_demo=True),
    )


def exit_handler(
    name: str, is_demo: bool = False
) -> Callable[[ProcessExited, LaunchContext], Action | None]:
    """Return the ``on_exit`` handler of a process.

    A process that fails ends the launch, and ``ros2 launch`` exits with 1. One that a signal kills
    does so only if it is a demo. A demo that succeeds ends the launch with 0.
    """

    def end(event: ProcessExited, context: LaunchContext) -> Action | None:
        if context.is_shutdown:
            return None
        if event.returncode > 0 or (is_demo and event.returncode):
            raise RuntimeError(f"{name} has failed: see its message above")
        return EmitEvent(event=Shutdown(reason="the demo is finished")) if is_demo else None

    return end


def temporary_file(text: str, suffix: str) -> str:
    """Write a text to a new file, which is removed when the launch ends; return its path."""
    folder = _temporary_folder()
    with tempfile.NamedTemporaryFile("w", dir=folder, suffix=suffix, delete=False) as file:
        file.write(text)
    return file.name


@functools.cache
def _temporary_folder() -> str:
    folder = tempfile.TemporaryDirectory(prefix=f"{PACKAGE}_")
    atexit.register(folder.cleanup)
    return folder.name


@functools.cache
def nodes_have(package: str) -> bool:
    """Return whether the nodes' Python has a package; this process's Python can differ."""
    code = "import sys, importlib.util as u; sys.exit(u.find_spec(sys.argv[1]) is None)"
    program = Path(get_package_prefix(PACKAGE)) / "lib" / PACKAGE / PYTHON
    return subprocess.run([program, "-c", code, package], check=False).returncode == 0
