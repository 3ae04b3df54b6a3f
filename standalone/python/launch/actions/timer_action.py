"""TimerAction: does something after a while."""

from __future__ import annotations

import asyncio
import collections.abc
import warnings
from collections.abc import Iterable
from typing import Any

from ..action import Action
from ..event_handler import EventHandler
from ..event_handlers import OnShutdown
from ..events import TimerEvent
from ..launch_context import LaunchContext
from ..launch_description_entity import LaunchDescriptionEntity
from ..some_substitutions_type import SomeSubstitutionsType
from ..substitution import Substitution
from ..utilities import ensure_argument_type
from ..utilities.type_utils import normalize_typed_substitution, perform_typed_substitution
from .opaque_function import OpaqueFunction


class TimerAction(Action):
    """Visits actions after a period, unless it is cancelled before."""

    def __init__(
        self,
        *,
        period: float | SomeSubstitutionsType,
        actions: Iterable[LaunchDescriptionEntity],
        cancel_on_shutdown: bool | SomeSubstitutionsType = True,
        **kwargs: Any,
    ) -> None:
        """Create a timer; ``period`` is in seconds, a float or a substitution."""
        super().__init__(**kwargs)
        types = (str, Substitution, collections.abc.Iterable, float)
        ensure_argument_type(period, types, "period", "TimerAction")
        ensure_argument_type(actions, collections.abc.Iterable, "actions", "TimerAction")
        if isinstance(period, str):
            warnings.warn(
                "give a timer's period as a number or a substitution: text is deprecated",
                stacklevel=2,
            )
            period = float(period)
        self.__period = normalize_typed_substitution(period, float)
        self.__actions = list(actions)
        self.__cancel_on_shutdown = normalize_typed_substitution(cancel_on_shutdown, bool)
        self.__canceled = False
        self.__timer: asyncio.TimerHandle | None = None
        self.__done: asyncio.Future[None] | None = None
        self.__locals: dict[str, Any] = {}

    @property
    def period(self) -> Any:
        """The period in seconds, or the substitutions for it."""
        return self.__period

    @property
    def actions(self) -> list[LaunchDescriptionEntity]:
        """What is done after the period."""
        return self.__actions

    def describe(self) -> str:
        """Return a text that names this timer."""
        return f"TimerAction(period={self.period}, actions=<actions>)"

    def describe_conditional_sub_entities(
        self,
    ) -> list[tuple[str, Iterable[LaunchDescriptionEntity]]]:
        """Return the actions: they depend on the timer not being cancelled."""
        return [(f"after {self.period} s, unless canceled", self.actions)]

    def cancel(self) -> None:
        """Cancel the timer; also before it is started or after it has fired."""
        self.__canceled = True
        if self.__timer is not None:
            self.__timer.cancel()
        self.__finish()

    def handle(self, context: LaunchContext) -> list[LaunchDescriptionEntity]:
        """Return the actions, with the locals of the time the timer was started."""
        context.extend_locals(self.__locals)
        return self.actions

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
                entities=[OpaqueFunction(function=self.handle)],
                handle_once=True,
            )
        )
        if perform_typed_substitution(context, self.__cancel_on_shutdown, bool):
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
