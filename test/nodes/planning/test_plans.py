"""Plans of rrt_planner: their points satisfy all requirements."""

import math
import threading

import numpy as np
import pytest
from geometry_msgs.msg import Vector3
from rigid_tree_interfaces.msg import PlanReply, PlanRequest
from rigid_tree_interfaces.srv import PlanMotion
from sensor_msgs.msg import JointState

from harness.ik_server import JointStates
from harness.planner import GOAL, JOINTS, START, TIP, Planner, state
from harness.poses import pose_stamped
from harness.truth import difference
from rigid_tree_kinematics.nodes.common.requests import seconds_of


def test_plan_connects_start_and_goal_without_collisions(planner):
    reply = planner.plan()
    assert reply.success, reply.message
    assert (reply.code, reply.status, reply.goal_index) == (PlanReply.SOLVED, "solved", 0)
    points = planner.assert_free(reply)
    np.testing.assert_allclose(points[0], START, atol=1e-12)
    np.testing.assert_allclose(points[-1], GOAL, atol=1e-12)
    corners = np.array([point.positions for point in reply.path.points])
    length = np.linalg.norm(np.diff(corners, axis=0), axis=1).sum()
    assert reply.length == pytest.approx(length)
    assert min(reply.prepare_seconds, reply.search_seconds, reply.timing_seconds) > 0.0
    assert reply.checks > 0


def test_the_trajectory_keeps_the_limits_of_the_request(planner):
    points = planner.plan(velocity_scale=0.5, jerk_limit=40.0).trajectory.points
    speeds, rates = (
        np.array([getattr(p, f) for p in points]) for f in ("velocities", "accelerations")
    )
    fastest = np.abs(speeds).max(axis=0) / planner.robot.compiled().velocity_limit
    assert 0.3 < fastest.max() <= 0.5 + 1e-6
    assert np.abs(rates).max() <= 5.0 + 1e-6
    times = [seconds_of(point.time_from_start) for point in points]
    assert times[0] == 0.0
    jerks = np.abs(np.diff(rates, axis=0)) / np.diff(times)[:, None]
    assert 30.0 < jerks.max() <= 41.0


def test_a_straight_line_is_straight_and_ends_at_an_obstacle(planner):
    T = planner.robot.get_transform(START, TIP)
    line = {"goal_states": [], "body": TIP, "straight_line": True}

    def goal(x, y, z):
        there = T.copy()
        there[:3, 3] += (x, y, z)
        return there

    reply = planner.plan(goal_poses=[pose_stamped(goal(0.05, 0.1, 0.1))], **line)
    assert reply.success, reply.message
    middle = reply.trajectory.points[len(reply.trajectory.points) // 2]
    shift = planner.robot.get_transform(list(middle.positions), TIP)[:3, 3] - T[:3, 3]
    np.testing.assert_allclose(shift, shift[2] * np.array([0.5, 1.0, 1.0]), atol=1e-3)
    # Into the table, whose upper side is at 0.2 m.
    reply = planner.plan(goal_poses=[pose_stamped(goal(0.0, 0.0, 0.15 - T[2, 3]))], **line)
    assert reply.code == PlanReply.GOAL_UNREACHABLE
    assert "'table'" in reply.message
    assert "% of the path" in reply.message
    assert not planner.plan(straight_line=True).success  # without poses


def test_equal_seeds_give_equal_paths(planner):
    first, again, other = (planner.plan(seed=seed).path.points for seed in (5, 5, 6))
    assert first == again
    assert first != other


def test_a_pose_region_is_met_within_its_slack(planner):
    truth = JointStates("panda")
    target = truth.pose(state([-0.8, 0.4, 0.1, -1.6, 0.0, 2.0, 0.7]), TIP)
    slack = Vector3(x=0.05, y=0.05, z=0.02)
    reply = planner.plan(
        goal_states=[], body=TIP, goal_poses=[pose_stamped(target)], position_slack=slack
    )
    assert reply.success, reply.message
    last = truth.pose(state(planner.assert_free(reply)[-1]), TIP)
    off = np.linalg.inv(target) @ last
    assert (np.abs(off[:3, 3]) <= np.array([0.05, 0.05, 0.02]) + 1e-5).all()
    np.testing.assert_allclose(off[:3, :3], np.eye(3), atol=1e-5)


def test_of_several_goals_a_blocked_one_is_dropped_and_named(planner):
    blocked = [math.atan2(0.18, 0.45), *START[1:]]
    reply = planner.plan(goal_states=[state(blocked), state(GOAL)])
    assert reply.success, reply.message
    assert reply.goal_index == 1
    assert len(reply.dropped_goals) == 1
    assert "left_pillar" in reply.dropped_goals[0]


def test_only_the_named_joints_move(planner):
    moving = [*JOINTS[:4], JOINTS[5]]
    reply = planner.plan(moving_joints=moving)
    assert reply.success, reply.message
    assert list(reply.trajectory.joint_names) == moving


def test_a_frame_in_tf_places_a_goal(planner):
    """The pose is given in a link's frame, which the model knows without TF."""
    truth = JointStates("panda")
    start = state(START)
    T = np.linalg.inv(truth.pose(start, "panda_link2")) @ truth.pose(start, TIP)
    T[2, 3] += 0.03
    reply = planner.plan(goal_states=[], body=TIP, goal_poses=[pose_stamped(T, "panda_link2")])
    assert reply.success, reply.message
    reached = truth.pose(state(planner.assert_free(reply)[-1]), TIP)
    assert max(difference(reached, truth.pose(start, "panda_link2") @ T)) < 2e-6


def test_a_plan_starts_at_the_first_joint_state(network):
    planner = Planner(network)
    publisher = network.publisher(JointState, "joint_states")  # the planner knows of it now
    threading.Timer(0.7, lambda: publisher.publish(state(START))).start()
    request = PlanRequest(goal_states=[state(GOAL)])
    reply = planner.call(PlanMotion, request=request).reply
    assert reply.success, reply.message
    assert list(reply.trajectory.points[0].positions) == START
