"""Where TF frames lie to the robot: asked of tf2, with a wait that holds up nobody else."""

from __future__ import annotations

import time
from dataclasses import dataclass

import numpy as np
from builtin_interfaces.msg import Time as TimeMessage
from geometry_msgs.msg import Pose, PoseStamped, Transform
from numpy.typing import NDArray
from rclpy.callback_groups import ReentrantCallbackGroup
from rclpy.clock import Clock, ClockType
from rclpy.node import Node
from rclpy.task import Future
from rclpy.time import Time
from tf2_ros import Buffer, TransformException

from rigid_tree_kinematics.errors import ConfigurationError
from rigid_tree_kinematics.model import RigidBodyTree
from rigid_tree_kinematics.model.transforms import (
    inverse,
    matrix_quaternion,
    quaternion_matrix,
    transform,
)
from rigid_tree_kinematics.nodes.common.answering import UnknownFrameError
from rigid_tree_kinematics.nodes.tf.lazy_transforms import LazyTransforms

Array = NDArray[np.float64]

LOOK_PERIOD = 0.01  # s between two looks of who waits in a thread
LATEST = Time()  # zero: the latest transform
# A quaternion typed by hand is a few percent off; one farther off was never meant as one.
QUATERNION_LENGTH_TOLERANCE = 0.1


@dataclass(frozen=True, eq=False)
class Target:
    """A pose to reach, as a message gives it."""

    pose: Array  # T_frame_target
    frame: str  # TF frame; empty: the base
    stamp: Time  # zero: the latest


@dataclass(frozen=True, eq=False)
class RobotInTf:
    """A robot whose frames have a prefix in TF."""

    tree: RigidBodyTree
    prefix: str

    def body_of(self, frame: str) -> str | None:
        """Return the body whose frame this is, or None if it is none of the robot's."""
        name = frame[len(self.prefix) :]
        ours = frame.startswith(self.prefix) and name in self.tree.compiled().body_index
        return name if ours else None


class TargetFrames:
    """Looks transforms up in TF for a node under a multi-threaded executor."""

    def __init__(self, node: Node) -> None:
        self._node = node
        self._buffer = Buffer(node=node)
        self._transforms = LazyTransforms(node, self._buffer)
        self._group = ReentrantCallbackGroup()
        self._steady = Clock(clock_type=ClockType.STEADY_TIME)

    def start(self) -> None:
        """Begin to listen to TF; only when nothing can fail any more, as it takes a thread."""
        self._transforms.start()

    def stop(self) -> None:
        """End the thread that listens to TF."""
        self._transforms.stop()

    def knows(self, target: str, source: str) -> bool:
        """Return whether the two frames have ever been heard of as connected."""
        self._transforms.catch_up(latest_only=True)
        return bool(self._buffer.can_transform_core(target, source, LATEST)[0])

    def lookup(self, target: str, source: str, stamp: Time) -> Array:
        """Return T_target_source at a time, zero being the latest; UnknownFrameError."""
        self._transforms.catch_up(latest_only=stamp.nanoseconds == 0)
        return self._found(target, source, stamp)

    def _found(self, target: str, source: str, stamp: Time) -> Array:
        try:
            found = self._buffer.lookup_transform_core(target, source, stamp)
        except TransformException as error:
            raise UnknownFrameError(
                f"TF has no transform from '{source}' to '{target}': {str(error).strip()}"
            ) from error
        return transform_matrix(found.transform)

    def lookup_within(self, target: str, source: str, stamp: Time, seconds: float) -> Array:
        """Return ``lookup`` as soon as it finds something; UnknownFrameError after a while.

        For threads of the caller's own, which it holds up. Frames that were never connected are
        not waited for.
        """
        if self._transforms.are_fixed(target, source):
            return self._found(target, source, LATEST)
        deadline = time.monotonic() + seconds
        while True:
            try:
                return self.lookup(target, source, stamp)
            except UnknownFrameError:
                if time.monotonic() > deadline or not self.knows(target, source):
                    raise
            time.sleep(LOOK_PERIOD)

    async def wait(self, target: str, source: str, stamp: Time, deadline: float) -> Array:
        """Return T_target_source as soon as TF has it; UnknownFrameError after the deadline.

        ``deadline`` is a value of time.monotonic(), so that simulated time cannot freeze it. The
        thread of the caller is free meanwhile.
        """
        self._transforms.catch_up(latest_only=stamp.nanoseconds == 0)
        remaining = deadline - time.monotonic()
        if remaining > 0 and not self._buffer.can_transform_core(target, source, stamp)[0]:
            with self._transforms:
                await self._arrival(target, source, stamp, remaining)
        return self.lookup(target, source, stamp)

    async def in_base(
        self,
        target: Target,
        robot: RobotInTf,
        start: Array,
        base: str,
        deadline: float,
    ) -> Array:
        """Return T_base_target for a target in any frame; UnknownFrameError.

        A frame of the robot's own is where TF says, or where the model says at the configuration
        ``start`` if TF does not have it. Between the robot's root and ``base`` the model counts,
        so that the solution, which begins there too, really meets the target.
        """
        link = robot.body_of(target.frame)
        if target.frame == "" or link == base:
            return target.pose
        root, frame = robot.prefix + robot.tree.base_name, target.frame
        if link is not None and not (frame != root and self.knows(root, frame)):
            T_root_frame = robot.tree.get_transform(start, link)
        else:
            T_root_frame = await self.wait(root, frame, target.stamp, deadline)
        T_root_base = robot.tree.get_transform(start, base)
        return inverse(T_root_base) @ T_root_frame @ target.pose

    async def _arrival(self, target: str, source: str, stamp: Time, seconds: float) -> None:
        arrived: Future = self._buffer.wait_for_transform_async(target, source, stamp)
        timer = self._node.create_timer(
            seconds, arrived.cancel, callback_group=self._group, clock=self._steady
        )
        try:
            await arrived
        finally:
            self._node.destroy_timer(timer)


def transform_matrix(message: Transform) -> Array:
    """Return the 4x4 of a Transform message."""
    shift, turn = message.translation, message.rotation
    rotation = quaternion_matrix((turn.x, turn.y, turn.z, turn.w))
    return transform((shift.x, shift.y, shift.z), rotation)


def read_target(message: PoseStamped, field: str = "target") -> Target:
    """Return a checked target; ConfigurationError names the request's field if it is no pose."""
    pose = pose_matrix(message.pose, f"{field}.pose")
    stamp = read_stamp(message.header.stamp, f"{field}.header")
    return Target(pose, message.header.frame_id, stamp)


def read_stamp(stamp: TimeMessage, field: str = "header") -> Time:
    """Return a message's time; ConfigurationError for one before zero, which no clock has."""
    if stamp.sec < 0:
        raise ConfigurationError(f"{field}.stamp is before zero: {stamp.sec} s")
    return Time.from_msg(stamp, clock_type=ClockType.ROS_TIME)


def pose_matrix(pose: Pose, field: str = "pose") -> Array:
    """Return the 4x4 of a Pose message; ConfigurationError for a pose that is none."""
    position = np.array([pose.position.x, pose.position.y, pose.position.z])
    turn = pose.orientation
    quaternion = np.array([turn.x, turn.y, turn.z, turn.w])
    if not np.isfinite(position).all():
        raise ConfigurationError(f"{field}.position is not finite: {position.tolist()}")
    if not np.isfinite(quaternion).all():
        raise ConfigurationError(f"{field}.orientation is not finite: {quaternion.tolist()}")
    length = float(np.linalg.norm(quaternion))
    if abs(length - 1.0) > QUATERNION_LENGTH_TOLERANCE:
        found = "zero" if length == 0.0 else f"of length {length:.4g}: {quaternion.tolist()}"
        raise ConfigurationError(
            f"{field}.orientation is {found}; a unit quaternion is needed, no rotation being "
            "x = y = z = 0, w = 1"
        )
    return transform(position, quaternion_matrix(quaternion))


def pose_message(T: Array, frame: str) -> PoseStamped:
    """Return a 4x4 as a PoseStamped in a frame, without a stamp."""
    message = PoseStamped()
    message.header.frame_id = frame
    position, orientation = message.pose.position, message.pose.orientation
    position.x, position.y, position.z = T[:3, 3].tolist()
    orientation.x, orientation.y, orientation.z, orientation.w = matrix_quaternion(T).tolist()
    return message
