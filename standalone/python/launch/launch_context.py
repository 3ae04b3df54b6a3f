"""LaunchContext: the shared state of substitutions, conditions and actions."""

from __future__ import annotations

import asyncio
import contextlib
import os
from collections import deque
from collections.abc import Callable, Iterator, MutableMapping
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any

from ._bases import Event

if TYPE_CHECKING:
    from ._process import ProcessGroup
    from .event_handlers import EventHandler


class LaunchContext:
    """Launch configurations, environment, locals, event handlers and pending events.

    ``is_shutdown`` is true during shutdown, when no more processes are started.
    ``asyncio_loop`` is that of the running launch service, None outside a run.
    """

    def __init__(self) -> None:
        self.is_shutdown = False
        self.asyncio_loop: asyncio.AbstractEventLoop | None = None
        self.launch_configurations: dict[str, Any] = {}
        self._locals: dict[str, Any] = {}
        self._scopes: list[tuple[dict[str, Any], dict[str, str]]] = []
        self._event_handlers: deque[EventHandler] = deque()
        self._events: deque[Event] = deque()
        self._completion_futures: list[asyncio.Future[Any]] = []
        self._process_groups: list[ProcessGroup] = []
        self._wake_up: Callable[[], None] = lambda: None

    def add_completion_future(self, completion_future: asyncio.Future[Any]) -> None:
        """Keep the launch alive until the future is done."""
        self._completion_futures.append(completion_future)
        self._wake_up()

    # Locals: names valid while one event is handled.

    @contextlib.contextmanager
    def _own_locals(self) -> Iterator[None]:
        kept = dict(self._locals)
        try:
            yield
        finally:
            self._locals = kept

    def extend_locals(self, extensions: dict[str, Any]) -> None:
        """Add names for the handling of the current event."""
        self._locals.update(extensions)

    def get_locals_as_dict(self) -> dict[str, Any]:
        """Return the names in scope."""
        return dict(self._locals)

    @property
    def locals(self) -> Any:
        """The names in scope as attributes."""
        return SimpleNamespace(**self._locals)

    # Launch configurations and environment, with a stack for scopes.

    @property
    def environment(self) -> MutableMapping[str, str]:
        """The environment of started processes: that of this process."""
        return os.environ

    def _push_scope(self) -> None:
        self._scopes.append((dict(self.launch_configurations), dict(os.environ)))

    def _pop_scope(self) -> None:
        self.launch_configurations, environment = self._scopes.pop()
        os.environ.clear()
        os.environ.update(environment)

    # Events.

    def register_event_handler(self, event_handler: EventHandler) -> None:
        """Register a handler, before the existing ones."""
        self._event_handlers.appendleft(event_handler)

    def unregister_event_handler(self, event_handler: EventHandler) -> None:
        """Remove a handler; raises ValueError if it is not registered."""
        self._event_handlers.remove(event_handler)

    def emit_event_sync(self, event: Event) -> None:
        """Queue an event for the launch service."""
        self._events.append(event)
        self._wake_up()
