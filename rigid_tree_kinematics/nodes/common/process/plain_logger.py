"""A node's logger whose lines cannot be forged by names in them, nor flood the log."""

import math
import sys
import threading
import time
from typing import Any

from rclpy.logging import LoggingSeverity

from rigid_tree_kinematics.text import plain

LINES_AT_ONCE, LINE_PERIOD = 10, 1.0  # of one place in the code; s between later lines


class Lines(str):
    """A text whose line breaks are intended."""

    __slots__ = ()


class PlainLogger:
    """A logger that writes each message as one line, ``Lines`` unchanged.

    It limits the lines of one place in the code: to a few at once, then one per second, or to one
    in every ``throttle_duration_sec``, or to one in all with ``once``.
    """

    def __init__(self, logger: Any) -> None:
        self._logger = logger  # rclpy's, which allows one severity for one line of code
        self._places: dict[tuple[str, int], _Place] = {}
        self._lock = threading.Lock()

    def __getattr__(self, name: str) -> Any:
        """Return rclpy's level, name and children."""
        return getattr(self._logger, name)

    def debug(self, message: str, **limits: Any) -> bool:
        """Log a message; return whether it was logged."""
        text = self._text(message, LoggingSeverity.DEBUG, limits)
        return text is not None and bool(self._logger.debug(text))

    def info(self, message: str, **limits: Any) -> bool:
        """Log a message; return whether it was logged."""
        text = self._text(message, LoggingSeverity.INFO, limits)
        return text is not None and bool(self._logger.info(text))

    def warning(self, message: str, **limits: Any) -> bool:
        """Log a message; return whether it was logged."""
        text = self._text(message, LoggingSeverity.WARN, limits)
        return text is not None and bool(self._logger.warning(text))

    warn = warning

    def error(self, message: str, **limits: Any) -> bool:
        """Log a message; return whether it was logged."""
        text = self._text(message, LoggingSeverity.ERROR, limits)
        return text is not None and bool(self._logger.error(text))

    def fatal(self, message: str, **limits: Any) -> bool:
        """Log a message; return whether it was logged."""
        text = self._text(message, LoggingSeverity.FATAL, limits)
        return text is not None and bool(self._logger.fatal(text))

    def _text(self, message: str, severity: LoggingSeverity, limits: dict[str, Any]) -> str | None:
        """Return the text to log for the caller of the public method, or None."""
        if not self._logger.is_enabled_for(severity):
            return None
        text = message if isinstance(message, Lines) else plain(str(message))
        caller = sys._getframe(2)
        period = math.inf if limits.get("once") else limits.get("throttle_duration_sec", 0.0)
        with self._lock:
            place = self._places.setdefault((caller.f_code.co_filename, caller.f_lineno), _Place())
            return place.text(text, period)


class _Place:
    """The recent log lines of one place in the code."""

    def __init__(self) -> None:
        self._at_once = float(LINES_AT_ONCE)
        self._last_text, self._last_time = "", -math.inf
        self._left_out = 0

    def text(self, text: str, period: float) -> str | None:
        """Return the text to log; None to omit it. A ``period`` of 0 uses the default limits."""
        now = time.monotonic()
        since = now - self._last_time
        if period:
            if since < period:
                return None
            self._last_time = now
            return text
        refilled = self._at_once + since / LINE_PERIOD
        repeats = text == self._last_text and since < LINE_PERIOD
        if repeats or refilled < 1.0:
            self._left_out += 1
            return None
        left_out, self._left_out = self._left_out, 0
        self._at_once = min(refilled, LINES_AT_ONCE) - 1.0
        self._last_text, self._last_time = text, now
        return f"{text} (earlier lines omitted: {left_out})" if left_out else text
