"""Buffer, broadcasters and listener over DDS; also passes with the real tf2_ros_py."""

import contextlib
import threading
import time

import pytest
import rclpy
import tf2_ros
from geometry_msgs.msg import TransformStamped
from rclpy.duration import Duration
from rclpy.executors import MultiThreadedExecutor, SingleThreadedExecutor
from rclpy.time import Time

LATEST = Time()
PATIENCE = Duration(seconds=10.0)


def stamped(parent, child, x=0.0, seconds=1):
    message = TransformStamped()
    message.header.frame_id, message.child_frame_id = parent, child
    message.header.stamp.sec = seconds
    message.transform.translation.x = x
    return message


@pytest.fixture
def node():
    rclpy.init()
    node = rclpy.create_node("tf2_ros_test")
    yield node
    node.destroy_node()
    rclpy.try_shutdown()


@contextlib.contextmanager
def spinning(node):
    executor = SingleThreadedExecutor()
    executor.add_node(node)
    thread = threading.Thread(target=executor.spin)
    thread.start()
    yield
    executor.shutdown()
    thread.join()


def test_listener_receives_static_and_moving_frames(node):
    static = tf2_ros.StaticTransformBroadcaster(node)
    static.sendTransform([stamped("map", "odom", 1.0), stamped("odom", "base", 2.0)])
    static.sendTransform(stamped("map", "dock", 5.0))
    moving = tf2_ros.TransformBroadcaster(node)
    buffer = tf2_ros.Buffer(node=node)
    listener = tf2_ros.TransformListener(buffer, node)  # joins late
    with spinning(node):
        for frame, x in (("base", 3.0), ("dock", 5.0)):
            found = buffer.lookup_transform("map", frame, LATEST, PATIENCE)
            assert found.transform.translation.x == x
        moving.sendTransform((stamped("base", "arm", 4.0, seconds=9),))
        found = buffer.lookup_transform("map", "arm", Time(seconds=9), PATIENCE)
        assert found.transform.translation.x == 7.0
        assert "parent: 'base'" in buffer.all_frames_as_yaml()
    listener.unregister()


def test_waiting_in_a_callback_does_not_block_the_listener(node):
    buffer = tf2_ros.Buffer()
    listener = tf2_ros.TransformListener(buffer, node)
    broadcaster = tf2_ros.StaticTransformBroadcaster(node)
    group = rclpy.callback_groups.MutuallyExclusiveCallbackGroup()
    answers = []

    def look_up():
        timer.cancel()
        broadcaster.sendTransform(stamped("a", "b", 6.0))
        answers.append(buffer.lookup_transform("a", "b", LATEST, PATIENCE))

    timer = node.create_timer(0.01, look_up, callback_group=group)
    executor = MultiThreadedExecutor(2)
    executor.add_node(node)
    deadline = time.monotonic() + 10.0
    while not answers and time.monotonic() < deadline:
        executor.spin_once(timeout_sec=0.1)
    executor.shutdown()
    assert answers[0].transform.translation.x == 6.0
    listener.unregister()


def test_a_wait_ends_with_an_error_or_with_data_from_another_thread():
    buffer = tf2_ros.Buffer()
    wait = Duration(seconds=0.05)
    with pytest.raises(tf2_ros.LookupException):
        buffer.lookup_transform("a", "b", LATEST, wait)
    assert not buffer.can_transform("a", "b", LATEST, wait)
    thread = threading.Timer(0.05, buffer.set_transform, (stamped("a", "b", 2.0), "test"))
    thread.start()
    found = buffer.lookup_transform("a", "b", Time(seconds=1), timeout=PATIENCE)
    thread.join()
    assert found.transform.translation.x == 2.0


def test_futures_get_the_transform_when_it_arrives():
    buffer = tf2_ros.Buffer()
    single = buffer.wait_for_transform_async("a", "b", LATEST)
    seen = []
    # A callback that uses the buffer must not deadlock.
    single.add_done_callback(lambda _: seen.append(buffer.can_transform("a", "b", LATEST)))
    assert not single.done()
    buffer.set_transform_static(stamped("a", "b", 3.0), "test")
    assert single.result().transform.translation.x == 3.0
    assert seen in ([True], [])  # without an executor some versions call back later


def test_jump_back_in_time_clears_moving_frames():
    buffer = tf2_ros.Buffer()
    buffer.set_transform(stamped("a", "b"), "test")
    buffer.set_transform_static(stamped("b", "c"), "test")
    buffer.time_jump_callback(None)
    assert not buffer.can_transform("a", "b", LATEST)
    assert buffer.can_transform("b", "c", LATEST)
