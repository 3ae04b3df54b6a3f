"""LaunchDescription: what to launch, as a list of entities."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from .action import Action
from .launch_context import LaunchContext
from .launch_description_entity import LaunchDescriptionEntity
from .logging import get_logger

if TYPE_CHECKING:
    from .actions import DeclareLaunchArgument, IncludeLaunchDescription

    ArgumentAndIncludes = tuple[DeclareLaunchArgument, list[IncludeLaunchDescription] | None]


class LaunchDescription(LaunchDescriptionEntity):
    """An ordered list of entities."""

    def __init__(
        self,
        initial_entities: Iterable[LaunchDescriptionEntity] | None = None,
        *,
        deprecated_reason: str | None = None,
    ) -> None:
        """Create a description; one with a ``deprecated_reason`` warns when visited."""
        self.__entities = list(initial_entities) if initial_entities is not None else []
        self.__deprecated_reason = deprecated_reason

    @property
    def entities(self) -> list[LaunchDescriptionEntity]:
        """The entities in order."""
        return self.__entities

    @property
    def deprecated(self) -> bool:
        """Whether a reason for deprecation was given."""
        return self.__deprecated_reason is not None

    @property
    def deprecated_reason(self) -> str | None:
        """Why the description is deprecated."""
        return self.__deprecated_reason

    def add_entity(self, entity: LaunchDescriptionEntity) -> None:
        """Append an entity."""
        self.__entities.append(entity)

    def add_action(self, action: Action) -> None:
        """Append an action."""
        self.add_entity(action)

    def visit(self, context: LaunchContext) -> list[LaunchDescriptionEntity] | None:
        """Return the entities, to be visited in order."""
        if self.deprecated:
            path = context.get_locals_as_dict().get("current_launch_file_path")
            what = (
                f"launch file [{path}] is deprecated" if path else "deprecated launch description"
            )
            get_logger().warning("%s: %s", what, self.__deprecated_reason)
        return self.__entities

    def describe_sub_entities(self) -> list[LaunchDescriptionEntity]:
        """Return the entities."""
        return self.__entities

    def get_launch_arguments(
        self, conditional_inclusion: bool = False
    ) -> list[DeclareLaunchArgument]:
        """Return the arguments declared here and in includes, each name once, in order."""
        pairs = self.get_launch_arguments_with_include_launch_description_actions(
            conditional_inclusion
        )
        return [argument for argument, _ in pairs]

    def get_launch_arguments_with_include_launch_description_actions(
        self, conditional_inclusion: bool = False
    ) -> list[ArgumentAndIncludes]:
        """Return the arguments, each with the includes through which it is reached."""
        from .actions import (
            DeclareLaunchArgument,
            IncludeLaunchDescription,
            ResetLaunchConfigurations,
        )

        found: dict[str, ArgumentAndIncludes] = {}

        def collect(
            entities: Iterable[LaunchDescriptionEntity],
            conditional: bool,
            includes: list[IncludeLaunchDescription] | None,
        ) -> None:
            for entity in entities:
                if isinstance(entity, ResetLaunchConfigurations):
                    return  # what follows no longer sees this description's arguments
                if isinstance(entity, DeclareLaunchArgument):
                    if entity.name in found:
                        continue
                    entity._conditionally_included = conditional or entity.condition is not None
                    found[entity.name] = (entity, includes)
                inner = includes
                if isinstance(entity, IncludeLaunchDescription):
                    inner = [*(includes or []), entity]
                collect(entity.describe_sub_entities(), False, inner)
                for _, sub_entities in entity.describe_conditional_sub_entities():
                    collect(sub_entities, True, inner)

        collect(self.entities, conditional_inclusion, None)
        return list(found.values())
