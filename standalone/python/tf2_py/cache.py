"""The stored transforms of one frame over time."""

from __future__ import annotations

from bisect import bisect_right
from typing import NamedTuple

from tf2_py.exceptions import ExtrapolationException
from tf2_py.rigid import Rigid, interpolate


class Sample(NamedTuple):
    """A frame's pose in its parent frame at one time."""

    parent: str
    transform: Rigid


def seconds_text(nanoseconds: int) -> str:
    """Format a time like tf2's messages."""
    return f"{nanoseconds * 1e-9:.6f}"


class TimeCache:
    """The samples of a moving frame over a limited duration, ordered by time (ns)."""

    def __init__(self, duration: int) -> None:
        self._duration = duration
        self._stamps: list[int] = []
        self._samples: list[Sample] = []

    def __len__(self) -> int:
        return len(self._stamps)

    @property
    def latest_stamp(self) -> int:
        """The latest time, 0 without data."""
        return self._stamps[-1] if self._stamps else 0

    @property
    def oldest_stamp(self) -> int:
        """The oldest time, 0 without data."""
        return self._stamps[0] if self._stamps else 0

    @property
    def latest_parent(self) -> str | None:
        """The parent in the newest sample, None without data."""
        return self._samples[-1].parent if self._samples else None

    def insert(self, stamp: int, sample: Sample) -> bool:
        """Insert a sample by time; return False if it is older than the cache duration."""
        oldest_kept = self.latest_stamp - self._duration
        if self._stamps and stamp < oldest_kept:
            return False
        outdated = next((i for i, old in enumerate(self._stamps) if old >= oldest_kept), 0)
        del self._stamps[:outdated], self._samples[:outdated]
        place = bisect_right(self._stamps, stamp)
        same = place
        while same > 0 and self._stamps[same - 1] == stamp:
            same -= 1
            if self._samples[same] == sample:
                return True
        self._stamps.insert(place, stamp)
        self._samples.insert(place, sample)
        return True

    def at(self, time: int) -> Sample:
        """Return the sample at a time, interpolated between its neighbours; 0 is the latest.

        Raises ExtrapolationException outside the recorded time.
        """
        if not self._stamps:
            raise _only_one_time(time, 0)
        if time == 0 or time == self._stamps[-1]:
            return self._samples[-1]
        if len(self._stamps) == 1:
            raise _only_one_time(time, self._stamps[0])
        if time > self._stamps[-1]:
            raise ExtrapolationException(
                "Lookup would require extrapolation into the future.  Requested time "
                f"{seconds_text(time)} but the latest data is at time "
                f"{seconds_text(self._stamps[-1])}"
            )
        if time < self._stamps[0]:
            raise ExtrapolationException(
                "Lookup would require extrapolation into the past.  Requested time "
                f"{seconds_text(time)} but the earliest data is at time "
                f"{seconds_text(self._stamps[0])}"
            )
        newer = bisect_right(self._stamps, time)
        before, after = self._samples[newer - 1], self._samples[newer]
        if before.parent != after.parent:
            return before
        start, end = self._stamps[newer - 1], self._stamps[newer]
        ratio = (time - start) / (end - start)
        return Sample(before.parent, interpolate(before.transform, after.transform, ratio))

    def clear(self) -> None:
        """Delete all samples."""
        self._stamps.clear()
        self._samples.clear()


def _only_one_time(time: int, known: int) -> ExtrapolationException:
    return ExtrapolationException(
        f"Lookup would require extrapolation at time {seconds_text(time)}, but only time "
        f"{seconds_text(known)} is in the buffer"
    )


class StaticCache:
    """The single sample of a static frame, valid at every time."""

    latest_stamp = 0
    oldest_stamp = 0

    def __init__(self) -> None:
        self._sample: Sample | None = None

    def __len__(self) -> int:
        return 1

    @property
    def latest_parent(self) -> str | None:
        """The parent frame."""
        return self._sample.parent if self._sample else None

    def insert(self, stamp: int, sample: Sample) -> bool:
        """Replace the sample; it is always accepted."""
        self._sample = sample
        return True

    def at(self, time: int) -> Sample:
        """Return the sample for any time."""
        assert self._sample is not None, "a static cache always has a sample"
        return self._sample

    def clear(self) -> None:
        """Keep the sample: a static transform survives a jump of the clock."""
