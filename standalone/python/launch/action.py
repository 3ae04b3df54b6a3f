"""Action: a launch description entity that does something, perhaps under a condition."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from rigid_tree_stand_in import not_covered

from .condition import Condition
from .launch_context import LaunchContext
from .launch_description_entity import LaunchDescriptionEntity


class Action(LaunchDescriptionEntity):
    """Something to be done when the launch description is visited."""

    def __init__(self, *, condition: Condition | None = None, **unknown: Any) -> None:
        """Create an action that is executed only where ``condition`` (if any) holds."""
        if unknown:
            raise TypeError(
                not_covered(f"argument '{next(iter(unknown))}' of {type(self).__name__}")
            )
        self.__condition = condition

    @property
    def condition(self) -> Condition | None:
        """The condition under which the action is executed."""
        return self.__condition

    def get_sub_entities(self) -> list[LaunchDescriptionEntity]:
        """Return the entities this action contains, as far as known before execution."""
        return []

    def describe_sub_entities(self) -> list[LaunchDescriptionEntity]:
        """Return the entities that are certainly visited with this action."""
        return self.get_sub_entities() if self.condition is None else []

    def describe_conditional_sub_entities(
        self,
    ) -> list[tuple[str, Iterable[LaunchDescriptionEntity]]]:
        """Return the entities that are visited only if the condition holds."""
        if self.condition is None:
            return []
        return [(f"Conditionally included by {self!r}", self.get_sub_entities())]

    def visit(self, context: LaunchContext) -> list[LaunchDescriptionEntity] | None:
        """Execute the action if its condition holds."""
        if self.__condition is not None and not self.__condition.evaluate(context):
            return None
        return self.execute(context)

    def execute(self, context: LaunchContext) -> list[LaunchDescriptionEntity] | None:
        """Do the work; may return entities to be visited next."""
        return None
