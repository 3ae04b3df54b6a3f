"""Event handlers: what to do when an event matches."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from rigid_tree_stand_in import not_covered

from .event import Event
from .launch_description_entity import LaunchDescriptionEntity
from .some_entities_type import SomeEntitiesType

if TYPE_CHECKING:
    from .launch_context import LaunchContext


class BaseEventHandler:
    """A matcher of events, which ``handle`` of a subclass processes.

    Entities returned by ``handle`` find the event as ``context.locals.event``.
    """

    def __init__(
        self, *, matcher: Callable[[Event], bool], handle_once: bool = False, **unknown: Any
    ) -> None:
        """Create a handler of the events for which ``matcher`` is true."""
        if unknown:
            raise TypeError(
                not_covered(f"argument '{next(iter(unknown))}' of {type(self).__name__}")
            )
        self.__matcher = matcher
        self.__handle_once = handle_once

    def matches(self, event: Event) -> bool:
        """Return whether this handler takes ``event``."""
        return self.__matcher(event)

    def describe(self) -> tuple[str, list[LaunchDescriptionEntity]]:
        """Return a text that names the handler, and the entities it is known to yield."""
        return type(self).__name__, []

    def handle(self, event: Event, context: LaunchContext) -> SomeEntitiesType | None:
        """Publish the event in the context's locals; subclasses add their reaction."""
        context.extend_locals({"event": event})
        if self.__handle_once:
            context.unregister_event_handler(self)
        return None


class EventHandler(BaseEventHandler):
    """Yields fixed entities for every matching event."""

    def __init__(
        self,
        *,
        matcher: Callable[[Event], bool],
        entities: list[LaunchDescriptionEntity] | None = None,
        **kwargs: Any,
    ) -> None:
        """Create a handler that yields ``entities``."""
        super().__init__(matcher=matcher, **kwargs)
        self.__entities = list(entities or ())

    def describe(self) -> tuple[str, list[LaunchDescriptionEntity]]:
        """Return a text that names the handler, and its entities."""
        return super().describe()[0], list(self.__entities)

    def handle(self, event: Event, context: LaunchContext) -> SomeEntitiesType | None:
        """Return the entities."""
        super().handle(event, context)
        return self.__entities
