"""move_group answers what it cannot do with MoveIt's code and words, and stays up."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Any

import pytest
from geometry_msgs.msg import Transform
from moveit_msgs.msg import (
    AllowedCollisionEntry,
    CollisionObject,
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
from shape_msgs.msg import SolidPrimitive
from std_msgs.msg import Header

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


def several(*bounds: tuple[float, float, float]) -> Constraints:
    """Return constraints of joint 1: positions with tolerances below and above."""
    items = [
        JointConstraint(
            joint_name=JOINTS[0], position=at, tolerance_below=below, tolerance_above=above
        )
        for at, below, above in bounds
    ]
    return Constraints(joint_constraints=items)


def planned(network: Network, request: MotionPlanRequest) -> Any:
    reply = network.call(GetMotionPlan, "plan_kinematic_path", motion_plan_request=request)
    return reply.motion_plan_response


def test_joint_constraints_that_contradict_each_other(network):
    words = "panda_joint1': its constraints leave nothing: [0.2, 0.4] and [0.5, 0.7] do not meet"
    apart = several((0.3, 0.1, 0.1), (0.6, 0.1, 0.1))
    answer = planned(network, asked(goal_constraints=[apart])).error_code
    assert (answer.val, words in answer.message) == (CODE.INVALID_GOAL_CONSTRAINTS, True)
    answer = planned(network, asked(path_constraints=apart)).error_code
    assert (answer.val, words in answer.message) == (CODE.PLANNING_FAILED, True)


def test_joint_constraints_of_one_joint_hold_together(network):
    for both, low, high in (
        (several((0.3, 0.1, 0.1), (0.5, 0.15, 0.1)), 0.35, 0.4),
        (several((0.5, 0.15, 0.1), (0.3, 0.1, 0.1)), 0.35, 0.4),
        (several((0.0, 1.0, 1.0), (0.3, 0.0, 0.0)), 0.3, 0.3),
    ):
        response = planned(network, asked(goal_constraints=[both]))
        assert response.error_code.val == CODE.SUCCESS
        last = response.trajectory.joint_trajectory.points[-1].positions[0]
        assert low - 1e-9 <= last <= high + 1e-9


@pytest.mark.parametrize("frame", ["panda_link0", "/panda_link0", "/world", "/panda_link7"])
def test_frames_may_have_a_slash_in_front(network, frame):
    reply = network.call(
        GetPositionFK,
        "compute_fk",
        fk_link_names=["panda_hand_tcp"],
        header=Header(frame_id=frame),
        robot_state=asked().start_state,
    )
    assert reply.error_code.val == CODE.SUCCESS
    plain = network.call(
        GetPositionFK,
        "compute_fk",
        fk_link_names=["panda_hand_tcp"],
        header=Header(frame_id=frame.lstrip("/")),
        robot_state=asked().start_state,
    )
    assert reply.pose_stamped[0].pose == plain.pose_stamped[0].pose
    ik = PositionIKRequest(group_name="panda_arm", pose_stamped=reply.pose_stamped[0])
    ik.robot_state, ik.timeout.sec = asked().start_state, 5
    answer = network.call(GetPositionIK, "compute_ik", ik_request=ik).error_code
    assert answer.val == CODE.SUCCESS
    turn = OrientationConstraint(link_name="panda_hand_tcp", header=reply.pose_stamped[0].header)
    turn.orientation = reply.pose_stamped[0].pose.orientation
    turn.absolute_x_axis_tolerance = turn.absolute_y_axis_tolerance = 0.1
    turn.absolute_z_axis_tolerance = 0.1
    request = asked(goal_constraints=[Constraints(orientation_constraints=[turn])])
    assert planned(network, request).error_code.val == CODE.SUCCESS
    box = CollisionObject(id="box", operation=CollisionObject.ADD)
    box.header.frame_id, box.pose.position.x = frame, 3.0
    box.primitives = [SolidPrimitive(type=SolidPrimitive.BOX, dimensions=[0.1, 0.1, 0.1])]
    scene = PlanningScene(is_diff=True)
    scene.world.collision_objects = [box]
    assert network.call(ApplyPlanningScene, "apply_planning_scene", scene=scene).success


@pytest.mark.parametrize(
    "name", ["max_velocity_scaling_factor", "max_acceleration_scaling_factor"]
)
def test_scaling_factors_outside_of_0_to_1(network, name):
    def duration(factor: float) -> float:
        response = planned(network, asked(**{name: factor}))
        assert response.error_code.val == CODE.SUCCESS
        last = response.trajectory.joint_trajectory.points[-1].time_from_start
        return float(last.sec + 1e-9 * last.nanosec)

    full = duration(1.0)
    assert duration(0.2) > 1.5 * full
    for odd in (-0.3, 1.7, math.inf, -math.inf):
        assert duration(odd) == pytest.approx(full)
    assert f"{name} -0.3: factors lie in (0, 1]" in network.report()


def test_the_virtual_joint_of_a_start_state_does_not_count(network):
    # RViz and MoveGroupInterface give it along with the whole state.
    request = asked()
    request.start_state.multi_dof_joint_state.joint_names = ["virtual_joint"]
    request.start_state.multi_dof_joint_state.transforms = [Transform()]
    response = planned(network, request)
    assert response.error_code.val == CODE.SUCCESS
    request.start_state.multi_dof_joint_state.transforms = []
    assert planned(network, request).error_code.val == CODE.INVALID_ROBOT_STATE


PLANAR = """<robot name="cart"><link name="floor"/><link name="cart"/><link name="arm"/>
<joint name="wheels" type="planar"><parent link="floor"/><child link="cart"/>
  <axis xyz="0 0 1"/><limit lower="-5" upper="5" effort="1" velocity="1"/></joint>
<joint name="elbow" type="revolute"><parent link="cart"/><child link="arm"/><axis xyz="0 0 1"/>
  <limit lower="-1" upper="1" effort="1" velocity="1"/></joint></robot>"""


def test_a_planar_joint_of_a_start_state(network, tmp_path):
    (tmp_path / "cart.urdf").write_text(PLANAR)
    network.start("move_group", {"robot": str(tmp_path / "cart.urdf")}, namespace="cart")
    goal = JointConstraint(joint_name="elbow", position=0.5)
    request = MotionPlanRequest(
        group_name="whole_body", goal_constraints=[Constraints(joint_constraints=[goal])]
    )
    at = Transform()
    at.translation.x, at.translation.y = 1.5, -0.5
    at.rotation.z, at.rotation.w = math.sin(0.4), math.cos(0.4)
    request.start_state.multi_dof_joint_state.joint_names = ["wheels"]
    request.start_state.multi_dof_joint_state.transforms = [at]
    service = "/cart/plan_kinematic_path"
    response = network.call(GetMotionPlan, service, motion_plan_request=request)
    response = response.motion_plan_response
    assert response.error_code.val == CODE.SUCCESS, response.error_code.message
    way = response.trajectory.joint_trajectory
    first = dict(zip(way.joint_names, way.points[0].positions, strict=True))
    cart = {name: value for name, value in first.items() if name != "elbow"}
    assert sorted(cart.values()) == pytest.approx([-0.5, 0.8, 1.5])
    # It stays there: the goal does not speak of it.
    last = dict(zip(way.joint_names, way.points[-1].positions, strict=True))
    assert last == pytest.approx({**first, "elbow": 0.5})


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
