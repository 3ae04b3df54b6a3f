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
