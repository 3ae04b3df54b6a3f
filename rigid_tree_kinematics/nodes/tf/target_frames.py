"""Poses of TF frames relative to the robot, looked up in tf2 without blocking other callbacks."""

import time
from dataclasses import dataclass

import numpy as np
from builtin_interfaces.msg import Time as TimeMessage
from geometry_msgs.msg import Pose, PoseStamped, Transform
from rclpy.clock import ClockType
from rclpy.node import Node
from rclpy.time import Time
from tf2_ros import Buffer, TransformException

from rigid_tree_kinematics.arrays import Array
from rigid_tree_kinematics.deadline import Deadline
from rigid_tree_kinematics.errors import ConfigurationError
from rigid_tree_kinematics.model import transforms
from rigid_tree_kinematics.nodes.common.process import within
from rigid_tree_kinematics.nodes.common.requests import SECOND, UnknownFrameError
from rigid_tree_kinematics.nodes.common.robot import Robot
from rigid_tree_kinematics.nodes.tf.lazy_transforms import LazyTransforms

POLL_PERIOD = 0.01  # s between two lookups of a waiting thread
LATEST = Time()  # zero: the latest transform
# A quaternion typed by hand may be a few percent off.
QUATERNION_LENGTH_TOLERANCE = 0.1


@dataclass(frozen=True, eq=False)
class Target:
    """Target pose of a message."""

    pose: Array  # T_frame_target
    frame: str  # TF frame; empty: the base
    stamp: Time  # zero: the latest


@dataclass(frozen=True, eq=False)
class RobotInTf:
    """A robot whose frames have a prefix in TF."""

    robot: Robot
    prefix: str

    @property
    def root(self) -> str:
        """The frame of the robot's root."""
        return self.prefix + self.robot.tree.base_name

    def body_of(self, frame: str) -> str | None:
        """Return the body with this frame, or None for a frame of no body."""
        name = frame[len(self.prefix) :]
        ours = frame.startswith(self.prefix) and name in self.robot.tree.compiled().body_index
        return name if ours else None


class TargetFrames:
    """Looks transforms up in TF for a node under a multi-threaded executor."""

    def __init__(self, node: Node) -> None:
        self._node = node
        self._buffer = Buffer(node=node)
        self._transforms = LazyTransforms(node, self._buffer)
        self.stamps = self._transforms.stamps  # that the node believes
        # Of the listening thread. Start it when the node's constructor can no longer fail.
        self.start, self.stop = self._transforms.start, self._transforms.stop

    def knows(self, target: str, source: str) -> bool:
        """Return whether the two frames have ever been connected."""
        self._transforms.catch_up(latest_only=True)
        return bool(self._buffer.can_transform_core(target, source, LATEST)[0])

    def lookup(self, target: str, source: str, stamp: Time) -> Array:
        """Return T_target_source at a time (zero: the latest). Raises UnknownFrameError."""
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
        """Return T_target_source as soon as TF has it; raises UnknownFrameError after ``seconds``.

        It blocks the calling thread, and does not wait for frames that were never connected.
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
            time.sleep(POLL_PERIOD)

    async def wait(self, target: str, source: str, stamp: Time, deadline: Deadline) -> Array:
        """Return T_target_source as soon as TF has it, or raise UnknownFrameError at the deadline.

        It does not block the thread; the deadline does not depend on simulated time.
        """
        self._transforms.catch_up(latest_only=stamp.nanoseconds == 0)
        remaining = deadline.left
        if remaining > 0 and not self._buffer.can_transform_core(target, source, stamp)[0]:
            with self._transforms:
                arrived = self._buffer.wait_for_transform_async(target, source, stamp)
                await within(self._node, arrived, remaining)
        return self.lookup(target, source, stamp)

    async def in_base(
        self, target: Target, robot: RobotInTf, start: Array, base: str, deadline: Deadline
    ) -> Array:
        """Return T_base_target for a target in any frame.

        The robot's own frames follow from its joint states. The transform between the robot's
        root and ``base`` is that of the model at ``start``, like that of the solution. Raises
        UnknownFrameError, and ConfigurationError for an implausible stamp.
        """
        if doubt := self.stamps.doubt(target.stamp.nanoseconds):
            raise ConfigurationError(f"the target's header: {doubt}")
        link = robot.body_of(target.frame)
        if target.frame == "" or link == base:
            return target.pose
        if link is None:
            T_root_frame = await self.wait(robot.root, target.frame, target.stamp, deadline)
        else:
            T_root_frame = await self._own_frame(link, target.stamp, robot, start, deadline)
        T_root_base = robot.robot.tree.get_transform(start, base)
        return transforms.inverse(T_root_base) @ T_root_frame @ target.pose

    async def _own_frame(
        self, link: str, stamp: Time, robot: RobotInTf, start: Array, deadline: Deadline
    ) -> Array:
        """Return T_root_link from the joint states at a time (zero: the latest).

        Without joint states TF is used, and without TF the configuration ``start``.
        """
        state, frame = robot.robot.state, robot.prefix + link
        if state.knows(robot.robot.slots_of(link)):
            configuration, gap = state.configuration, 0.0
            if stamp.nanoseconds:
                state.keeps_all = True  # from the first request for a past time on
                configuration, gap = state.at(stamp.nanoseconds / SECOND)
            if gap == 0.0:
                return robot.robot.tree.get_transform(configuration, link)
        if self.knows(robot.root, frame):
            return await self.wait(robot.root, frame, stamp, deadline)
        return robot.robot.tree.get_transform(start, link)


def transform_matrix(message: Transform) -> Array:
    """Return the 4x4 of a Transform message."""
    shift, turn = message.translation, message.rotation
    rotation = transforms.quaternion_matrix((turn.x, turn.y, turn.z, turn.w))
    return transforms.transform((shift.x, shift.y, shift.z), rotation)


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
