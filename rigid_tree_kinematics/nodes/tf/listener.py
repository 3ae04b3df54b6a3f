"""Subscriptions to /tf and /tf_static that pass valid transforms only."""

import math
from collections.abc import Callable, Iterator

from geometry_msgs.msg import TransformStamped
from rclpy.callback_groups import CallbackGroup
from rclpy.node import Node
from rclpy.qos import QoSProfile
from rclpy.serialization import deserialize_message
from tf2_msgs.msg import TFMessage

from rigid_tree_kinematics.nodes.common.fast import REST, RawSubscription
from rigid_tree_kinematics.nodes.common.process import report_error
from rigid_tree_kinematics.nodes.common.requests import BelievedStamps, nanoseconds_of
from rigid_tree_kinematics.nodes.common.robot import LATCHED
from rigid_tree_kinematics.nodes.tf.frame_names import FrameNames

LONGEST_NAME = 255  # characters of a frame's name
FARTHEST = 1e9  # m
LONGEST_CHAIN = 1000  # frames; a longer one is a loop
WARNING_PERIOD = 5.0  # s between two warnings


class TransformListener:
    """Subscribes to /tf as bytes, in its own thread, and to /tf_static as messages.

    ``group`` is the callback group of /tf_static. ``forget`` is called when the clock is set back.
    """

    def __init__(
        self,
        node: Node,
        on_bytes: Callable[[bytes], None],
        on_static: Callable[[TFMessage], None],
        group: CallbackGroup | None = None,
        forget: Callable[[], None] = lambda: None,
    ) -> None:
        self._node = node
        self.stamps = BelievedStamps(node, forget)
        self.names = FrameNames()
        static = QoSProfile(depth=100, durability=LATCHED.durability)
        node.create_subscription(TFMessage, "/tf_static", on_static, static, callback_group=group)
        self.subscription = RawSubscription(
            node, TFMessage, "/tf", on_bytes, QoSProfile(depth=500), REST
        )
        self.start, self.stop = self.subscription.start, self.subscription.stop

    def transforms(self, data: bytes) -> Iterator[TransformStamped]:
        """Yield the valid transforms of a serialized TFMessage with accepted stamps."""
        try:
            message = deserialize_message(data, TFMessage)
        except Exception as error:  # malformed bytes of one sender must not end the thread
            report_error(self._node, "/tf", error)
            return
        yield from self.valid(message, self.stamps)

    def valid(
        self, message: TFMessage, stamps: BelievedStamps | None = None
    ) -> Iterator[TransformStamped]:
        """Yield the transforms that are poses between named frames; warn about the others.

        ``stamps`` checks the stamps of moving frames; those of static transforms have no meaning.
        """
        for stamped in message.transforms:
            reason = _fault(stamped)
            if stamps is not None and not reason:
                reason = stamps.doubt(nanoseconds_of(stamped.header.stamp))
            if reason:
                name = stamped.child_frame_id[:LONGEST_NAME]
                self.warn(f"ignored the transform of frame '{name}': {reason}")
            else:
                yield stamped

    def warn(self, text: str) -> None:
        """Log a warning, at most every WARNING_PERIOD."""
        self._node.get_logger().warning(text, throttle_duration_sec=WARNING_PERIOD)


def _fault(stamped: TransformStamped) -> str:
    """Return why a transform is not a pose between named frames, or an empty string."""
    for name in (stamped.child_frame_id, stamped.header.frame_id):
        if not name or len(name) > LONGEST_NAME or not name.isprintable():
            return f"a frame's name has 1 to {LONGEST_NAME} printable characters"
    shift, turn = stamped.transform.translation, stamped.transform.rotation
    if not all(abs(number) < FARTHEST for number in (shift.x, shift.y, shift.z)):
        return f"its translation ({shift.x:g}, {shift.y:g}, {shift.z:g}) is not a position"
    length = math.hypot(turn.x, turn.y, turn.z, turn.w)
    if not abs(length - 1.0) < 0.1:
        return f"its quaternion has the length {length:g}"
    return ""
