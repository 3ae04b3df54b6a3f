"""Replies of rrt_planner without a plan: reasons, states, parameters."""

import math

import numpy as np
import pytest
from geometry_msgs.msg import Vector3
from rigid_tree_interfaces.msg import PlanReply, PlanRequest
from rigid_tree_interfaces.srv import CheckState, PlanMotion, UpdateScene

from harness.planner import JOINTS, NODE, START, TIP, box, state
from harness.poses import pose_stamped
from rigid_tree_kinematics.collision import CollisionChecker, load_scene


def test_blocked_start_names_the_colliding_bodies(planner):
    reply = planner.plan(start=state([math.atan2(0.18, 0.45), *START[1:]]))
    assert (reply.success, reply.code) == (False, PlanReply.START_BLOCKED)
    assert "left_pillar" in reply.message
    assert "initial_positions:=" in reply.message
    assert not reply.trajectory.points


def test_blocked_goal_names_the_colliding_bodies(planner):
    reply = planner.plan(goal_states=[state([math.atan2(-0.18, 0.45), *START[1:]])])
    assert reply.code == PlanReply.GOAL_BLOCKED
    assert "right_pillar" in reply.message


def test_a_pose_out_of_reach_is_unreachable(planner):
    far = np.eye(4)
    far[0, 3] = 5.0
    reply = planner.plan(goal_states=[], body=TIP, goal_poses=[pose_stamped(far)])
    assert reply.code == PlanReply.GOAL_UNREACHABLE


def test_search_without_a_path_ends_in_time(planner):
    # The outstretched hand would have to cross a wall: the base cannot turn all the way around.
    assert planner.update(box("wall", (2.0, 0.02, 4.0), (1.13, 0.0, 0.0))).success
    request = PlanRequest(
        start=state(START),
        goal_states=[state([-START[0], *START[1:]])],
        moving_joints=["panda_joint1", "panda_joint7"],
    )
    request.time_limit.nanosec = 400_000_000
    reply = planner.call(PlanMotion, request=request).reply
    assert reply.code == PlanReply.OUT_OF_TIME, reply.message


@pytest.mark.parametrize(
    ("fields", "words"),
    [
        ({"goal_states": []}, "no goal"),
        ({"goal_states": [state([1.0], ["panda_joint9"])]}, "panda_joint9"),
        ({"goal_states": [state([math.nan], JOINTS[:1])]}, "panda_joint1"),
        ({"start": state([math.inf], JOINTS[:1])}, "start"),
        ({"moving_joints": ["elbow"]}, "elbow"),
        ({"planner": "prm"}, "rrt_connect"),
        ({"velocity_scale": -1.0}, "velocity_scale"),
        ({"velocity_scale": 2.0}, "velocity_scale"),
        ({"velocity_scale": 1e-9}, "velocity_scale"),
        ({"jerk_limit": -1.0}, "jerk_limit"),
        ({"acceleration_scale": 1e-9}, "acceleration_scale"),
        ({"goal_states": [], "body": "hand", "goal_poses": [pose_stamped(np.eye(4))]}, "hand"),
        ({"position_slack": Vector3(x=-1.0)}, "position_slack"),
        ({"goal_states": [state([99.0], JOINTS[:1])]}, "panda_joint1"),
    ],
)
def test_invalid_request_is_answered(planner, fields, words):
    reply = planner.plan(**fields)
    assert reply.code == PlanReply.INVALID_REQUEST, reply.message
    assert words in reply.message


def test_an_unknown_frame_is_answered(planner):
    pose = pose_stamped(np.eye(4), "nowhere")
    request = PlanRequest(start=state(START), body=TIP, goal_poses=[pose])
    request.time_limit.nanosec = 200_000_000
    reply = planner.call(PlanMotion, request=request).reply
    assert reply.code == PlanReply.UNKNOWN_FRAME
    assert "nowhere" in reply.message


def test_state_is_free_with_its_distance_or_names_the_colliding_bodies(planner):
    checker = CollisionChecker(planner.robot, load_scene("panda_pillars"))
    rng = np.random.default_rng(2)
    seen = set()
    for _ in range(30):
        q = planner.robot.random_configuration(rng)
        reply, truth = planner.check(q), checker.check(q)
        assert reply.free == truth.free
        found = {frozenset((c.first, c.second)) for c in reply.contacts}
        assert found == {frozenset((c.first, c.second)) for c in truth.contacts}
        assert reply.distance == pytest.approx(checker.distance(q).distance, abs=1e-9)
        seen.add(reply.free)
    assert seen == {True, False}


def test_without_a_robot_everything_is_answered(network):
    process = network.start(NODE, namespace="alone")
    asked = (
        (UpdateScene, "update_scene", lambda r: r),
        (CheckState, "check_state", lambda r: r),
        (PlanMotion, "plan_motion", lambda r: r.reply),
    )
    for kind, name, reply_of in asked:
        reply = reply_of(network.call(kind, f"/alone/{name}"))
        assert reply.code == reply.NO_ROBOT
        assert "/alone/robot_description" in reply.message
    assert process.end() == 0


def test_parameters_are_changed_or_rejected(planner):
    network = planner.network
    assert network.set_parameter(NODE, "maximum_nodes", 5000).successful
    for name, value in (("planner", "prm"), ("scene", "x"), ("tip", "hand"), ("step", -1.0)):
        assert not network.set_parameter(NODE, name, value).successful
    assert planner.plan().success
