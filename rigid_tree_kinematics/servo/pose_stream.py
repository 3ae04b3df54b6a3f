"""The twist of a tip that follows a stream of poses."""

from collections.abc import Callable

import numpy as np

from rigid_tree_kinematics.arrays import Array
from rigid_tree_kinematics.model.transforms import rotation_log

POSE_GAIN = 5.0  # 1/s; a tip at 0.4 m/s slows down over the last 8 cm
STREAMED = 0.07  # s, at most, between two poses of one motion; slower poses are single targets
LATE = 1.5  # of the time between the last two poses; after it, the target is at rest


class PoseStream:
    """A target's pose that is given in each step, and its velocity.

    The velocity is that of the last two poses, extrapolated by its change to the end of the step.
    It is 0 for a first pose, after a jump, which is faster than the tip may be, and for a pose
    that is not followed by another one in time.
    """

    def __init__(self, pose: Array, stamp: float | None) -> None:
        self._pose, self._stamp = pose, stamp
        self._velocity = self._change = np.zeros(6)
        self._age = self._spacing = 0.0  # s

    def twist(
        self,
        pose: Array,
        stamp: float | None,
        tip: Array,
        period: float,
        within_speeds: Callable[[Array], Array],
    ) -> Array:
        """Return the twist (6,) for the end of a step that starts with the tip at a pose.

        A pose is new if it or its stamp (s) differs from the last one. Without stamps, the time
        between poses is that of the steps.
        """
        self._age += period
        if stamp != self._stamp or not np.array_equal(pose, self._pose):
            self._spacing = self._age
            if stamp is not None and self._stamp is not None:
                self._spacing = stamp - self._stamp
            velocity = np.zeros(6)
            if 0.0 < self._spacing <= STREAMED:
                velocity = pose_difference(self._pose, pose) / self._spacing
                if not np.array_equal(within_speeds(velocity), velocity):
                    velocity = np.zeros(6)
            self._change = velocity - self._velocity
            self._velocity, self._pose, self._stamp, self._age = velocity, pose, stamp, 0.0
        elif self._age > LATE * self._spacing:
            self._velocity = self._change = np.zeros(6)
        # Between poses, the target moves on; the error is that at the start of the step.
        error = pose_difference(tip, pose) + (self._age - period) * self._velocity
        return np.asarray(self._velocity + 0.5 * self._change + POSE_GAIN * error)


def pose_difference(start: Array, end: Array) -> Array:
    """Return translation and rotation vector (6,) from a pose to another one, m and rad."""
    turn = rotation_log(end[:3, :3] @ start[:3, :3].T)
    return np.concatenate([end[:3, 3] - start[:3, 3], turn])
