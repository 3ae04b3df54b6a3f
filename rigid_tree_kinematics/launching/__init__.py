"""Helpers of launch files, which alone import this: arguments, and the process of the nodes."""

import atexit
import json
import os
import re
import sys
from collections.abc import Callable, Iterable, Iterator
from functools import partial
from pathlib import Path
from tempfile import NamedTemporaryFile
from typing import Any

import yaml
from launch import Action, LaunchContext, LaunchDescription, SomeSubstitutionsType
from launch.actions import DeclareLaunchArgument, OpaqueFunction, Shutdown, TimerAction
from launch.events.process import ProcessExited
from launch.substitutions import LaunchConfiguration
from launch_ros.actions import Node

from rigid_tree_kinematics.errors import UnknownNameError

PACKAGE = "rigid_tree_kinematics"
Nodes = dict[str, dict[str, Any]]  # the parameters of nodes, by [namespace/]name


def argument(name: str, default: SomeSubstitutionsType, description: str) -> DeclareLaunchArgument:
    """Return the declaration of a launch argument."""
    return DeclareLaunchArgument(name, default_value=default, description=description)


def description(file: str, entities: Iterable[Any]) -> LaunchDescription:
    """Return the description of a launch file; raises UnknownNameError for a wrong command."""
    described = LaunchDescription(entities)
    known = [argument.name for argument in described.get_launch_arguments()]
    words = sys.argv[2:] if sys.argv[1:2] == ["launch"] else []
    package, _, name = Path(file).parts[-3:]
    by_name = package in words and name in words
    if by_name or os.path.realpath(file) in map(os.path.realpath, words):
        for given in (word.partition(":=")[0] for word in words if ":=" in word):
            if given not in known:
                raise UnknownNameError("argument", given, known, os.path.basename(file))
    return described


def setup(function: Callable[[LaunchContext], list[Any]]) -> OpaqueFunction:
    """Return an action that calls a function, and whose error ends the launch in a later event."""
    # launch forgets the processes that are started, by any file, in the event that raises.

    def fail(_: LaunchContext, error: Exception) -> None:
        raise error

    def run(context: LaunchContext) -> list[Any]:
        try:
            return function(context)
        except Exception as error:
            failure = OpaqueFunction(function=fail, args=[error])
            return [TimerAction(period=0.0, actions=[failure])]

    return OpaqueFunction(function=run)


def is_on(context: LaunchContext, name: str) -> bool:
    """Return whether a launch argument is true; raises RuntimeError unless it is true or false."""
    text = texts(context, name)[name].lower()
    if text not in ("true", "1", "false", "0"):
        raise RuntimeError(f"argument {name} must be true or false, not '{text}'")
    return text in ("true", "1")


def texts(context: LaunchContext, *names: str) -> dict[str, str]:
    """Return the values of launch arguments."""
    return {name: LaunchConfiguration(name).perform(context) for name in names}


def values(context: LaunchContext, *names: str) -> dict[str, Any]:
    """Return the values of launch arguments, read as YAML; lists of numbers as floats."""
    found: dict[str, Any] = {}
    for name, text in texts(context, *names).items():
        try:
            value = yaml.safe_load(text)
            is_list = isinstance(value, list) and any(isinstance(v, int | float) for v in value)
            found[name] = [float(str(v)) for v in value] if is_list else value
        except (TypeError, ValueError, yaml.YAMLError):
            raise RuntimeError(f"argument {name}: '{text}' is not a valid value") from None
    return found


def robot(context: LaunchContext) -> tuple[dict[str, Any], dict[str, Any], dict[str, Any]]:
    """Return parameters: the robot's, those of all nodes, and all of tree_state_publisher's.

    The arguments are those of robot_arguments.launch.py.
    """
    described = texts(context, "robot", "package_paths", "xacro_args")
    common = values(context, "use_sim_time") | texts(context, "frame_prefix")
    frames = texts(context, "parent_frame", "meshes")
    frames |= values(context, "base_pose", "publish_frequency", "ignore_timestamp")
    return described, common, {**common, **described, **frames}


def fleet(context: LaunchContext, known: Iterable[str]) -> Iterator[str]:
    """Yield the name of each robot of argument robots, with its launch arguments set meanwhile."""
    arguments = context.launch_configurations
    ours = dict(arguments)
    robots = yaml.safe_load(Path(ours["robots"]).read_text(encoding="utf-8"))
    if not isinstance(robots, dict) or not all(isinstance(r, dict) for r in robots.values()):
        raise RuntimeError(f"{ours['robots']} has no lines such as 'arm_1: {{robot: ur5}}'")
    for name, robot in robots.items():
        for key in set(robot).difference(known):
            raise UnknownNameError("argument", key, known, f"{ours['robots']}: {name}")
        given = {key: v if isinstance(v, str) else json.dumps(v) for key, v in robot.items()}
        defaults = {"parent_frame": ours["parent_frame"] or "world", "frame_prefix": f"{name}/"}
        arguments.update(defaults | given)
        try:
            yield name
        finally:
            arguments.clear()
            arguments.update(ours)


def page(context: LaunchContext, prefixes: Iterable[str]) -> dict[str, Any]:
    """Return the parameters of web_viewer, which shows robots with these frame prefixes."""
    given = texts(context, "web_host", "web_token") | values(context, "web_port")
    page = {name.removeprefix("web_"): value for name, value in given.items()}
    return page | {"frame_prefixes": list(prefixes)}


def hosts(context: LaunchContext, nodes: Nodes, is_demo: bool = False) -> list[Action]:
    """Return the process of nodes, or with ``processes:=each`` one for each of them."""
    processes, namespace = texts(context, "processes", "namespace").values()
    if processes not in ("one", "each"):
        raise RuntimeError(f"argument processes must be 'one' or 'each', not '{processes}'")
    outer = "" if namespace.startswith("/") else context.launch_configurations.get("ros_namespace")
    parameters_of: Nodes = {}
    for node, parameters in nodes.items():
        name = "/".join(part.strip("/") for part in (outer, namespace, node) if part)
        if not re.fullmatch(r"([A-Za-z_]\w*/)*\w+", name, re.ASCII):
            raise RuntimeError(f"'{name}': a namespace must look like 'arm_1' or 'hall/arm_1'")
        # rcl rejects {}. SetParameter of an including file can set use_sim_time, if not this.
        given = ((k, v) for k, v in parameters.items() if v or k != "use_sim_time")
        parameters_of[name] = {key: value for key, value in given if value != {}}
    sections = {f"/{name}": {"ros__parameters": p} for name, p in parameters_of.items() if p}
    file = temporary_file(json.dumps(sections))  # JSON, because rcl reads no aliases of YAML
    names, end = list(parameters_of), exit_handler(is_demo)
    host = partial(Node, package=PACKAGE, executable="robot_host", output="screen", on_exit=end)
    groups = [names] if processes == "one" else [[name] for name in names]
    return [host(arguments=group, parameters=[file]) for group in groups]


def exit_handler(is_demo: bool = False) -> Callable[[ProcessExited, LaunchContext], Any]:
    """Return the ``on_exit`` of a process, which ends the launch if it fails or is a demo."""

    def end(event: ProcessExited, context: LaunchContext) -> Shutdown | None:
        is_over = context.is_shutdown
        if not is_over and (event.returncode > 0 or (is_demo and event.returncode)):  # < 0: killed
            raise RuntimeError(f"{event.process_name} has failed: see its message above")
        return Shutdown(reason="the demo is finished") if is_demo and not is_over else None

    return end


def temporary_file(text: str, suffix: str = ".yaml") -> str:
    """Write a text to a new file, which is removed when the launch ends; return its path."""
    with NamedTemporaryFile("w", prefix=f"{PACKAGE}_", suffix=suffix, delete=False) as file:
        file.write(text)
    atexit.register(os.remove, file.name)
    return file.name
