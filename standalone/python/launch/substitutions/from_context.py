"""Substitutions by values of the launch context."""

from __future__ import annotations

import collections.abc
from collections.abc import Iterable
from typing import Any

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

    def describe(self) -> str:
        """Return ``LaunchConfig('name')``."""
        return f"LaunchConfig({describe_all(self.__name)})"

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

    def describe(self) -> str:
        """Return ``EnvVar('NAME')``."""
        return f"EnvVar({describe_all(self.__name)})"

    def perform(self, context: LaunchContext) -> str:
        """Return the value or the default; raises SubstitutionFailure if there is neither."""
        name = perform_substitutions(context, self.__name)
        if name in context.environment:
            return context.environment[name]
        if self.__default is None:
            raise SubstitutionFailure(
                f"environment variable '{name}' is not set and has no default"
            )
        return perform_substitutions(context, self.__default)


class ThisLaunchFileDir(Substitution):
    """The directory of the current launch file."""

    def describe(self) -> str:
        """Return ``ThisLaunchFileDir()``."""
        return "ThisLaunchFileDir()"

    def perform(self, context: LaunchContext) -> str:
        """Return the path; raises SubstitutionFailure outside a launch file."""
        locals_ = context.get_locals_as_dict()
        if "current_launch_file_directory" not in locals_:
            raise SubstitutionFailure(
                "ThisLaunchFileDir has a value in a launch file only, not in a script"
            )
        return locals_["current_launch_file_directory"]
