"""LaunchContext: the state that substitutions, conditions and actions share."""

from __future__ import annotations

import asyncio
import os
from collections import deque
from collections.abc import Callable, Iterable, MutableMapping
from typing import TYPE_CHECKING, Any

from .event import Event
from .event_handler import BaseEventHandler
from .substitution import Substitution

if TYPE_CHECKING:
    from ._process import ProcessGroup


class _Locals:
    """Attribute access, read-only, to the names in scope."""

    def __init__(self, names: dict[str, Any]) -> None:
        self.__dict__.update(names)

    def __getattr__(self, name: str) -> Any:
        raise AttributeError(f"context.locals has no '{name}', only [{', '.join(self.__dict__)}]")

    def __setattr__(self, name: str, value: object) -> None:
        raise AttributeError(f"context.locals cannot be changed, so '{name}' cannot be set")


class LaunchContext:
    """Launch configurations, environment, locals, event handlers and pending events."""

    def __init__(self, *, argv: Iterable[str] | None = None, noninteractive: bool = False) -> None:
        """Create an empty context; ``noninteractive`` says that no terminal is attached."""
        self.__argv = argv if argv is not None else []
        self.__noninteractive = noninteractive
        self.__is_shutdown = False
        self.__asyncio_loop: asyncio.AbstractEventLoop | None = None

        self.__globals: dict[str, Any] = {}
        self.__locals: dict[str, Any] = {}
        self.__locals_stack: list[dict[str, Any]] = []
        self.__configurations: dict[str, Any] = {}
        self.__configurations_stack: list[dict[str, Any]] = []
        self.__environment_stack: list[dict[str, str]] = []
        self.__initial_environment = dict(os.environ)

        self._event_handlers: deque[BaseEventHandler] = deque()
        self._events: deque[Event] = deque()
        self._completion_futures: list[asyncio.Future] = []
        self._process_groups: list[ProcessGroup] = []
        self._wake_up: Callable[[], None] = lambda: None

    @property
    def argv(self) -> Iterable[str]:
        """The arguments the launch service was created with."""
        return self.__argv

    @property
    def noninteractive(self) -> bool:
        """Whether no terminal is attached."""
        return self.__noninteractive

    @property
    def is_shutdown(self) -> bool:
        """Whether the launch is being shut down: no process is started any more."""
        return self.__is_shutdown

    def _set_is_shutdown(self, state: bool) -> None:
        self.__is_shutdown = state

    @property
    def asyncio_loop(self) -> asyncio.AbstractEventLoop | None:
        """The loop of the running launch service, None outside a run."""
        return self.__asyncio_loop

    def _set_asyncio_loop(self, loop: asyncio.AbstractEventLoop | None) -> None:
        self.__asyncio_loop = loop

    def add_completion_future(self, completion_future: asyncio.Future) -> None:
        """Keep the launch alive until the future is done."""
        self._completion_futures.append(completion_future)
        self._wake_up()

    # Locals: names that live while an event is handled; globals: names that live on.

    def _push_locals(self) -> None:
        self.__locals_stack.append(dict(self.__locals))

    def _pop_locals(self) -> None:
        if not self.__locals_stack:
            raise RuntimeError("no saved locals are left to restore")
        self.__locals = self.__locals_stack.pop()

    def extend_globals(self, extensions: dict[str, Any]) -> None:
        """Add names that stay in scope for the whole launch."""
        self.__globals.update(extensions)

    def extend_locals(self, extensions: dict[str, Any]) -> None:
        """Add names that stay in scope while the current event is handled."""
        self.__locals.update(extensions)

    def get_locals_as_dict(self) -> dict[str, Any]:
        """Return the names in scope; locals hide globals."""
        return {**self.__globals, **self.__locals}

    @property
    def locals(self) -> Any:
        """The names in scope as attributes."""
        return _Locals(self.get_locals_as_dict())

    # Launch configurations and environment, both with a stack for scopes.

    @property
    def launch_configurations(self) -> dict[str, Any]:
        """Launch configurations by name."""
        return self.__configurations

    def _push_launch_configurations(self) -> None:
        self.__configurations_stack.append(dict(self.__configurations))

    def _pop_launch_configurations(self) -> None:
        if not self.__configurations_stack:
            raise RuntimeError("no saved launch configurations are left to restore")
        self.__configurations = self.__configurations_stack.pop()

    @property
    def environment(self) -> MutableMapping[str, str]:
        """The environment that processes inherit: this process's own."""
        return os.environ

    def _push_environment(self) -> None:
        self.__environment_stack.append(dict(os.environ))

    def _pop_environment(self) -> None:
        if not self.__environment_stack:
            raise RuntimeError("no saved environment is left to restore")
        self.__replace_environment(self.__environment_stack.pop())

    def _reset_environment(self) -> None:
        self.__replace_environment(self.__initial_environment)

    @staticmethod
    def __replace_environment(environment: dict[str, str]) -> None:
        os.environ.clear()
        os.environ.update(environment)

    # Events.

    def would_handle_event(self, event: Event) -> bool:
        """Return whether any registered handler takes ``event``."""
        return any(handler.matches(event) for handler in self._event_handlers)

    def register_event_handler(
        self, event_handler: BaseEventHandler, append: bool = False
    ) -> None:
        """Register a handler before (or, with ``append``, after) those already there."""
        if append:
            self._event_handlers.append(event_handler)
        else:
            self._event_handlers.appendleft(event_handler)

    def unregister_event_handler(self, event_handler: BaseEventHandler) -> None:
        """Remove a handler; raises ValueError if it is not registered."""
        self._event_handlers.remove(event_handler)

    def emit_event_sync(self, event: Event) -> None:
        """Queue an event for the launch service."""
        self._events.append(event)
        self._wake_up()

    async def emit_event(self, event: Event) -> None:
        """Queue an event for the launch service."""
        self.emit_event_sync(event)

    def perform_substitution(self, substitution: Substitution) -> str:
        """Return the text ``substitution`` stands for in this context."""
        return substitution.perform(self)
