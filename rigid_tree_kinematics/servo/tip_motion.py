"""The singularities of a tip, and the twist that follows a pose."""

import math

import numpy as np
from numpy.typing import NDArray

from rigid_tree_kinematics.arrays import Array
from rigid_tree_kinematics.kinematics import geometric_jacobian
from rigid_tree_kinematics.model import CompiledTree
from rigid_tree_kinematics.model.transforms import rotation_log

INDEPENDENT = 1e-6  # least singular value of a direction of motion, relative to the largest
SAMPLES = 5  # configurations for the number of the tip's directions of motion
DAMPING = 1e-6  # of squared singular values, relative to the largest
LOOK = 0.01  # s of motion ahead
POSE_GAIN = 5.0  # 1/s; a tip at 0.4 m/s slows down over the last 8 cm
STREAMED = 0.1  # s, at most, between poses that are one motion


class TipMotion:
    """The Jacobian of a tip; ``columns`` and ``slots`` (k,) are its joints' indices."""

    def __init__(
        self,
        compiled: CompiledTree,
        tip: str,
        columns: NDArray[np.int64],
        slots: NDArray[np.int64],
    ) -> None:
        self._compiled, self._tip, self._columns, self._slots = compiled, tip, columns, slots
        # A planar arm never moves in all six directions, but is not always singular.
        rng = np.random.default_rng(0)
        ranks = []
        for _ in range(SAMPLES):
            q = compiled.home.copy()
            q[slots] += rng.uniform(-1.0, 1.0, len(slots))
            values = np.linalg.svd(self._jacobian(q), compute_uv=False)
            ranks.append(int(np.sum(values > INDEPENDENT * values[0])))
        self._rank = max(1, *ranks)

    def _jacobian(self, q: Array) -> Array:
        return geometric_jacobian(self._compiled, q, self._tip)[:, self._columns]

    def condition(self, q: Array) -> float:
        """Return the largest singular value of the Jacobian over the smallest one."""
        J = self._jacobian(q)
        squares = np.linalg.eigvalsh(J @ J.T)
        smallest = float(squares[6 - self._rank])
        return math.sqrt(float(squares[5]) / smallest) if smallest > 0.0 else math.inf

    def nears_singularity(self, q: Array, twist: Array) -> bool:
        """Return whether the condition number increases along a twist (6,)."""
        J = self._jacobian(q)
        squares, axes = np.linalg.eigh(J @ J.T)
        ahead = q.copy()
        ahead[self._slots] += LOOK * (
            J.T @ (axes @ ((axes.T @ twist) / (squares + DAMPING * squares[5])))
        )
        return self.condition(ahead) > self.condition(q)


class FollowedPose:
    """A target pose that is given in each step, and its velocity.

    A new pose is a jump of the target, or the next one of a motion if the one before it is recent.
    """

    def __init__(self, T: Array) -> None:
        self._T, self._feed = T, np.zeros(6)
        self._age = self._spacing = 0  # steps

    def twist(self, T: Array, T_base_tip: Array, period: float) -> Array:
        """Return the twist (6,) of a tip that follows the pose T_base_target."""
        self._age += 1
        if not np.array_equal(T, self._T):
            is_motion = self._age * period <= STREAMED
            difference = pose_difference(self._T, T) / (self._age * period)
            self._feed = difference if is_motion else np.zeros(6)
            self._T, self._spacing, self._age = T, self._age, 0
        elif self._age >= self._spacing:
            self._feed = np.zeros(6)
        # At the end of this step, the target will be ``age`` steps ahead of the given pose.
        error = pose_difference(T_base_tip, T) + (self._age - 1) * period * self._feed
        return np.asarray(self._feed + POSE_GAIN * error)


def pose_difference(start: Array, end: Array) -> Array:
    """Return translation and rotation vector (6,) from a pose to another one, m and rad."""
    turn = rotation_log(end[:3, :3] @ start[:3, :3].T)
    return np.concatenate([end[:3, 3] - start[:3, 3], turn])
