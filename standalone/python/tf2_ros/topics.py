"""The topics ``/tf`` and ``/tf_static``: broadcasters, and a listener that fills a buffer."""

from collections.abc import Iterable
from typing import Any

from geometry_msgs.msg import TransformStamped
from rclpy.callback_groups import ReentrantCallbackGroup
from rclpy.node import Node
from rclpy.qos import DurabilityPolicy, QoSProfile
from tf2_msgs.msg import TFMessage

AUTHORITY = "default_authority"


def _listed(transform: Any) -> list[TransformStamped]:
    return [transform] if isinstance(transform, TransformStamped) else list(transform)


class TransformBroadcaster:
    """Publishes transforms on ``/tf``; ``qos`` is a profile or a depth (default 100)."""

    def __init__(self, node: Node, qos: QoSProfile | int | None = None) -> None:
        self.pub_tf = node.create_publisher(TFMessage, "/tf", 100 if qos is None else qos)

    def sendTransform(  # noqa: N802 - the real name
        self, transform: TransformStamped | Iterable[TransformStamped]
    ) -> None:
        """Publish one transform, or several in one message."""
        self.pub_tf.publish(TFMessage(transforms=_listed(transform)))


class StaticTransformBroadcaster:
    """Publishes transforms on the latched ``/tf_static``; late listeners get all of them.

    Each message contains all transforms sent so far, the latest one for each child frame.
    ``qos`` is a profile or a depth (default: depth 1, transient local).
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
        self._sent.update({sent.child_frame_id: sent for sent in _listed(transform)})
        self.pub_tf.publish(TFMessage(transforms=list(self._sent.values())))


class TransformListener:
    """Subscribes to ``/tf`` and ``/tf_static`` and stores their transforms in a buffer.

    The callbacks are reentrant, so another callback may wait for a transform under a
    multi-threaded executor.
    """

    def __init__(self, buffer: Any, node: Node) -> None:
        self.buffer = buffer
        self.node = node
        group = ReentrantCallbackGroup()
        static = QoSProfile(depth=100, durability=DurabilityPolicy.TRANSIENT_LOCAL)
        self.tf_sub = node.create_subscription(
            TFMessage, "/tf", self.callback, 100, callback_group=group
        )
        self.tf_static_sub = node.create_subscription(
            TFMessage, "/tf_static", self.static_callback, static, callback_group=group
        )

    def __del__(self) -> None:
        if hasattr(self, "tf_static_sub"):  # not set if the constructor failed
            self.unregister()

    def unregister(self) -> None:
        """Stop listening."""
        self.node.destroy_subscription(self.tf_sub)
        self.node.destroy_subscription(self.tf_static_sub)

    def callback(self, data: TFMessage) -> None:
        """Store moving frames in the buffer."""
        for transform in data.transforms:
            self.buffer.set_transform(transform, AUTHORITY)

    def static_callback(self, data: TFMessage) -> None:
        """Store static frames in the buffer."""
        for transform in data.transforms:
            self.buffer.set_transform_static(transform, AUTHORITY)
