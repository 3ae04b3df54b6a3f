"""Replies of rrt_planner without a plan: reasons, time limits, states, parameters."""

import math
import re

import numpy as np
import pytest
from builtin_interfaces.msg import Duration
from geometry_msgs.msg import Vector3
from rigid_tree_interfaces.msg import PlanReply
from rigid_tree_interfaces.srv import CheckState, PlanMotion, UpdateScene

from harness.cases import case
from harness.planner import JOINTS, NODE, START, TIP, box, state
from harness.poses import pose_stamped
from rigid_tree_kinematics.collision import CollisionChecker, load_scene
from rigid_tree_kinematics.model.transforms import transform

FAR, ON_MOON = pose_stamped(transform((5.0, 0.0, 0.0))), pose_stamped(np.eye(4), "moon")
SOON = Duration(nanosec=200_000_000)
IN_LEFT, IN_RIGHT = (state([math.atan2(y, 0.45), *START[1:]]) for y in (0.18, -0.18))
POSE = {"goal_states": [], "body": TIP}
INVALID, BLOCKED = PlanReply.INVALID_REQUEST, PlanReply.GOAL_BLOCKED
REFUSED = (
    (PlanReply.START_BLOCKED, {"start": IN_LEFT}, "left_pillar"),
    (PlanReply.START_BLOCKED, {"start": IN_LEFT}, "initial_positions:="),
    (BLOCKED, {"goal_states": [IN_RIGHT]}, "right_pillar"),
    (PlanReply.GOAL_UNREACHABLE, {**POSE, "goal_poses": [FAR]}, ""),
    (PlanReply.UNKNOWN_FRAME, {**POSE, "goal_poses": [ON_MOON], "time_limit": SOON}, "moon"),
    (INVALID, {"goal_states": []}, "no goal"),
    (INVALID, {"goal_states": [state([1.0], ["panda_joint9"])]}, "panda_joint9"),
    (INVALID, {"goal_states": [state([math.nan], JOINTS[:1])]}, "panda_joint1"),
    (INVALID, {"goal_states": [state([99.0], JOINTS[:1])]}, "panda_joint1"),
    (INVALID, {"goal_states": [state([0.0], JOINTS[:1])] * 100_001}, "100,001"),
    (INVALID, {"start": state([math.inf], JOINTS[:1])}, "start"),
    (INVALID, {"moving_joints": ["elbow"]}, "elbow"),
    (INVALID, {"planner": "prm"}, "rrt_connect"),
    (INVALID, {"velocity_scale": -1.0}, "velocity_scale"),
    (INVALID, {"velocity_scale": 2.0}, "velocity_scale"),
    (INVALID, {"velocity_scale": 1e-9}, "velocity_scale"),
    (INVALID, {"jerk_limit": -1.0}, "jerk_limit"),
    (INVALID, {"acceleration_scale": 1e-9}, "acceleration_scale"),
    (INVALID, {**POSE, "body": "hand", "goal_poses": [pose_stamped(np.eye(4))]}, "hand"),
    (INVALID, {"position_slack": Vector3(x=-1.0)}, "position_slack"),
    (INVALID, {"time_limit": Duration(sec=-1)}, "time_limit"),
    (INVALID, {"time_limit": Duration(sec=601)}, "time_limit"),
)


def test_requests_without_a_plan_are_answered_with_the_reason(planner):
    for code, fields, words in REFUSED:
        with case(f"{code} {words}"):
            reply = planner.plan(**fields)
            assert (reply.success, reply.code) == (False, code), reply.message
            assert words in reply.message
            assert not reply.trajectory.points


def test_search_without_a_path_ends_in_time(planner):
    # The outstretched hand would have to cross a wall: the base cannot turn all the way around.
    assert planner.update(box("wall", (2.0, 0.02, 4.0), (1.13, 0.0, 0.0))).success
    reply = planner.plan(
        goal_states=[state([-START[0], *START[1:]])],
        moving_joints=["panda_joint1", "panda_joint7"],
        time_limit=Duration(nanosec=400_000_000),
    )
    assert reply.code == PlanReply.OUT_OF_TIME, reply.message


def test_thousands_of_goals_end_in_time(planner):
    """The time limit covers all steps, and the reply names the unfinished one."""
    planner.plan()  # the first plan takes longer
    for fields in ({**POSE, "goal_poses": [FAR] * 10_000}, {"goal_states": [IN_RIGHT] * 10_000}):
        reply = planner.plan(time_limit=Duration(sec=1), **fields)
        assert reply.code == PlanReply.OUT_OF_TIME, reply.message
        # A busy machine does not even read all goals in time.
        assert re.match(r"time limit of 1 s reached after [\d,]+ of [\d,]+ goal", reply.message)
        assert len(reply.message) < 10_000
    # Goals that come late do not take the time of the search.
    reach = pose_stamped(planner.robot.get_transform([-1.0, *START[1:]], TIP))
    poses = [reach, *[FAR] * 6_000]
    for seconds in (2, 10):  # a busy machine does not even read all of them in 2 s
        reply = planner.plan(**POSE, goal_poses=poses, time_limit=Duration(sec=seconds))
        if reply.success:
            break
    assert reply.success, reply.message
    assert "of 6,001 goals" in reply.dropped_goals[-1]


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
    for kind, name in (
        (UpdateScene, "update_scene"),
        (CheckState, "check_state"),
        (PlanMotion, "plan_motion"),
    ):
        reply = network.call(kind, f"/alone/{name}")
        reply = getattr(reply, "reply", reply)
        assert reply.code == reply.NO_ROBOT
        assert "/alone/robot_description" in reply.message
    assert process.end() == 0


def test_parameters_are_changed_or_rejected(planner):
    network = planner.network
    assert network.set_parameter(NODE, "maximum_nodes", 5000).successful
    for name, value in (("planner", "prm"), ("scene", "x"), ("tip", "hand"), ("step", -1.0)):
        assert not network.set_parameter(NODE, name, value).successful
    assert planner.plan().success
