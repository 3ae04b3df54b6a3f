"""Keys of TF messages: messages with different frames have different keys."""

import numpy as np
import rclpy
from geometry_msgs.msg import TransformStamped
from rclpy.serialization import serialize_message
from rclpy.time import Time
from tf2_msgs.msg import TFMessage
from tf2_ros import Buffer

from harness.processes import wait_until
from rigid_tree_kinematics.nodes.tf.listener import FrameNames, FrameTable
from rigid_tree_kinematics.nodes.tf.target_frames import LazyTransforms

ROOT = "warehouse_robot_1/base_link"


def message(*frames: tuple[str, str], x: float = 0.0, second: int = 1) -> TFMessage:
    transforms = []
    for parent, child in frames:
        stamped = TransformStamped(child_frame_id=child)
        stamped.header.frame_id = parent
        stamped.header.stamp.sec = second
        stamped.transform.translation.x = x
        stamped.transform.rotation.w = 1.0
        transforms.append(stamped)
    return TFMessage(transforms=transforms)


def data(*frames: tuple[str, str], **numbers: float) -> bytes:
    return bytes(serialize_message(message(*frames, **numbers)))


def test_equal_keys_mean_equal_frames_over_random_messages():
    rng = np.random.default_rng(3)
    # Few names of few lengths, so that many messages are equally long.
    names = ["a", "b", "ab", "ba", "left/arm", "left/leg", "x" * 50 + "1", "x" * 50 + "2", "ä", ""]
    frames_of: dict[bytes, tuple] = {}
    keys = FrameNames()
    seen = set()
    for _ in range(5000):
        count = int(rng.integers(0, 4))
        frames = tuple(tuple(rng.choice(names, 2).tolist()) for _ in range(count))
        key = keys.key(data(*frames, x=float(rng.normal()), second=int(rng.integers(2**31))))
        assert frames_of.setdefault(key, frames) == frames
        seen.add(frames)
    assert len(frames_of) == len(seen), "messages with equal frames have equal keys"
    # Numbers that look like strings are none.
    keys = FrameNames()
    first = keys.key(data(("a", "b")))
    disguised = message(("a", "b"))
    disguised.transforms[0].transform.translation.x = np.frombuffer(b"\2\0\0\0c\0\0\0")[0]
    assert keys.key(bytes(serialize_message(disguised))) == first
    assert keys.key(data(("a", "c"))) != first
    # Bytes that are no message are their own key.
    whole = data(("a", "b"), ("b", "c"))
    for end in range(len(whole)):
        assert keys.key(whole[:end]) == whole[:end] or end < 8 or whole[4:8] == bytes(4)
    big_endian = b"\0\0" + whole[2:]
    assert keys.key(big_endian) == big_endian


def published(node, messages) -> None:
    """Publish messages on /tf once somebody listens."""
    publisher = node.create_publisher(TFMessage, "/tf", 100)
    wait_until(publisher.get_subscription_count, "a subscription")
    for item in messages:
        publisher.publish(item)


# Equal lengths, equal first bytes; only the end of the child's name differs.
ALIKE = [
    message((ROOT, "target_a"), x=1.0, second=1),
    message((ROOT, "target_b"), x=2.0, second=1),
    message((ROOT, "target_a"), x=3.0, second=2),
    message((ROOT, "target_b"), x=4.0, second=2),
]


def test_the_newest_transform_of_every_frame_is_looked_up_and_kept(ros):
    node, buffer = rclpy.create_node("frame_names"), Buffer()
    transforms, table = LazyTransforms(node, buffer), FrameTable(node)
    transforms.start()
    table.start()
    try:
        published(node, ALIKE)
        newest = {"target_a": 3.0, "target_b": 4.0}
        found: dict[str, float] = {}

        def both_found() -> bool:
            transforms.catch_up(latest_only=True)
            for child in newest:
                if buffer.can_transform(ROOT, child, Time()):
                    latest = buffer.lookup_transform(ROOT, child, Time())
                    found[child] = latest.transform.translation.x
            table.update()
            kept = {name: frame.position[0] for name, frame in table.frames.items()}
            return found == kept == newest

        wait_until(both_found, "the newest transforms")
    finally:
        transforms.stop()
        table.stop()
        node.destroy_node()
