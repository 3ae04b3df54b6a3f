"""A subscription with a thread of its own, for messages that come a thousand times a second.

An rclpy executor puts together a wait set of all the node's entities, and a task, for every
message, which costs more than what this package does with the message. Here the wait set holds
the one subscription, and messages arrive as bytes.
"""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import Any

from rclpy.callback_groups import CallbackGroup
from rclpy.impl.implementation_singleton import rclpy_implementation
from rclpy.node import Node
from rclpy.qos import QoSProfile
from rclpy.qos_overriding_options import QoSOverridingOptions

STOP_CHECK = 0.2  # s between two looks at whether to go on, where no message comes


class _NotForExecutors(CallbackGroup):
    """A group whose members an executor never finds ready."""

    def can_execute(self, entity: Any) -> bool:
        return False

    def beginning_execution(self, entity: Any) -> bool:
        return False

    def ending_execution(self, entity: Any) -> None:
        pass


class RawSubscription:
    """Calls ``callback(bytes)`` in its own thread for each message, from ``start`` to ``stop``."""

    def __init__(
        self,
        node: Node,
        message_type: type,
        topic: str,
        callback: Callable[[bytes], None],
        qos: QoSProfile,
    ) -> None:
        self._node = node
        self._message_type = message_type
        self._callback = callback
        self._subscription = node.create_subscription(
            message_type,
            topic,
            callback,
            qos,
            callback_group=_NotForExecutors(),
            raw=True,
            qos_overriding_options=QoSOverridingOptions.with_default_policies(),
        )
        self._stopped = threading.Event()
        self._thread = threading.Thread(target=self._run, name=topic, daemon=True)

    def start(self) -> None:
        """Begin to listen."""
        self._thread.start()

    def stop(self) -> None:
        """Return when the last callback has ended."""
        self._stopped.set()
        if self._thread.is_alive():
            self._thread.join()

    def _run(self) -> None:
        context = self._node.context.handle
        assert context is not None
        with context, self._subscription.handle:
            wait_set = rclpy_implementation.WaitSet(1, 0, 0, 0, 0, 0, context)
            with wait_set:
                self._listen(wait_set, context)

    def _listen(self, wait_set: Any, context: Any) -> None:
        handle, message_type = self._subscription.handle, self._message_type
        stopped, callback = self._stopped, self._callback
        timeout = int(STOP_CHECK * 1e9)
        while not stopped.is_set():
            wait_set.clear_entities()
            wait_set.add_subscription(handle)
            wait_set.wait(timeout)
            taken = handle.take_message(message_type, True)
            if taken is not None:
                try:
                    callback(taken[0])
                except rclpy_implementation.RCLError:
                    if context.ok():
                        raise
                    return  # shut down by a signal while the callback published
            # Not by Context.ok(): its lock may be held by who waits for this thread to end.
            elif not context.ok():  # shut down by a signal
                return
