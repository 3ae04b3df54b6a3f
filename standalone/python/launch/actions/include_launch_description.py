"""IncludeLaunchDescription: visits another launch file."""

from __future__ import annotations

import os
from collections.abc import Iterable
from typing import Any

from ..action import Action
from ..launch_context import LaunchContext
from ..launch_description import LaunchDescription
from ..launch_description_entity import LaunchDescriptionEntity
from ..launch_description_source import LaunchDescriptionSource
from ..launch_description_sources import AnyLaunchDescriptionSource
from ..some_substitutions_type import SomeSubstitutionsType
from ..utilities import normalize_to_list_of_substitutions, perform_substitutions
from .settings import SetLaunchConfiguration


class IncludeLaunchDescription(Action):
    """Visits a launch description with arguments.

    It has no scope: its configurations remain set. Use a GroupAction for a scope.
    """

    def __init__(
        self,
        launch_description_source: LaunchDescriptionSource | SomeSubstitutionsType,
        *,
        launch_arguments: Iterable[tuple[SomeSubstitutionsType, SomeSubstitutionsType]]
        | None = None,
        **kwargs: Any,
    ) -> None:
        """Create the action for a source (or a launch file's path) and arguments."""
        super().__init__(**kwargs)
        if not isinstance(launch_description_source, LaunchDescriptionSource):
            launch_description_source = AnyLaunchDescriptionSource(launch_description_source)
        self.__source = launch_description_source
        self.__launch_arguments = tuple(launch_arguments or ())

    def get_sub_entities(self) -> list[LaunchDescriptionEntity]:
        """Return the launch description if it can be had before launching."""
        description = self.__source.try_get_launch_description_without_context()
        return [] if description is None else [description]

    def execute(self, context: LaunchContext) -> list[LaunchDescriptionEntity]:
        """Return the description, after its arguments; raises RuntimeError if one is missing."""
        description = self.__source.get_launch_description(context)
        path = os.path.abspath(self.__source.location)
        is_file = os.path.exists(path)
        context.extend_locals(
            {
                "current_launch_file_path": path,
                "current_launch_file_directory": os.path.dirname(path)
                if is_file
                else self.__source.location,
            }
        )
        self.__check_required_arguments(description, self.__argument_names(context))
        settings = [SetLaunchConfiguration(name, value) for name, value in self.__launch_arguments]
        return [*settings, description]

    def __argument_names(self, context: LaunchContext) -> list[str]:
        return [
            perform_substitutions(context, normalize_to_list_of_substitutions(name))
            for name, _ in self.__launch_arguments
        ]

    def __check_required_arguments(self, description: LaunchDescription, given: list[str]) -> None:
        pairs = description.get_launch_arguments_with_include_launch_description_actions()
        for argument, includes in pairs:
            if argument._conditionally_included or argument.default_value is not None:
                continue
            for include in includes:
                given = given + include.__argument_names(LaunchContext())
            if argument.name not in given:
                raise RuntimeError(
                    f"the included launch description needs argument '{argument.name}' "
                    f"({argument.description}); it was given [{', '.join(given)}]"
                )
