"""The simulated time of robot_simulator by a steady clock."""

import time

LONGEST_TICK = 0.05  # s; on a slow machine, simulated time falls behind
WINDOW = 5.0  # s, for measuring the speed
LEAST_SHARE = 0.9  # of the requested speed, below which there is a warning


class SimulationClock:
    """Measures, on a steady clock, the simulated time that is due."""

    def __init__(self, rate: float) -> None:
        self._longest = max(LONGEST_TICK, 2.0 / rate)
        self._last = self._window_start = time.monotonic()
        self._passed = self._wanted = 0.0  # simulated s in the window
        self._warned = False

    def _restart(self) -> None:
        """Start a new window."""
        self._window_start = self._last
        self._passed = self._wanted = 0.0

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

    def warning(self) -> str:
        """Return a warning the first time the simulation is too slow, else an empty string."""
        seconds = self._last - self._window_start
        if seconds < WINDOW:
            return ""
        share, speed = self._passed / self._wanted, self._passed / seconds
        self._restart()
        if self._warned or share > LEAST_SHARE:
            return ""
        self._warned = True
        return f"this machine is too slow: the simulation runs at {speed:.2g} times real time"
