"""Substitutions: texts that are evaluated during the launch."""

from __future__ import annotations

import importlib
import os
import shlex
import shutil
import subprocess
from collections.abc import Iterable
from typing import Any

from rigid_tree_stand_in import missing_name

from ._bases import SomeSubstitutionsType, Substitution, TextSubstitution
from .launch_context import LaunchContext
from .logging import get_logger
from .utilities import describe_all, normalize_to_list_of_substitutions, perform_substitutions

__all__ = [
    "Command",
    "EnvironmentVariable",
    "FindExecutable",
    "LaunchConfiguration",
    "PathJoinSubstitution",
    "PythonExpression",
    "SubstitutionFailure",
    "TextSubstitution",
    "ThisLaunchFileDir",
]
__getattr__ = missing_name(__name__)


class SubstitutionFailure(RuntimeError):  # noqa: N818 (the real name)
    """A substitution could not be performed."""


def _lookup(context: LaunchContext, values: Any, name: list[Any], default: Any, kind: str) -> str:
    """Return the value of a name or the default; raises SubstitutionFailure without either."""
    key = perform_substitutions(context, name)
    if key in values:
        return str(values[key])
    if default is None:
        raise SubstitutionFailure(f"{kind} '{key}' is not set and has no default")
    return perform_substitutions(context, default)


class LaunchConfiguration(Substitution):
    """The value of a launch configuration, or ``default`` if it is not set."""

    def __init__(
        self, variable_name: SomeSubstitutionsType, *, default: Any | Iterable[Any] | None = None
    ) -> None:
        self._name = normalize_to_list_of_substitutions(variable_name)
        self._default = None
        if default is not None:
            is_list = isinstance(default, Iterable) and not isinstance(default, str)
            items = default if is_list else [default]
            self._default = normalize_to_list_of_substitutions(
                [item if isinstance(item, Substitution) else str(item) for item in items]
            )

    def describe(self) -> str:
        """Return ``LaunchConfig('name')``."""
        return f"LaunchConfig({describe_all(self._name)})"

    def perform(self, context: LaunchContext) -> str:
        """Return the value or the default; raises SubstitutionFailure if there is neither."""
        values = context.launch_configurations
        return _lookup(context, values, self._name, self._default, "launch configuration")


class EnvironmentVariable(Substitution):
    """The value of an environment variable, or ``default_value`` if it is not set."""

    def __init__(
        self, name: SomeSubstitutionsType, *, default_value: SomeSubstitutionsType | None = None
    ) -> None:
        self._name = normalize_to_list_of_substitutions(name)
        self._default = (
            None if default_value is None else normalize_to_list_of_substitutions(default_value)
        )

    def describe(self) -> str:
        """Return ``EnvVar('NAME')``."""
        return f"EnvVar({describe_all(self._name)})"

    def perform(self, context: LaunchContext) -> str:
        """Return the value or the default; raises SubstitutionFailure if there is neither."""
        values = context.environment
        return _lookup(context, values, self._name, self._default, "environment variable")


class ThisLaunchFileDir(Substitution):
    """The directory of the current launch file."""

    def describe(self) -> str:
        """Return ``ThisLaunchFileDir()``."""
        return "ThisLaunchFileDir()"

    def perform(self, context: LaunchContext) -> str:
        """Return the path; raises SubstitutionFailure outside a launch file."""
        try:
            return str(context.get_locals_as_dict()["current_launch_file_directory"])
        except KeyError:
            raise SubstitutionFailure(
                "ThisLaunchFileDir has no value outside a launch file"
            ) from None


class PathJoinSubstitution(Substitution):
    """Path components, joined like in ``os.path.join``; each is a text or a substitution."""

    def __init__(self, substitutions: Iterable[str | Substitution]) -> None:
        self._substitutions = normalize_to_list_of_substitutions(substitutions)

    def describe(self) -> str:
        """Return ``PathJoin('a' + 'b')``."""
        return f"PathJoin('{describe_all(self._substitutions)}')"

    def perform(self, context: LaunchContext) -> str:
        """Return the path."""
        return os.path.join(*[sub.perform(context) for sub in self._substitutions])


class PythonExpression(Substitution):
    """The value of a Python expression as a text; the named modules and math are in scope."""

    def __init__(
        self, expression: SomeSubstitutionsType, python_modules: SomeSubstitutionsType = ("math",)
    ) -> None:
        self._expression = normalize_to_list_of_substitutions(expression)
        self._python_modules = normalize_to_list_of_substitutions(python_modules)

    def describe(self) -> str:
        """Return ``PythonExpr('expression', ['math'])``."""
        modules = ", ".join(sub.describe() for sub in self._python_modules)
        return f"PythonExpr({describe_all(self._expression)}, [{modules}])"

    def perform(self, context: LaunchContext) -> str:
        """Return the evaluated expression."""
        names: dict[str, object] = {}
        for sub in self._python_modules:
            module = importlib.import_module(sub.perform(context))
            if module.__name__ == "math":
                names.update(vars(module))
            names[module.__name__] = module
        return str(eval(perform_substitutions(context, self._expression), {}, names))


class FindExecutable(Substitution):
    """The path of a program found through PATH."""

    def __init__(self, *, name: SomeSubstitutionsType) -> None:
        self._name = normalize_to_list_of_substitutions(name)

    def describe(self) -> str:
        """Return ``FindExec('name')``."""
        return f"FindExec({describe_all(self._name)})"

    def perform(self, context: LaunchContext) -> str:
        """Return the path; raises SubstitutionFailure if the program is not found."""
        name = perform_substitutions(context, self._name)
        path = shutil.which(name)
        if path is None:
            raise SubstitutionFailure(f"no executable '{name}' in any directory of PATH")
        return path


class Command(Substitution):
    """The output of a command such as ``xacro robot.xacro``; it runs without a shell.

    ``on_stderr`` is the effect of text on stderr: 'fail' (an error), 'warn', 'ignore', or
    'capture' (it belongs to the output).
    """

    def __init__(
        self, command: SomeSubstitutionsType, *, on_stderr: SomeSubstitutionsType = "fail"
    ) -> None:
        self._command = normalize_to_list_of_substitutions(command)
        self._on_stderr = normalize_to_list_of_substitutions(on_stderr)

    def describe(self) -> str:
        """Return ``Command('command')``."""
        return f"Command({describe_all(self._command)})"

    def perform(self, context: LaunchContext) -> str:
        """Run the command and return its output; raises SubstitutionFailure if it fails."""
        command = perform_substitutions(context, self._command)
        on_stderr = perform_substitutions(context, self._on_stderr)
        choices = ("fail", "ignore", "warn", "capture")
        if on_stderr not in choices:
            raise SubstitutionFailure(
                f"'on_stderr' cannot be '{on_stderr}', only one of {', '.join(choices)}"
            )
        stderr = subprocess.STDOUT if on_stderr == "capture" else subprocess.PIPE
        try:
            result = subprocess.run(
                shlex.split(command), stdout=subprocess.PIPE, stderr=stderr, text=True
            )
        except FileNotFoundError as error:
            raise SubstitutionFailure(f"file not found: {error}") from error
        if result.returncode != 0:
            end = f"failed with exit code {result.returncode}"
            raise SubstitutionFailure(f"command {end}: {command}\n{result.stderr or ''}")
        message = f"command wrote to stderr: {command}\nIts stderr:\n{result.stderr}"
        if result.stderr and on_stderr == "fail":
            raise SubstitutionFailure(message)
        if result.stderr and on_stderr == "warn":
            get_logger().warning(message)
        return result.stdout
