"""Results of a servo's steps."""

from dataclasses import dataclass
from enum import IntEnum

import numpy as np

from rigid_tree_kinematics.arrays import Array

RESTING = 1e-6  # rad/s or m/s
SLOWING, HALTING = "Close to a collision, decelerating", "Collision detected, emergency stop"


class ServoStatus(IntEnum):
    """Reasons why a motion is slowed or stopped: the codes of moveit_msgs/ServoStatus."""

    INVALID = -1
    NO_WARNING = 0
    DECELERATE_FOR_APPROACHING_SINGULARITY = 1
    HALT_FOR_SINGULARITY = 2
    DECELERATE_FOR_LEAVING_SINGULARITY = 3
    DECELERATE_FOR_COLLISION = 4
    HALT_FOR_COLLISION = 5
    JOINT_BOUND = 6


@dataclass(frozen=True, eq=False)
class ServoStep:
    """Joint positions and velocities (k,) after a step, and the reason if they are reduced."""

    positions: Array
    velocities: Array
    status: ServoStatus = ServoStatus.NO_WARNING
    message: str = "No warnings"

    @property
    def moves(self) -> bool:
        """Whether any joint moves."""
        return bool((np.abs(self.velocities) > RESTING).any())
