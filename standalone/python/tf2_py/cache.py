"""The stored transforms of one frame over time."""

import math
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

    def __init__(self, duration: float) -> None:
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
        """Return the sample at a time, interpolated between its neighbors; 0 is the latest.

        Raises ExtrapolationException outside the recorded time.
        """
        if self._stamps and time in (0, self._stamps[-1]):
            return self._samples[-1]
        if len(self._stamps) < 2:
            raise ExtrapolationException(
                f"Lookup would require extrapolation at time {seconds_text(time)}, but only time "
                f"{seconds_text(self.latest_stamp)} is in the buffer"
            )
        if not self._stamps[0] <= time <= self._stamps[-1]:
            is_late = time > self._stamps[-1]
            known = f"latest data is at time {seconds_text(self._stamps[-1])}"
            if not is_late:
                known = f"earliest data is at time {seconds_text(self._stamps[0])}"
            raise ExtrapolationException(
                f"Lookup would require extrapolation into the {'future' if is_late else 'past'}.  "
                f"Requested time {seconds_text(time)} but the {known}"
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


class StaticCache(TimeCache):
    """The single sample of a static frame, valid at every time."""

    def __init__(self) -> None:
        super().__init__(math.inf)

    def insert(self, stamp: int, sample: Sample) -> bool:
        """Replace the sample; it is always accepted."""
        self._stamps, self._samples = [0], [sample]
        return True

    def at(self, time: int) -> Sample:
        """Return the sample for any time."""
        return self._samples[0]

    def clear(self) -> None:
        """Keep the sample: a static transform survives a jump of the clock."""
