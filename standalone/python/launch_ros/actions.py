"""Actions on ROS nodes."""

import atexit
import functools
import os
import re
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from tempfile import NamedTemporaryFile, TemporaryDirectory
from typing import Any

import yaml
from launch import Action, LaunchContext, SomeSubstitutionsType
from launch.actions import ExecuteProcess
from launch.logging import get_logger
from launch.substitutions import SubstitutionFailure
from launch.utilities import normalize_to_list_of_substitutions, perform
from rigid_tree_stand_in import missing_name

from .parameter_descriptions import evaluated, flattened
from .substitutions import ExecutableInPackage

__getattr__ = missing_name(__name__)

# Names that are certainly valid. rclpy, which takes 0.1 s to import, checks all others.
USUAL_NAME = re.compile(r"[A-Za-z][A-Za-z0-9_]{0,50}")
USUAL_NAMESPACE = re.compile(rf"/|(/{USUAL_NAME.pattern}){{1,4}}")


class Node(ExecuteProcess):
    """Runs a package's executable as a ROS node; see ExecuteProcess for further arguments.

    ``executable`` is one of ``package`` or, without a package, a path. A relative ``namespace`` is
    within that of PushROSNamespace. ``parameters`` is a list of dictionaries (which may be nested
    and contain substitutions) and of paths of YAML files; later entries override earlier ones.
    ``exec_name`` is the name of the process in the log.
    """

    def __init__(  # noqa: PLR0913 (ROS 2's own arguments)
        self,
        *,
        executable: SomeSubstitutionsType,
        package: SomeSubstitutionsType | None = None,
        name: SomeSubstitutionsType | None = None,
        namespace: SomeSubstitutionsType | None = None,
        exec_name: SomeSubstitutionsType | None = None,
        parameters: Sequence[Any] | None = None,
        remappings: Iterable[tuple[SomeSubstitutionsType, SomeSubstitutionsType]] | None = None,
        ros_arguments: Iterable[SomeSubstitutionsType] | None = None,
        arguments: Iterable[SomeSubstitutionsType] | None = None,
        **kwargs: Any,
    ) -> None:
        program = executable
        if package is not None:
            program = ExecutableInPackage(package=package, executable=executable)
        cmd = [program, *(arguments or ())]
        if ros_arguments is not None:
            cmd += ["--ros-args", *ros_arguments]
        super().__init__(cmd=[*cmd, "--ros-args"], name=exec_name, **kwargs)
        if not isinstance(parameters or [], list):
            raise TypeError(f"a node's parameters must be a list, not {parameters!r}")
        for entry in parameters or []:
            if isinstance(entry, Mapping):
                flattened(entry)  # raises TypeError for a bad value
        self._name = name
        self._namespace = namespace
        self._parameters = list(parameters or [])
        self._remappings = list(remappings or ())

    def execute(self, context: LaunchContext) -> Any:
        """Complete the command line with ROS arguments and start the process."""
        full_name = self._add_names(context)
        for name, value in context.launch_configurations.get("global_params", []):
            self._add_arguments("-p", f"{name}:={value}")
        for entry in self._parameters:
            if isinstance(entry, Mapping):
                path = _written(full_name or "/**", evaluated(context, entry))
            else:
                is_path = isinstance(entry, os.PathLike)
                path = Path(entry if is_path else perform(context, entry))
            if path.is_file():
                self._add_arguments("--params-file", str(path))
            else:
                get_logger(__name__).warning("There is no parameter file %s", path)
        for rule in self._remappings:
            self._add_arguments("-r", ":=".join(perform(context, part) for part in rule))
        return super().execute(context)

    def _add_arguments(self, *arguments: str) -> None:
        self._cmd.extend(normalize_to_list_of_substitutions(argument) for argument in arguments)

    def _add_names(self, context: LaunchContext) -> str | None:
        """Return the node's name with its namespace, if both are given."""
        name = None if self._name is None else perform(context, self._name)
        if name is not None:
            _validate_name(name)
            self._add_arguments("-r", f"__node:={name}")
        own = None if self._namespace is None else perform(context, self._namespace)
        namespace = context.launch_configurations.get("ros_namespace")
        if own is not None or namespace is not None:
            namespace = _joined(namespace or "", own or "")
            _validate_namespace(namespace)
            self._add_arguments("-r", f"__ns:={namespace}")
        return name and namespace and _joined(namespace, name)


class PushROSNamespace(Action):
    """Adds to the namespace of the nodes that follow in this scope (see GroupAction).

    An absolute namespace replaces the current one.
    """

    def __init__(self, namespace: SomeSubstitutionsType, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self._namespace = namespace

    def execute(self, context: LaunchContext) -> None:
        """Set the namespace; raises SubstitutionFailure if it is invalid."""
        pushed = perform(context, self._namespace)
        previous = context.launch_configurations.get("ros_namespace")
        namespace = _joined(previous or "", pushed)
        try:
            _validate_namespace(namespace)
        except ValueError as error:
            raise SubstitutionFailure(
                f"pushing namespace '{pushed}' onto '{previous}' does not make a valid namespace"
            ) from error
        context.launch_configurations["ros_namespace"] = namespace


PushRosNamespace = PushROSNamespace  # the older name


class SetParameter(Action):
    """Sets a parameter of the nodes that follow in this scope (see GroupAction)."""

    def __init__(self, name: SomeSubstitutionsType, value: Any, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self._parameters = {tuple(normalize_to_list_of_substitutions(name)): value}
        flattened(self._parameters)  # raises TypeError for a bad value

    def execute(self, context: LaunchContext) -> None:
        """Add the parameter to a copy of the list, so the outer scope is unchanged."""
        so_far = context.launch_configurations.get("global_params", [])
        new = evaluated(context, self._parameters).items()
        context.launch_configurations["global_params"] = [*so_far, *new]


def _validate_name(name: str) -> None:
    """Raise rclpy's exception if the node name is invalid."""
    if not USUAL_NAME.fullmatch(name):
        from rclpy.validate_node_name import validate_node_name

        validate_node_name(name)


def _validate_namespace(namespace: str) -> None:
    """Raise ValueError with rclpy's message if the namespace is invalid."""
    if USUAL_NAMESPACE.fullmatch(namespace):
        return
    from rclpy.exceptions import InvalidNamespaceException
    from rclpy.validate_namespace import validate_namespace

    try:
        validate_namespace(namespace)
    except InvalidNamespaceException as error:
        raise ValueError(str(error)) from None


def _joined(base: str, name: str) -> str:
    """Return a name in a namespace, with a leading slash; absolute names are unchanged."""
    whole = name if name.startswith("/") else f"{base}/{name}"
    return f"/{whole.strip('/')}"


def _written(node: str, parameters: dict[str, Any]) -> Path:
    """Write a node's parameters to a file that is deleted after the launch."""
    with NamedTemporaryFile("w", dir=_folder(), delete=False) as file:
        yaml.dump({node: {"ros__parameters": parameters}}, file, default_flow_style=False)
    return Path(file.name)


@functools.cache
def _folder() -> str:
    folder = TemporaryDirectory(prefix="launch_params_")
    atexit.register(folder.cleanup)
    return folder.name
