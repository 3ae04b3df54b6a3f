"""LaunchService: visits launch descriptions and processes events."""

from __future__ import annotations

import asyncio
import collections.abc
import contextlib
import logging
import signal
import threading
import traceback
from collections.abc import Iterator

from . import logging as launch_logging
from .event import Event
from .event_handlers import OnShutdown
from .events import IncludeLaunchDescription, Shutdown
from .launch_context import LaunchContext
from .launch_description import LaunchDescription
from .launch_description_entity import LaunchDescriptionEntity
from .utilities import visit_all_entities_and_collect_futures

_KILL_DELAY = 2.0  # s from SIGTERM to SIGKILL for remaining children


class LaunchService:
    """Runs launch descriptions."""

    def __init__(self, *, debug: bool = False) -> None:
        """Create a service; with ``debug`` the log is more verbose."""
        launch_logging.launch_config.level = logging.DEBUG if debug else logging.INFO
        self.__logger = launch_logging.get_logger("launch")
        self.__context = LaunchContext()
        self.__context.register_event_handler(OnShutdown(on_shutdown=self.__note_shutdown))
        self.__loop: asyncio.AbstractEventLoop | None = None
        self.__loop_lock = threading.RLock()
        self.__task: asyncio.Task | None = None
        self.__pending: list[asyncio.Future] = []
        self.__shutting_down = False
        self.__interrupted = False

    @property
    def context(self) -> LaunchContext:
        """The context of this launch."""
        return self.__context

    def include_launch_description(self, launch_description: LaunchDescription) -> None:
        """Visit a launch description once the service runs. Thread-safe."""
        event = IncludeLaunchDescription(launch_description)
        with self.__loop_lock:
            if self.__loop is None or threading.current_thread() is threading.main_thread():
                self.__context.emit_event_sync(event)
            else:
                self.__loop.call_soon_threadsafe(self.__context.emit_event_sync, event)

    def run(self, *, shutdown_when_idle: bool = True) -> int:
        """Run until shutdown; return 0, or 1 after an error. Only in the main thread."""
        if threading.current_thread() is not threading.main_thread():
            raise RuntimeError(
                "a LaunchService must run in the main thread, where it handles signals"
            )
        loop = asyncio.new_event_loop()
        try:
            return loop.run_until_complete(self.__run(shutdown_when_idle))
        finally:
            loop.run_until_complete(loop.shutdown_asyncgens())
            loop.close()

    def shutdown(self) -> None:
        """Shut a running launch down. Thread-safe."""
        with self.__loop_lock:
            if self.__loop is not None:
                self.__loop.call_soon_threadsafe(
                    self.__request_shutdown, "LaunchService.shutdown() called"
                )

    # One run.

    async def __run(self, shutdown_when_idle: bool) -> int:
        return_code = 0
        with self.__running() as wake_up:
            launch_logging.log_launch_config(logger=self.__logger)
            while True:
                try:
                    await self.__process_until_done(wake_up, shutdown_when_idle)
                    break
                except asyncio.CancelledError:
                    self.__logger.error("the launch was canceled")
                    return_code = 1
                    break
                except Exception as error:
                    self.__logger.debug(traceback.format_exc())
                    message = f"Caught exception in launch: {error}"
                    self.__logger.error(message)
                    return_code = 1
                    self.__request_shutdown(message)
            await self.__end_processes()
        return return_code

    async def __process_until_done(self, wake_up: asyncio.Event, shutdown_when_idle: bool) -> None:
        events = self.__context._events
        while True:
            while events:
                self.__process_event(events.popleft())
                await asyncio.sleep(0)  # run processes and timers
            self.__drop_finished()
            if not events and not self.__pending:
                if self.__shutting_down:
                    return
                if shutdown_when_idle:
                    self.__request_shutdown("idle")
                    continue
            if not events:
                await wake_up.wait()
                wake_up.clear()

    def __process_event(self, event: Event) -> None:
        self.__logger.debug("processing event: '%s'", event)
        if isinstance(event, IncludeLaunchDescription):
            with self.__context._own_locals():
                self.__visit(event.launch_description)
        for handler in tuple(self.__context._event_handlers):
            if not handler.matches(event):
                continue
            with self.__context._own_locals():
                entities = handler.handle(event, self.__context)
                if not isinstance(entities, collections.abc.Iterable):
                    entities = [] if entities is None else [entities]
                for entity in entities:
                    self.__visit(entity)

    def __visit(self, entity: object) -> None:
        if entity is None:
            return
        if not isinstance(entity, LaunchDescriptionEntity):
            raise RuntimeError(
                f"an event handler returned {entity!r}, which is not a launch description entity"
            )
        for _, future in visit_all_entities_and_collect_futures(entity, self.__context):
            self.__context.add_completion_future(future)

    def __drop_finished(self) -> None:
        """Collect pending futures; raise the exception of a failed one."""
        for future in self.__context._completion_futures:
            future.add_done_callback(lambda _: self.__context._wake_up())
            self.__pending.append(future)
        self.__context._completion_futures.clear()
        finished = [future for future in self.__pending if future.done()]
        self.__pending = [future for future in self.__pending if not future.done()]
        for future in finished:
            error = None if future.cancelled() else future.exception()
            if error is not None:
                raise error

    @contextlib.contextmanager
    def __running(self) -> Iterator[asyncio.Event]:
        wake_up = asyncio.Event()
        with self.__loop_lock:
            if self.__loop is not None:
                raise RuntimeError("this LaunchService is already running")
            self.__loop = asyncio.get_running_loop()
        self.__task = asyncio.current_task()
        self.__interrupted = False
        self.__context._set_asyncio_loop(self.__loop)
        self.__context._wake_up = wake_up.set
        try:
            with self.__signal_handlers(self.__loop):
                yield wake_up
        finally:
            with self.__loop_lock:
                self.__loop = None
                self.__task = None
                self.__shutting_down = False
                self.__context._wake_up = lambda: None
                self.__context._set_asyncio_loop(None)

    @contextlib.contextmanager
    def __signal_handlers(self, loop: asyncio.AbstractEventLoop) -> Iterator[None]:
        handlers = {
            signal.SIGINT: self.__on_sigint,
            signal.SIGTERM: self.__on_sigterm,
            signal.SIGQUIT: self.__on_sigterm,
            signal.SIGHUP: self.__on_sigterm,
        }
        previous = {number: signal.getsignal(number) for number in handlers}
        for number, handler in handlers.items():
            loop.add_signal_handler(number, handler, number)
        try:
            yield
        finally:
            for number, old_handler in previous.items():
                loop.remove_signal_handler(number)
                if old_handler is not None:
                    signal.signal(number, old_handler)

    # Shutdown.

    def __note_shutdown(self, event: Shutdown, context: LaunchContext) -> None:
        self.__shutting_down = True
        context._set_is_shutdown(True)

    def __request_shutdown(self, reason: str, *, due_to_sigint: bool = False) -> None:
        if self.__shutting_down:
            return
        self.__shutting_down = True
        self.__context._set_is_shutdown(True)
        self.__context.emit_event_sync(Shutdown(reason=reason, due_to_sigint=due_to_sigint))

    def __on_sigint(self, number: int) -> None:
        message = "user interrupted with ctrl-c (SIGINT)"
        if self.__interrupted:
            self.__logger.warning("%s again, ignoring...", message)
            # A terminal would interrupt the processes again; see _process.py.
            for group in self.__context._process_groups:
                group.send_signal(signal.SIGINT)
            return
        self.__interrupted = True
        self.__logger.warning(message)
        self.__request_shutdown("ctrl-c (SIGINT)", due_to_sigint=True)

    def __on_sigterm(self, number: int) -> None:
        name = signal.Signals(number).name
        self.__logger.error("user interrupted with ctrl-\\ (%s), terminating...", name)
        if self.__task is not None:
            self.__task.cancel()

    async def __end_processes(self) -> None:
        """Terminate remaining processes, after a cancelled run, and remaining children."""
        groups = self.__context._process_groups
        alive = [group for group in groups if group.is_alive()]
        await asyncio.gather(*(group.end(_KILL_DELAY) for group in alive))
        watchers = [future for future in self.__pending if isinstance(future, asyncio.Task)]
        if watchers:
            await asyncio.wait(watchers, timeout=_KILL_DELAY)
        for group in groups:
            group.close()
        groups.clear()
