"""The simulated time that is due at each tick."""

from __future__ import annotations

import time

# A machine that is too slow lets the simulation fall behind, instead of doing nothing else.
LONGEST_TICK = 0.05  # s
WINDOW = 5.0  # s over which the pace is judged
WORTH_A_WORD = 0.9  # of the wanted pace


class Pace:
    """Measures, on a steady clock, the simulated time that is due."""

    def __init__(self, rate: float) -> None:
        self._longest = max(LONGEST_TICK, 2.0 / rate)
        self._last = time.monotonic()
        self._restart()

    def _restart(self) -> None:
        self._window_start = self._last
        self._passed = 0.0
        self._wanted = 0.0

    def due(self, factor: float, paused: bool) -> float:
        """Return the simulated time (s) that is due since the previous call."""
        now = time.monotonic()
        passed = now - self._last
        self._last = now
        if paused:
            self._restart()
            return 0.0
        due = factor * min(passed, self._longest)
        self._wanted += factor * passed
        self._passed += due
        return due

    def complaint(self) -> str:
        """Return a rate-limited warning that the simulation is too slow, or an empty string."""
        seconds = self._last - self._window_start
        if seconds < WINDOW:
            return ""
        share, speed = self._passed / self._wanted, self._passed / seconds
        self._restart()
        if share > WORTH_A_WORD:
            return ""
        return f"this machine is too slow: {speed:.2g} s of the simulation pass in a second"
