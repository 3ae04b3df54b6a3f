"""Substitutions: texts that are evaluated during the launch."""

import importlib
import os
import shlex
import shutil
import subprocess
from collections.abc import Iterable
from typing import Any

from rigid_tree_stand_in import missing_name

from ._bases import SomeSubstitutionsType, Substitution
from ._bases import TextSubstitution as TextSubstitution
from .launch_context import LaunchContext
from .logging import get_logger
from .utilities import (
    describe_all,
    normalize_to_list_of_substitutions,
    perform,
    perform_substitutions,
)

__getattr__ = missing_name(__name__)


class SubstitutionFailure(RuntimeError):  # noqa: N818 (the real name)
    """A substitution could not be performed."""


class _OfText(Substitution):
    """A substitution of one text."""

    _label: str  # in descriptions

    def __init__(self, text: SomeSubstitutionsType) -> None:
        self._text = normalize_to_list_of_substitutions(text)

    def describe(self) -> str:
        """Return the label with the text's description."""
        return f"{self._label}({describe_all(self._text)})"

    def _lookup(self, context: LaunchContext, values: Any, default: Any, kind: str) -> str:
        """Return the value of the name; raises SubstitutionFailure without value and default."""
        key = perform_substitutions(context, self._text)
        if key in values:
            return str(values[key])
        if default is None:
            raise SubstitutionFailure(f"{kind} '{key}' is not set and has no default")
        return perform(context, default)


class LaunchConfiguration(_OfText):
    """The value of a launch configuration, or ``default`` if it is not set."""

    _label = "LaunchConfig"

    def __init__(
        self, variable_name: SomeSubstitutionsType, *, default: Any | Iterable[Any] | None = None
    ) -> None:
        super().__init__(variable_name)
        self._default = None
        if default is not None:
            is_list = isinstance(default, Iterable) and not isinstance(default, str)
            items = default if is_list else [default]
            self._default = [
                item if isinstance(item, Substitution) else str(item) for item in items
            ]

    def perform(self, context: LaunchContext) -> str:
        """Return the value or the default; raises SubstitutionFailure if there is neither."""
        values = context.launch_configurations
        return self._lookup(context, values, self._default, "launch configuration")


class EnvironmentVariable(_OfText):
    """The value of an environment variable, or ``default_value`` if it is not set."""

    _label = "EnvVar"

    def __init__(
        self, name: SomeSubstitutionsType, *, default_value: SomeSubstitutionsType | None = None
    ) -> None:
        super().__init__(name)
        self._default = default_value

    def perform(self, context: LaunchContext) -> str:
        """Return the value or the default; raises SubstitutionFailure if there is neither."""
        return self._lookup(context, context.environment, self._default, "environment variable")


class ThisLaunchFileDir(Substitution):
    """The directory of the current launch file."""

    def describe(self) -> str:
        """Return ``ThisLaunchFileDir()``."""
        return "ThisLaunchFileDir()"

    def perform(self, context: LaunchContext) -> str:
        """Return the path; raises SubstitutionFailure outside a launch file."""
        folder = context.get_locals_as_dict().get("current_launch_file_directory")
        if folder is None:
            raise SubstitutionFailure("ThisLaunchFileDir has no value outside a launch file")
        return str(folder)


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


class FindExecutable(_OfText):
    """The path of a program found through PATH."""

    _label = "FindExec"

    def __init__(self, *, name: SomeSubstitutionsType) -> None:
        super().__init__(name)

    def perform(self, context: LaunchContext) -> str:
        """Return the path; raises SubstitutionFailure if the program is not found."""
        name = perform_substitutions(context, self._text)
        path = shutil.which(name)
        if path is None:
            raise SubstitutionFailure(f"no executable '{name}' in any directory of PATH")
        return path


class Command(_OfText):
    """The output of a command such as ``xacro robot.xacro``; it runs without a shell.

    ``on_stderr`` is the effect of text on stderr: 'fail' (an error), 'warn', 'ignore', or
    'capture' (it is added to the output).
    """

    _label = "Command"

    def __init__(
        self, command: SomeSubstitutionsType, *, on_stderr: SomeSubstitutionsType = "fail"
    ) -> None:
        super().__init__(command)
        self._on_stderr = on_stderr

    def perform(self, context: LaunchContext) -> str:
        """Run the command and return its output; raises SubstitutionFailure if it fails."""
        command = perform_substitutions(context, self._text)
        on_stderr = perform(context, self._on_stderr)
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
