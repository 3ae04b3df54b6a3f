"""Fills a buffer from the network."""

from __future__ import annotations

from typing import Any

from rclpy.callback_groups import ReentrantCallbackGroup
from rclpy.node import Node
from rclpy.qos import DurabilityPolicy, QoSProfile
from tf2_msgs.msg import TFMessage

AUTHORITY = "default_authority"


class TransformListener:
    """Subscribes to ``/tf`` and ``/tf_static`` and stores their transforms in a buffer.

    The callbacks are reentrant, so another callback may wait for a transform under a
    multi-threaded executor.
    """

    def __init__(self, buffer: Any, node: Node) -> None:
        self.buffer = buffer
        self.node = node
        group = ReentrantCallbackGroup()
        moving = QoSProfile(depth=100)
        static = QoSProfile(depth=100, durability=DurabilityPolicy.TRANSIENT_LOCAL)
        self.tf_sub = node.create_subscription(
            TFMessage, "/tf", self.callback, moving, callback_group=group
        )
        self.tf_static_sub = node.create_subscription(
            TFMessage, "/tf_static", self.static_callback, static, callback_group=group
        )

    def __del__(self) -> None:
        if hasattr(self, "tf_static_sub"):  # else the constructor did not get that far
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
