"""Conversion of times in messages, and checks of stamps."""

import struct
import threading
import time
from collections.abc import Callable
from typing import Any

from builtin_interfaces.msg import Duration, Time
from rclpy.clock import Clock, JumpThreshold, TimeJump
from rclpy.duration import Duration as RclpyDuration
from rclpy.node import Node

from rigid_tree_kinematics.text import told_apart

SECOND = 1_000_000_000  # ns
# s that a stamp may lie ahead of the node's clock: clocks of two machines differ, and localization
# stamps its transforms up to 1 s ahead.
AHEAD = 2.0
HEADER_STAMP = 4  # offset of a leading std_msgs/Header's stamp, behind the CDR header

_LITTLE, _BIG = struct.Struct("<iI"), struct.Struct(">iI")


def seconds_of(message: Any) -> float:
    """Return a Duration or Time in seconds."""
    return float(message.sec + 1e-9 * message.nanosec)


def nanoseconds_of(message: Any) -> int:
    """Return a Duration or Time in nanoseconds."""
    return int(message.sec) * SECOND + int(message.nanosec)


def duration_of(seconds: float) -> Duration:
    """Return seconds as a Duration."""
    whole, nanoseconds = divmod(round(seconds * 1e9), 10**9)
    return Duration(sec=whole, nanosec=nanoseconds)


def time_of(seconds: float) -> Time:
    """Return seconds as a Time."""
    whole, nanoseconds = divmod(round(seconds * 1e9), 10**9)
    return Time(sec=whole, nanosec=nanoseconds)


def now_by(clock: Clock) -> int:
    """Return the time of a node's clock, ns; faster than rclpy without simulated time."""
    if getattr(clock, "ros_time_is_active", True):
        return int(clock.now().nanoseconds)
    return time.time_ns()


def stamp_in(data: bytes, offset: int = HEADER_STAMP) -> int:
    """Return the stamp (ns) at an offset of a serialized message; 0 if it is too short."""
    if len(data) < offset + _LITTLE.size:
        return 0
    seconds, nanoseconds = (_LITTLE if data[1] & 1 else _BIG).unpack_from(data, offset)
    return int(seconds) * SECOND + int(nanoseconds)


class StampCheck:
    """Accepts stamps from zero to AHEAD seconds ahead of a node's clock. Thread-safe.

    With use_sim_time the clock is zero until the first message on /clock. ``reset`` is called
    when the clock was set back: data with older stamps is then obsolete.
    """

    def __init__(self, node: Node, reset: Callable[[], None] = lambda: None) -> None:
        self._clock = node.get_clock()
        self._reset = reset
        self._lock = threading.Lock()
        self._last = 0
        threshold = JumpThreshold(
            min_forward=None, min_backward=RclpyDuration(nanoseconds=-1), on_clock_change=True
        )
        # Only simulated time reports its jumps.
        self._jumps = self._clock.create_jump_callback(threshold, post_callback=self._on_jump)

    def _on_jump(self, _: TimeJump) -> None:
        self.now()

    def now(self) -> int:
        """Return the time of the node's clock, ns."""
        with self._lock:
            now = now_by(self._clock)
            went_back, self._last = now < self._last, now
        if went_back:
            self._reset()
        return now

    def problem(self, stamp: int) -> str:
        """Return why a stamp (ns) is rejected, or an empty text."""
        if stamp < 0:
            return f"its stamp is before zero: {stamp / SECOND:.6g} s"
        now = self.now()
        ahead = (stamp - now) / SECOND
        if ahead <= AHEAD:
            return ""
        if now == 0:
            return f"its stamp is {ahead:.6g} s, but no time has been received on /clock yet"
        found, most = told_apart(ahead, AHEAD)
        return f"its stamp is {found} s ahead of this node's clock, more than {most} s"
