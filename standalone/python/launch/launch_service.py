"""LaunchService: visits launch descriptions and processes events."""

import asyncio
import contextlib
import logging
import signal
import threading
import traceback
from collections.abc import Iterable, Iterator
from typing import Any

from . import logging as launch_logging
from ._bases import Event, LaunchDescriptionEntity
from .events import IncludeLaunchDescription, Shutdown
from .launch_context import LaunchContext
from .launch_description_sources import LaunchDescription

_KILL_DELAY = 2.0  # s from SIGTERM to SIGKILL for remaining children


class LaunchService:
    """Runs launch descriptions; with ``debug`` the log is more verbose."""

    def __init__(self, *, debug: bool = False) -> None:
        launch_logging.launch_config.level = logging.DEBUG if debug else logging.INFO
        self._logger = launch_logging.get_logger("launch")
        self.context = LaunchContext()
        self._loop: asyncio.AbstractEventLoop | None = None
        self._loop_lock = threading.RLock()
        self._task: asyncio.Task[Any] | None = None
        self._pending: list[asyncio.Future[Any]] = []
        self._is_interrupted = False

    def include_launch_description(self, launch_description: LaunchDescription) -> None:
        """Visit a launch description once the service runs. Thread-safe."""
        event = IncludeLaunchDescription(launch_description)
        with self._loop_lock:
            if self._loop is None or threading.current_thread() is threading.main_thread():
                self.context.emit_event_sync(event)
            else:
                self._loop.call_soon_threadsafe(self.context.emit_event_sync, event)

    def run(self, *, shutdown_when_idle: bool = True) -> int:
        """Run until shutdown; return 0, or 1 after an error. Only in the main thread."""
        if threading.current_thread() is not threading.main_thread():
            raise RuntimeError(
                "a LaunchService must run in the main thread, where it handles signals"
            )
        loop = asyncio.new_event_loop()
        try:
            return loop.run_until_complete(self._run(shutdown_when_idle))
        finally:
            loop.run_until_complete(loop.shutdown_asyncgens())
            loop.close()

    def shutdown(self) -> None:
        """Shut a running launch down. Thread-safe."""
        with self._loop_lock:
            if self._loop is not None:
                self._loop.call_soon_threadsafe(
                    self._request_shutdown, "LaunchService.shutdown() called"
                )

    # One run.

    async def _run(self, shutdown_when_idle: bool) -> int:
        return_code = 0
        with self._running() as wake_up:
            launch_logging.log_launch_config(logger=self._logger)
            is_done = False
            while not is_done:
                try:
                    await self._process_until_done(wake_up, shutdown_when_idle)
                    is_done = True
                except asyncio.CancelledError:
                    self._logger.error("the launch was canceled")
                    return_code, is_done = 1, True
                except Exception as error:
                    self._logger.debug(traceback.format_exc())
                    message = f"Caught exception in launch: {error}"
                    self._logger.error(message)
                    return_code = 1
                    self._request_shutdown(message)
            await self._end_processes()
        return return_code

    async def _process_until_done(self, wake_up: asyncio.Event, shutdown_when_idle: bool) -> None:
        events = self.context._events
        while True:
            while events:
                self._process_event(events.popleft())
                await asyncio.sleep(0)  # run processes and timers
            self._drop_finished()
            if not events and not self._pending:
                if self.context.is_shutdown:
                    return
                if shutdown_when_idle:
                    self._request_shutdown("idle")
            if not events:
                await wake_up.wait()
                wake_up.clear()

    def _process_event(self, event: Event) -> None:
        self._logger.debug("processing event: '%s'", event)
        if isinstance(event, IncludeLaunchDescription):
            with self.context._own_locals():
                self._visit(event.launch_description)
        if isinstance(event, Shutdown):
            self.context.is_shutdown = True
        for handler in tuple(self.context._event_handlers):
            if not handler.matches(event):
                continue
            with self.context._own_locals():
                entities = handler.handle(event, self.context)
                if not isinstance(entities, Iterable):
                    entities = [] if entities is None else [entities]
                for entity in entities:
                    if entity is not None:
                        self._visit(entity)

    def _visit(self, entity: LaunchDescriptionEntity) -> None:
        """Visit an entity and its children, depth first; wait for unfinished work."""
        if not isinstance(entity, LaunchDescriptionEntity):
            raise RuntimeError(
                f"an event handler returned {entity!r}, which is not a launch description entity"
            )
        inner = entity.visit(self.context)
        if (future := entity.get_asyncio_future()) is not None:
            self.context.add_completion_future(future)
        for inner_entity in inner or ():
            self._visit(inner_entity)

    def _drop_finished(self) -> None:
        """Collect pending futures; raise the exception of a failed one."""
        for future in self.context._completion_futures:
            future.add_done_callback(lambda _: self.context._wake_up())
            self._pending.append(future)
        self.context._completion_futures.clear()
        finished = [future for future in self._pending if future.done()]
        self._pending = [future for future in self._pending if not future.done()]
        for future in finished:
            error = None if future.cancelled() else future.exception()
            if error is not None:
                raise error

    @contextlib.contextmanager
    def _running(self) -> Iterator[asyncio.Event]:
        """Set the state of one run, with its signal handlers."""
        wake_up = asyncio.Event()
        with self._loop_lock:
            if self._loop is not None:
                raise RuntimeError("this LaunchService is already running")
            self._loop = loop = asyncio.get_running_loop()
        self._task = asyncio.current_task()
        self._is_interrupted = self.context.is_shutdown = False
        self.context.asyncio_loop = loop
        self.context._wake_up = wake_up.set
        handlers = {
            signal.SIGINT: self._on_sigint,
            signal.SIGTERM: self._on_sigterm,
            signal.SIGQUIT: self._on_sigterm,
            signal.SIGHUP: self._on_sigterm,
        }
        previous = {number: signal.getsignal(number) for number in handlers}
        for number, handler in handlers.items():
            loop.add_signal_handler(number, handler, number)
        try:
            yield wake_up
        finally:
            for number, old_handler in previous.items():
                loop.remove_signal_handler(number)
                if old_handler is not None:
                    signal.signal(number, old_handler)
            with self._loop_lock:
                self._loop = self._task = self.context.asyncio_loop = None
                self.context._wake_up = lambda: None

    # Shutdown.

    def _request_shutdown(self, reason: str, *, due_to_sigint: bool = False) -> None:
        if not self.context.is_shutdown:
            self.context.is_shutdown = True
            self.context.emit_event_sync(Shutdown(reason=reason, due_to_sigint=due_to_sigint))

    def _on_sigint(self, number: int) -> None:
        message = "user interrupted with ctrl-c (SIGINT)"
        if self._is_interrupted:
            self._logger.warning("%s again, ignoring...", message)
            # A terminal would interrupt the processes again; see _process.py.
            for group in self.context._process_groups:
                group.send_signal(signal.SIGINT)
            return
        self._is_interrupted = True
        self._logger.warning(message)
        self._request_shutdown("ctrl-c (SIGINT)", due_to_sigint=True)

    def _on_sigterm(self, number: int) -> None:
        name = signal.Signals(number).name
        self._logger.error("user interrupted with ctrl-\\ (%s), terminating...", name)
        if self._task is not None:
            self._task.cancel()

    async def _end_processes(self) -> None:
        """Terminate remaining processes, after a cancelled run, and remaining children."""
        groups = self.context._process_groups
        alive = [group for group in groups if group.is_alive()]
        await asyncio.gather(*(group.end(_KILL_DELAY) for group in alive))
        watchers = [future for future in self._pending if isinstance(future, asyncio.Task)]
        if watchers:
            await asyncio.wait(watchers, timeout=_KILL_DELAY)
        for group in groups:
            group.close()
        groups.clear()
