"""Steps of a servo, and the reasons why they are slowed."""

from dataclasses import dataclass
from enum import IntEnum

import numpy as np

from rigid_tree_kinematics.arrays import Array
from rigid_tree_kinematics.ik.differential import DifferentialStep, StepStatus

RESTING = 1e-6  # rad/s or m/s
HALTED = 0.01  # rad/s or m/s, of joints that obstacles have stopped
FREE = "No warnings"
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
    message: str = FREE

    @property
    def moves(self) -> bool:
        """Whether any joint moves."""
        return bool((np.abs(self.velocities) > RESTING).any())


def status_of(step: DifferentialStep) -> tuple[ServoStatus, str]:
    """Return the status of a step, and its message."""
    if step.status is StepStatus.BRAKED:
        return ServoStatus.HALT_FOR_COLLISION, HALTING
    if near := step.active_barriers:
        names = ", ".join(near)
        if np.abs(step.velocity).max() < HALTED:
            return ServoStatus.HALT_FOR_COLLISION, f"{HALTING}: {names}"
        return ServoStatus.DECELERATE_FOR_COLLISION, f"{SLOWING}: {names}"
    limits = step.active_limits.items()
    if bounds := ", ".join(joint for joint, limit in limits if limit.endswith("position")):
        message = f"Close to a joint bound (position or velocity), halting: {bounds}"
        return ServoStatus.JOINT_BOUND, message
    return ServoStatus.NO_WARNING, FREE
