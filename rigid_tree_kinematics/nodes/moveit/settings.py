"""The parameters of move_group: the planner's, and others with MoveIt's names."""

from __future__ import annotations

from dataclasses import dataclass

from rigid_tree_kinematics.nodes.common.process import parameter
from rigid_tree_kinematics.nodes.planning import PlannerSettings


@dataclass(frozen=True)
class MoveGroupSettings(PlannerSettings):
    """The values of the parameters."""

    start_state_max_bounds_error: float = parameter(
        0.1,
        "Joints that start outside their limits by up to this start at the limit. 0: none may.",
        low=0.0,
        high=1.0,
        unit="rad or m",
    )
    publish_planning_scene_hz: float = parameter(
        4.0,
        "How often monitored_planning_scene has the state of a moving robot. 0: never.",
        low=0.1,
        high=100.0,
        or_zero=True,
        unit="Hz",
        start_only=True,
    )
    execution_duration_monitoring: bool = parameter(
        True,
        "Whether motions that take too long are stopped.",
        name="trajectory_execution.execution_duration_monitoring",
    )
    allowed_execution_duration_scaling: float = parameter(
        1.2,
        "A motion may take this multiple of its duration, and allowed_goal_duration_margin.",
        low=1.0,
        high=1000.0,
        name="trajectory_execution.allowed_execution_duration_scaling",
    )
    allowed_goal_duration_margin: float = parameter(
        0.5,
        "See allowed_execution_duration_scaling.",
        low=0.0,
        high=3600.0,
        unit="s",
        name="trajectory_execution.allowed_goal_duration_margin",
    )
