"""Node: runs a ROS node."""

from __future__ import annotations

import atexit
import functools
from collections.abc import Iterable
from pathlib import Path
from tempfile import NamedTemporaryFile, TemporaryDirectory
from typing import Any

import yaml
from launch import LaunchContext, SomeSubstitutionsType
from launch.actions import ExecuteProcess
from launch.logging import get_logger
from launch.utilities import normalize_to_list_of_substitutions, perform_substitutions

from ..namespaces import (
    make_namespace_absolute,
    prefix_namespace,
    validate_name,
    validate_namespace,
)
from ..parameters import SomeParameters, evaluate_parameters, normalize_parameters
from ..substitutions import ExecutableInPackage


class Node(ExecuteProcess):
    """Runs the executable of a package as a ROS node."""

    def __init__(  # noqa: PLR0913 (ROS 2's own arguments)
        self,
        *,
        executable: SomeSubstitutionsType,
        package: SomeSubstitutionsType | None = None,
        name: SomeSubstitutionsType | None = None,
        namespace: SomeSubstitutionsType | None = None,
        exec_name: SomeSubstitutionsType | None = None,
        parameters: SomeParameters | None = None,
        remappings: Iterable[tuple[SomeSubstitutionsType, SomeSubstitutionsType]] | None = None,
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
            cmd += ["--ros-args", *ros_arguments]
        super().__init__(cmd=[*cmd, "--ros-args"], name=exec_name, **kwargs)
        self.__node_name = name
        self.__node_namespace = namespace
        self.__parameters = normalize_parameters(parameters or [])
        self.__remappings = []
        for source, target in remappings or ():
            pair = normalize_to_list_of_substitutions(source), target
            self.__remappings.append((pair[0], normalize_to_list_of_substitutions(pair[1])))

    def execute(self, context: LaunchContext) -> Any:
        """Complete the command line with ROS arguments and start the process."""
        full_name = self.__add_names(context)
        for name, value in context.launch_configurations.get("global_params", []):
            self.__add_arguments("-p", f"{name}:={value}")
        for entry in evaluate_parameters(context, self.__parameters):
            path = entry if isinstance(entry, Path) else _written(full_name or "/**", entry)
            if path.is_file():
                self.__add_arguments("--params-file", str(path))
            else:
                get_logger(__name__).warning("There is no parameter file %s", path)
        for source, target in self.__remappings:
            rule = (perform_substitutions(context, part) for part in (source, target))
            self.__add_arguments("-r", ":=".join(rule))
        return super().execute(context)

    def __add_arguments(self, *arguments: str) -> None:
        self._cmd.extend(normalize_to_list_of_substitutions(argument) for argument in arguments)

    def __add_names(self, context: LaunchContext) -> str | None:
        """Return the node's name with its namespace, if both are given."""
        name = None if self.__node_name is None else _perform(context, self.__node_name)
        if name is not None:
            validate_name(name)
            self.__add_arguments("-r", f"__node:={name}")
        own = None if self.__node_namespace is None else _perform(context, self.__node_namespace)
        namespace = prefix_namespace(context.launch_configurations.get("ros_namespace"), own)
        if namespace is None:
            return None
        namespace = make_namespace_absolute(namespace)
        validate_namespace(namespace)
        self.__add_arguments("-r", f"__ns:={namespace}")
        return None if name is None else prefix_namespace(namespace, name)


def _perform(context: LaunchContext, value: SomeSubstitutionsType) -> str:
    return perform_substitutions(context, normalize_to_list_of_substitutions(value))


def _written(node: str, parameters: dict[str, Any]) -> Path:
    """Return a file with a node's parameters, which lasts as long as this launch."""
    with NamedTemporaryFile("w", dir=_folder(), delete=False) as file:
        yaml.dump({node: {"ros__parameters": parameters}}, file, default_flow_style=False)
    return Path(file.name)


@functools.cache
def _folder() -> str:
    folder = TemporaryDirectory(prefix="launch_params_")
    atexit.register(folder.cleanup)
    return folder.name
