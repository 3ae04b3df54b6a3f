"""Sends frames that do not move."""

from __future__ import annotations

from collections.abc import Iterable

from geometry_msgs.msg import TransformStamped
from rclpy.node import Node
from rclpy.qos import DurabilityPolicy, QoSProfile
from tf2_msgs.msg import TFMessage

from tf2_ros.transform_broadcaster import as_list


class StaticTransformBroadcaster:
    """Publishes transforms on the latched ``/tf_static``; late listeners get all of them.

    Each message holds every transform sent so far; one with a known child frame replaces the
    earlier one. ``qos`` is a profile or a depth (depth 1, transient local if absent).
    """

    def __init__(self, node: Node, qos: QoSProfile | int | None = None) -> None:
        if qos is None:
            qos = QoSProfile(depth=1, durability=DurabilityPolicy.TRANSIENT_LOCAL)
        self.pub_tf = node.create_publisher(TFMessage, "/tf_static", qos)
        self._sent: dict[str, TransformStamped] = {}

    def sendTransform(  # noqa: N802 - the real name
        self, transform: TransformStamped | Iterable[TransformStamped]
    ) -> None:
        """Add one transform, or several, and publish all."""
        self._sent.update({sent.child_frame_id: sent for sent in as_list(transform)})
        self.pub_tf.publish(TFMessage(transforms=list(self._sent.values())))
