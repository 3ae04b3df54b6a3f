"""Deadlines of requests."""

from __future__ import annotations

import threading
from time import perf_counter

from rigid_tree_kinematics.errors import OutOfTimeError
from rigid_tree_kinematics.kernels.first_call import compile_missing


class Deadline:
    """A point in time on a steady clock, and an event that cancels the work.

    The time begins when all kernels that the process has imported are compiled.

    Args:
        limit: s from now.
        cancel: event that ends the work early.
    """

    def __init__(self, limit: float, cancel: threading.Event | None = None) -> None:
        compile_missing()
        self.limit = limit
        self.begin = perf_counter()
        self._end = self.begin + limit
        self._cancel = cancel

    @classmethod
    def of(cls, timeout: float | Deadline) -> Deadline:
        """Return a deadline unchanged, or one that is some seconds from now."""
        return timeout if isinstance(timeout, Deadline) else cls(timeout)

    def within(self, seconds: float) -> Deadline:
        """Return the deadline of a part of the work, at most this one."""
        part = Deadline(min(seconds, self.left), self._cancel)
        part.limit = self.limit
        return part

    def at_least(self, seconds: float) -> Deadline:
        """Return a deadline that is not earlier than this one, and some seconds from now."""
        later = Deadline(max(seconds, self.left), self._cancel)
        later.limit = self.limit
        return later

    def earlier(self, share: float) -> Deadline:
        """Return a deadline after this share of the remaining time."""
        return self.within((1.0 - share) * self.left)

    @property
    def seconds(self) -> float:
        """Seconds since the deadline was set."""
        return perf_counter() - self.begin

    @property
    def left(self) -> float:
        """Seconds until the deadline, at least 0."""
        return max(0.0, self._end - perf_counter())

    @property
    def share(self) -> float:
        """Elapsed share of the time."""
        return self.seconds / max(self._end - self.begin, 1e-9)

    @property
    def cancelled(self) -> bool:
        """Whether the result is no longer wanted."""
        return self._cancel is not None and self._cancel.is_set()

    @property
    def over(self) -> bool:
        """Whether to stop: canceled, or out of time."""
        return perf_counter() >= self._end or self.cancelled

    def why(self, place: str) -> str:
        """Return why and where the work stopped: "time limit of 1 s reached while timing"."""
        reason = "canceled" if self.cancelled else f"time limit of {self.limit:g} s reached"
        return f"{reason} {place}"

    def check(self, done: int, total: int, things: str) -> None:
        """Raise OutOfTimeError after the deadline, with the progress ``done`` of ``total``."""
        if self.over:
            raise OutOfTimeError(self.why(f"after {done:,} of {total:,} {things}"), self.cancelled)
