"""Poses of TF frames, looked up in tf2 without blocking other callbacks."""

from __future__ import annotations

import threading
import time
from collections import deque
from dataclasses import dataclass

import numpy as np
from builtin_interfaces.msg import Time as TimeMessage
from geometry_msgs.msg import Pose, PoseStamped, Transform, TransformStamped
from rclpy.callback_groups import ReentrantCallbackGroup
from rclpy.clock import ClockType
from rclpy.node import Node
from rclpy.time import Time
from tf2_msgs.msg import TFMessage
from tf2_ros import Buffer, TransformException

from rigid_tree_kinematics.arrays import Array
from rigid_tree_kinematics.deadline import Deadline
from rigid_tree_kinematics.errors import ConfigurationError
from rigid_tree_kinematics.model import transforms
from rigid_tree_kinematics.nodes.common.fast import REST
from rigid_tree_kinematics.nodes.common.process import wait_in_thread, wait_until
from rigid_tree_kinematics.nodes.common.requests import (
    SECOND,
    UnknownFrameError,
    nanoseconds_of,
    stamp_in,
)
from rigid_tree_kinematics.nodes.common.robot import Robot
from rigid_tree_kinematics.nodes.tf.listener import FIRST_STAMP, LONGEST_CHAIN, TransformListener

AUTHORITY = "network"
KEPT = 10.0  # s, as long as a tf2 buffer keeps transforms
MOST_UNREAD = 50_000  # messages
# Older transforms of a frame are accepted if no newer ones arrive for this time (s): their sender
# is gone.
GONE = 3.0
CANCELLED_WITHIN = 0.1  # s that a cancelled request may wait on
LATEST = Time()  # zero: the latest transform
# A quaternion typed by hand may be a few percent off.
QUATERNION_LENGTH_TOLERANCE = 0.1


class LazyTransforms:
    """Fills a buffer from /tf (on demand) and /tf_static (immediately). Thread-safe.

    Reading a hundred robots' transforms one message at a time takes half a core; keeping their
    bytes costs almost nothing. Transforms with implausible stamps never reach the buffer. Nor do
    those that tf2 would reject as too old, with a log line for each.
    """

    def __init__(self, node: Node, buffer: Buffer) -> None:
        self._buffer = buffer
        self._unread: deque[tuple[float, bytes]] = deque(maxlen=MOST_UNREAD)
        # The newest transform of each moving frame, with its stamp (ns) and its arrival.
        self._newest: dict[str, tuple[int, float, TransformStamped]] = {}
        self._lock = threading.RLock()
        self._waiting = 0
        self._static_parents: dict[str, str] = {}
        self._listener = TransformListener(
            node, self._on_bytes, self._on_static, ReentrantCallbackGroup(), self._forget
        )
        self.stamps, self._warn = self._listener.stamps, self._listener.warn
        self.start, self.stop = self._listener.start, self._listener.stop

    def catch_up(self, latest_only: bool) -> None:
        """Fill the buffer; with ``latest_only``, from the newest message of each set of frames."""
        self._listener.subscription.catch_up()
        self.stamps.now()
        with self._lock:
            unread = list(self._unread)
            self._unread.clear()
            chosen = self._latest(unread) if latest_only else range(len(unread))
            for number, (arrival, data) in enumerate(unread):
                if number in chosen:
                    self._take(data, arrival)
                else:
                    self._unread.append((arrival, data))

    def _latest(self, unread: list[tuple[float, bytes]]) -> set[int]:
        """Return the messages with the newest stamps of their frames.

        Older stamps are used if no newer ones have arrived for a while: see GONE.
        """
        found: dict[bytes, tuple[float, int, int]] = {}
        for number in range(len(unread) - 1, -1, -1):
            arrival, data = unread[number]
            key, stamp = self._listener.names.key(data), stamp_in(data, FIRST_STAMP)
            last, newest, _ = found.get(key, (arrival, -1, 0))
            if stamp > newest and last - arrival < GONE:
                found[key] = last, stamp, number
        return {number for _, _, number in found.values()}

    def __enter__(self) -> LazyTransforms:
        """While a caller waits for a transform, every message is read as it arrives."""
        with self._lock:
            self._waiting += 1
            self._listener.subscription.set_rest(0.0)
        self.catch_up(latest_only=False)
        return self

    def __exit__(self, *_: object) -> None:
        with self._lock:
            self._waiting -= 1
            if not self._waiting:
                self._listener.subscription.set_rest(REST)

    def _on_bytes(self, data: bytes) -> None:
        now = time.monotonic()
        doubtful = bool(self.stamps.doubt(stamp_in(data, FIRST_STAMP)))
        with self._lock:
            if self._waiting or doubtful:
                self._take(data, now)
                return
            self._unread.append((now, data))
            while self._unread[0][0] < now - KEPT:
                self._unread.popleft()

    def _take(self, data: bytes, arrival: float) -> None:
        for transform in self._listener.transforms(data):
            if not (self._closes_loop(transform, arrival) or self._is_too_old(transform, arrival)):
                self._buffer.set_transform(transform, AUTHORITY)

    def _is_too_old(self, transform: TransformStamped, arrival: float) -> bool:
        """Return whether a transform is much older than its frame's newest one; update that."""
        frame = transform.child_frame_id.removeprefix("/")
        stamp = nanoseconds_of(transform.header.stamp)
        newest, heard, _ = self._newest.get(frame, (stamp, arrival, None))
        if stamp < newest - KEPT * SECOND:
            back = (newest - stamp) / SECOND
            if arrival - heard < GONE:
                self._warn(f"transforms of frame '{frame}' are {back:.6g} s late: ignored")
                return True
            self._warn(f"the stamps of frame '{frame}' went back by {back:.6g} s: accepted")
            self._forget_frame(frame)
        elif stamp < newest:
            return False
        self._newest[frame] = stamp, arrival, transform
        return False

    def _closes_loop(self, transform: TransformStamped, arrival: float) -> bool:
        """Return whether a transform would make a frame its own ancestor.

        If another transform of the loop has not arrived for a while, that one is forgotten.
        """
        frame = transform.child_frame_id.removeprefix("/")
        path, seen = [transform.header.frame_id.removeprefix("/")], set[str]()
        while path[-1] != frame:
            if path[-1] in self._newest:
                path.append(self._newest[path[-1]][2].header.frame_id.removeprefix("/"))
            elif path[-1] in self._static_parents:
                path.append(self._static_parents[path[-1]])
            else:
                return False
            if path[-1] in seen or len(path) > LONGEST_CHAIN:
                return False  # a loop of other frames, or a chain too long for tf2
            seen.add(path[-1])
        others = [name for name in path[:-1] if name in self._newest]
        oldest = min(others, key=lambda name: self._newest[name][1], default=frame)
        if oldest == frame or arrival - self._newest[oldest][1] < GONE:
            self._warn(f"the transform of frame '{frame}' would be its own ancestor: ignored")
            return True
        self._warn(f"the transform of frame '{oldest}' forms a loop: removed")
        self._forget_frame(oldest)
        return False

    def _forget_frame(self, frame: str) -> None:
        """Remove a moving frame from the buffer, but keep the latest transforms of the others."""
        del self._newest[frame]
        self._buffer.clear()
        for _, _, transform in self._newest.values():
            self._buffer.set_transform(transform, AUTHORITY)

    def _forget(self) -> None:
        """Drop all moving frames after the clock was set back."""
        with self._lock:
            self._unread.clear()
            self._newest.clear()
            self._buffer.clear()

    def _on_static(self, message: TFMessage) -> None:
        for transform in self._listener.valid(message):
            self._buffer.set_transform_static(transform, AUTHORITY)
            self._static_parents[transform.child_frame_id] = transform.header.frame_id

    def are_fixed(self, target: str, source: str) -> bool:
        """Return whether /tf_static alone connects two frames."""
        return not self._static_chain(target).isdisjoint(self._static_chain(source))

    def _static_chain(self, frame: str) -> set[str]:
        chain = {frame}
        while (frame := self._static_parents.get(frame, frame)) not in chain:
            chain.add(frame)
        return chain


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

    def knows(self, target: str, source: str, stamp: Time = LATEST) -> bool:
        """Return whether TF connects two frames at a time, by default at any time."""
        self._transforms.catch_up(latest_only=stamp.nanoseconds == 0)
        return bool(self._buffer.can_transform_core(target, source, stamp)[0])

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
        """Return T_target_source as soon as TF has it; UnknownFrameError after ``seconds``.

        It blocks the calling thread, and does not wait for frames that were never connected.
        """
        if self._transforms.are_fixed(target, source):
            return self._found(target, source, LATEST)

        stamp = self._known_time(target, source, stamp)

        def has_answer() -> bool:
            return self.knows(target, source, stamp) or not self.knows(target, source)

        wait_in_thread(has_answer, seconds)
        return self.lookup(target, source, stamp)

    def _known_time(self, target: str, source: str, stamp: Time) -> Time:
        """Return the time at which to look a stamp's transform up, if necessary after a wait.

        A stamp ahead of this node's clock comes from a machine whose clock is ahead. Unless the
        transforms come from there too, the latest one is the right one.
        """
        is_ahead = stamp.nanoseconds > self.stamps.now()
        return LATEST if is_ahead and not self.knows(target, source, stamp) else stamp

    async def wait(self, target: str, source: str, stamp: Time, deadline: Deadline) -> Array:
        """Return T_target_source as soon as TF has it, or raise UnknownFrameError at the deadline.

        It does not block the thread, and a cancellation ends it; the deadline does not depend on
        simulated time.
        """
        remaining = deadline.left
        stamp = self._known_time(target, source, stamp)
        if remaining > 0 and not self.knows(target, source, stamp):
            with self._transforms:
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
                configuration, gap = state.at(stamp.nanoseconds / SECOND)
            if gap == 0.0 or stamp.nanoseconds > self.stamps.now():
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
