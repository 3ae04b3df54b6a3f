"""move_group answers what it cannot do with MoveIt's code and words, and stays up."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Any

import pytest
from moveit_msgs.msg import (
    AllowedCollisionEntry,
    Constraints,
    JointConstraint,
    MotionPlanRequest,
    MoveItErrorCodes,
    OrientationConstraint,
    PlanningScene,
    PositionIKRequest,
)
from moveit_msgs.srv import (
    ApplyPlanningScene,
    GetCartesianPath,
    GetMotionPlan,
    GetPlannerParams,
    GetPlanningScene,
    GetPositionFK,
    GetPositionIK,
    GetStateValidity,
    QueryPlannerInterfaces,
    SetPlannerParams,
)

from harness.moveit import JOINTS, READY
from harness.network import Network
from rigid_tree_kinematics.description.robots import bundled_folder

CODE = MoveItErrorCodes


@pytest.fixture(scope="module")
def network(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Network]:
    made = Network(tmp_path_factory.mktemp("network"))
    srdf = str(bundled_folder("robots") / "panda_hand.srdf")
    made.start("move_group", {"robot": "panda_hand", "srdf": srdf})
    yield made
    made.close()


def goal(position: float = 0.3, joint: str = "panda_joint1") -> Constraints:
    one = JointConstraint(joint_name=joint, position=position)
    one.tolerance_above = one.tolerance_below = 1e-3
    return Constraints(joint_constraints=[one])


def asked(**fields: Any) -> MotionPlanRequest:
    request = MotionPlanRequest(group_name="panda_arm", goal_constraints=[goal()])
    request.start_state.joint_state.name = JOINTS
    request.start_state.joint_state.position = READY
    for name, value in fields.items():
        setattr(request, name, value)
    return request


def outside() -> MotionPlanRequest:
    request = asked()
    request.start_state.joint_state.position = [9.0, *READY[1:]]
    return request


@pytest.mark.parametrize(
    ("request_", "code", "words"),
    [
        (asked(), CODE.SUCCESS, ""),
        (asked(group_name="left_arm"), CODE.INVALID_GROUP_NAME, "left_arm"),
        (asked(goal_constraints=[]), CODE.INVALID_GOAL_CONSTRAINTS, "no goal"),
        (asked(goal_constraints=[Constraints()]), CODE.INVALID_GOAL_CONSTRAINTS, "without"),
        (asked(goal_constraints=[goal(joint="elbow")]), CODE.INVALID_GOAL_CONSTRAINTS, "elbow"),
        (asked(goal_constraints=[goal(math.nan)]), CODE.INVALID_GOAL_CONSTRAINTS, "panda_joint1"),
        (asked(goal_constraints=[goal(9.0)]), CODE.INVALID_GOAL_CONSTRAINTS, "panda_joint1"),
        (asked(pipeline_id="chomp"), CODE.PLANNING_FAILED, "chomp"),
        (asked(planner_id="PRMkConfigDefault"), CODE.PLANNING_FAILED, "PRMkConfigDefault"),
        (asked(planner_id="RRTstarkConfigDefault", allowed_planning_time=0.3), CODE.SUCCESS, ""),
        (
            asked(path_constraints=goal()),
            CODE.START_STATE_VIOLATES_PATH_CONSTRAINTS,
            "panda_joint1 violated by 0.299 rad",
        ),
        (outside(), CODE.START_STATE_INVALID, "panda_joint1"),
    ],
)
def test_plans(network, request_, code, words):
    reply = network.call(GetMotionPlan, "plan_kinematic_path", motion_plan_request=request_)
    answer = reply.motion_plan_response.error_code
    assert answer.val == code, answer
    assert words in answer.message
    assert bool(reply.motion_plan_response.trajectory.joint_trajectory.points) == (
        code == CODE.SUCCESS
    )


def test_a_frame_that_nobody_knows(network):
    turn = OrientationConstraint(link_name="panda_hand_tcp")
    turn.header.frame_id = "nowhere"
    turn.orientation.w = 1.0
    request = asked(goal_constraints=[Constraints(orientation_constraints=[turn])])
    reply = network.call(GetMotionPlan, "plan_kinematic_path", motion_plan_request=request)
    answer = reply.motion_plan_response.error_code
    assert answer.val == CODE.FRAME_TRANSFORM_FAILURE
    assert "nowhere" in answer.message


def test_kinematics(network):
    ik = PositionIKRequest(group_name="panda_arm", ik_link_name="nose")
    ik.pose_stamped.pose.orientation.w = 1.0
    answer = network.call(GetPositionIK, "compute_ik", ik_request=ik).error_code
    assert (answer.val, "nose" in answer.message) == (CODE.INVALID_LINK_NAME, True)
    ik.ik_link_name = ""
    ik.pose_stamped.pose.position.x = 5.0
    answer = network.call(GetPositionIK, "compute_ik", ik_request=ik).error_code
    assert answer.val in (CODE.NO_IK_SOLUTION, CODE.TIMED_OUT)
    assert "misses" in answer.message
    answer = network.call(GetPositionFK, "compute_fk").error_code
    assert answer.val == CODE.INVALID_LINK_NAME


def test_a_straight_line_needs_a_step_and_waypoints(network):
    request = GetCartesianPath.Request(group_name="panda_arm")
    answer = network.call(GetCartesianPath, "compute_cartesian_path", request).error_code
    assert (answer.val, "waypoints" in answer.message) == (CODE.FAILURE, True)


def test_states_that_touch_name_what_touches(network):
    state = asked().start_state
    service = "check_state_validity"
    reply = network.call(GetStateValidity, service, group_name="panda_arm", robot_state=state)
    assert reply.valid
    state.joint_state.position = [0.0, 1.7, 0.0, -3.0, 0.0, 0.0, 0.0]
    reply = network.call(GetStateValidity, service, group_name="panda_arm", robot_state=state)
    assert not reply.valid
    assert all(contact.contact_body_1.startswith("panda_") for contact in reply.contacts)
    assert reply.contacts


def test_matrices_that_are_none_are_refused(network):
    matrix = network.call(GetPlanningScene, "get_planning_scene").scene.allowed_collision_matrix
    matrix.entry_values[3] = AllowedCollisionEntry(enabled=[True] * 3)
    scene = PlanningScene(is_diff=True, allowed_collision_matrix=matrix)
    assert not network.call(ApplyPlanningScene, "apply_planning_scene", scene=scene).success


def test_the_planners_are_listed(network):
    reply = network.call(QueryPlannerInterfaces, "query_planner_interface")
    assert reply.planner_interfaces[0].pipeline_id == "ompl"
    assert "RRTConnectkConfigDefault" in reply.planner_interfaces[0].planner_ids
    assert reply.planner_interfaces[1].pipeline_id == "pilz_industrial_motion_planner"
    assert list(reply.planner_interfaces[1].planner_ids) == ["PTP", "LIN", "CIRC"]


def test_planners_parameters_are_the_nodes(network):
    def told(pipeline: str) -> dict[str, str]:
        asked = GetPlannerParams.Request(pipeline_id=pipeline)
        params = network.call(GetPlannerParams, "get_planner_params", asked).params
        assert len(params.descriptions) == len(params.keys)
        return dict(zip(params.keys, params.values, strict=True))

    def change(pipeline: str, replace: bool = False, **values: str) -> None:
        asked = SetPlannerParams.Request(pipeline_id=pipeline, replace=replace)
        asked.params.keys, asked.params.values = list(values), list(values.values())
        network.call(SetPlannerParams, "set_planner_params", asked)

    tool = "pilz_industrial_motion_planner"
    assert (told("ompl")["range"], told("")["goal_bias"]) == ("0.0", "0.05")
    assert told(tool)["max_trans_vel"] == "1.0"
    assert told("chomp") == {}
    change("ompl", range="0.5", shorten="false")
    change(tool, max_rot_vel="0.3")
    assert (told("ompl")["range"], told("ompl")["shorten"]) == ("0.5", "false")
    assert told(tool)["max_rot_vel"] == "0.3"
    # One that is wrong, and none is taken.
    for key, value in (("goal_bias", "2.0"), ("goal_bias", "much"), ("reach", "1.0")):
        change("ompl", range="0.7", **{key: value})
        assert (told("ompl")["range"], told("ompl")["goal_bias"]) == ("0.5", "0.05")
    change("ompl", replace=True, goal_bias="0.1")
    assert (told("ompl")["range"], told("ompl")["goal_bias"]) == ("0.0", "0.1")
    change("ompl", replace=True)
