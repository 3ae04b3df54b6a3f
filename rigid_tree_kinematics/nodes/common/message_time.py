"""Seconds to and from the times in messages."""

from __future__ import annotations

from typing import Any

from builtin_interfaces.msg import Duration, Time


def seconds_of(message: Any) -> float:
    """Return a Duration or Time in seconds."""
    return float(message.sec + 1e-9 * message.nanosec)


def duration_of(seconds: float) -> Duration:
    """Return seconds as a Duration."""
    whole, nanoseconds = divmod(round(seconds * 1e9), 10**9)
    return Duration(sec=whole, nanosec=nanoseconds)


def time_of(seconds: float) -> Time:
    """Return seconds as a Time."""
    whole, nanoseconds = divmod(round(seconds * 1e9), 10**9)
    return Time(sec=whole, nanosec=nanoseconds)
