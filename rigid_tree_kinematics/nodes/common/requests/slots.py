"""A limit to how many requests keep threads of an executor busy at the same time."""

from __future__ import annotations

import threading
from collections import deque
from types import TracebackType

from rclpy.node import Node

from rigid_tree_kinematics.nodes.common.process import ThreadFuture

_Turn = tuple[ThreadFuture, threading.Event]


class Slots:
    """So many requests work at the same time; others wait, first come, first served.

    With fewer slots than the executor has threads, what must not wait is never kept waiting.

    Args:
        node: under a multi-threaded executor.
        count: of slots.
    """

    def __init__(self, node: Node, count: int) -> None:
        self._node = node
        self._lock = threading.Lock()
        self._free = count
        self._waiting: deque[_Turn] = deque()  # with what cancels them

    def slot(self, cancel: threading.Event | None = None) -> Slot:
        """Return what is entered by ``async with``; who is cancelled has no need of a slot."""
        return Slot(self, cancel or threading.Event())

    def look(self) -> None:
        """Let those who wait, and are cancelled, wait no longer."""
        with self._lock:
            cancelled = [item for item in self._waiting if item[1].is_set()]
            for item in cancelled:
                self._waiting.remove(item)
        for turn, _ in cancelled:
            turn.set_result(False)

    def take(self, cancel: threading.Event) -> ThreadFuture | None:
        """Take a free slot, or return what will have True for one, or False for none."""
        with self._lock:
            if self._free:
                self._free -= 1
                return None
            turn = ThreadFuture(self._node)
            self._waiting.append((turn, cancel))
        self.look()
        return turn

    def give_back(self) -> None:
        """Leave a slot to who waits for longest."""
        with self._lock:
            if not self._waiting:
                self._free += 1
                return
            turn, _ = self._waiting.popleft()
        turn.set_result(True)


class Slot:
    """A slot from the begin to the end of an ``async with``."""

    def __init__(self, slots: Slots, cancel: threading.Event) -> None:
        self._slots = slots
        self._cancel = cancel
        self._taken = False

    async def __aenter__(self) -> None:
        turn = self._slots.take(self._cancel)
        self._taken = True if turn is None else await turn is True

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        if self._taken:
            self._slots.give_back()
