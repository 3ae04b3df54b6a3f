"""Fleets: several robots from one file, each started like a single robot."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import yaml
from launch import LaunchContext, LaunchDescriptionEntity
from launch.action import Action
from launch.actions import GroupAction, OpaqueFunction
from launch.substitutions import LaunchConfiguration

from rigid_tree_kinematics.errors import UnknownNameError
from rigid_tree_kinematics.launching import nodes
from rigid_tree_kinematics.launching.arguments import Table, check_namespace
from rigid_tree_kinematics.launching.nodes import included

FLEET_ARGUMENTS = (
    (
        "robots",
        "",
        "File of a fleet, .yaml: 'arm_1: {robot: ur5}' for each namespace. Empty: one robot.",
    ),
    ("hosts", "1", "Number of processes for the robots of a fleet."),
)
# A fleet has one page and no RViz, whose configurations are for one robot.
OF_ALL = ("web", "rviz", "robots", "hosts", "namespace", "processes")


def robot_or_fleet(launch_file: str, robot: Sequence[Action], arguments: Table) -> OpaqueFunction:
    """Return the action that starts one robot, or those in the file of argument ``robots``.

    Args:
        launch_file: the launch file of one robot, started for each of the fleet.
        robot: the actions of one robot.
        arguments: the arguments that the file of a fleet may set.
    """

    def start(context: LaunchContext) -> list[LaunchDescriptionEntity]:
        path = LaunchConfiguration("robots").perform(context)
        if not path:
            return [*robot]
        known = [name for name, _, _ in arguments if name not in OF_ALL]
        return [*_fleet(launch_file, read_fleet(path, known), context)]

    return nodes.opaque(start)


def read_fleet(path: str, known: Sequence[str]) -> dict[str, dict[str, str]]:
    """Return the launch arguments of each robot of a fleet, by its namespace.

    Raises RuntimeError if the file is not of that form, and UnknownNameError for an argument
    that is not known.
    """
    try:
        content = yaml.safe_load(Path(path).read_text(encoding="utf-8"))
    except (OSError, ValueError, yaml.YAMLError) as error:
        raise RuntimeError(f"argument robots: {path} cannot be read: {error}") from None
    if not isinstance(content, Mapping) or not content:
        raise RuntimeError(f"{path} has no robots such as 'arm_1: {{robot: ur5}}'")
    fleet = {}
    for name, robot in content.items():
        if not isinstance(name, str) or not isinstance(robot, Mapping | None):
            raise RuntimeError(f"{path}: '{name}' must look like 'arm_1: {{robot: ur5}}'")
        check_namespace(name.strip("/"), path)
        for argument in robot or {}:
            if argument not in known:
                raise UnknownNameError("argument", argument, known, f"{path}: {name}")
        fleet[name] = {key: _text(value) for key, value in (robot or {}).items()}
    return fleet


def _text(value: Any) -> str:
    """Return a YAML value as command-line text."""
    if isinstance(value, str):
        return value
    return (
        yaml.safe_dump(value, default_flow_style=True, width=10**6).removesuffix("...\n").strip()
    )


def shared_frame(fleet: Mapping[str, Mapping[str, str]], parent: str) -> str:
    """Return the robots' parent frame, whose default is ``parent``; the default if they differ."""
    parents = {robot.get("parent_frame", parent) for robot in fleet.values()}
    return parents.pop() if len(parents) == 1 else parent


def _fleet(
    launch_file: str, fleet: Mapping[str, Mapping[str, str]], context: LaunchContext
) -> list[Action]:
    """Return the actions that start all robots and, if enabled, one page."""
    if LaunchConfiguration("rviz").perform(context).lower() in ("true", "1"):
        raise RuntimeError("rviz:=true supports one robot only: show a fleet with web:=true")
    outer = LaunchConfiguration("namespace").perform(context)
    namespaces = {name: f"{outer}/{name}" if outer else name for name in fleet}
    prefixes = {name: robot.get("frame_prefix", f"{name}/") for name, robot in fleet.items()}
    parent = LaunchConfiguration("parent_frame").perform(context) or "world"

    def started(name: str) -> Action:
        own = {"namespace": namespaces[name], "frame_prefix": prefixes[name]}
        given = {"parent_frame": parent, **fleet[name], "robots": "", "web": "false", **own}
        return GroupAction([included(launch_file, given)])

    def page(_: LaunchContext) -> list[nodes.RobotNode]:
        shown = {
            "robots": list(namespaces.values()),
            "frame_prefixes": list(prefixes.values()),
            "fixed_frame": shared_frame(fleet, parent),
        }
        parameters = {**shown, **nodes.page_parameters()}
        return [nodes.RobotNode("web_viewer", parameters, "web", package=nodes.WEB)]

    text = LaunchConfiguration("hosts").perform(context)
    if not text.isdigit() or int(text) == 0:
        raise RuntimeError(f"argument hosts must be a positive number, not '{text}'")
    robots = [started(name) for name in fleet]
    hosts = min(int(text), len(robots))
    groups = [robots[k::hosts] for k in range(hosts)]
    groups[0].append(nodes.robot_nodes(page))
    return [action for group in groups for action in nodes.in_one_process(group)]
