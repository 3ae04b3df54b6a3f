"""Prescribed motions: lines and arcs of the tool, and sequences with blends."""

from rigid_tree_kinematics.planning.tool.blending import blended, distance_between_ends, joined
from rigid_tree_kinematics.planning.tool.lines_in_step import follow_lines_in_step
from rigid_tree_kinematics.planning.tool.pose_following import exact_solver
from rigid_tree_kinematics.planning.tool.straight_line import (
    JumpLimits,
    StraightLine,
    follow_straight_line,
)
from rigid_tree_kinematics.planning.tool.tool_motion import ToolLimits, move_joints, move_tool
from rigid_tree_kinematics.planning.tool.tool_path import (
    ToolArc,
    ToolLine,
    ToolPath,
    arc_about,
    arc_through,
)
