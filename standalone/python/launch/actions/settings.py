"""Actions that set launch configurations and the environment that processes inherit."""

from __future__ import annotations

from typing import Any

from ..action import Action
from ..launch_context import LaunchContext
from ..some_substitutions_type import SomeSubstitutionsType
from ..utilities import normalize_to_list_of_substitutions, perform_substitutions


class _SetText(Action):
    """Gives a text to a name."""

    def __init__(
        self, name: SomeSubstitutionsType, value: SomeSubstitutionsType, **kwargs: Any
    ) -> None:
        """Create the action for a name and a value."""
        super().__init__(**kwargs)
        self.__name = normalize_to_list_of_substitutions(name)
        self.__value = normalize_to_list_of_substitutions(value)

    def _perform(self, context: LaunchContext) -> tuple[str, str]:
        name = perform_substitutions(context, self.__name)
        return name, perform_substitutions(context, self.__value)


class SetLaunchConfiguration(_SetText):
    """Sets a launch configuration."""

    def execute(self, context: LaunchContext) -> None:
        """Set the configuration."""
        name, value = self._perform(context)
        context.launch_configurations[name] = value


class SetEnvironmentVariable(_SetText):
    """Sets an environment variable."""

    def execute(self, context: LaunchContext) -> None:
        """Set the variable."""
        name, value = self._perform(context)
        context.environment[name] = value
