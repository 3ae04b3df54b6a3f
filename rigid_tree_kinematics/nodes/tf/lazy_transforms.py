"""A tf2 buffer that is filled when somebody looks: /tf is loud, and most requests need none of it.

Reading a hundred robots' worth of transforms a second, message by message, takes half a core;
keeping their bytes takes next to nothing.
"""

from __future__ import annotations

import threading
import time
from collections import deque

from rclpy.callback_groups import ReentrantCallbackGroup
from rclpy.node import Node
from rclpy.qos import QoSProfile
from rclpy.serialization import deserialize_message
from tf2_msgs.msg import TFMessage
from tf2_ros import Buffer

from rigid_tree_kinematics.nodes.common.plain_node import report_error
from rigid_tree_kinematics.nodes.common.raw_subscription import REST, RawSubscription
from rigid_tree_kinematics.nodes.common.robot_source import LATCHED
from rigid_tree_kinematics.nodes.tf.frame_names import FrameNames
from rigid_tree_kinematics.nodes.tf.usable import usable

AUTHORITY = "network"
KEPT = 10.0  # s, as long as a tf2 buffer keeps transforms
MOST_UNREAD = 50_000  # messages


class LazyTransforms:
    """Fills a buffer from /tf (on demand) and /tf_static (at once). Thread-safe.

    Args:
        node: whose subscriptions they are.
        buffer: to be filled.
    """

    def __init__(self, node: Node, buffer: Buffer) -> None:
        self._node = node
        self._buffer = buffer
        self._unread: deque[tuple[float, bytes]] = deque(maxlen=MOST_UNREAD)
        self._names = FrameNames()
        self._lock = threading.Lock()
        self._waiting = 0
        self._static_parents: dict[str, str] = {}
        static = QoSProfile(depth=100, durability=LATCHED.durability)
        node.create_subscription(
            TFMessage,
            "/tf_static",
            self._on_static,
            static,
            callback_group=ReentrantCallbackGroup(),
        )
        self._subscription = RawSubscription(
            node, TFMessage, "/tf", self._on_bytes, QoSProfile(depth=500), REST
        )

    def start(self) -> None:
        """Begin to listen to /tf, in a thread of its own."""
        self._subscription.start()

    def stop(self) -> None:
        """End the subscription's thread."""
        self._subscription.stop()

    def catch_up(self, latest_only: bool) -> None:
        """Fill the buffer; of messages with the same frames only with the newest if so asked."""
        self._subscription.catch_up()
        with self._lock:
            unread, kept = self._unread, deque[tuple[float, bytes]](maxlen=MOST_UNREAD)
            known: set[bytes] = set()
            while unread:
                arrival, data = unread.pop()
                key = self._names.key(data)
                if latest_only and key in known:
                    kept.appendleft((arrival, data))
                    continue
                known.add(key)
                self._take(data)
            self._unread = kept

    def __enter__(self) -> LazyTransforms:
        """While somebody waits for a transform, every message is read as it comes."""
        with self._lock:
            self._waiting += 1
            self._subscription.set_rest(0.0)
        self.catch_up(latest_only=False)
        return self

    def __exit__(self, *_: object) -> None:
        with self._lock:
            self._waiting -= 1
            if not self._waiting:
                self._subscription.set_rest(REST)

    def _on_bytes(self, data: bytes) -> None:
        now = time.monotonic()
        with self._lock:
            if self._waiting:
                self._take(data)
                return
            self._unread.append((now, data))
            while self._unread[0][0] < now - KEPT:
                self._unread.popleft()

    def _take(self, data: bytes) -> None:
        try:
            message = deserialize_message(data, TFMessage)
        except Exception as error:  # bytes that are no message; other ones count
            report_error(self._node, "/tf", error)
            return
        for transform in usable(self._node, message.transforms):
            self._buffer.set_transform(transform, AUTHORITY)

    def _on_static(self, message: TFMessage) -> None:
        for transform in usable(self._node, message.transforms):
            self._buffer.set_transform_static(transform, AUTHORITY)
            self._static_parents[transform.child_frame_id] = transform.header.frame_id

    def are_fixed(self, target: str, source: str) -> bool:
        """Return whether /tf_static alone connects two frames: then /tf tells nothing of them."""
        return not self._static_chain(target).isdisjoint(self._static_chain(source))

    def _static_chain(self, frame: str) -> set[str]:
        chain = {frame}
        while (frame := self._static_parents.get(frame, frame)) not in chain:
            chain.add(frame)
        return chain
