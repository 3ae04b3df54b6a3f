"""Recorded motions."""

from __future__ import annotations

from bisect import bisect_right

import numpy as np

from rigid_tree_kinematics.arrays import Array


class Recording:
    """Configurations of ``positions`` numbers with their times, of the last ``seconds``."""

    def __init__(self, positions: int, seconds: float) -> None:
        self._count = positions
        self._seconds = seconds
        self._times: list[float] = []  # s, rising
        self._rows: list[Array] = []

    def add(self, now: float, q: Array) -> None:
        """Add a configuration (nq,) at a time (s); one shortly before the last is ignored.

        One long before the last belongs to a clock that was set back: it starts again.
        """
        if self._times and now < self._times[-1] - self._seconds:
            self.clear()
        if self._times and now <= self._times[-1]:
            return
        self._times.append(now)
        self._rows.append(q)
        old = bisect_right(self._times, now - self._seconds)
        del self._times[:old], self._rows[:old]

    def replace(self, times: Array, positions: Array) -> None:
        """Replace everything by configurations (n, nq) at rising times (n,)."""
        self._times, self._rows = times.tolist(), list(positions)

    def clear(self) -> None:
        """Remove everything."""
        self._times.clear()
        self._rows.clear()

    @property
    def duration(self) -> float:
        """The duration (s)."""
        return self._times[-1] - self._times[0] if self._times else 0.0

    @property
    def stamps(self) -> Array:
        """The times (n,) as they were added (s)."""
        return np.array(self._times)

    @property
    def times(self) -> Array:
        """The times (n,) since the first one (s)."""
        return self.stamps - self._times[0] if self._times else np.zeros(0)

    @property
    def positions(self) -> Array:
        """The configurations (n, nq)."""
        return np.reshape(self._rows, (-1, self._count))

    @property
    def velocities(self) -> Array:
        """The rates of the configurations (n, nq), by central differences."""
        return _rates(self.times, self.positions)

    @property
    def accelerations(self) -> Array:
        """The rates of the velocities (n, nq), by central differences."""
        return _rates(self.times, self.velocities)

    def at(self, time: float) -> Array:
        """Return the last configuration (nq,) until a time (s) after the first one.

        Raises IndexError if the recording is empty.
        """
        after = bisect_right(self._times, self._times[0] + time)
        return np.array(self._rows[max(after - 1, 0)])


def _rates(times: Array, values: Array) -> Array:
    if len(times) < 2:
        return np.zeros_like(values)
    rates: Array = np.gradient(values, times, axis=0)
    return rates
