"""The time that is left, and whether anybody still wants the result."""

from __future__ import annotations

import threading
import time


class Deadline:
    """A point in time on a steady clock, and an event that cancels."""

    def __init__(self, time_limit: float, cancel: threading.Event | None) -> None:
        self.begin = time.perf_counter()
        self._end = self.begin + time_limit
        self._cancel = cancel

    def earlier(self, share: float) -> Deadline:
        """Return one that leaves this share of the time that is left now."""
        return Deadline((1.0 - share) * self.left, self._cancel)

    @property
    def seconds(self) -> float:
        """Seconds since the deadline was set."""
        return time.perf_counter() - self.begin

    @property
    def left(self) -> float:
        """Seconds until the deadline, at least 0."""
        return max(0.0, self._end - time.perf_counter())

    @property
    def share(self) -> float:
        """The share of the time limit that has passed."""
        return self.seconds / (self._end - self.begin)

    @property
    def cancelled(self) -> bool:
        """Whether the result is no longer wanted."""
        return self._cancel is not None and self._cancel.is_set()

    @property
    def over(self) -> bool:
        """Whether to stop: cancelled, or out of time."""
        return time.perf_counter() >= self._end or self.cancelled
