"""Joint trajectories of drivers, and their execution step by step."""

from rigid_tree_kinematics.trajectories.execution import Execution, Outcome, Tolerances
from rigid_tree_kinematics.trajectories.joint_trajectory import (
    JointNamesError,
    JointTrajectory,
    Waypoints,
    checked_waypoints,
    polynomial_at,
    quintic,
)
