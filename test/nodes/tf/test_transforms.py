"""What is left out of tf2's buffer and of the table of frames, without a network."""

import time

import pytest
import rclpy
from geometry_msgs.msg import TransformStamped
from rclpy.time import Time
from tf2_msgs.msg import TFMessage
from tf2_ros import Buffer

from harness.processes import wait_until
from rigid_tree_kinematics.nodes.common.requests import SECOND
from rigid_tree_kinematics.nodes.tf import FrameTable
from rigid_tree_kinematics.nodes.tf.transform_guard import CACHE_TIME, SILENCE, TransformGuard

LATEST = Time()
FUTURE = 2**31 - 1  # s


class Tree:
    """A guarded buffer, and the clocks of the node and of the process (s)."""

    def __init__(self, node, monkeypatch):
        self.now = 1000.0
        clock = node.get_clock()
        monkeypatch.setattr(time, "monotonic", lambda: self.now)
        monkeypatch.setattr(clock, "now", lambda: Time(nanoseconds=int(self.now * SECOND)))
        monkeypatch.setattr(
            "rigid_tree_kinematics.nodes.common.requests.message_time.now_by",
            lambda clock: clock.now().nanoseconds,
        )
        self.buffer = Buffer()
        self.guard = TransformGuard(node, self.buffer)

    def tell(self, parent: str, child: str, x: float, age: float = 0.0, static=False, **turn):
        message = stamped(parent, child, x, self.now - age, **turn)
        take = self.guard.set_transform_static if static else self.guard.set_transform
        take(message, "test")

    def x(self, frame: str) -> float:
        """Return where a frame is."""
        found = self.buffer.lookup_transform("base", frame, LATEST)
        return float(found.transform.translation.x)


def stamped(parent, child, x, seconds, w=1.0):
    message = TransformStamped(child_frame_id=child)
    message.header.frame_id = parent
    message.header.stamp = Time(nanoseconds=int(seconds * SECOND)).to_msg()
    message.transform.translation.x = float(x)
    message.transform.rotation.w = w
    return message


@pytest.fixture
def node(ros):
    node = rclpy.create_node("guarded")
    yield node
    node.destroy_node()


@pytest.fixture
def tree(node, monkeypatch):
    return Tree(node, monkeypatch)


def test_a_stamp_of_the_future_or_the_past_does_not_replace_the_truth(tree):
    tree.tell("base", "camera", 1.0)
    tree.tell("base", "camera", 5.0, age=tree.now - FUTURE)
    tree.tell("base", "camera", 6.0, age=CACHE_TIME + 1.0)
    assert tree.x("camera") == 1.0
    tree.tell("base", "camera", 2.0, age=-1.0)  # a clock that is 1 s ahead
    assert tree.x("camera") == 2.0


def test_older_stamps_are_used_when_the_newer_ones_have_ended(tree):
    tree.tell("base", "cart", 1.0)
    tree.tell("base", "table", 7.0)
    tree.now += SILENCE - 0.1
    tree.tell("base", "cart", 2.0, age=100.0)
    assert tree.x("cart") == 1.0
    tree.now += 0.2
    tree.tell("base", "cart", 3.0, age=100.0)
    assert (tree.x("cart"), tree.x("table")) == (3.0, 7.0)


def test_a_loop_is_ignored_until_its_other_frames_are_old(tree):
    for child, parent in (("hand", "arm"), ("arm", "base")):
        tree.tell(parent, child, 1.0)
    tree.tell("hand", "base", 5.0)
    assert tree.x("hand") == 2.0
    tree.now += SILENCE + 0.1
    tree.tell("arm", "hand", 1.0)
    tree.tell("hand", "base", 5.0)  # whose sender stays, while that of the arm is gone
    assert (tree.x("hand"), tree.x("arm")) == (-5.0, -6.0)  # the arm is now the root


def test_a_loop_over_static_frames_is_ignored(tree):
    tree.tell("base", "arm", 1.0, static=True)
    tree.tell("arm", "hand", 1.0, static=True)
    tree.tell("hand", "base", 5.0)
    tree.now += SILENCE + 0.1
    tree.tell("hand", "base", 5.0)
    assert tree.x("hand") == 2.0


def test_what_is_not_a_pose_between_two_frames_is_ignored(tree):
    for parent, child, x, w in (
        ("base", "", 1.0, 1.0),
        ("base", "a\nb", 1.0, 1.0),
        ("base", "a", float("nan"), 1.0),
        ("base", "a", 1e10, 1.0),
        ("base", "a", 1.0, 0.5),
        ("a", "a", 1.0, 1.0),
    ):
        for static in (False, True):
            tree.tell(parent, child, x, static=static, w=w)
    assert tree.buffer.all_frames_as_string() == ""


def test_a_table_has_the_latest_transforms_of_all_senders(node):
    table = FrameTable(node)
    publisher = node.create_publisher(TFMessage, "/tf", 100)
    wait_until(publisher.get_subscription_count, "a subscription")
    now = node.get_clock().now().nanoseconds / SECOND
    for child, x in (("a", 1.0), ("b", 2.0), ("a", 3.0), ("b", 4.0)):
        publisher.publish(TFMessage(transforms=[stamped("base", child, x, now)]))
    publisher.publish(TFMessage(transforms=[stamped("base", "b", 9.0, FUTURE)]))
    publisher.publish(TFMessage(transforms=[stamped("a", "tip", 0.5, now)]))
    updated: set[str] = set()
    while "tip" not in updated:
        time.sleep(0.01)
        updated |= table.update()
    assert updated == {"a", "b", "tip"}
    assert table.update() == set()
    assert {name: frame.position[0] for name, frame in table.frames.items()} == {
        "a": 3.0,
        "b": 4.0,
        "tip": 0.5,
    }
    assert table.chain("tip") == ["tip", "a", "base"]
    assert table.pose("tip", "base")[0, 3] == 3.5
    assert table.pose("tip", "b") is None
