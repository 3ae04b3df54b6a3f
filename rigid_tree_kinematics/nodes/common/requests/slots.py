"""A limit to how many requests occupy threads of an executor at the same time."""

from __future__ import annotations

import threading
from collections import deque
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from rclpy.node import Node

from rigid_tree_kinematics.nodes.common.process import Cancellation, ThreadFuture


class Slots:
    """A limited number of requests runs at the same time; others wait in the order they came.

    With fewer slots than the executor has threads, other callbacks never wait for a thread.
    """

    def __init__(self, node: Node, count: int) -> None:
        self._node = node
        self._lock = threading.Lock()
        self._free = count
        self._waiting: deque[ThreadFuture] = deque()  # get True with a slot, False without one

    @asynccontextmanager
    async def slot(self, cancellation: Cancellation) -> AsyncIterator[None]:
        """Wait for a slot, and return it at the end; a cancelled request continues without one."""
        turn = self._queued()
        if turn is not None:
            cancellation.on_set(lambda: self._leave(turn))
        has_slot = turn is None or await turn is True
        try:
            yield
        finally:
            if has_slot:
                self._give_back()

    def _queued(self) -> ThreadFuture | None:
        """Take a free slot, or return the future of a place in the queue."""
        with self._lock:
            if self._free:
                self._free -= 1
                return None
            self._waiting.append(ThreadFuture(self._node))
            return self._waiting[-1]

    def _leave(self, turn: ThreadFuture) -> None:
        """Let a cancelled request leave the queue."""
        with self._lock:
            if turn not in self._waiting:
                return
            self._waiting.remove(turn)
        turn.set_result(False)

    def _give_back(self) -> None:
        with self._lock:
            if not self._waiting:
                self._free += 1
                return
            turn = self._waiting.popleft()
        turn.set_result(True)
