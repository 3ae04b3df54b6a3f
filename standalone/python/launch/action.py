"""Action: a launch description entity that does something, perhaps under a condition."""

from __future__ import annotations

from typing import Any

from rigid_tree_stand_in import reject_arguments

from ._bases import Condition, LaunchDescriptionEntity
from .launch_context import LaunchContext


class Action(LaunchDescriptionEntity):
    """Something to be done when it is visited, if its condition (if any) holds."""

    def __init__(self, *, condition: Condition | None = None, **unknown: Any) -> None:
        reject_arguments(self, unknown)
        self.condition = condition

    def get_sub_entities(self) -> list[LaunchDescriptionEntity]:
        """Return the entities this action contains, as far as known before execution."""
        return []

    def _contents(self) -> list[tuple[LaunchDescriptionEntity, bool]]:
        return [(entity, self.condition is not None) for entity in self.get_sub_entities()]

    def visit(self, context: LaunchContext) -> Any:
        """Execute the action if its condition holds."""
        if self.condition is None or self.condition.evaluate(context):
            return self.execute(context)
        return None

    def execute(self, context: LaunchContext) -> Any:
        """Do the work; may return entities to be visited next."""
