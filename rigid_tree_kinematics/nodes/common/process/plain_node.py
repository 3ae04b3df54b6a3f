"""Nodes whose log is what they say, whatever names they were told."""

from __future__ import annotations

import math
import os
import sys
import threading
import time
import traceback
import weakref
from typing import Any

from rclpy.context import Context
from rclpy.impl import rcutils_logger
from rclpy.impl.rcutils_logger import RcutilsLogger
from rclpy.logging import LoggingSeverity
from rclpy.node import Node

from rigid_tree_kinematics.errors import plain

ORIGINS_KEPT = 100  # that were logged in full
STANDARD_LIBRARY = os.path.dirname(os.__file__)
LINES_AT_ONCE, LINE_PERIOD = 10, 1.0  # of one cause; s between two lines after those
AGAIN_PERIOD = 5.0  # s between two lines about errors that were logged in full before

# rclpy tells lines, and how often each may come, apart by who calls: not this module.
rcutils_logger._internal_callers.append(os.path.realpath(__file__))


class Lines(str):
    """A text whose line breaks are this package's own."""

    __slots__ = ()


class _Cause:
    """The lines that one place in the code logs: a few at once, but then one a second."""

    def __init__(self) -> None:
        self._at_once = float(LINES_AT_ONCE)
        self._last_text, self._last_time = "", -math.inf
        self._left_out = 0

    def line(self, text: str) -> str | None:
        """Return the line to log for a text; None where it is left out."""
        now = time.monotonic()
        refilled = self._at_once + (now - self._last_time) / LINE_PERIOD
        repeats = text == self._last_text and now - self._last_time < LINE_PERIOD
        if repeats or refilled < 1.0:
            self._left_out += 1
            return None
        left_out, self._left_out = self._left_out, 0
        self._at_once = min(refilled, LINES_AT_ONCE) - 1.0
        self._last_text, self._last_time = text, now
        return f"{text} (lines left out before: {left_out})" if left_out else text


class _PlainLogger(RcutilsLogger):
    def __init__(self, name: str) -> None:
        super().__init__(name)
        self._causes: dict[tuple[str, int], _Cause] = {}
        self._lock = threading.Lock()

    def log(
        self, message: str, severity: LoggingSeverity | int, *name: Any, **filters: Any
    ) -> bool:
        """Log a message as one line, ``Lines`` as they are; few of those that repeat.

        What has filters of its own, such as throttle_duration_sec, is left to them.
        """
        text: str | None = message if isinstance(message, Lines) else plain(str(message))
        if not filters and self.is_enabled_for(severity):
            with self._lock:
                text = self._causes.setdefault(_caller(), _Cause()).line(str(text))
        return text is not None and bool(super().log(text, severity, *name, **filters))


def _caller() -> tuple[str, int]:
    """Return the file and line that called a logger."""
    frame = sys._getframe(2)
    while frame.f_back is not None and frame.f_code.co_filename.endswith("rcutils_logger.py"):
        frame = frame.f_back
    return frame.f_code.co_filename, frame.f_lineno


class PlainNode(Node):
    """A node whose log lines are ``plain``: no name in them looks like a line of its own."""

    _plain_logger: _PlainLogger | None = None

    def get_logger(self) -> RcutilsLogger:
        """Return the logger of this node."""
        if self._plain_logger is None:
            self._plain_logger = _PlainLogger(super().get_logger().name)
        return self._plain_logger


class _Reported:
    """What a node has logged of errors in its callbacks."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._origins: set[tuple[str, str, int]] = set()
        self._next_line = 0.0

    def is_new(self, origin: tuple[str, str, int]) -> bool:
        with self._lock:
            is_new = origin not in self._origins and len(self._origins) < ORIGINS_KEPT
            if is_new:
                self._origins.add(origin)
            return is_new

    def is_due(self) -> bool:
        now = time.monotonic()
        with self._lock:
            is_due = now >= self._next_line
            if is_due:
                self._next_line = now + AGAIN_PERIOD
            return is_due


def is_alive(context: Context) -> bool:
    """Return whether a context was not shut down.

    Unlike ``Context.ok`` this takes no lock, which may be held by who waits for this thread.
    """
    handle = context.handle
    return handle is not None and bool(handle.ok())


_reported: weakref.WeakKeyDictionary[Node, _Reported] = weakref.WeakKeyDictionary()


def report_error(node: Node, where: str, error: BaseException) -> None:
    """Log an error that nobody was to raise, once for each origin with its traceback.

    Where it comes again, a line now and then says so. What rclpy and the middleware alone raise,
    such as for bytes that are no message, is worth a line only. Nothing is logged of a node that
    was shut down meanwhile. Thread-safe.

    Args:
        node: whose callback raised it.
        where: the callback, for the log.
        error: with its traceback.
    """
    if not is_alive(node.context):
        return
    frames = traceback.extract_tb(error.__traceback__)
    reported = _reported.setdefault(node, _Reported())
    name, words = type(error).__name__, plain(str(error))
    last = frames[-1] if frames else None
    origin = (name, last.filename, last.lineno or 0) if last is not None else (name, "", 0)
    is_defect = any(not _is_of_rclpy(frame.filename) for frame in frames)
    if last is not None and last.filename.endswith(os.path.join("rclpy", "serialization.py")):
        is_defect = False  # bytes that are no message
    if is_defect and reported.is_new(origin):
        lines = "".join(traceback.format_list(frames))
        node.get_logger().error(
            Lines(f"internal error in {plain(where)}:\n{lines}{name}: {words}")
        )
    elif reported.is_due():
        node.get_logger().error(f"{where}: {name}: {words}")


def _is_of_rclpy(filename: str) -> bool:
    """Return whether a frame is of rclpy, of Python or of what calls rclpy's own callbacks."""
    if filename.startswith(STANDARD_LIBRARY) and "-packages" not in filename:
        return True
    return f"{os.sep}rclpy{os.sep}" in filename or filename.endswith("executors.py")
