"""Fleets: several robots from one file, each started like a single robot."""

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

import yaml
from launch import LaunchContext
from launch.action import Action
from launch.actions import DeclareLaunchArgument, GroupAction, OpaqueFunction

from rigid_tree_kinematics.errors import UnknownNameError
from rigid_tree_kinematics.launching.arguments import argument, setting
from rigid_tree_kinematics.launching.nodes import (
    check_namespace,
    in_one_process,
    included,
    page,
    robot_nodes,
)

FLEET_ARGUMENTS = (
    argument(
        "robots",
        "",
        "File of a fleet, .yaml: 'arm_1: {robot: ur5}' for each namespace. Empty: one robot.",
    ),
    argument("hosts", "1", "Number of processes for the robots of a fleet."),
)
# A fleet has one page and no RViz, whose configurations are for one robot.
OF_ALL = ("web", "rviz", "robots", "hosts", "namespace", "processes")


def start_fleet(
    context: LaunchContext, launch_file: str, arguments: Iterable[DeclareLaunchArgument]
) -> list[Action]:
    """Return the actions that start the robots in the file of argument ``robots``, and a page.

    Args:
        context: of the launch.
        launch_file: the launch file of one robot, started for each of the fleet.
        arguments: the arguments that the file of a fleet may set.
    """
    if setting(context, "rviz", bool):
        raise RuntimeError("rviz:=true supports one robot only: show a fleet with web:=true")
    hosts = setting(context, "hosts", str)
    if not hosts.isdigit() or int(hosts) == 0:
        raise RuntimeError(f"argument hosts must be a positive number, not '{hosts}'")
    known = [row.name for row in arguments if row.name not in OF_ALL]
    robots = read_fleet(setting(context, "robots", str), known)
    outer = setting(context, "namespace", str)
    parent = setting(context, "parent_frame", str) or "world"
    given = {
        name: {
            "parent_frame": parent,
            "frame_prefix": f"{name}/",
            **robot,
            "namespace": f"{outer}/{name}" if outer else name,
            "robots": "",
            "web": "false",
        }
        for name, robot in robots.items()
    }
    shown = {
        "robots": [robot["namespace"] for robot in given.values()],
        "frame_prefixes": [robot["frame_prefix"] for robot in given.values()],
        "fixed_frame": shared_frame(robots, parent),
    }
    started = [GroupAction([included(launch_file, robot)]) for robot in given.values()]
    pages = [page(context, **shown)] if setting(context, "web", bool) else []
    page_of_all = OpaqueFunction(function=lambda c: robot_nodes(c, pages))
    return in_one_process([*started, page_of_all], int(hosts))


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
        for key in robot or {}:
            if key not in known:
                raise UnknownNameError("argument", key, known, f"{path}: {name}")
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
