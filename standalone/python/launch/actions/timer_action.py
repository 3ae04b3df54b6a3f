"""TimerAction: does something after a while."""

from __future__ import annotations

import asyncio
from collections.abc import Iterable
from typing import Any

from ..action import Action
from ..event_handler import EventHandler
from ..event_handlers import OnShutdown
from ..events import TimerEvent
from ..launch_context import LaunchContext
from ..launch_description_entity import LaunchDescriptionEntity
from ..some_substitutions_type import SomeSubstitutionsType
from ..utilities.type_utils import normalize_typed_substitution, perform_typed_substitution
from .opaque_function import OpaqueFunction


class TimerAction(Action):
    """Visits actions after a period, unless it is cancelled before or the launch shuts down."""

    def __init__(
        self,
        *,
        period: float | SomeSubstitutionsType,
        actions: Iterable[LaunchDescriptionEntity],
        **kwargs: Any,
    ) -> None:
        """Create a timer; ``period`` is in seconds, a float or a substitution."""
        super().__init__(**kwargs)
        self.__period = normalize_typed_substitution(period, float)
        self.__actions = list(actions)
        self.__canceled = False
        self.__timer: asyncio.TimerHandle | None = None
        self.__done: asyncio.Future[None] | None = None
        self.__locals: dict[str, Any] = {}

    def describe_conditional_sub_entities(
        self,
    ) -> list[tuple[str, Iterable[LaunchDescriptionEntity]]]:
        """Return the actions: they depend on the timer not being cancelled."""
        return [(f"after {self.__period} s, unless canceled", self.__actions)]

    def cancel(self) -> None:
        """Cancel the timer; also before it is started or after it has fired."""
        self.__canceled = True
        if self.__timer is not None:
            self.__timer.cancel()
        self.__finish()

    def __handle(self, context: LaunchContext) -> list[LaunchDescriptionEntity]:
        # ThisLaunchFileDir etc. have their values of the timer's start.
        context.extend_locals(self.__locals)
        return self.__actions

    def execute(self, context: LaunchContext) -> None:
        """Start the timer."""
        loop = context.asyncio_loop
        assert loop is not None, "actions are executed by a running launch service"
        self.__done = loop.create_future()
        if self.__canceled:
            self.__finish()
            return
        self.__locals = context.get_locals_as_dict()
        context.register_event_handler(
            EventHandler(
                matcher=lambda e: isinstance(e, TimerEvent) and e.timer_action is self,
                entities=[OpaqueFunction(function=self.__handle)],
                handle_once=True,
            )
        )
        context.register_event_handler(
            OnShutdown(on_shutdown=lambda _event, _context: self.cancel())
        )
        seconds = perform_typed_substitution(context, self.__period, float)
        self.__timer = loop.call_later(seconds, self.__fire, context)

    def __fire(self, context: LaunchContext) -> None:
        context.emit_event_sync(TimerEvent(timer_action=self))
        self.__finish()

    def __finish(self) -> None:
        if self.__done is not None and not self.__done.done():
            self.__done.set_result(None)

    def get_asyncio_future(self) -> asyncio.Future | None:
        """Return the future that is done when the timer has fired or was cancelled."""
        return self.__done
