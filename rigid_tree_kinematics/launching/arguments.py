"""Arguments of launch files: declarations, and their values as parameters."""

from __future__ import annotations

import functools
import os
import sys
from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import yaml
from launch import LaunchContext
from launch.actions import DeclareLaunchArgument
from launch.substitutions import LaunchConfiguration
from launch_ros.parameter_descriptions import ParameterValue

from rigid_tree_kinematics.errors import RigidTreeError, UnknownNameError

if TYPE_CHECKING:
    from rigid_tree_kinematics.model import RigidBodyTree

PACKAGE = "rigid_tree_kinematics"
# Packages whose launch files reject misspelt arguments.
SUITE = (PACKAGE, "rigid_tree_demos", "rigid_tree_moveit", "rigid_tree_nao")


def argument(name: str, default: Any, description: str) -> DeclareLaunchArgument:
    """Return the declaration of an argument; its default can be a substitution."""
    return DeclareLaunchArgument(name, default_value=default, description=description)


PROCESSES = argument(
    "processes", "one", "one: all nodes in one process. each: one process per node."
)
PAGE_ARGUMENTS = (
    argument("web_port", "8080", "Port of the page."),
    argument(
        "web_host",
        "127.0.0.1",
        "Address that serves the page; addresses other than loopback (0.0.0.0) need a token.",
    ),
    argument(
        "web_token", "", "Token of the page. Empty: none on loopback, a random one elsewhere."
    ),
)
DESCRIPTION_ARGUMENTS = (
    argument(
        "robot", "panda", "Name of a bundled robot, or path of a .urdf, .xacro or .yaml file."
    ),
    argument(
        "package_paths",
        "",
        "Folders with packages or meshes that the robot's file refers to, separated by ':'. A "
        "package's folder can have another name.",
    ),
    argument("xacro_args", "", "Arguments of a .xacro file: 'name:=ur ur_type:=ur5e'."),
    argument("namespace", "", "Namespace of the robot's nodes and topics, except /tf."),
    argument("frame_prefix", "", "Prefix of all frame names, such as 'left/'."),
    argument("parent_frame", "", "Fixed parent frame of the robot's base. Empty: none."),
    argument(
        "base_pose", "[0, 0, 0, 0, 0, 0]", "Base in parent_frame: x, y, z (m), roll, pitch, yaw."
    ),
    argument(
        "meshes", "simple", "Drawn shapes: simple or real (Panda, UR5; needs example-robot-data)."
    ),
    argument("publish_frequency", "0.0", "Maximum rate of each joint's frames, Hz. 0: no limit."),
    argument("ignore_timestamp", "false", "Also publish frames of joint states with old stamps."),
    argument("use_sim_time", "false", "Use simulated time from /clock."),
    argument("web", "false", "Show the robot in the browser (web_viewer)."),
    *PAGE_ARGUMENTS,
    argument("rviz", "false", "Show the robot in RViz, if it is installed."),
    argument("rviz_config", "description.rviz", "RViz configuration of this package."),
    PROCESSES,
)
SOURCE_ARGUMENTS = (
    argument(
        "sweep",
        "true",
        "Move the joints slowly within their limits. false: keep them at the parameters "
        "positions.<joint> of joint_state_source (default: home).",
    ),
    argument(
        "joint_state_source",
        "true",
        "Publish joint states without hardware. false: a driver publishes them.",
    ),
    argument("rate", "50.0", "Rate of joint_state_source, Hz."),
)
IK_ARGUMENTS = (
    argument("sweep", "false", SOURCE_ARGUMENTS[0].description),
    argument("timeout", "0.1", "Time limit of IK requests without a timeout, s."),
    argument("tracked_body", "", "Link that follows topic ik_target. Empty: none."),
    argument("tracked_base", "", "Link that stays fixed while tracking. Empty: the robot's root."),
    argument("rviz_config", "ik.rviz", "RViz configuration of this package."),
)


def declared(
    *tables: Iterable[DeclareLaunchArgument], further: Iterable[str] | None = ()
) -> list[DeclareLaunchArgument]:
    """Return the arguments of all tables; later ones replace earlier ones of the same name.

    Raises UnknownNameError if the command ``ros2 launch`` sets an argument that is neither in
    them nor in ``further``. With None the check is left to an included file.
    """
    arguments = {argument.name: argument for table in tables for argument in table}
    if further is not None:
        file, *words = _command() or [""]
        known = [*arguments, *further]
        for word in words:
            name, is_given, _ = word.partition(":=")
            if is_given and name not in known:
                raise UnknownNameError("argument", name, known, os.path.basename(file))
        _command().clear()  # included files have fewer arguments
    return list(arguments.values())


@functools.cache
def _command() -> list[str]:
    """Return the file and its arguments if ``ros2 launch`` starts a launch file of the suite."""
    if sys.argv[1:2] != ["launch"]:
        return []
    words = [word for word in sys.argv[2:] if not word.startswith("-")]
    if words[0] in SUITE:
        return words[1:]
    return next((words[k:] for k, word in enumerate(words) if _is_own(word)), [])


def _is_own(file: str) -> bool:
    package = Path(os.path.realpath(file)).parent.parent / "package.xml"
    if not file.endswith(".launch.py") or not package.is_file():
        return False
    text = package.read_text(encoding="utf-8")
    return any(f"<name>{name}</name>" in text for name in SUITE)


def named(context: LaunchContext, argument: str) -> str:
    """Return what errors call a launch argument, with the robot's namespace if it has one."""
    namespace = LaunchConfiguration("namespace", default="").perform(context)
    return f"{namespace}: argument {argument}" if namespace else f"argument {argument}"


def setting(context: LaunchContext, name: str, kind: type) -> Any:
    """Return the value of a launch argument; raises RuntimeError if it is not of the type."""
    text = LaunchConfiguration(name).perform(context)
    if kind is bool and text in ("0", "1"):  # as in conditions
        return text == "1"
    try:
        return ParameterValue(LaunchConfiguration(name), value_type=kind).evaluate(context)
    except ValueError:
        where = named(context, name)
        raise RuntimeError(f"{where}: '{text}' is not of type {kind.__name__}") from None


def settings(context: LaunchContext, **types: type) -> dict[str, Any]:
    """Return launch arguments as parameters of the same names.

    SetParameter(name="use_sim_time") of an including file replaces the default.
    """
    given = {name: setting(context, name, kind) for name, kind in types.items()}
    replaced: Any = context.launch_configurations.get("global_params", ())
    if "use_sim_time" in [item[0] for item in replaced] and given.get("use_sim_time") is False:
        del given["use_sim_time"]
    return given


def yaml_argument(context: LaunchContext, name: str, example: str) -> Any:
    """Return the value of a launch argument in YAML: a list or a mapping like the example."""
    text = LaunchConfiguration(name).perform(context)
    try:
        value = yaml.safe_load(text)
    except (ValueError, yaml.YAMLError):  # ValueError: a date without such a day
        value = None
    if not isinstance(value, type(yaml.safe_load(example))):
        raise RuntimeError(f"{named(context, name)} must look like '{example}', not '{text}'")
    return value


def number(value: Any, where: str) -> float:
    """Return a number in YAML, also 1e-3, which YAML reads as a text; raises RuntimeError."""
    try:
        if not isinstance(value, bool):
            return float(value)
    except (TypeError, ValueError, OverflowError):
        pass
    raise RuntimeError(f"{where}: '{value}' is not a number")


def robot_argument(context: LaunchContext) -> RigidBodyTree:
    """Return the robot of DESCRIPTION_ARGUMENTS, loaded now; raises a RigidTreeError."""
    from rigid_tree_kinematics import load_robot
    from rigid_tree_kinematics.description.urdf import xacro_arguments

    given = settings(context, robot=str, package_paths=str, xacro_args=str)
    try:
        values = xacro_arguments(given["xacro_args"])
    except RigidTreeError as error:
        raise RuntimeError(f"{named(context, 'xacro_args')}: {error}") from None
    paths = [path for path in given["package_paths"].split(os.pathsep) if path]
    return load_robot(given["robot"], package_paths=paths, xacro_arguments=values)
