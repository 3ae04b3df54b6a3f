"""The parameters of move_group: the planner's, and those named as in MoveIt and Pilz."""

from dataclasses import dataclass
from functools import partial

from rigid_tree_kinematics.errors import ConfigurationError
from rigid_tree_kinematics.nodes.base import Parameters, parameter
from rigid_tree_kinematics.nodes.planning import PlannerSettings
from rigid_tree_kinematics.planning import ToolLimits
from rigid_tree_kinematics.text import told_apart

SLOWEST = 1e-4  # m/s, m/s^2, rad/s

execution = partial(parameter, name="trajectory_execution.")


@dataclass(frozen=True)
class MoveGroupSettings(PlannerSettings):
    """The values of the parameters."""

    start_state_max_bounds_error: float = parameter(
        0.1,
        "Start positions outside the limits by up to this are clamped. 0: all are rejected.",
        low=0.0,
        high=1.0,
        unit="rad or m",
    )
    publish_planning_scene_hz: float = parameter(
        4.0,
        "Rate at which monitored_planning_scene gets a moving robot's state. 0: never.",
        low=0.1,
        high=100.0,
        or_zero=True,
        unit="Hz",
        start_only=True,
    )
    execution_duration_monitoring: bool = execution(
        True, "Whether motions that take too long are stopped."
    )
    allowed_execution_duration_scaling: float = execution(
        1.2,
        "Maximum multiple of a motion's duration, in addition to allowed_goal_duration_margin.",
        low=0.0,
        high=1000.0,
    )
    allowed_goal_duration_margin: float = execution(
        0.5, "See allowed_execution_duration_scaling.", 0.0, 3600.0, unit="s"
    )
    allowed_start_tolerance: float = execution(
        0.01,
        "Maximum distance between the start of a trajectory and the robot. 0: no limit.",
        low=0.0,
        high=100.0,
        unit="rad or m",
    )
    allow_trajectory_execution: bool = parameter(True, "Whether motions are executed.")


@dataclass(frozen=True)
class ToolSettings(Parameters):
    """Limits of the tool in LIN and CIRC: parameters with Pilz' names and defaults."""

    max_trans_vel: float = parameter(
        1.0, "Velocity of the tool in LIN and CIRC.", SLOWEST, 100.0, unit="m/s"
    )
    max_trans_acc: float = parameter(
        2.25, "Acceleration of the tool in LIN and CIRC.", SLOWEST, 1000.0, unit="m/s^2"
    )
    max_trans_dec: float = parameter(
        -5.0,
        "Deceleration of the tool in LIN and CIRC; its sign is ignored.",
        low=-1000.0,
        high=1000.0,
        unit="m/s^2",
    )
    max_rot_vel: float = parameter(
        1.57, "Angular velocity of the tool in LIN and CIRC.", SLOWEST, 100.0, unit="rad/s"
    )

    def check(self) -> None:
        """Raise ConfigurationError for a deceleration near 0."""
        if abs(self.max_trans_dec) < SLOWEST:
            reason = "the absolute value of parameter 'max_trans_dec' must be at least"
            least, given = told_apart(SLOWEST, abs(self.max_trans_dec))
            raise ConfigurationError(f"{reason} {least} m/s^2, not {given}")

    def limits(self) -> ToolLimits:
        """Return the limits for the library."""
        return ToolLimits(
            velocity=self.max_trans_vel,
            acceleration=self.max_trans_acc,
            deceleration=abs(self.max_trans_dec),
            rotation_velocity=self.max_rot_vel,
        )
