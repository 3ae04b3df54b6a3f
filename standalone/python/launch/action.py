"""Action: a launch description entity that does something, perhaps under a condition."""

from __future__ import annotations

from collections.abc import Iterable

from .condition import Condition
from .launch_context import LaunchContext
from .launch_description_entity import LaunchDescriptionEntity


class Action(LaunchDescriptionEntity):
    """Something to be done when the launch description is visited."""

    def __init__(self, *, condition: Condition | None = None) -> None:
        """Create an action that is executed only where ``condition`` (if any) holds."""
        self.__condition = condition

    @property
    def condition(self) -> Condition | None:
        """The condition under which the action is executed."""
        return self.__condition

    def describe(self) -> str:
        """Return a text that names this action."""
        return repr(self)

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
        return [(f"Conditionally included by {self.describe()}", self.get_sub_entities())]

    def visit(self, context: LaunchContext) -> list[LaunchDescriptionEntity] | None:
        """Execute the action if its condition holds, and announce the completion."""
        if self.__condition is not None and not self.__condition.evaluate(context):
            return None
        try:
            return self.execute(context)
        finally:
            self.__announce_completion(context)

    def __announce_completion(self, context: LaunchContext) -> None:
        from .events import ExecutionComplete  # events know actions: resolve the cycle here

        event = ExecutionComplete(action=self)
        if not context.would_handle_event(event):
            return
        future = self.get_asyncio_future()
        if future is None:
            context.emit_event_sync(event)
        else:
            future.add_done_callback(lambda _: context.emit_event_sync(event))

    def execute(self, context: LaunchContext) -> list[LaunchDescriptionEntity] | None:
        """Do the work; may return entities to be visited next."""
        return None
