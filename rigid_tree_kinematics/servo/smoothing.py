"""Moving averages of a servo's steps, which limit jerks."""

import math

import numpy as np

from rigid_tree_kinematics.arrays import Array


class MovingAverage:
    """The mean of the last ``count`` states (2, k): positions and velocities of joints.

    The means are within all limits of the states, because these are convex. If the accelerations
    are at most a, the jerk of the means is at most 2 a / (count * period).
    """

    def __init__(self, count: int, positions: Array) -> None:
        self._last = np.zeros((count, 2, len(positions)))
        self._last[:, 0] = positions
        self.state: Array = self._last[0].copy()  # the mean (2, k)

    def __len__(self) -> int:
        return len(self._last)

    def add(self, positions: Array, velocities: Array) -> None:
        """Take the state after a step in place of the oldest one."""
        self._last = np.concatenate((self._last[1:], [[positions, velocities]]))
        self.state = self._last.sum(axis=0) / len(self)

    def after(self, states: Array) -> Array:
        """Return the means (m, 2, k) after each of the next states (m, 2, k)."""
        sums = np.concatenate((self._last[1:], states)).cumsum(axis=0)
        means: Array = sums[len(self) - 1 :].copy()
        means[1:] -= sums[: len(states) - 1]
        return means / len(self)

    def after_stop(self, first: Array, last: Array, v: Array, time: float, period: float) -> Array:
        """Return the means (m, 2, k) after a step and after each step of the stop that follows.

        The stop is from ``first`` (k,) with velocities ``v`` to ``last``, in a time (s).
        """
        ticks = period * np.arange(math.ceil(time / period) + len(self))
        passed = np.minimum(ticks / time if time else ticks + 1.0, 1.0)[:, np.newaxis]
        states = (first + (last - first) * passed * (2.0 - passed), v * (1.0 - passed))
        return self.after(np.stack(states, axis=1))
