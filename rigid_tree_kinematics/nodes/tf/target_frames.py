"""Poses of TF frames for the targets of requests, looked up without blocking other callbacks."""

from __future__ import annotations

import threading
import time
from dataclasses import dataclass

from rclpy.node import Node
from rclpy.time import Time
from tf2_ros import Buffer, TransformException, TransformListener

from rigid_tree_kinematics.arrays import Array
from rigid_tree_kinematics.deadline import Deadline
from rigid_tree_kinematics.errors import ConfigurationError
from rigid_tree_kinematics.model import transforms
from rigid_tree_kinematics.nodes.common.process import wait_in_thread, wait_until
from rigid_tree_kinematics.nodes.common.requests import SECOND, UnknownFrameError
from rigid_tree_kinematics.nodes.common.robot import Robot
from rigid_tree_kinematics.nodes.tf.poses import LATEST, Target, transform_matrix
from rigid_tree_kinematics.nodes.tf.transform_guard import TransformGuard

# s after the start of listening in which lookups wait for a first transform.
FIRST_TRANSFORMS = 1.0
CANCELLED_WITHIN = 0.1  # s that a cancelled request may wait on


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
    """Looks transforms up in TF for a node under a multi-threaded executor.

    The node listens from its first lookup on, or from ``listen``: rclpy takes several percent of a
    core for /tf at 100 Hz, and many nodes never look a frame up. The first lookup waits for the
    first transforms, up to FIRST_TRANSFORMS seconds whatever its deadline.
    """

    def __init__(self, node: Node) -> None:
        self._node = node
        self._buffer = Buffer(node=node)
        self._guard = TransformGuard(node, self._buffer)
        self.stamp_check = self._guard.stamp_check
        self._lock = threading.Lock()
        self._listener: TransformListener | None = None
        self._first_until = 0.0  # s, monotonic

    def listen(self) -> None:
        """Listen to /tf and /tf_static from now on."""
        with self._lock:
            if self._listener is None:
                self._first_until = time.monotonic() + FIRST_TRANSFORMS
                self._listener = TransformListener(self._guard, self._node)

    def knows(self, target: str, source: str, stamp: Time = LATEST) -> bool:
        """Return whether TF connects two frames at a time, by default at any time."""
        return bool(self._buffer.can_transform(target, source, stamp))

    async def is_connected(self, target: str, source: str) -> bool:
        """Return whether TF connects two frames; waits only when listening starts."""
        self.listen()
        left = self._first_until - time.monotonic()
        return await wait_until(self._node, lambda: self.knows(target, source), left)

    async def first_transforms(self, target: Target, robot: RobotInTf) -> None:
        """Wait for the first transforms, if a target's frame is not the robot's own."""
        if target.frame and robot.body_of(target.frame) is None:
            await self.is_connected(robot.root, target.frame)

    def lookup(self, target: str, source: str, stamp: Time) -> Array:
        """Return T_target_source at a time (zero: the latest). Raises UnknownFrameError."""
        self.listen()
        try:
            found = self._buffer.lookup_transform(target, source, stamp)
        except TransformException as error:
            raise UnknownFrameError(
                f"TF has no transform from '{source}' to '{target}': {str(error).strip()}"
            ) from error
        return transform_matrix(found.transform)

    def lookup_within(self, target: str, source: str, stamp: Time, seconds: float) -> Array:
        """Return T_target_source as soon as TF has it; UnknownFrameError after ``seconds``.

        It blocks the calling thread, and does not wait for frames that were never connected.
        """
        self.listen()
        left = self._first_until - time.monotonic()
        if wait_in_thread(lambda: self.knows(target, source), left):
            stamp = self._known_time(target, source, stamp)
            wait_in_thread(lambda: self.knows(target, source, stamp), seconds)
        return self.lookup(target, source, stamp)

    def _known_time(self, target: str, source: str, stamp: Time) -> Time:
        """Return the time at which to look a stamp's transform up, if necessary after a wait.

        A stamp ahead of this node's clock comes from a machine whose clock is ahead. Unless the
        transforms come from there too, the latest one is the right one.
        """
        is_ahead = stamp.nanoseconds > self.stamp_check.now()
        return LATEST if is_ahead and not self.knows(target, source, stamp) else stamp

    async def wait(self, target: str, source: str, stamp: Time, deadline: Deadline) -> Array:
        """Return T_target_source as soon as TF has it, or raise UnknownFrameError at the deadline.

        It does not block the thread, and a cancellation ends it; the deadline does not depend on
        simulated time.
        """
        await self.is_connected(target, source)
        remaining = deadline.left
        stamp = self._known_time(target, source, stamp)
        if remaining > 0 and not self.knows(target, source, stamp):
            arrived = self._buffer.wait_for_transform_async(target, source, stamp)
            try:
                await wait_until(
                    self._node,
                    lambda: arrived.done() or deadline.cancelled,
                    remaining,
                    CANCELLED_WITHIN,
                    [arrived],
                )
            finally:
                arrived.cancel()
        return self.lookup(target, source, stamp)

    async def in_base(
        self, target: Target, robot: RobotInTf, start: Array, base: str, deadline: Deadline
    ) -> Array:
        """Return T_base_target for a target in any frame.

        The robot's own frames follow from its joint states. The transform between the robot's
        root and ``base`` is that of the model at ``start``, like that of the solution. Raises
        UnknownFrameError, and ConfigurationError for an implausible stamp.
        """
        if problem := self.stamp_check.problem(target.stamp.nanoseconds):
            raise ConfigurationError(f"the target's header: {problem}")
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
                configuration, gap = state.at(stamp.nanoseconds / SECOND)
            if gap == 0.0 or stamp.nanoseconds > self.stamp_check.now():
                return robot.robot.tree.get_transform(configuration, link)
        if await self.is_connected(robot.root, frame):
            return await self.wait(robot.root, frame, stamp, deadline)
        return robot.robot.tree.get_transform(start, link)
