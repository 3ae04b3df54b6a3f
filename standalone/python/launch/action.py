"""Action: a launch description entity that does something, optionally under a condition."""

from typing import Any

from rigid_tree_stand_in import reject_arguments

from ._bases import Condition, LaunchDescriptionEntity
from .launch_context import LaunchContext


class Action(LaunchDescriptionEntity):
    """Work that is done when the action is visited, if its condition is true."""

    def __init__(self, *, condition: Condition | None = None, **unknown: Any) -> None:
        reject_arguments(self, unknown)
        self.condition = condition

    def get_sub_entities(self) -> list[LaunchDescriptionEntity]:
        """Return the entities this action contains, as far as known before execution."""
        return []

    def _contents(self) -> list[tuple[LaunchDescriptionEntity, bool]]:
        return [(entity, self.condition is not None) for entity in self.get_sub_entities()]

    def visit(self, context: LaunchContext) -> Any:
        """Execute the action if its condition is true."""
        if self.condition is None or self.condition.evaluate(context):
            return self.execute(context)
        return None

    def execute(self, context: LaunchContext) -> Any:
        """Do the work; may return entities to visit next."""
