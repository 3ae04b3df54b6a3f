"""Arguments of launch files: tables, declarations, and their values as parameters."""

from __future__ import annotations

import functools
import os
import re
import sys
from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import yaml
from launch import LaunchContext, Substitution
from launch.actions import DeclareLaunchArgument
from launch.substitutions import LaunchConfiguration, PythonExpression
from launch_ros.parameter_descriptions import ParameterValue

from rigid_tree_kinematics.errors import RigidTreeError, UnknownNameError

if TYPE_CHECKING:
    from rigid_tree_kinematics.model import RigidBodyTree

PACKAGE = "rigid_tree_kinematics"
# Packages whose launch files refuse misspelt arguments.
SUITE = (PACKAGE, "rigid_tree_demos", "rigid_tree_moveit", "rigid_tree_nao")

# Name, default and description of each argument.
Table = Iterable[tuple[str, str, str]]

PROCESSES = ("processes", "one", "one: all nodes in one process. each: one process per node.")
PAGE_ARGUMENTS = (
    ("web_port", "8080", "Port of the page."),
    (
        "web_host",
        "127.0.0.1",
        "Address that serves the page; addresses other than loopback (0.0.0.0) need a token.",
    ),
    ("web_token", "", "Token of the page. Empty: none on loopback, a random one elsewhere."),
)
DESCRIPTION_ARGUMENTS = (
    ("robot", "panda", "Name of a bundled robot, or path of a .urdf, .xacro or .yaml file."),
    (
        "package_paths",
        "",
        "Folders with packages or meshes that the robot's file refers to, separated by ':'. A "
        "package's folder can have another name.",
    ),
    ("xacro_args", "", "Arguments of a .xacro file: 'name:=ur ur_type:=ur5e'."),
    ("namespace", "", "Namespace of the robot's nodes and topics, except /tf."),
    ("frame_prefix", "", "Prefix of all frame names, such as 'left/'."),
    ("parent_frame", "", "Fixed parent frame of the robot's base. Empty: none."),
    ("base_pose", "[0, 0, 0, 0, 0, 0]", "Base in parent_frame: x, y, z (m), roll, pitch, yaw."),
    ("meshes", "simple", "Drawn shapes: simple or real (Panda, UR5; needs example-robot-data)."),
    ("publish_frequency", "0.0", "Maximum rate of each joint's frames, Hz. 0: no limit."),
    ("ignore_timestamp", "false", "Also publish frames of joint states with old stamps."),
    ("use_sim_time", "false", "Use simulated time from /clock."),
    ("web", "false", "Show the robot in the browser (web_viewer)."),
    *PAGE_ARGUMENTS,
    ("rviz", "false", "Show the robot in RViz, if it is installed."),
    ("rviz_config", "description.rviz", "RViz configuration of this package."),
    PROCESSES,
)
SOURCE_ARGUMENTS = (
    (
        "sweep",
        "true",
        "Move the joints slowly within their limits. false: keep them at the parameters "
        "positions.<joint> of joint_state_source (default: home).",
    ),
    (
        "joint_state_source",
        "true",
        "Publish joint states without hardware. false: a driver publishes them.",
    ),
    ("rate", "50.0", "Rate of joint_state_source, Hz."),
)
IK_ARGUMENTS = (
    ("sweep", "false", SOURCE_ARGUMENTS[0][2]),
    ("timeout", "0.1", "Time limit of IK requests without a timeout, s."),
    ("tracked_body", "", "Link that follows topic ik_target. Empty: none."),
    ("tracked_base", "", "Link that stays fixed while tracking. Empty: the robot's root."),
    ("rviz_config", "ik.rviz", "RViz configuration of this package."),
)
# Humble has no EqualsSubstitution.
_sweep = LaunchConfiguration("sweep")
SOURCE_MODE = ParameterValue(
    PythonExpression(["'sweep' if '", _sweep, "'.lower() in ('true', '1') else 'positions'"]),
    value_type=str,
)


# Of each argument, in all files.
_defaults = {name: {default} for name, default, _ in DESCRIPTION_ARGUMENTS}


def declared(*tables: Table, further: Iterable[str] | None = ()) -> list[DeclareLaunchArgument]:
    """Return the declared arguments of the tables; later rows replace earlier ones.

    Raises UnknownNameError if the command ``ros2 launch`` sets an argument that is neither in
    them nor in ``further``. With None the check is left to an included file.
    """
    rows = {name: (default, text) for table in tables for name, default, text in table}
    if further is not None:
        _check_command([*rows, *further])
    for name, (default, _) in rows.items():
        _defaults.setdefault(name, set()).add(default)
    return [
        DeclareLaunchArgument(name, default_value=default, description=text)
        for name, (default, text) in rows.items()
    ]


@functools.cache
def _words_to_check() -> list[str]:
    """Return the file and its arguments if the command line launches a file of this package.

    Options of ``ros2 launch`` may precede or follow them. The list is emptied after the check:
    included files have fewer arguments.
    """
    command = sys.argv[1:]
    if command[:1] != ["launch"]:
        return []
    words = [word for word in command[1:] if not word.startswith("-")]
    if words[0] in SUITE:
        return words[1:]
    for number, word in enumerate(words):
        if word.endswith(".launch.py") and os.path.isfile(word) and _is_own(word):
            return words[number:]
    return []


def _is_own(file: str) -> bool:
    """Return whether a launch file belongs to the suite."""
    folder = os.path.dirname(os.path.dirname(os.path.realpath(file)))
    try:
        text = Path(folder, "package.xml").read_text(encoding="utf-8")
    except OSError:
        return False
    return any(f"<name>{name}</name>" in text for name in SUITE)


def _check_command(known: list[str]) -> None:
    file, *words = _words_to_check() or [""]
    _words_to_check().clear()
    for word in words:
        name, is_given, _ = word.partition(":=")
        if is_given and name not in known:
            raise UnknownNameError("argument", name, known, os.path.basename(file))


class _Setting(ParameterValue):
    """A launch argument, which errors name."""

    def __init__(self, name: str, value: Substitution, value_type: type) -> None:
        super().__init__(value, value_type=value_type)
        self._of = name, value, value_type

    def evaluate(self, context: LaunchContext) -> Any:
        """Return the value in this context; raises RuntimeError if it is not of the type."""
        try:
            return super().evaluate(context)
        except ValueError:
            name, value, kind = self._of
            text = value.perform(context)
            raise RuntimeError(
                f"argument {name}: '{text}' is not of type {kind.__name__}"
            ) from None

    def is_default(self, context: LaunchContext) -> bool:
        """Return whether the argument has its default value."""
        name, value, _ = self._of
        return value.perform(context) in _defaults.get(name, ())


def without_globals(parameters: dict[str, Any], context: LaunchContext) -> dict[str, Any]:
    """Return a node's parameters without defaults that a SetParameter action replaces."""
    values: Any = context.launch_configurations.get("global_params", ())
    names = {item[0] for item in values if isinstance(item, tuple)}  # others are files
    return {
        name: value
        for name, value in parameters.items()
        if not (name in names and isinstance(value, _Setting) and value.is_default(context))
    }


def setting(name: str, value_type: type, value: Substitution | None = None) -> ParameterValue:
    """Return a launch argument, or ``value`` that it sets, as a parameter value of a type."""
    return _Setting(name, value or LaunchConfiguration(name), value_type)


def settings(**types: type) -> dict[str, Any]:
    """Return parameters that are launch arguments of the same names."""
    return {name: setting(name, value_type) for name, value_type in types.items()}


def robot_argument(context: LaunchContext) -> RigidBodyTree:
    """Return the robot of DESCRIPTION_ARGUMENTS, loaded now; raises a RigidTreeError."""
    from rigid_tree_kinematics import load_robot
    from rigid_tree_kinematics.description.urdf import xacro_arguments

    def value(name: str) -> str:
        return LaunchConfiguration(name, default="").perform(context)

    try:
        given = xacro_arguments(value("xacro_args"))
    except RigidTreeError as error:
        raise RuntimeError(f"argument xacro_args: {error}") from None
    paths = [path for path in value("package_paths").split(os.pathsep) if path]
    return load_robot(value("robot"), package_paths=paths, xacro_arguments=given)


def yaml_argument(name: str, example: str, context: LaunchContext) -> Any:
    """Return the value of a launch argument in YAML: a list or a mapping like the example."""
    text = LaunchConfiguration(name).perform(context)
    try:
        value = yaml.safe_load(text)
    except (ValueError, yaml.YAMLError):  # ValueError: a date without such a day
        value = None
    if not isinstance(value, type(yaml.safe_load(example))):
        raise RuntimeError(f"argument {name} must look like '{example}', not '{text}'")
    return value


def pose_argument(name: str, context: LaunchContext) -> list[float]:
    """Return the six numbers of a launch argument."""
    example = "[x, y, z, roll, pitch, yaw]"
    values = yaml_argument(name, example, context)
    if len(values) != 6:
        raise RuntimeError(f"argument {name} must be '{example}', not {values}")
    return [number(value, f"argument {name}") for value in values]


def number(value: Any, where: str) -> float:
    """Return a number in YAML, also 1e-3, which YAML reads as a text; raises RuntimeError."""
    try:
        if not isinstance(value, bool):
            return float(value)
    except (TypeError, ValueError, OverflowError):
        pass
    raise RuntimeError(f"{where}: '{value}' is not a number")


def check_namespace(namespace: str, where: str) -> None:
    """Raise RuntimeError if a namespace, without slashes around it, is not valid in ROS."""
    if not re.fullmatch(r"[A-Za-z_]\w*(/[A-Za-z_]\w*)*", namespace, re.ASCII):
        raise RuntimeError(f"{where}: '{namespace}' must look like 'arm_1' or 'hall/arm_1'")
