"""Fills a buffer from the network."""

from __future__ import annotations

import threading
from typing import Any

from rclpy.callback_groups import ReentrantCallbackGroup
from rclpy.executors import ExternalShutdownException, SingleThreadedExecutor
from rclpy.node import Node
from rclpy.qos import DurabilityPolicy, QoSProfile
from tf2_msgs.msg import TFMessage

DEFAULT_TF_TOPIC = "/tf"
DEFAULT_STATIC_TF_TOPIC = "/tf_static"
AUTHORITY = "default_authority"


class TransformListener:
    """Subscribes to the transform topics and puts what arrives into a buffer.

    With ``spin_thread`` the node is spun by a thread of the listener. ``qos`` and ``static_qos``
    are profiles or depths (depth 100 if absent, the static one transient local). The callbacks
    are reentrant, so another callback may wait for a transform under a multi-threaded executor.
    """

    def __init__(
        self,
        buffer: Any,
        node: Node,
        *,
        spin_thread: bool = False,
        qos: QoSProfile | int | None = None,
        static_qos: QoSProfile | int | None = None,
        tf_topic: str = DEFAULT_TF_TOPIC,
        tf_static_topic: str = DEFAULT_STATIC_TF_TOPIC,
    ) -> None:
        if qos is None:
            qos = QoSProfile(depth=100)
        if static_qos is None:
            static_qos = QoSProfile(depth=100, durability=DurabilityPolicy.TRANSIENT_LOCAL)
        self.buffer = buffer
        self.node = node
        self.group = ReentrantCallbackGroup()
        self.tf_sub = node.create_subscription(
            TFMessage, tf_topic, self.callback, qos, callback_group=self.group
        )
        self.tf_static_sub = node.create_subscription(
            TFMessage, tf_static_topic, self.static_callback, static_qos, callback_group=self.group
        )
        if spin_thread:
            self.executor = SingleThreadedExecutor(context=node.context)
            # The thread must not hold the listener, or the listener could never be collected.
            self.dedicated_listener_thread = threading.Thread(
                target=_spin, args=(self.executor, node), name="tf2_listener", daemon=True
            )
            self.dedicated_listener_thread.start()

    def __del__(self) -> None:
        if not hasattr(self, "tf_static_sub"):
            return  # the constructor did not get that far
        if hasattr(self, "dedicated_listener_thread"):
            self.executor.shutdown()
            if self.dedicated_listener_thread is not threading.current_thread():
                self.dedicated_listener_thread.join()
        self.unregister()

    def unregister(self) -> None:
        """Stop listening."""
        self.node.destroy_subscription(self.tf_sub)
        self.node.destroy_subscription(self.tf_static_sub)

    def callback(self, data: TFMessage) -> None:
        """Put moving frames into the buffer."""
        for transform in data.transforms:
            self.buffer.set_transform(transform, AUTHORITY)

    def static_callback(self, data: TFMessage) -> None:
        """Put static frames into the buffer."""
        for transform in data.transforms:
            self.buffer.set_transform_static(transform, AUTHORITY)


def _spin(executor: SingleThreadedExecutor, node: Node) -> None:
    executor.add_node(node)
    try:
        executor.spin()
    except ExternalShutdownException:
        pass  # rclpy.shutdown() is the usual end of the program
    finally:
        executor.remove_node(node)
