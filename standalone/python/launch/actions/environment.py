"""Actions on the environment that processes inherit."""

from __future__ import annotations

import os
from typing import Any

from ..action import Action
from ..launch_context import LaunchContext
from ..some_substitutions_type import SomeSubstitutionsType
from ..substitution import Substitution
from ..utilities import normalize_to_list_of_substitutions, perform_substitutions
from ..utilities.type_utils import normalize_typed_substitution, perform_typed_substitution


class SetEnvironmentVariable(Action):
    """Sets an environment variable."""

    def __init__(
        self, name: SomeSubstitutionsType, value: SomeSubstitutionsType, **kwargs: Any
    ) -> None:
        """Create the action for a name and a value."""
        super().__init__(**kwargs)
        self.__name = normalize_to_list_of_substitutions(name)
        self.__value = normalize_to_list_of_substitutions(value)

    @property
    def name(self) -> list[Substitution]:
        """The variable's name."""
        return self.__name

    @property
    def value(self) -> list[Substitution]:
        """The variable's value."""
        return self.__value

    def execute(self, context: LaunchContext) -> None:
        """Set the variable."""
        name = perform_substitutions(context, self.name)
        context.environment[name] = perform_substitutions(context, self.value)


class AppendEnvironmentVariable(SetEnvironmentVariable):
    """Appends to an environment variable (or prepends), as to PATH."""

    def __init__(
        self,
        name: SomeSubstitutionsType,
        value: SomeSubstitutionsType,
        prepend: bool | SomeSubstitutionsType = False,
        separator: SomeSubstitutionsType = os.pathsep,
        **kwargs: Any,
    ) -> None:
        """Create the action; a variable that is not there is set."""
        super().__init__(name, value, **kwargs)
        self.__prepend = normalize_typed_substitution(prepend, bool)
        self.__separator = normalize_to_list_of_substitutions(separator)

    def execute(self, context: LaunchContext) -> None:
        """Extend or set the variable."""
        name = perform_substitutions(context, self.name)
        parts = [perform_substitutions(context, self.value)]
        if name in context.environment:
            prepend = perform_typed_substitution(context, self.__prepend, bool)
            parts.insert(1 if prepend else 0, context.environment[name])
        separator = perform_substitutions(context, self.__separator)
        context.environment[name] = separator.join(parts)


class UnsetEnvironmentVariable(Action):
    """Removes an environment variable; one that is not set is no error."""

    def __init__(self, name: SomeSubstitutionsType, **kwargs: Any) -> None:
        """Create the action for a name."""
        super().__init__(**kwargs)
        self.__name = normalize_to_list_of_substitutions(name)

    @property
    def name(self) -> list[Substitution]:
        """The variable's name."""
        return self.__name

    def execute(self, context: LaunchContext) -> None:
        """Remove the variable."""
        context.environment.pop(perform_substitutions(context, self.name), None)


class PushEnvironment(Action):
    """Remembers the environment."""

    def execute(self, context: LaunchContext) -> None:
        """Push a copy onto the stack."""
        context._push_environment()


class PopEnvironment(Action):
    """Restores the environment remembered last."""

    def execute(self, context: LaunchContext) -> None:
        """Pop the copy from the stack."""
        context._pop_environment()


class ResetEnvironment(Action):
    """Restores the environment that launch was started in."""

    def execute(self, context: LaunchContext) -> None:
        """Replace the environment."""
        context._reset_environment()
