"""GroupAction: several actions with a condition and a scope of their own."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from ..action import Action
from ..launch_context import LaunchContext
from ..launch_description_entity import LaunchDescriptionEntity
from ..some_substitutions_type import SomeSubstitutionsType
from .configuration import (
    PopLaunchConfigurations,
    PushLaunchConfigurations,
    ResetLaunchConfigurations,
    SetLaunchConfiguration,
)
from .environment import PopEnvironment, PushEnvironment, ResetEnvironment


class GroupAction(Action):
    """Visits actions, by default within a scope of launch configurations and environment."""

    def __init__(
        self,
        actions: Iterable[Action],
        *,
        scoped: bool = True,
        forwarding: bool = True,
        launch_configurations: Mapping[SomeSubstitutionsType, SomeSubstitutionsType] | None = None,
        **left_over_kwargs: Any,
    ) -> None:
        """Create a group.

        What is set inside a scoped group does not reach beyond it; with ``forwarding=False`` a
        scoped group sees nothing from outside but ``launch_configurations``.
        """
        super().__init__(**left_over_kwargs)
        self.__actions = list(actions)
        self.__scoped = scoped
        self.__forwarding = forwarding
        self.__launch_configurations = launch_configurations or {}

    def get_sub_entities(self) -> list[LaunchDescriptionEntity]:
        """Return the actions with those that open and close the scope."""
        settings = [
            SetLaunchConfiguration(name, value)
            for name, value in self.__launch_configurations.items()
        ]
        if not self.__scoped:
            return [*settings, *self.__actions]
        opening: list[Action] = [PushLaunchConfigurations(), PushEnvironment()]
        if self.__forwarding:
            opening += settings
        else:
            opening += [
                ResetEnvironment(),
                ResetLaunchConfigurations(self.__launch_configurations),
            ]
        return [*opening, *self.__actions, PopEnvironment(), PopLaunchConfigurations()]

    def execute(self, context: LaunchContext) -> list[LaunchDescriptionEntity]:
        """Return the actions to be visited."""
        return self.get_sub_entities()
