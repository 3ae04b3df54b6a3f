"""Substitutions that look something up in the launch context."""

from __future__ import annotations

import collections.abc
import os
import random
import re
import socket
import sys
from collections.abc import Iterable
from typing import Any

from .. import logging as launch_logging
from ..launch_context import LaunchContext
from ..some_substitutions_type import SomeSubstitutionsType
from ..substitution import Substitution
from ..utilities import normalize_to_list_of_substitutions, perform_substitutions
from .substitution_failure import SubstitutionFailure


def describe_all(substitutions: Iterable[Substitution]) -> str:
    """Return the descriptions of several substitutions, joined by plus signs."""
    return " + ".join(sub.describe() for sub in substitutions)


class LaunchConfiguration(Substitution):
    """The value of a launch configuration, for instance of a launch argument."""

    def __init__(
        self, variable_name: SomeSubstitutionsType, *, default: Any | Iterable[Any] | None = None
    ) -> None:
        """Create a substitution; ``default`` is used where the configuration is not set."""
        self.__name = normalize_to_list_of_substitutions(variable_name)
        self.__default = None
        if default is not None:
            if isinstance(default, str) or not isinstance(default, collections.abc.Iterable):
                default = [default]
            self.__default = normalize_to_list_of_substitutions(
                [x if isinstance(x, (str, Substitution)) else str(x) for x in default]
            )

    @property
    def variable_name(self) -> list[Substitution]:
        """The configuration's name."""
        return self.__name

    def describe(self) -> str:
        """Return ``LaunchConfig('name')``."""
        return f"LaunchConfig({describe_all(self.variable_name)})"

    def perform(self, context: LaunchContext) -> str:
        """Return the value or the default; raises SubstitutionFailure if there is neither."""
        name = perform_substitutions(context, self.__name)
        if name in context.launch_configurations:
            return context.launch_configurations[name]
        if self.__default is None:
            raise SubstitutionFailure(
                f"launch configuration '{name}' is not set and has no default"
            )
        return perform_substitutions(context, self.__default)


class EnvironmentVariable(Substitution):
    """The value of an environment variable."""

    def __init__(
        self,
        name: SomeSubstitutionsType,
        *,
        default_value: SomeSubstitutionsType | None = None,
    ) -> None:
        """Create a substitution; ``default_value`` is used where the variable is not set."""
        self.__name = normalize_to_list_of_substitutions(name)
        self.__default = (
            None if default_value is None else normalize_to_list_of_substitutions(default_value)
        )

    @property
    def name(self) -> list[Substitution]:
        """The variable's name."""
        return self.__name

    @property
    def default_value(self) -> list[Substitution] | None:
        """The text used where the variable is not set."""
        return self.__default

    def describe(self) -> str:
        """Return ``EnvVar('NAME')``."""
        return f"EnvVar({describe_all(self.name)})"

    def perform(self, context: LaunchContext) -> str:
        """Return the value or the default; raises SubstitutionFailure if there is neither."""
        name = perform_substitutions(context, self.name)
        if name in context.environment:
            return context.environment[name]
        if self.__default is None:
            raise SubstitutionFailure(
                f"environment variable '{name}' is not set and has no default"
            )
        return perform_substitutions(context, self.__default)


class LocalSubstitution(Substitution):
    """The value of a Python expression on ``context.locals``, such as ``event.pid``."""

    def __init__(self, expression: str, description: str | None = None) -> None:
        """Create a substitution from an expression that follows ``context.locals.``."""
        self.__expression = expression
        self.__description = description

    @property
    def expression(self) -> str:
        """The expression."""
        return self.__expression

    def describe(self) -> str:
        """Return ``LocalVar('description')``."""
        return f"LocalVar('{self.__description or self.__expression}')"

    def perform(self, context: LaunchContext) -> str:
        """Return the evaluated expression."""
        return eval("context.locals." + self.__expression, {"context": context})


class _LaunchFileLocation(Substitution):
    """Looks up what IncludeLaunchDescription noted about the current launch file."""

    _local_name = ""

    def describe(self) -> str:
        """Return the class name, called."""
        return f"{type(self).__name__}()"

    def perform(self, context: LaunchContext) -> str:
        """Return the path; raises SubstitutionFailure outside a launch file."""
        locals_ = context.get_locals_as_dict()
        if self._local_name not in locals_:
            raise SubstitutionFailure(
                f"{type(self).__name__} has a value in a launch file only, not in a script"
            )
        return locals_[self._local_name]


class ThisLaunchFile(_LaunchFileLocation):
    """The absolute path of the current launch file."""

    _local_name = "current_launch_file_path"


class ThisLaunchFileDir(_LaunchFileLocation):
    """The directory of the current launch file."""

    _local_name = "current_launch_file_directory"


class LaunchLogDir(Substitution):
    """The directory of this launch's log files."""

    def describe(self) -> str:
        """Return ``LaunchLogDir()``."""
        return "LaunchLogDir()"

    def perform(self, context: LaunchContext) -> str:
        """Return the directory."""
        return launch_logging.launch_config.log_dir


class AnonName(Substitution):
    """A name made unique; the same name gives the same unique name within one launch."""

    def __init__(self, name: SomeSubstitutionsType) -> None:
        """Create a substitution from the name's readable beginning."""
        self.__name = normalize_to_list_of_substitutions(name)

    @property
    def name(self) -> list[Substitution]:
        """The readable beginning."""
        return self.__name

    def describe(self) -> str:
        """Return ``AnonName('name')``."""
        return f"AnonName({describe_all(self.name)})"

    def perform(self, context: LaunchContext) -> str:
        """Return the unique name."""
        name = perform_substitutions(context, self.name)
        return context.launch_configurations.setdefault("anon" + name, self.compute_name(name))

    def compute_name(self, id_value: str) -> str:
        """Return a new unique name that begins with ``id_value``."""
        parts = (id_value, socket.gethostname(), os.getpid(), random.randint(0, sys.maxsize))
        return re.sub("[.:-]", "_", "_".join(map(str, parts)))
