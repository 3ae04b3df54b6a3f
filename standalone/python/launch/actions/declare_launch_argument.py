"""DeclareLaunchArgument: an argument of a launch file."""

from __future__ import annotations

from typing import Any

from ..action import Action
from ..launch_context import LaunchContext
from ..logging import get_logger
from ..some_substitutions_type import SomeSubstitutionsType
from ..substitution import Substitution
from ..utilities import normalize_to_list_of_substitutions, perform_substitutions


class DeclareLaunchArgument(Action):
    """Declares an argument of the launch file; its value is the configuration of that name."""

    def __init__(
        self,
        name: str,
        *,
        default_value: SomeSubstitutionsType | None = None,
        description: str | None = None,
        choices: list[str] | None = None,
        **kwargs: Any,
    ) -> None:
        """Declare an argument; without a default value it must be given."""
        super().__init__(**kwargs)
        if choices is not None:
            if not choices:
                raise RuntimeError(
                    f"argument '{name}': provided choices are empty; use None for any value"
                )
            if isinstance(default_value, str) and default_value not in choices:
                raise RuntimeError(
                    f"the default {default_value!r} of launch argument {name!r} is none of its "
                    f"choices {choices}"
                )
        self.__name = name
        self.__default_value = (
            None if default_value is None else normalize_to_list_of_substitutions(default_value)
        )
        self.__description = _describe(description, choices)
        self.__choices = choices
        self._conditionally_included = False  # found out when a description's arguments are listed

    @property
    def name(self) -> str:
        """The argument's name."""
        return self.__name

    @property
    def default_value(self) -> list[Substitution] | None:
        """The value used if none is given; None if one must be given."""
        return self.__default_value

    @property
    def description(self) -> str:
        """What the argument is for, with its choices."""
        return self.__description

    @property
    def choices(self) -> list[str] | None:
        """The values allowed; None for any."""
        return self.__choices

    def execute(self, context: LaunchContext) -> None:
        """Set the default where none is given; raises RuntimeError for a missing or bad value."""
        if self.name not in context.launch_configurations:
            if self.default_value is None:
                get_logger(__name__).error(
                    'Required launch argument "%s" (description: "%s") was not provided',
                    self.name,
                    self.description,
                )
                raise RuntimeError(
                    f"launch argument {self.name!r} has no default: give it a value"
                )
            context.launch_configurations[self.name] = perform_substitutions(
                context, self.default_value
            )
        value = context.launch_configurations[self.name]
        if self.choices is not None and value not in self.choices:
            message = (
                f"launch argument {self.name!r} cannot be {value!r}: "
                f"its choices are {self.choices}"
            )
            get_logger(__name__).error(message)
            raise RuntimeError(message)


def _describe(description: str | None, choices: list[str] | None) -> str:
    if choices is None:
        return "no description given" if description is None else description
    if description is None:
        return f"One of: {choices}"
    stop = "" if description.endswith(".") else "."
    return f"{description}{stop} Valid choices are: {choices}"
