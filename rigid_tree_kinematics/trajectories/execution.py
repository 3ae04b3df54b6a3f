"""Execution of a trajectory: desired states, and monitoring of the joints.

Arrays (k,) have one entry for each position that the trajectory moves, in the order of its
waypoints: rad or m, and rates in rad/s or m/s.
"""

from dataclasses import dataclass
from enum import Enum

import numpy as np

from rigid_tree_kinematics.arrays import Array
from rigid_tree_kinematics.text import told_apart
from rigid_tree_kinematics.trajectories.joint_trajectory import JointTrajectory


class Outcome(Enum):
    """The outcome of an execution; the value is for display."""

    REACHED = "reached"  # within the goal tolerances
    LEFT_PATH = "left the path"  # beyond the path tolerances before its end
    MISSED_GOAL = "missed the goal"  # beyond the goal tolerances after the goal time
    REPLACED = "replaced"  # another trajectory moves one of its joints
    STOPPED = "stopped"  # on request


@dataclass(frozen=True, eq=False)
class Tolerances:
    """Maximum errors of the joints; infinite for no limit.

    Path tolerances apply before the end of the trajectory, goal tolerances after it, until they
    are met or ``goal_time`` has passed.
    """

    path_position: Array  # (k,) rad or m, positive
    path_velocity: Array  # (k,) rad/s or m/s, positive
    goal_position: Array  # (k,) rad or m
    goal_velocity: Array  # (k,) rad/s or m/s
    goal_time: float  # s after the end of the trajectory


class Execution:
    """A trajectory being followed, and its outcome.

    Args:
        trajectory: the desired states.
        start: simulation time (s) of its time 0; can be in the future.
        tolerances: maximum errors of its joints.

    ``names`` and ``slots`` (k,) are its positions and their indices in a configuration.
    ``outcome`` is None, and ``message`` empty, until it ends. ``speed`` scales the velocities.
    """

    def __init__(self, trajectory: JointTrajectory, start: float, tolerances: Tolerances) -> None:
        self.trajectory = trajectory
        self.names = trajectory.waypoints.names
        self.slots = trajectory.waypoints.slots
        self.start = start
        self.speed = 1.0
        self._since, self._passed = start, 0.0  # the last change of speed, by both clocks
        self.tolerances = tolerances
        self.outcome: Outcome | None = None
        self.message = ""

    def set_speed(self, now: float, speed: float) -> None:
        """Scale the velocities from time ``now`` (s of the simulation) on, by 0 or more."""
        now = max(now, self.start)
        self._since, self._passed = now, self.elapsed(now)
        self.speed = speed

    def elapsed(self, now: float) -> float:
        """Return the time of the trajectory (s) at time ``now`` (s of the simulation)."""
        return self._passed + self.speed * (now - self._since)

    def desired(self, now: float) -> tuple[Array, Array, Array]:
        """Return the desired state of the joints at time ``now`` (s of the simulation).

        Returns:
            Positions (rad, m), velocities and accelerations (per s and s^2), (k,) each; at rest
            at the last waypoint after the end.
        """
        positions, velocities, accelerations = self.trajectory.sample(self.elapsed(now))
        return positions, self.speed * velocities, self.speed**2 * accelerations

    def judge(self, now: float, error: Array, velocity_error: Array) -> None:
        """End the execution if its joints have arrived or exceed a tolerance.

        Args:
            now: s of the simulation, at or after ``start``.
            error: desired minus actual positions (k,), rad or m; the shorter arc on a circle.
            velocity_error: likewise of the velocities (k,), rad/s or m/s.
        """
        late = self.elapsed(now) - self.trajectory.duration
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
            by, most = told_apart(error[k], limits.goal_position[k], digits=3)
            speed, fastest = told_apart(velocity_error[k], limits.goal_velocity[k], digits=3)
            what = f"still moves at {speed}, beyond {fastest}"
            if off[k]:
                what = f"is {by} from the goal, beyond {most}"
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
                off, most = told_apart(by[k], limit[k], digits=3)
                self.end(
                    Outcome.LEFT_PATH,
                    f"the {what} of {self.names[k]} is {off} off the path, beyond {most}",
                )
                return

    def end(self, outcome: Outcome, message: str) -> None:
        """End the execution with a reason; only the first outcome is stored."""
        if self.outcome is None:
            self.outcome = outcome
            self.message = message
