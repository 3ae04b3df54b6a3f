"""Requests of move_group as they were read, and the library's answers to them."""

from rigid_tree_moveit.move_group.queries.inverse_kinematics import IkQuery, read_ik
from rigid_tree_moveit.move_group.queries.line import LineQuery, read_line
from rigid_tree_moveit.move_group.queries.motion import MotionQuery
from rigid_tree_moveit.move_group.queries.pipelines import (
    OPTIMIZERS,
    PILZ_PIPELINE,
    PIPELINE,
    PLANNER_IDS,
    planner_warning,
    read_motion,
)
from rigid_tree_moveit.move_group.queries.sequence import SequenceQuery, read_sequence
from rigid_tree_moveit.move_group.queries.trajectories import (
    PlannedTrajectory,
    planning_time,
    scaling_warning,
)
