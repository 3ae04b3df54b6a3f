"""Event handlers: what to do when an event matches."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from .event import Event
from .launch_description_entity import LaunchDescriptionEntity
from .some_entities_type import SomeEntitiesType

if TYPE_CHECKING:
    from .launch_context import LaunchContext


class BaseEventHandler:
    """A matcher, and what ``handle`` of a subclass does with a matching event.

    Entities returned by ``handle`` find the event as ``context.locals.event``.
    """

    def __init__(self, *, matcher: Callable[[Event], bool], handle_once: bool = False) -> None:
        """Create a handler of the events for which ``matcher`` is true."""
        self.__matcher = matcher
        self.__handle_once = handle_once

    @property
    def handle_once(self) -> bool:
        """Whether the handler unregisters itself after its first event."""
        return self.__handle_once

    @property
    def handler_description(self) -> str | None:
        """What the handler does, in words."""
        return None

    @property
    def matcher_description(self) -> str | None:
        """Which events the handler takes, in words."""
        return None

    def matches(self, event: Event) -> bool:
        """Return whether this handler takes ``event``."""
        return self.__matcher(event)

    def describe(self) -> tuple[str, list[LaunchDescriptionEntity]]:
        """Return a text that names the handler, and the entities it is known to yield."""
        text = (
            f"{type(self).__name__}(matcher='{self.matcher_description}', "
            f"handler='{self.handler_description}', handle_once={self.handle_once})"
        )
        return text, []

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
        entities: SomeEntitiesType | None = None,
        handle_once: bool = False,
    ) -> None:
        """Create a handler that yields ``entities``."""
        super().__init__(matcher=matcher, handle_once=handle_once)
        self.__entities = entities

    @property
    def entities(self) -> SomeEntitiesType | None:
        """The entities yielded for a matching event."""
        return self.__entities

    def describe(self) -> tuple[str, list[LaunchDescriptionEntity]]:
        """Return a text that names the handler, and its entities."""
        text, entities = super().describe()
        if isinstance(self.__entities, LaunchDescriptionEntity):
            entities.append(self.__entities)
        else:
            entities.extend(self.__entities or ())
        return text, entities

    def handle(self, event: Event, context: LaunchContext) -> SomeEntitiesType | None:
        """Return the entities."""
        super().handle(event, context)
        return self.__entities
