"""A subscription outside the executors, for tree_state_publisher's joint states at 1 kHz."""

import threading
import time
from collections.abc import Callable

from rclpy.guard_condition import GuardCondition
from rclpy.node import Node
from rclpy.qos import QoSProfile
from rclpy.qos_overriding_options import QoSOverridingOptions

from rigid_tree_kinematics.nodes.common.process import (
    WATCHDOG_PERIOD,
    NotForExecutors,
    next_message,
    report_error,
    wait_for_message,
)


class RawSubscription:
    """Calls ``callback(bytes)`` for each message, in its own thread, from ``start`` to ``stop``.

    Errors of the callback are logged.
    """

    def __init__(
        self,
        node: Node,
        message_type: type,
        topic: str,
        callback: Callable[[bytes], None],
        qos: QoSProfile,
    ) -> None:
        self._node = node
        self._callback = callback
        self._subscription = node.create_subscription(
            message_type,
            topic,
            callback,
            qos,
            callback_group=NotForExecutors(),
            raw=True,
            qos_overriding_options=QoSOverridingOptions.with_default_policies(),
        )
        self._wake = GuardCondition(None, None, node.context)
        self._is_stopped = False
        self._thread = threading.Thread(target=self._run, name=topic, daemon=True)

    def start(self) -> None:
        """Start listening."""
        self._thread.start()

    def stop(self) -> None:
        """Stop, and wait for the last callback."""
        self._is_stopped = True
        self._wake.trigger()
        if self._thread.is_alive():
            self._thread.join()
        self._wake.destroy()

    def _run(self) -> None:
        while not self._is_stopped and self._node.context.ok():
            try:
                wait_for_message(
                    self._node.context, self._subscription, self._wake, WATCHDOG_PERIOD
                )
            except Exception as error:
                if self._is_stopped or not self._node.context.ok():
                    return
                report_error(self._node, self._subscription.topic_name, error)
                time.sleep(WATCHDOG_PERIOD)
            self._take()

    def _take(self) -> None:
        """Call the callback for the messages that have arrived."""
        while not self._is_stopped:
            try:
                data = next_message(self._subscription)
                if data is None:
                    return
                self._callback(data)
            except Exception as error:
                report_error(self._node, self._subscription.topic_name, error)
