"""Requests that constrain several links: two arms, and what both of them hold."""

import numpy as np
import pytest
from moveit_msgs.msg import Constraints, RobotState
from sensor_msgs.msg import JointState

from harness.example_robots import SIDES, two_arms
from harness.truth import Truth
from move_group.cell import Cell, at_pose, motion, solved
from rigid_tree_kinematics.description import write_urdf
from rigid_tree_kinematics.model.transforms import inverse, transform
from rigid_tree_kinematics.nodes.base import pose_message

ROBOT = two_arms()
READY = np.tile([0.0, -0.785, 0.0, -2.356, 0.0, 1.571, 0.785], 2)
LEFT, RIGHT = (f"{side}_link8" for side in SIDES)


@pytest.fixture
def pair(network, tmp_path):
    """A move_group with two Pandas."""
    urdf = tmp_path / "two_arms.urdf"
    urdf.write_text(write_urdf(ROBOT))
    process = network.start("move_group", {"robot": str(urdf)})
    network.log_line(process, "14 independent joints")
    return Cell(network)


def both(*parts: Constraints) -> Constraints:
    """Return the constraints of several links as one message."""
    return Constraints(
        position_constraints=[item for part in parts for item in part.position_constraints],
        orientation_constraints=[item for part in parts for item in part.orientation_constraints],
    )


def test_both_hands_reach_their_poses_and_hold_an_object(pair):
    truth, names = Truth(ROBOT), ROBOT.compiled().joint_names
    first = {link: truth.pose(READY, link) for link in (LEFT, RIGHT)}
    goals = {link: transform((0.1, 0.05, 0.1)) @ pose for link, pose in first.items()}
    poses = {link: pose_message(T, "world").pose for link, T in goals.items()}
    goal = both(*(at_pose(pose, link, "world") for link, pose in poses.items()))
    start = RobotState(joint_state=JointState(name=names, position=READY.tolist()))
    apart = inverse(first[LEFT]) @ first[RIGHT]
    held = at_pose(pose_message(apart, LEFT).pose, RIGHT, LEFT, 2e-3)
    fields = {"group_name": "whole_body", "start_state": start, "allowed_planning_time": 60.0}
    for constraints in (Constraints(), held):
        request = motion(goal, **fields, path_constraints=constraints)
        trajectory = solved(pair.planned(request))
        order = [list(trajectory.joint_names).index(name) for name in names]
        path = np.array([point.positions for point in trajectory.points])[:, order]
        for link, wanted in goals.items():
            np.testing.assert_allclose(truth.pose(path[-1], link), wanted, atol=3e-3)
    for q in path:
        now = inverse(truth.pose(q, LEFT)) @ truth.pose(q, RIGHT)
        np.testing.assert_allclose(now, apart, atol=5e-3)
