"""Keeps transforms out of a tf2 buffer that would make it answer wrongly, or not at all."""

import threading
import time
from typing import NamedTuple

from geometry_msgs.msg import TransformStamped
from rclpy.node import Node
from tf2_ros import Buffer

from rigid_tree_kinematics.nodes.common.process import WARNING_PERIOD
from rigid_tree_kinematics.nodes.common.requests import SECOND, StampCheck, nanoseconds_of
from rigid_tree_kinematics.nodes.tf.poses import LONGEST_NAME, invalidity

CACHE_TIME = 10.0  # s, tf2's default
# If a sender is silent for this time (s), transforms that contradict its last one are accepted.
SILENCE = 3.0


class Latest(NamedTuple):
    """The latest transform of a moving frame."""

    parent: str
    stamp: int  # ns
    arrival: float  # s, monotonic
    transform: TransformStamped


class TransformGuard:
    """Stands between tf2's listener and its buffer, and ignores wrong transforms. Thread-safe.

    tf2 accepts any stamp and any parent. After one transform of the year 2038 it ignores all
    others of that frame as too old, and after one transform that makes a frame its own ancestor
    every lookup in that tree fails. Both last until the node is restarted. Here stamps ahead of
    the node's clock, stamps that tf2 would call too old, and loops are ignored, with a warning. Of
    contradicting transforms the one whose sender has fallen silent is removed.
    """

    def __init__(self, node: Node, buffer: Buffer) -> None:
        self._buffer = buffer
        self._log = node.get_logger()
        self._lock = threading.RLock()
        self._latest: dict[str, Latest] = {}
        self._static_parents: dict[str, str] = {}
        self.stamp_check = StampCheck(node, self._clear)

    def set_transform(self, transform: TransformStamped, authority: str) -> None:
        """Store a moving frame's transform, unless it is wrong."""
        frame, parent = _names(transform)
        stamp, arrival = nanoseconds_of(transform.header.stamp), time.monotonic()
        reason = invalidity(transform) or self.stamp_check.problem(stamp)
        with self._lock:
            reason = reason or self._contradiction(frame, parent, stamp, arrival)
            if not reason:
                if frame not in self._latest or stamp >= self._latest[frame].stamp:
                    self._latest[frame] = Latest(parent, stamp, arrival, transform)
                self._buffer.set_transform(transform, authority)
        if reason:
            self._warn(f"ignored the transform of frame '{frame[:LONGEST_NAME]}': {reason}")

    def set_transform_static(self, transform: TransformStamped, authority: str) -> None:
        """Store a fixed frame's transform, unless it is wrong."""
        frame, parent = _names(transform)
        if reason := invalidity(transform):
            self._warn(f"ignored the transform of frame '{frame[:LONGEST_NAME]}': {reason}")
            return
        with self._lock:
            self._static_parents[frame] = parent
            self._buffer.set_transform_static(transform, authority)

    def _clear(self) -> None:
        """Remove all moving frames, after the clock was set back."""
        with self._lock:
            self._latest.clear()
            self._buffer.clear()

    def _contradiction(self, frame: str, parent: str, stamp: int, arrival: float) -> str:
        """Return why a transform contradicts others, or an empty text.

        If the oldest of the others is from a sender that has fallen silent, that one is removed.
        """
        known = self._latest.get(frame)
        others: list[str] | None = None
        reason = "it would make the frame its own ancestor"
        if known is not None and stamp < known.stamp - CACHE_TIME * SECOND:
            others, reason = [frame], f"it is {(known.stamp - stamp) / SECOND:.6g} s late"
        elif known is None or known.parent != parent:
            others = self._loop(frame, parent)
        if others is None:
            return ""
        oldest = min(others, key=lambda name: self._latest[name].arrival, default=None)
        if oldest is None or arrival - self._latest[oldest].arrival < SILENCE:
            return reason
        self._warn(f"removed frame '{oldest}': its sender is silent, others contradict it")
        del self._latest[oldest]
        self._buffer.clear()
        for latest in self._latest.values():
            self._buffer.set_transform(latest.transform, "")
        return ""

    def _loop(self, frame: str, parent: str) -> list[str] | None:
        """Return the moving frames from a new parent up to the frame; None if it is not there."""
        moving, seen = [], set[str]()
        while parent != frame:
            if parent in seen:
                return None  # a loop of other frames
            seen.add(parent)
            if parent in self._latest:
                moving.append(parent)
                parent = self._latest[parent].parent
            elif parent in self._static_parents:
                parent = self._static_parents[parent]
            else:
                return None
        return moving

    def _warn(self, text: str) -> None:
        self._log.warning(text, throttle_duration_sec=WARNING_PERIOD)


def _names(transform: TransformStamped) -> tuple[str, str]:
    """Return the names of a frame and its parent, as tf2 stores them."""
    return transform.child_frame_id.removeprefix("/"), transform.header.frame_id.removeprefix("/")
