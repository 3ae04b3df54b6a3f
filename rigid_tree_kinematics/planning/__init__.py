"""Motion planning: the RRT family over intervals, circles and rotations, shortcuts, timing."""

from rigid_tree_kinematics.planning.blending import blended, joined
from rigid_tree_kinematics.planning.constrained_goals import ConstrainedGoal
from rigid_tree_kinematics.planning.easing import eased, joint_excess, speed_excess
from rigid_tree_kinematics.planning.goals import PoseGoal, PoseRegion
from rigid_tree_kinematics.planning.planner import MotionPlanner, plan_in_space
from rigid_tree_kinematics.planning.remaining_path import Blockage, RemainingPath
from rigid_tree_kinematics.planning.result import (
    PlanResult,
    PlanSeconds,
    PlanSettings,
    PlanStatus,
    Progress,
    Trajectory,
)
from rigid_tree_kinematics.planning.space import Space
from rigid_tree_kinematics.planning.straight_line import (
    JumpLimits,
    StraightLine,
    follow_straight_line,
)
from rigid_tree_kinematics.planning.tool_motion import ToolLimits, move_joints, move_tool
from rigid_tree_kinematics.planning.tool_path import (
    ToolArc,
    ToolLine,
    ToolPath,
    arc_about,
    arc_through,
)
from rigid_tree_kinematics.planning.validity import RobotValidity, Validity

__all__ = [
    "Blockage",
    "ConstrainedGoal",
    "JumpLimits",
    "MotionPlanner",
    "PlanResult",
    "PlanSeconds",
    "PlanSettings",
    "PlanStatus",
    "PoseGoal",
    "PoseRegion",
    "Progress",
    "RemainingPath",
    "RobotValidity",
    "Space",
    "StraightLine",
    "ToolArc",
    "ToolLimits",
    "ToolLine",
    "ToolPath",
    "Trajectory",
    "Validity",
    "arc_about",
    "arc_through",
    "blended",
    "eased",
    "follow_straight_line",
    "joined",
    "joint_excess",
    "move_joints",
    "move_tool",
    "plan_in_space",
    "speed_excess",
]
