"""Waits for threads, conditions and slots, their cancellation, and periodic callbacks."""

from __future__ import annotations

import threading
import time
from collections import deque
from collections.abc import AsyncIterator, Callable, Iterable
from contextlib import asynccontextmanager
from typing import Any

from rclpy.callback_groups import ReentrantCallbackGroup
from rclpy.clock import Clock, ClockType
from rclpy.node import Node
from rclpy.task import Future

from rigid_tree_kinematics.nodes.common.process.plain_node import report_error

POLL_PERIOD = 0.01  # s between two checks of a condition that a request waits for
WATCHDOG_PERIOD = 0.5  # s between two checks of whether another process or the context is alive
STEADY = Clock(clock_type=ClockType.STEADY_TIME)  # of timers that do not depend on /clock
SHORT = 0.05  # s that a stop may take


class ThreadFuture(Future):  # type: ignore[type-arg]  # plain in Humble
    """A future that another thread completes, for coroutines of a node's executor.

    Before ROS 2 Lyrical an executor resumes waiting coroutines only when something wakes it.
    """

    def __init__(self, node: Node) -> None:
        super().__init__(executor=node.executor)
        self._node = node

    def set_result(self, result: Any) -> None:
        """Complete the future, and wake the executor that waits for it."""
        super().set_result(result)
        executor = self._node.executor
        if executor is not None:
            executor.wake()


class Cancellation(threading.Event):
    """An event that cancels a request, and calls callbacks once when it is set. Thread-safe."""

    def __init__(self) -> None:
        super().__init__()
        self._lock = threading.Lock()
        self._callbacks: list[Callable[[], None]] = []

    def set(self) -> None:
        """Cancel the request."""
        with self._lock:
            super().set()
            callbacks, self._callbacks = self._callbacks, []
        for callback in callbacks:
            callback()

    def on_set(self, callback: Callable[[], None]) -> None:
        """Call a function when the event is set, or immediately if it is already set."""
        with self._lock:
            if not self.is_set():
                self._callbacks.append(callback)
                return
        callback()


class Slots:
    """Limits the number of concurrent requests; others wait in order of arrival.

    With fewer slots than the executor has threads, other callbacks never wait for a thread.
    """

    def __init__(self, node: Node, count: int) -> None:
        self._node = node
        self._lock = threading.Lock()
        self._free = count
        self._waiting: deque[ThreadFuture] = deque()  # get True with a slot, False without one

    @asynccontextmanager
    async def slot(self, cancellation: Cancellation) -> AsyncIterator[None]:
        """Wait for a slot, and release it at the end; cancelled requests continue without one."""
        turn = ThreadFuture(self._node)
        with self._lock:
            self._waiting.append(turn)
        self._serve()
        cancellation.on_set(lambda: self._leave(turn))
        has_slot = await turn
        try:
            yield
        finally:
            if has_slot:
                self._serve(freed=1)

    def _serve(self, freed: int = 0) -> None:
        """Give a free slot to the request that has waited longest."""
        with self._lock:
            self._free += freed
            if not (self._free and self._waiting):
                return
            self._free -= 1
            turn = self._waiting.popleft()
        turn.set_result(True)

    def _leave(self, turn: ThreadFuture) -> None:
        """Let a cancelled request leave the queue."""
        with self._lock:
            if turn not in self._waiting:
                return
            self._waiting.remove(turn)
        turn.set_result(False)


async def wait_until(
    node: Node,
    condition: Callable[[], bool],
    seconds: float,
    period: float = POLL_PERIOD,
    wake: Iterable[Future[Any]] = (),
) -> bool:
    """Return whether a condition becomes true within some seconds of a steady clock.

    It is checked every ``period`` seconds, and when one of the futures ``wake`` is done. The
    executor's thread is free meanwhile.
    """
    over = ThreadFuture(node)
    deadline = time.monotonic() + seconds

    def check() -> None:
        if not over.done() and (condition() or time.monotonic() >= deadline):
            over.set_result(None)

    check()
    if over.done():
        return condition()
    for future in wake:
        future.add_done_callback(lambda _: check())
    timer = node.create_timer(
        min(period, seconds),
        check,
        callback_group=ReentrantCallbackGroup(),
        clock=STEADY,
    )
    try:
        await over
    finally:
        node.destroy_timer(timer)
    return condition()


async def within(node: Node, future: Future[Any], seconds: float) -> bool:
    """Return whether a future completes within some seconds of a steady clock, or cancel it."""
    group = ReentrantCallbackGroup()
    timer = node.create_timer(seconds, future.cancel, callback_group=group, clock=STEADY)
    try:
        await future
    finally:
        node.destroy_timer(timer)
    return bool(future.done())


def wait_in_thread(condition: Callable[[], bool], seconds: float) -> bool:
    """Return whether a condition becomes true within some seconds; blocks the calling thread."""
    deadline = time.monotonic() + seconds
    while not condition():
        if time.monotonic() >= deadline:
            return False
        time.sleep(POLL_PERIOD)
    return True


class Ticker:
    """Calls ``callback`` every ``period`` seconds, by a steady clock, until ``stop``.

    It has its own thread: at 100 Hz an executor's timer costs more than the callback. Errors of
    the callback are logged. Ticks that a busy machine has missed are skipped. While ``needed`` is
    not set, ticks come every ``rest`` seconds only (None: not at all).
    """

    def __init__(
        self,
        node: Node,
        period: float,
        callback: Callable[[], None],
        needed: threading.Event | None = None,
        rest: float | None = None,
    ) -> None:
        self._node = node
        self.period = period
        self._callback = callback
        self._needed = needed
        self._rest = rest
        self._stopped = threading.Event()
        self._thread = threading.Thread(target=self._run, name="ticker", daemon=True)

    def start(self) -> None:
        """Start the thread."""
        self._thread.start()

    def stop(self) -> None:
        """Return when the last tick has ended."""
        self._stopped.set()
        if self._needed is not None:
            self._needed.set()
        if self._thread.is_alive() and threading.current_thread() is not self._thread:
            self._thread.join()

    def _run(self) -> None:
        due = time.monotonic()
        while self._goes_on():
            try:
                self._callback()
            except Exception as error:
                report_error(self._node, "a ticker", error)
            now = time.monotonic()
            due = max(due + self.period, now)
            # Sleeping is cheaper than the wait of an Event, but delays a stop.
            (time.sleep if self.period < SHORT else self._stopped.wait)(due - now)

    def _goes_on(self) -> bool:
        if self._needed is not None:
            self._needed.wait(self._rest)
        return not self._stopped.is_set()
