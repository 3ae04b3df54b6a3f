"""The planning problem: space, validity, goals, settings, deadline and result."""

from rigid_tree_kinematics.planning.problem.goals import (
    MOST_SOLUTIONS,
    ConstrainedGoal,
    Goal,
    GoalConfigurations,
    GoalSearch,
    PoseGoal,
    PoseRegion,
    goal_configurations,
    goal_list,
    goal_name,
)
from rigid_tree_kinematics.planning.problem.result import (
    OPTIMIZE,
    SMALLEST_SCALE,
    NoPathError,
    PlanResult,
    PlanSeconds,
    PlanSettings,
    PlanStatus,
    Progress,
    Trajectory,
    Trees,
    late_status,
    listed,
    no_path,
    not_tried,
)
from rigid_tree_kinematics.planning.problem.space import Space
from rigid_tree_kinematics.planning.problem.validity import JudgedValidity, RobotValidity, Validity
