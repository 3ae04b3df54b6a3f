"""One trajectory on its way: what its joints should do now, and whether they keep to it."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum

import numpy as np
from numpy.typing import NDArray

from rigid_tree_kinematics.dynamics.joint_trajectory import JointTrajectory

Array = NDArray[np.float64]


class Outcome(Enum):
    """How an execution ended."""

    REACHED = "reached"
    LEFT_PATH = "left the path"
    MISSED_GOAL = "missed the goal"
    REPLACED = "replaced"
    STOPPED = "stopped"


@dataclass(frozen=True, eq=False)
class Tolerances:
    """How far off joints (k,) may be (rad, m and their rates); infinite for no matter how far."""

    path_position: Array
    path_velocity: Array
    goal_position: Array
    goal_velocity: Array
    goal_time: float  # s after the end of the trajectory


class Execution:
    """A trajectory that began at ``start`` (s of the simulation)."""

    def __init__(self, trajectory: JointTrajectory, start: float, tolerances: Tolerances) -> None:
        self.trajectory = trajectory
        self.names = trajectory.waypoints.names
        self.slots = trajectory.waypoints.slots
        self.start = start
        self.tolerances = tolerances
        self.outcome: Outcome | None = None
        self.message = ""

    def desired(self, now: float) -> tuple[Array, Array, Array]:
        """Return positions, velocities and accelerations (k,) that the joints should have."""
        return self.trajectory.sample(now - self.start)

    def judge(self, now: float, error: Array, velocity_error: Array) -> None:
        """End the execution if its joints have arrived, or have gone astray."""
        late = now - self.start - self.trajectory.duration
        limits = self.tolerances
        if late < 0.0:
            self._judge_path(error, velocity_error)
            return
        off = np.abs(error) > limits.goal_position
        fast = np.abs(velocity_error) > limits.goal_velocity
        if not (off | fast).any():
            self.end(Outcome.REACHED, "goal reached")
        elif late > limits.goal_time:
            k = int(np.flatnonzero(off | fast)[0])
            what = (
                f"is {error[k]:.3g} from the goal, beyond {limits.goal_position[k]:.3g}"
                if off[k]
                else f"still moves at {velocity_error[k]:.3g}"
            )
            self.end(
                Outcome.MISSED_GOAL,
                f"{self.names[k]} {what}, {limits.goal_time:g} s after the end of the trajectory",
            )

    def _judge_path(self, error: Array, velocity_error: Array) -> None:
        for what, by, limit in (
            ("position", error, self.tolerances.path_position),
            ("velocity", velocity_error, self.tolerances.path_velocity),
        ):
            share = np.abs(by) / limit
            k = int(np.argmax(share))
            if share[k] > 1.0:
                self.end(
                    Outcome.LEFT_PATH,
                    f"the {what} of {self.names[k]} is {by[k]:.3g} off the path, beyond "
                    f"{limit[k]:.3g}",
                )
                return

    def end(self, outcome: Outcome, message: str) -> None:
        """Let it end, unless it has."""
        if self.outcome is None:
            self.outcome = outcome
            self.message = message
