"""Actions on events and their handlers."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from .. import events
from ..action import Action
from ..event import Event
from ..event_handler import BaseEventHandler
from ..events.process import ProcessExited
from ..launch_context import LaunchContext
from ..launch_description_entity import LaunchDescriptionEntity
from ..logging import get_logger


class EmitEvent(Action):
    """Emits an event."""

    def __init__(self, *, event: Event, **kwargs: Any) -> None:
        """Create the action for ``event``."""
        super().__init__(**kwargs)
        if not isinstance(event, Event):
            raise RuntimeError(f"EmitEvent emits an Event, not {event!r}")
        self.__event = event

    def execute(self, context: LaunchContext) -> None:
        """Emit the event."""
        context.emit_event_sync(self.__event)


class Shutdown(EmitEvent):
    """Shuts the launch down, for instance as the ``on_exit`` of a required process."""

    def __init__(self, *, reason: str = "reason not given", **kwargs: Any) -> None:
        """Create the action; the reason is given to the handlers of the shutdown."""
        super().__init__(event=events.Shutdown(reason=reason), **kwargs)

    def execute(self, context: LaunchContext) -> None:
        """Emit the event; its reason names a required process that has exited."""
        cause = context.get_locals_as_dict().get("event")
        if isinstance(cause, ProcessExited):
            get_logger("launch").info(
                "process[%s] was required: shutting down launched system", cause.process_name
            )
        super().execute(context)


class RegisterEventHandler(Action):
    """Registers an event handler."""

    def __init__(self, event_handler: BaseEventHandler, **kwargs: Any) -> None:
        """Create the action for a handler."""
        super().__init__(**kwargs)
        self.__event_handler = event_handler

    def execute(self, context: LaunchContext) -> None:
        """Register the handler."""
        context.register_event_handler(self.__event_handler)

    def describe_conditional_sub_entities(
        self,
    ) -> list[tuple[str, Iterable[LaunchDescriptionEntity]]]:
        """Return the entities that the handler may yield, as far as known."""
        text, entities = self.__event_handler.describe()
        return [(text, entities)] if entities else []
