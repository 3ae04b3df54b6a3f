"""Event handlers."""

from collections.abc import Callable
from typing import Any

from rigid_tree_stand_in import missing_name, reject_arguments

from ._bases import Event, LaunchDescriptionEntity, SomeEntitiesType
from .action import Action
from .events import Shutdown
from .events.process import ProcessExited, ProcessIO, ProcessStarted
from .launch_context import LaunchContext

__getattr__ = missing_name(__name__)

Reaction = SomeEntitiesType | Callable[[Any, LaunchContext], Any] | None
IOReaction = Callable[[ProcessIO], Any] | None
ActionMatcher = Callable[[Any], bool] | Action | None


class EventHandler:
    """Yields entities, or what a function returns, for every event that ``matcher`` accepts.

    The entities find the event as ``context.locals.event``.
    """

    def __init__(
        self,
        *,
        matcher: Callable[[Event], bool],
        entities: Reaction = None,
        handle_once: bool = False,
        **unknown: Any,
    ) -> None:
        reject_arguments(self, unknown)
        self.matches = matcher
        self._reaction = entities
        self._handle_once = handle_once

    def known_entities(self) -> list[LaunchDescriptionEntity]:
        """Return the entities that are known before the event."""
        if isinstance(self._reaction, LaunchDescriptionEntity):
            return [self._reaction]
        return [] if callable(self._reaction) else list(self._reaction or ())

    def handle(self, event: Event, context: LaunchContext) -> SomeEntitiesType | None:
        """Return the entities to visit."""
        context.extend_locals({"event": event})
        if self._handle_once:
            context.unregister_event_handler(self)
        return (
            self._reaction(event, context) if callable(self._reaction) else self.known_entities()
        )


def _of(event_class: Any, target: ActionMatcher) -> Callable[[Any], bool]:
    """Return a matcher for events of all processes (None), of one, or of matching ones."""

    def matches(event: Any) -> bool:
        if not isinstance(event, event_class):
            return False
        if target is None or isinstance(target, Action):
            return target in (None, event.action)
        return target(event.action)

    return matches


class OnProcessStart(EventHandler):
    """Handles the start of processes: of one action, of matching ones, or (None) of all."""

    def __init__(
        self, *, target_action: ActionMatcher = None, on_start: Reaction, **kwargs: Any
    ) -> None:
        super().__init__(matcher=_of(ProcessStarted, target_action), entities=on_start, **kwargs)


class OnProcessExit(EventHandler):
    """Handles the end of processes: of one action, of matching ones, or (None) of all."""

    def __init__(
        self, *, target_action: ActionMatcher = None, on_exit: Reaction, **kwargs: Any
    ) -> None:
        super().__init__(matcher=_of(ProcessExited, target_action), entities=on_exit, **kwargs)


class OnProcessIO(EventHandler):
    """Handles the output of processes by functions of the event."""

    def __init__(
        self,
        *,
        target_action: ActionMatcher = None,
        on_stdout: IOReaction = None,
        on_stderr: IOReaction = None,
        **kwargs: Any,
    ) -> None:
        def react(event: ProcessIO, context: LaunchContext) -> Any:
            reaction = on_stdout if event.from_stdout else on_stderr
            return None if reaction is None else reaction(event)

        super().__init__(matcher=_of(ProcessIO, target_action), entities=react, **kwargs)


class OnShutdown(EventHandler):
    """Handles the shutdown of the launch."""

    def __init__(self, *, on_shutdown: Reaction, **kwargs: Any) -> None:
        super().__init__(
            matcher=lambda event: isinstance(event, Shutdown), entities=on_shutdown, **kwargs
        )
