"""LaunchContext: the shared state of substitutions, conditions and actions."""

from __future__ import annotations

import asyncio
import contextlib
import os
from collections import deque
from collections.abc import Callable, Iterator, MutableMapping
from typing import TYPE_CHECKING, Any

from .event import Event
from .event_handler import BaseEventHandler

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

    def __init__(self) -> None:
        """Create an empty context."""
        self.__is_shutdown = False
        self.__asyncio_loop: asyncio.AbstractEventLoop | None = None

        self.__globals: dict[str, Any] = {}
        self.__locals: dict[str, Any] = {}
        self.__configurations: dict[str, Any] = {}
        self.__scopes: list[tuple[dict[str, Any], dict[str, str]]] = []

        self._event_handlers: deque[BaseEventHandler] = deque()
        self._events: deque[Event] = deque()
        self._completion_futures: list[asyncio.Future] = []
        self._process_groups: list[ProcessGroup] = []
        self._wake_up: Callable[[], None] = lambda: None

    @property
    def is_shutdown(self) -> bool:
        """Whether the launch is shutting down; no process is started then."""
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

    # Locals: names for the handling of one event; globals: names for the whole launch.

    @contextlib.contextmanager
    def _own_locals(self) -> Iterator[None]:
        kept = dict(self.__locals)
        try:
            yield
        finally:
            self.__locals = kept

    def extend_globals(self, extensions: dict[str, Any]) -> None:
        """Add names for the whole launch."""
        self.__globals.update(extensions)

    def extend_locals(self, extensions: dict[str, Any]) -> None:
        """Add names for the handling of the current event."""
        self.__locals.update(extensions)

    def get_locals_as_dict(self) -> dict[str, Any]:
        """Return the names in scope; locals hide globals."""
        return {**self.__globals, **self.__locals}

    @property
    def locals(self) -> Any:
        """The names in scope as attributes."""
        return _Locals(self.get_locals_as_dict())

    # Launch configurations and environment, with a stack for scopes.

    @property
    def launch_configurations(self) -> dict[str, Any]:
        """Launch configurations by name."""
        return self.__configurations

    @property
    def environment(self) -> MutableMapping[str, str]:
        """The environment of started processes, which is this process's."""
        return os.environ

    def _push_scope(self) -> None:
        self.__scopes.append((dict(self.__configurations), dict(os.environ)))

    def _pop_scope(self) -> None:
        self.__configurations, environment = self.__scopes.pop()
        os.environ.clear()
        os.environ.update(environment)

    # Events.

    def register_event_handler(self, event_handler: BaseEventHandler) -> None:
        """Register a handler, before the existing ones."""
        self._event_handlers.appendleft(event_handler)

    def unregister_event_handler(self, event_handler: BaseEventHandler) -> None:
        """Remove a handler; raises ValueError if it is not registered."""
        self._event_handlers.remove(event_handler)

    def emit_event_sync(self, event: Event) -> None:
        """Queue an event for the launch service."""
        self._events.append(event)
        self._wake_up()
