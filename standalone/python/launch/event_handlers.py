"""Handlers of the events that launch files react to."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from rigid_tree_stand_in import missing_name

from .action import Action
from .event import Event
from .event_handler import BaseEventHandler
from .events import Shutdown
from .events.process import ProcessExited, ProcessIO, ProcessStarted, RunningProcessEvent
from .launch_context import LaunchContext
from .launch_description_entity import LaunchDescriptionEntity
from .some_entities_type import SomeEntitiesType

__all__ = ["OnProcessExit", "OnProcessIO", "OnProcessStart", "OnShutdown"]
__getattr__ = missing_name(__name__)

Reaction = SomeEntitiesType | Callable[[Any, LaunchContext], Any] | None
IOReaction = Callable[[ProcessIO], Any] | None
ActionMatcher = Callable[[Any], bool] | Action | None


class _OnProcessEvent(BaseEventHandler):
    """Handles one class of events, of all processes, of one, or of those that match."""

    def __init__(
        self,
        event_class: type[RunningProcessEvent],
        target: ActionMatcher,
        reaction: Reaction,
        **kwargs: Any,
    ) -> None:
        """Create a handler; ``reaction`` is one or more entities, or a function to get them."""
        if not (target is None or isinstance(target, Action) or callable(target)):
            raise TypeError(f"target_action is neither an action nor callable: {target!r}")
        self.__event_class = event_class
        self.__target = target
        self.__function = reaction if callable(reaction) else None
        self.__entities: list[LaunchDescriptionEntity] = []
        if isinstance(reaction, LaunchDescriptionEntity):
            self.__entities = [reaction]
        elif not callable(reaction):
            self.__entities = list(reaction or ())
        for entity in self.__entities:
            if not isinstance(entity, LaunchDescriptionEntity):
                raise TypeError(
                    f"a handler yields entities of a launch description, and {entity!r} is none"
                )
        super().__init__(matcher=self.__match, **kwargs)

    def __match(self, event: Any) -> bool:
        if not isinstance(event, self.__event_class):
            return False
        if self.__target is None:
            return True
        if isinstance(self.__target, Action):
            return event.action is self.__target
        return self.__target(event.action)

    def handle(self, event: Event, context: LaunchContext) -> SomeEntitiesType | None:
        """Return the entities, or what the function returns."""
        super().handle(event, context)
        return self.__entities if self.__function is None else self.__function(event, context)

    def describe(self) -> tuple[str, list[LaunchDescriptionEntity]]:
        """Return a text that names the handler, and the entities that are known."""
        return super().describe()[0], list(self.__entities)


class OnProcessStart(_OnProcessEvent):
    """Handles the start of processes."""

    def __init__(
        self, *, target_action: ActionMatcher = None, on_start: Reaction, **kwargs: Any
    ) -> None:
        """Create a handler for one action, for matching ones, or (None) for all."""
        super().__init__(ProcessStarted, target_action, on_start, **kwargs)


class OnProcessExit(_OnProcessEvent):
    """Handles the end of processes."""

    def __init__(
        self, *, target_action: ActionMatcher = None, on_exit: Reaction, **kwargs: Any
    ) -> None:
        """Create a handler for one action, for matching ones, or (None) for all."""
        super().__init__(ProcessExited, target_action, on_exit, **kwargs)


class OnProcessIO(_OnProcessEvent):
    """Handles the output of processes."""

    def __init__(
        self,
        *,
        target_action: ActionMatcher = None,
        on_stdout: IOReaction = None,
        on_stderr: IOReaction = None,
        **kwargs: Any,
    ) -> None:
        """Create a handler from functions of the event, one for each stream of interest."""

        def react(event: ProcessIO, context: LaunchContext) -> SomeEntitiesType | None:
            reaction = on_stdout if event.from_stdout else on_stderr
            return None if reaction is None else reaction(event)

        super().__init__(ProcessIO, target_action, react, **kwargs)


class OnShutdown(BaseEventHandler):
    """Handles the shutdown of the launch."""

    def __init__(self, *, on_shutdown: Reaction, **kwargs: Any) -> None:
        """Create a handler from entities or from a function of the event and the context."""
        super().__init__(matcher=lambda event: isinstance(event, Shutdown), **kwargs)
        self.__on_shutdown = on_shutdown

    def handle(self, event: Event, context: LaunchContext) -> SomeEntitiesType | None:
        """Return the entities, or what the function returns."""
        super().handle(event, context)
        if callable(self.__on_shutdown):
            return self.__on_shutdown(event, context)
        return self.__on_shutdown
