"""A future that another thread completes."""

from __future__ import annotations

from typing import Any

from rclpy.node import Node
from rclpy.task import Future


class ThreadFuture(Future):
    """What a coroutine of a node's executor awaits, and a thread outside of it completes.

    Before ROS 2 Lyrical an executor looks at waiting coroutines only when something wakes it.
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
