"""Poses and transforms from and to messages, checked."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from builtin_interfaces.msg import Time as TimeMessage
from geometry_msgs.msg import Pose, PoseStamped, Transform, TransformStamped
from rclpy.clock import ClockType
from rclpy.time import Time

from rigid_tree_kinematics.arrays import Array
from rigid_tree_kinematics.errors import ConfigurationError
from rigid_tree_kinematics.model import transforms

LATEST = Time()  # zero: the latest transform
LONGEST_NAME = 255  # characters of a frame's name
FARTHEST = 1e9  # m
# A quaternion typed by hand may be a few percent off.
QUATERNION_LENGTH_TOLERANCE = 0.1


@dataclass(frozen=True, eq=False)
class Target:
    """Target pose of a message."""

    pose: Array  # T_frame_target
    frame: str  # TF frame; empty: the base
    stamp: Time  # zero: the latest


def read_target(message: PoseStamped, field: str = "target") -> Target:
    """Return a checked target. Raises ConfigurationError that names the field of a bad pose."""
    pose = pose_matrix(message.pose, f"{field}.pose")
    stamp = read_stamp(message.header.stamp, f"{field}.header")
    return Target(pose, message.header.frame_id, stamp)


def read_stamp(stamp: TimeMessage, field: str = "header") -> Time:
    """Return a message's time. Raises ConfigurationError for a time before zero."""
    if stamp.sec < 0:
        raise ConfigurationError(f"{field}.stamp is before zero: {stamp.sec} s")
    return Time.from_msg(stamp, clock_type=ClockType.ROS_TIME)


def pose_matrix(pose: Pose, field: str = "pose") -> Array:
    """Return the 4x4 of a Pose message. Raises ConfigurationError for an invalid pose."""
    position = np.array([pose.position.x, pose.position.y, pose.position.z])
    turn = pose.orientation
    quaternion = np.array([turn.x, turn.y, turn.z, turn.w])
    for part, numbers in (("position", position), ("orientation", quaternion)):
        if not np.isfinite(numbers).all():
            raise ConfigurationError(f"{field}.{part} is not finite: {numbers.tolist()}")
    length = float(np.linalg.norm(quaternion))
    if abs(length - 1.0) > QUATERNION_LENGTH_TOLERANCE:
        found = "zero" if length == 0.0 else f"of length {length:.4g}: {quaternion.tolist()}"
        raise ConfigurationError(
            f"{field}.orientation is {found}; a unit quaternion is needed, no rotation being "
            "x = y = z = 0, w = 1"
        )
    return transforms.transform(position, transforms.quaternion_matrix(quaternion))


def pose_of(T: Array) -> Pose:
    """Return a 4x4 as a Pose message."""
    pose, turn = Pose(), transforms.matrix_quaternion(T).tolist()
    pose.position.x, pose.position.y, pose.position.z = T[:3, 3].tolist()
    pose.orientation.x, pose.orientation.y, pose.orientation.z, pose.orientation.w = turn
    return pose


def pose_message(T: Array, frame: str) -> PoseStamped:
    """Return a 4x4 as a PoseStamped in a frame, without a stamp."""
    message = PoseStamped(pose=pose_of(T))
    message.header.frame_id = frame
    return message


def transform_matrix(message: Transform) -> Array:
    """Return the 4x4 of a Transform message."""
    shift, turn = message.translation, message.rotation
    rotation = transforms.quaternion_matrix((turn.x, turn.y, turn.z, turn.w))
    return transforms.transform((shift.x, shift.y, shift.z), rotation)


def invalidity(stamped: TransformStamped) -> str:
    """Return why a transform is not a pose between two named frames, or an empty text."""
    for name in (stamped.child_frame_id, stamped.header.frame_id):
        if not name or len(name) > LONGEST_NAME or not name.isprintable():
            return f"a frame's name must have 1 to {LONGEST_NAME} printable characters"
    if stamped.child_frame_id == stamped.header.frame_id:
        return "it is its own parent"
    shift, turn = stamped.transform.translation, stamped.transform.rotation
    if not all(abs(number) < FARTHEST for number in (shift.x, shift.y, shift.z)):
        return f"its translation ({shift.x:g}, {shift.y:g}, {shift.z:g}) is not a position"
    length = math.hypot(turn.x, turn.y, turn.z, turn.w)
    if not abs(length - 1.0) < QUATERNION_LENGTH_TOLERANCE:
        return f"its quaternion has norm {length:g}"
    return ""
