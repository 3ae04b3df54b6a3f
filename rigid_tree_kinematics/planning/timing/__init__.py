"""Trajectories: timing of a path within limits, sampling and slowing down."""

from rigid_tree_kinematics.planning.timing.easing import (
    eased,
    joint_excess,
    slowed,
    speed_excess,
    states_at,
)
from rigid_tree_kinematics.planning.timing.timing import (
    LONGEST_DURATION,
    MOST_POINTS,
    SMOOTHING_TIME,
    JerkLimit,
    fastest_motion,
    rest_to_rest_time,
    sampled,
    time_path,
)
