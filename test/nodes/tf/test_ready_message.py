"""Message templates, deserialized by the middleware."""

import numpy as np
import pytest
from geometry_msgs.msg import TransformStamped
from nav_msgs.msg import Odometry
from rclpy.serialization import deserialize_message
from sensor_msgs.msg import Imu, JointState
from std_msgs.msg import String
from tf2_msgs.msg import TFMessage

from rigid_tree_kinematics.nodes.tf.frame_messages import FrameMessage
from rigid_tree_kinematics.nodes.tf.ready_message import ReadyMessage


def stamped(message, seconds, nanoseconds):
    message.header.stamp.sec, message.header.stamp.nanosec = seconds, nanoseconds
    return message


def joint_state(seconds, nanoseconds, numbers):
    message = JointState(name=["a", "bc", "def"], position=numbers[:3], effort=numbers[3:])
    return stamped(message, seconds, nanoseconds)


def odometry(seconds, nanoseconds, numbers):
    message = stamped(Odometry(child_frame_id="base"), seconds, nanoseconds)
    # In another order than in the message.
    message.twist.twist.angular.z, message.pose.pose.position.x = numbers
    return message


def imu(seconds, nanoseconds, numbers):
    message = stamped(Imu(), seconds, nanoseconds)
    message.linear_acceleration.y = numbers[0]
    return message


@pytest.mark.parametrize(
    ("build", "kind", "count"),
    [(joint_state, JointState, 6), (odometry, Odometry, 2), (imu, Imu, 1)],
)
def test_bytes_are_those_of_the_message(build, kind, count):
    ready = ReadyMessage(build, count)
    generator = np.random.default_rng(5)
    for first in (0.7, float("nan"), -0.0, 1e308, 1.0 / 3.0):
        for seconds in (0, 1, 2**31 - 1):
            numbers = generator.normal(size=count)
            numbers[0] = first
            encoded = ready.encode(seconds, 999_999_999, numbers)
            assert isinstance(encoded, bytes)
            read = deserialize_message(encoded, kind)
            assert repr(read) == repr(build(seconds, 999_999_999, numbers.tolist()))


def test_every_transform_of_a_message_has_the_stamp():
    frames = [("map", "a"), ("a", "b"), ("b", "a_longer_name")]
    poses = np.random.default_rng(6).normal(size=(3, 7))
    read = deserialize_message(FrameMessage(frames).encode(12, 34, poses), TFMessage)
    for (parent, child), pose, transform in zip(frames, poses, read.transforms, strict=True):
        assert isinstance(transform, TransformStamped)
        assert (transform.header.frame_id, transform.child_frame_id) == (parent, child)
        assert (transform.header.stamp.sec, transform.header.stamp.nanosec) == (12, 34)
        shift, turn = transform.transform.translation, transform.transform.rotation
        read_pose = [shift.x, shift.y, shift.z, turn.x, turn.y, turn.z, turn.w]
        assert read_pose == pose.tolist()


def test_messages_without_fixed_numbers_are_built():
    ready = ReadyMessage(lambda *given: String(data=str(given)), 1)
    assert ready.encode(1, 2, np.array([3.0])) == String(data="(1, 2, [3.0])")
    assert FrameMessage([]).encode(1, 2, np.empty((0, 7))) == TFMessage()
