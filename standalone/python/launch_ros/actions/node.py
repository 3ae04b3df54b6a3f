"""Node: runs a ROS node."""

from __future__ import annotations

import os
from collections.abc import Iterable
from pathlib import Path
from tempfile import NamedTemporaryFile
from typing import Any

import yaml
from launch import LaunchContext, SomeSubstitutionsType
from launch.actions import ExecuteProcess
from launch.logging import get_logger
from launch.substitutions import LocalSubstitution
from launch.utilities import (
    ensure_argument_type,
    normalize_to_list_of_substitutions,
    perform_substitutions,
)
from rclpy.validate_namespace import validate_namespace
from rclpy.validate_node_name import validate_node_name

from ..parameter_descriptions import Parameter
from ..parameters_type import SomeParameters
from ..remap_rule_type import SomeRemapRules
from ..substitutions import ExecutableInPackage
from ..utilities import (
    evaluate_parameters,
    make_namespace_absolute,
    normalize_parameters,
    normalize_remap_rules,
    prefix_namespace,
)


class Node(ExecuteProcess):
    """Runs the executable of a package as a ROS node."""

    UNSPECIFIED_NODE_NAME = "<node_name_unspecified>"
    UNSPECIFIED_NODE_NAMESPACE = "<node_namespace_unspecified>"

    def __init__(
        self,
        *,
        executable: SomeSubstitutionsType,
        package: SomeSubstitutionsType | None = None,
        name: SomeSubstitutionsType | None = None,
        namespace: SomeSubstitutionsType | None = None,
        exec_name: SomeSubstitutionsType | None = None,
        parameters: SomeParameters | None = None,
        remappings: SomeRemapRules | None = None,
        ros_arguments: Iterable[SomeSubstitutionsType] | None = None,
        arguments: Iterable[SomeSubstitutionsType] | None = None,
        **kwargs: Any,
    ) -> None:
        """Create the action; see ExecuteProcess for further arguments.

        ``executable`` is one of ``package`` or, without a package, a path. A relative
        ``namespace`` is within that of PushROSNamespace. ``parameters`` is a list of dictionaries
        (which may be nested and contain substitutions) and of paths of YAML files; later entries
        go before earlier ones. ``exec_name`` is the name of the process in the log.
        """
        program = executable
        if package is not None:
            program = ExecutableInPackage(package=package, executable=executable)
        cmd = [program, *(arguments or ())]
        if ros_arguments is not None:
            ensure_argument_type(ros_arguments, list, "ros_arguments", "Node")
            cmd += ["--ros-args", *ros_arguments]
        cmd += ["--ros-args"]
        if name is not None:
            rule = LocalSubstitution("ros_specific_arguments['name']", description="node name")
            cmd += ["-r", rule]
        if parameters is not None:
            ensure_argument_type(parameters, list, "parameters", "Node")
        super().__init__(cmd=cmd, name=exec_name, **kwargs)
        self.__package = package
        self.__executable = executable
        self.__name = name
        self.__namespace = namespace
        self.__parameters = normalize_parameters(parameters or [])
        self.__remappings = list(normalize_remap_rules(remappings or []))
        self.__expanded_name = self.UNSPECIFIED_NODE_NAME
        self.__expanded_namespace = self.UNSPECIFIED_NODE_NAMESPACE
        self.__expanded_remappings: list[tuple[str, str]] | None = None
        self.__full_name: str | None = None

    @property
    def node_package(self) -> SomeSubstitutionsType | None:
        """The package as described."""
        return self.__package

    @property
    def node_executable(self) -> SomeSubstitutionsType:
        """The executable as described."""
        return self.__executable

    @property
    def node_name(self) -> str:
        """The node's name with its namespace; raises RuntimeError before execution."""
        if self.__full_name is None:
            raise RuntimeError("'node_name' is known only after the action is executed")
        return self.__full_name

    @property
    def expanded_node_namespace(self) -> str:
        """The node's namespace, known at execution."""
        return self.__expanded_namespace

    @property
    def expanded_remapping_rules(self) -> list[tuple[str, str]] | None:
        """The node's remappings, known at execution."""
        return self.__expanded_remappings

    def is_node_name_fully_specified(self) -> bool:
        """Return whether both name and namespace are given."""
        unspecified = (self.UNSPECIFIED_NODE_NAME, self.UNSPECIFIED_NODE_NAMESPACE)
        return not any(part in self.node_name for part in unspecified)

    def execute(self, context: LaunchContext) -> Any:
        """Complete the command line with ROS arguments and start the process."""
        self.__expand_names(context)
        self.__add_global_parameters(context)
        self.__add_parameters(context)
        self.__add_remappings(context)
        context.extend_locals(
            {"ros_specific_arguments": {"name": f"__node:={self.__expanded_name}"}}
        )
        result = super().execute(context)
        self.__warn_of_equal_names(context)
        return result

    def __add_arguments(self, *arguments: str) -> None:
        self.cmd.extend(normalize_to_list_of_substitutions(argument) for argument in arguments)

    def __expand_names(self, context: LaunchContext) -> None:
        try:
            if self.__name is not None:
                self.__expanded_name = _perform(context, self.__name)
                validate_node_name(self.__expanded_name)
            own = None if self.__namespace is None else _perform(context, self.__namespace)
            base = context.launch_configurations.get("ros_namespace")
            namespace = prefix_namespace(base, own)
            if namespace is not None:
                self.__expanded_namespace = make_namespace_absolute(namespace)
                validate_namespace(self.__expanded_namespace)
                self.__add_arguments("-r", f"__ns:={self.__expanded_namespace}")
        except Exception:
            get_logger(__name__).error(
                "Bad name or namespace of a node "
                "(package=%s, executable=%s, name=%s, namespace=%s):",
                self.__package,
                self.__executable,
                self.__name,
                self.__namespace,
            )
            raise
        self.__full_name = prefix_namespace(self.__expanded_namespace, self.__expanded_name)

    def __add_global_parameters(self, context: LaunchContext) -> None:
        for entry in context.launch_configurations.get("global_params", []):
            if isinstance(entry, tuple):
                name, value = entry
                self.__add_arguments("-p", f"{name}:={value}")
            else:
                self.__add_arguments("--params-file", os.path.abspath(entry))

    def __add_parameters(self, context: LaunchContext) -> None:
        for entry in evaluate_parameters(context, self.__parameters):
            if isinstance(entry, Parameter):
                name, value = entry.evaluate(context)
                self.__add_arguments("-p", f"{name}:={yaml.dump(value)}")
                continue
            path = entry if isinstance(entry, Path) else self.__write_parameters(entry)
            if not path.is_file():
                get_logger(__name__).warning("There is no parameter file %s", path)
                continue
            self.__add_arguments("--params-file", str(path))

    def __write_parameters(self, parameters: dict[str, Any]) -> Path:
        node = self.node_name if self.is_node_name_fully_specified() else "/**"
        with NamedTemporaryFile("w", prefix="launch_params_", delete=False) as file:
            yaml.dump({node: {"ros__parameters": parameters}}, file, default_flow_style=False)
        return Path(file.name)

    def __add_remappings(self, context: LaunchContext) -> None:
        rules = list(context.launch_configurations.get("ros_remaps", []))
        for source, target in self.__remappings:
            rules.append(
                (perform_substitutions(context, source), perform_substitutions(context, target))
            )
        if rules:
            self.__expanded_remappings = rules
        for source, target in rules:
            self.__add_arguments("-r", f"{source}:={target}")

    def __warn_of_equal_names(self, context: LaunchContext) -> None:
        if not self.is_node_name_fully_specified():
            return
        names = context.get_locals_as_dict().get("unique_ros_node_names")
        if names is None:
            names = {}
            context.extend_globals({"unique_ros_node_names": names})
        names[self.node_name] = names.get(self.node_name, 0) + 1
        if names[self.node_name] > 1:
            get_logger(self.name).warning(
                "there are now at least %d nodes with the name %s created within this launch "
                "context",
                names[self.node_name],
                self.node_name,
            )


def _perform(context: LaunchContext, value: SomeSubstitutionsType) -> str:
    return perform_substitutions(context, normalize_to_list_of_substitutions(value))
