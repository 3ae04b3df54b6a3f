"""GroupAction: several actions with a condition and a scope of their own."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from ..action import Action
from ..launch_context import LaunchContext
from ..launch_description_entity import LaunchDescriptionEntity
from .opaque_function import OpaqueFunction


class GroupAction(Action):
    """Visits actions, by default within a scope of launch configurations and environment.

    What is set inside a scoped group does not reach beyond it.
    """

    def __init__(self, actions: Iterable[Action], *, scoped: bool = True, **kwargs: Any) -> None:
        """Create a group."""
        super().__init__(**kwargs)
        self.__actions = list(actions)
        self.__scoped = scoped

    def get_sub_entities(self) -> list[LaunchDescriptionEntity]:
        """Return the actions."""
        return list(self.__actions)

    def execute(self, context: LaunchContext) -> list[LaunchDescriptionEntity]:
        """Return the actions, between those that open and close the scope."""
        if not self.__scoped:
            return self.get_sub_entities()
        opening = OpaqueFunction(function=LaunchContext._push_scope)
        closing = OpaqueFunction(function=LaunchContext._pop_scope)
        return [opening, *self.__actions, closing]
