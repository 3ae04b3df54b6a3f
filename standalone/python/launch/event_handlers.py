"""Handlers of the events of actions, processes and the launch itself."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from .action import Action
from .event import Event
from .event_handler import BaseEventHandler, EventHandler
from .events import ExecutionComplete, IncludeLaunchDescription, Shutdown
from .events.process import ProcessExited, ProcessIO, ProcessStarted
from .launch_context import LaunchContext
from .launch_description_entity import LaunchDescriptionEntity
from .some_entities_type import SomeEntitiesType

__all__ = [
    "OnExecutionComplete",
    "OnIncludeLaunchDescription",
    "OnProcessExit",
    "OnProcessIO",
    "OnProcessStart",
    "OnShutdown",
    "event_named",
]

Reaction = Callable[[Any, LaunchContext], SomeEntitiesType | None]
IOReaction = Callable[[ProcessIO], SomeEntitiesType | None]
ActionMatcher = Callable[[Any], bool] | Action | None


def event_named(name: str) -> Callable[[Event], bool]:
    """Return a function that is true for events of this name."""
    return lambda event: event.name == name


class OnActionEventBase(BaseEventHandler):
    """Handles one class of events, of all actions, of one, or of those that match."""

    def __init__(
        self,
        *,
        action_matcher: ActionMatcher,
        on_event: SomeEntitiesType | Reaction | None,
        target_event_cls: type[Event],
        target_action_cls: type[Action],
        **kwargs: Any,
    ) -> None:
        """Create a handler; ``on_event`` is one or more entities, or a function to get them."""
        if action_matcher is not None and not (
            isinstance(action_matcher, target_action_cls) or callable(action_matcher)
        ):
            raise TypeError(
                f"action_matcher is neither callable nor a {target_action_cls.__name__}: "
                f"{action_matcher!r}"
            )
        self.__event_class = target_event_cls
        self.__action_matcher = action_matcher
        self.__reaction = on_event if callable(on_event) else None
        self.__entities: list[LaunchDescriptionEntity] = []
        if isinstance(on_event, LaunchDescriptionEntity):
            self.__entities = [on_event]
        elif not callable(on_event):
            self.__entities = list(on_event or ())
        for entity in self.__entities:
            if not isinstance(entity, LaunchDescriptionEntity):
                raise TypeError(
                    "'on_event' may only list entities of a launch description, "
                    f"and {type(entity)} is none"
                )
        super().__init__(matcher=self.__match, **kwargs)

    def __match(self, event: Any) -> bool:
        if not issubclass(type(event), self.__event_class):
            return False
        if self.__action_matcher is None:
            return True
        if isinstance(self.__action_matcher, Action):
            return event.action is self.__action_matcher
        return self.__action_matcher(event.action)

    def handle(self, event: Event, context: LaunchContext) -> SomeEntitiesType | None:
        """Return the entities, or what the function returns."""
        super().handle(event, context)
        return self.__entities if self.__reaction is None else self.__reaction(event, context)

    def describe(self) -> tuple[str, list[LaunchDescriptionEntity]]:
        """Return a text that names the handler, and the entities that are known."""
        return super().describe()[0], list(self.__entities)

    @property
    def handler_description(self) -> str:
        """What the handler does, in words."""
        return "<actions>" if self.__entities else str(self.__reaction)

    @property
    def matcher_description(self) -> str:
        """Which events the handler takes, in words."""
        return f"event == {self.__event_class.__name__}"


class OnProcessStart(OnActionEventBase):
    """Handles the start of processes."""

    def __init__(
        self,
        *,
        target_action: ActionMatcher = None,
        on_start: SomeEntitiesType | Callable[[ProcessStarted, LaunchContext], Any],
        **kwargs: Any,
    ) -> None:
        """Create a handler for one action, for matching ones, or (None) for all."""
        from .actions import ExecuteLocal  # the actions use handlers: resolve the cycle here

        super().__init__(
            action_matcher=target_action,
            on_event=on_start,
            target_event_cls=ProcessStarted,
            target_action_cls=ExecuteLocal,
            **kwargs,
        )


class OnProcessExit(OnActionEventBase):
    """Handles the end of processes."""

    def __init__(
        self,
        *,
        target_action: ActionMatcher = None,
        on_exit: SomeEntitiesType | Callable[[ProcessExited, LaunchContext], Any] | None,
        **kwargs: Any,
    ) -> None:
        """Create a handler for one action, for matching ones, or (None) for all."""
        from .actions import ExecuteLocal

        super().__init__(
            action_matcher=target_action,
            on_event=on_exit,
            target_event_cls=ProcessExited,
            target_action_cls=ExecuteLocal,
            **kwargs,
        )


class OnProcessIO(OnActionEventBase):
    """Handles what processes write."""

    def __init__(
        self,
        *,
        target_action: ActionMatcher = None,
        on_stdin: IOReaction | None = None,
        on_stdout: IOReaction | None = None,
        on_stderr: IOReaction | None = None,
        **kwargs: Any,
    ) -> None:
        """Create a handler from functions of the event, one for each stream of interest."""
        from .actions import ExecuteLocal

        def react(event: ProcessIO, context: LaunchContext) -> SomeEntitiesType | None:
            if event.from_stdout:
                reaction = on_stdout
            else:
                reaction = on_stderr if event.from_stderr else on_stdin
            return None if reaction is None else reaction(event)

        super().__init__(
            action_matcher=target_action,
            on_event=react,
            target_event_cls=ProcessIO,
            target_action_cls=ExecuteLocal,
            **kwargs,
        )


class OnExecutionComplete(OnActionEventBase):
    """Handles the completion of actions."""

    def __init__(
        self,
        *,
        target_action: ActionMatcher = None,
        on_completion: SomeEntitiesType | Callable[[ExecutionComplete, LaunchContext], Any],
        **kwargs: Any,
    ) -> None:
        """Create a handler for one action, for matching ones, or (None) for all."""
        super().__init__(
            action_matcher=target_action,
            on_event=on_completion,
            target_event_cls=ExecutionComplete,
            target_action_cls=Action,
            **kwargs,
        )


class OnShutdown(BaseEventHandler):
    """Handles the shutdown of the launch."""

    def __init__(
        self,
        *,
        on_shutdown: SomeEntitiesType | Callable[[Shutdown, LaunchContext], Any],
        **kwargs: Any,
    ) -> None:
        """Create a handler from entities or from a function of the event and the context."""
        super().__init__(matcher=lambda event: isinstance(event, Shutdown), **kwargs)
        self.__on_shutdown = on_shutdown

    def handle(self, event: Event, context: LaunchContext) -> SomeEntitiesType | None:
        """Return the entities, or what the function returns."""
        super().handle(event, context)
        if callable(self.__on_shutdown):
            assert isinstance(event, Shutdown)
            return self.__on_shutdown(event, context)
        return self.__on_shutdown


class OnIncludeLaunchDescription(EventHandler):
    """Handles requests to visit a launch description."""

    def __init__(self, **kwargs: Any) -> None:
        """Create the handler."""
        super().__init__(
            matcher=lambda event: isinstance(event, IncludeLaunchDescription), **kwargs
        )

    def handle(self, event: Event, context: LaunchContext) -> SomeEntitiesType | None:
        """Return the launch description of the event."""
        super().handle(event, context)
        assert isinstance(event, IncludeLaunchDescription)
        return [event.launch_description]
