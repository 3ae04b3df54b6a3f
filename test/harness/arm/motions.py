"""Prescribed motions of a Panda, interpolated densely.

Trajectories are interpolated by SciPy's quintics, like in joint_trajectory_controller.
"""

import numpy as np

from harness.arm.paths import curve_of
from harness.truth import Truth
from rigid_tree_kinematics import load_robot
from rigid_tree_kinematics.collision import CollisionChecker, Scene
from rigid_tree_kinematics.deadline import Deadline
from rigid_tree_kinematics.model.transforms import rpy_matrix, transform
from rigid_tree_kinematics.planning import MotionPlanner, PlanSettings, ToolLimits

ROBOT = load_robot("panda_hand")
TRUTH = Truth(ROBOT)
TIP = "panda_hand_tcp"
ARM = [f"panda_joint{number}" for number in range(1, 8)]
START = np.array([0.0, -0.785398, 0.0, -2.356194, 0.0, 1.570796, 0.785398, 0.035])
START_POSE = TRUTH.pose(START, TIP)
SETTINGS = PlanSettings()
LIMITS = ToolLimits()


def ten_seconds():
    return Deadline(10.0)


def planner(*obstacles):
    return MotionPlanner(ROBOT, CollisionChecker(ROBOT, Scene(obstacles)), moving_joints=ARM)


def shifted(shift, turn=(0.0, 0.0, 0.0)):
    pose = transform(shift) @ START_POSE
    pose[:3, :3] = START_POSE[:3, :3] @ rpy_matrix(*turn)
    return pose


def dense(trajectory):
    """Return times, positions, velocities and accelerations, 20 for each quintic."""
    curve = curve_of(trajectory)
    spans = np.diff(trajectory.times)[:, None] * np.linspace(0.0, 1.0, 20, endpoint=False)
    times = np.append((trajectory.times[:-1, None] + spans).ravel(), trajectory.times[-1])
    return times, curve(times), curve(times, 1), curve(times, 2)


def check_limits(trajectory, settings=SETTINGS):
    _, _, v, a = dense(trajectory)
    velocity = settings.velocity_scale * ROBOT.compiled().velocity_limit[:7]
    acceleration = settings.acceleration_scale * settings.acceleration_limit
    assert (np.abs(v[:, :7]) <= velocity * (1.0 + 1e-6)).all()
    assert np.abs(a[:, :7]).max() <= acceleration * (1.0 + 1e-6)
    if settings.jerk_limit is not None:
        middles = 0.5 * (trajectory.times[1:] + trajectory.times[:-1])
        assert np.abs(curve_of(trajectory)(middles, 3)).max() <= 1.05 * settings.jerk_limit
    assert not np.array([trajectory.velocities, trajectory.accelerations])[:, [0, -1]].any()
