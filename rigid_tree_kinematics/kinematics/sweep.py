"""A slow, smooth motion of all joints within their limits."""

import numpy as np

from rigid_tree_kinematics.arrays import Array
from rigid_tree_kinematics.model import CompiledTree

SHARE_OF_RANGE = 0.8  # of the range between a joint's limits
UNLIMITED_ANGLE = np.pi / 2  # rad to both sides of the start, for a joint without limits
UNLIMITED_LENGTH = 0.2  # m, likewise
SLOWEST_PERIOD = 24.0  # s; periods are between half of this and this
SHARE_OF_SPEED = 0.5  # of a joint's velocity limit: the maximum speed
RAMP = 1.0  # s, time constant of the start


class Sweep:
    """q_i(t) = middle_i + amplitude_i * sin(phase_i + omega_i * s(t)).

    With s(t) = t - RAMP * (1 - exp(-t / RAMP)) the motion starts at ``start``, at rest. The
    orientation of a floating joint is constant.

    Args:
        compiled: the robot.
        start: configuration at t = 0, within the limits.
        speed: factor of the pace, within the velocity limits.
    """

    def __init__(self, compiled: CompiledTree, start: Array, speed: float = 1.0) -> None:
        low, high = compiled.lower, compiled.upper
        limited = np.isfinite(low) & np.isfinite(high)
        reach = np.where(compiled.is_angle, UNLIMITED_ANGLE, UNLIMITED_LENGTH)
        # One-sided limits: move from the start to the free side.
        low = np.where(limited, low, np.maximum(low, start - reach))
        high = np.where(limited, high, np.minimum(high, start + reach))
        self._middle = 0.5 * (low + high)
        share = np.where(limited, SHARE_OF_RANGE, 1.0)
        # A start beyond the swept range (a knee at its limit) widens it.
        self._amplitude = np.maximum(0.5 * share * (high - low), np.abs(start - self._middle))
        for quaternion in compiled.quaternions:
            self._middle[quaternion] = start[quaternion]
            self._amplitude[quaternion] = 0.0
        moves = self._amplitude > 0.0
        ratio = np.divide(
            start - self._middle, self._amplitude, out=np.zeros(start.shape), where=moves
        )
        self._phase = np.arcsin(np.clip(ratio, -1.0, 1.0))
        self._omega = self._paces(compiled, speed)

    def at(self, time: float) -> tuple[Array, Array]:
        """Return positions (rad, m) and their derivatives ``time`` seconds after the start."""
        fade = np.exp(-time / RAMP)
        angle = self._phase + self._omega * (time - RAMP * (1.0 - fade))
        positions = self._middle + self._amplitude * np.sin(angle)
        velocities = self._amplitude * np.cos(angle) * self._omega * (1.0 - fade)
        return positions, velocities

    def _paces(self, compiled: CompiledTree, speed: float) -> Array:
        """Return the angular frequencies (rad/s), distinct so that the motion never repeats.

        The golden ratio distributes the periods evenly for any number of joints.
        """
        count = compiled.position_count
        spread = 0.5 + 0.5 * np.modf(np.arange(count) * 0.6180339887498949)[0]
        omega: Array = speed * 2.0 * np.pi / (SLOWEST_PERIOD * spread)
        fastest = SHARE_OF_SPEED * compiled.by_position(compiled.velocity_limit, missing=np.inf)
        moves = self._amplitude > 0.0
        omega[moves] = np.minimum(omega[moves], fastest[moves] / self._amplitude[moves])
        return omega
