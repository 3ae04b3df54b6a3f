"""LaunchDescription: what to launch, as a list of entities."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from .action import Action
from .launch_context import LaunchContext
from .launch_description_entity import LaunchDescriptionEntity

if TYPE_CHECKING:
    from .actions import DeclareLaunchArgument, IncludeLaunchDescription

    ArgumentAndIncludes = tuple[DeclareLaunchArgument, list[IncludeLaunchDescription]]


class LaunchDescription(LaunchDescriptionEntity):
    """An ordered list of entities."""

    def __init__(self, initial_entities: Iterable[LaunchDescriptionEntity] | None = None) -> None:
        """Create a description."""
        self.__entities = list(initial_entities) if initial_entities is not None else []

    @property
    def entities(self) -> list[LaunchDescriptionEntity]:
        """The entities in order."""
        return self.__entities

    def add_action(self, action: Action) -> None:
        """Append an action."""
        self.__entities.append(action)

    def visit(self, context: LaunchContext) -> list[LaunchDescriptionEntity] | None:
        """Return the entities, to be visited in order."""
        return self.__entities

    def describe_sub_entities(self) -> list[LaunchDescriptionEntity]:
        """Return the entities."""
        return self.__entities

    def get_launch_arguments(self) -> list[DeclareLaunchArgument]:
        """Return the arguments declared here and in includes, each name once, in order."""
        pairs = self.get_launch_arguments_with_include_launch_description_actions()
        return [argument for argument, _ in pairs]

    def get_launch_arguments_with_include_launch_description_actions(
        self,
    ) -> list[ArgumentAndIncludes]:
        """Return the arguments, each with the includes through which it is reached."""
        from .actions import DeclareLaunchArgument, IncludeLaunchDescription

        found: dict[str, ArgumentAndIncludes] = {}

        def collect(
            entities: Iterable[LaunchDescriptionEntity],
            conditional: bool,
            includes: list[IncludeLaunchDescription],
        ) -> None:
            for entity in entities:
                if isinstance(entity, DeclareLaunchArgument):
                    if entity.name in found:
                        continue
                    entity._conditionally_included = conditional or entity.condition is not None
                    found[entity.name] = (entity, includes)
                inner = includes
                if isinstance(entity, IncludeLaunchDescription):
                    inner = [*includes, entity]
                collect(entity.describe_sub_entities(), False, inner)
                for _, sub_entities in entity.describe_conditional_sub_entities():
                    collect(sub_entities, True, inner)

        collect(self.entities, False, [])
        return list(found.values())
