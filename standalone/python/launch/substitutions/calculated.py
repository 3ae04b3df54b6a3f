"""Substitutions that compute their text: paths, expressions, programs."""

from __future__ import annotations

import importlib
import os
import shlex
import shutil
import subprocess
from collections.abc import Iterable, Sequence

from ..launch_context import LaunchContext
from ..logging import get_logger
from ..some_substitutions_type import SomeSubstitutionsType
from ..substitution import Substitution
from ..utilities import normalize_to_list_of_substitutions, perform_substitutions
from .from_context import describe_all
from .substitution_failure import SubstitutionFailure


class PathJoinSubstitution(Substitution):
    """Path components joined as by ``os.path.join``."""

    def __init__(self, substitutions: Iterable[str | Substitution]) -> None:
        """Create a substitution; each text or substitution is one component."""
        self.__substitutions = normalize_to_list_of_substitutions(substitutions)

    def describe(self) -> str:
        """Return ``PathJoin('a' + 'b')``."""
        return f"PathJoin('{describe_all(self.__substitutions)}')"

    def perform(self, context: LaunchContext) -> str:
        """Return the path."""
        return os.path.join(*[sub.perform(context) for sub in self.__substitutions])


class PythonExpression(Substitution):
    """The value of a Python expression, as a text."""

    def __init__(
        self, expression: SomeSubstitutionsType, python_modules: SomeSubstitutionsType = ("math",)
    ) -> None:
        """Create a substitution; the names of math and the named modules are in scope."""
        self.__expression = normalize_to_list_of_substitutions(expression)
        self.__python_modules = normalize_to_list_of_substitutions(python_modules)

    def describe(self) -> str:
        """Return ``PythonExpr('expression', ['math'])``."""
        modules = ", ".join(sub.describe() for sub in self.__python_modules)
        return f"PythonExpr({describe_all(self.__expression)}, [{modules}])"

    def perform(self, context: LaunchContext) -> str:
        """Return the evaluated expression."""
        names: dict[str, object] = {}
        for sub in self.__python_modules:
            module = importlib.import_module(sub.perform(context))
            if module.__name__ == "math":
                names.update(vars(module))
            names[module.__name__] = module
        return str(eval(perform_substitutions(context, self.__expression), {}, names))


class FindExecutable(Substitution):
    """The path of a program found through PATH."""

    def __init__(self, *, name: SomeSubstitutionsType) -> None:
        """Create a substitution from the program's name."""
        self.__name = normalize_to_list_of_substitutions(name)

    def describe(self) -> str:
        """Return ``FindExec('name')``."""
        return f"FindExec({describe_all(self.__name)})"

    def perform(self, context: LaunchContext) -> str:
        """Return the path; raises SubstitutionFailure if the program is not found."""
        name = perform_substitutions(context, self.__name)
        path = shutil.which(name)
        if path is None:
            raise SubstitutionFailure(f"no executable '{name}' in any directory of PATH")
        return path


class Command(Substitution):
    """The output of a command, for instance of ``xacro robot.xacro``."""

    _stderr_choices = ("fail", "ignore", "warn", "capture")

    def __init__(
        self, command: SomeSubstitutionsType, *, on_stderr: SomeSubstitutionsType = "fail"
    ) -> None:
        """Create a substitution; the joined text is split like a shell would.

        ``on_stderr`` is the effect of text on stderr: 'fail' (an error), 'warn', 'ignore', or
        'capture' (it belongs to the output).
        """
        self.__command = normalize_to_list_of_substitutions(command)
        self.__on_stderr = normalize_to_list_of_substitutions(on_stderr)

    def describe(self) -> str:
        """Return ``Command('command')``."""
        return f"Command({describe_all(self.__command)})"

    def perform(self, context: LaunchContext) -> str:
        """Run the command and return its output; raises SubstitutionFailure if it fails."""
        command = perform_substitutions(context, self.__command)
        on_stderr = perform_substitutions(context, self.__on_stderr)
        if on_stderr not in self._stderr_choices:
            raise SubstitutionFailure(
                f"'on_stderr' cannot be '{on_stderr}', only one of "
                f"{', '.join(self._stderr_choices)}"
            )
        result = self.__run(shlex.split(command), capture=on_stderr == "capture")
        if result.returncode != 0:
            message = f"command failed with exit code {result.returncode}: {command}"
            if result.stderr:
                message += f"\nIts stderr: {result.stderr}"
            raise SubstitutionFailure(message)
        if result.stderr and on_stderr in ("fail", "warn"):
            message = f"command wrote to stderr: {command}\nIts stderr:\n{result.stderr}"
            if on_stderr == "fail":
                raise SubstitutionFailure(message)
            get_logger().warning(message)
        return result.stdout

    @staticmethod
    def __run(command: Sequence[str], *, capture: bool) -> subprocess.CompletedProcess[str]:
        stderr = subprocess.STDOUT if capture else subprocess.PIPE
        try:
            return subprocess.run(
                command, stdout=subprocess.PIPE, stderr=stderr, text=True, check=False
            )
        except FileNotFoundError as error:
            raise SubstitutionFailure(f"file not found: {error}") from error
