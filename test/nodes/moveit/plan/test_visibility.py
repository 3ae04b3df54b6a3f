"""VisibilityConstraint, as kinematic_constraints means it: of states, goals and whole ways."""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest
from geometry_msgs.msg import PoseStamped, TransformStamped
from moveit_msgs.msg import (
    Constraints,
    JointConstraint,
    MotionPlanRequest,
    MoveItErrorCodes,
    PositionIKRequest,
    RobotState,
    VisibilityConstraint,
)
from moveit_msgs.srv import GetCartesianPath, GetMotionPlan, GetPositionIK, GetStateValidity
from sensor_msgs.msg import JointState
from tf2_msgs.msg import TFMessage

from harness.moveit import FINGER, JOINTS, READY
from harness.network import Network
from harness.probe import LATCHED
from rigid_tree_kinematics import load_robot
from rigid_tree_kinematics.description.robots import bundled_folder
from rigid_tree_kinematics.model.transforms import (
    matrix_quaternion,
    quaternion_matrix,
    transform,
    transform_from_xyz_rpy,
)

CODE = MoveItErrorCodes
ROBOT = load_robot("panda_hand")
BASE, HAND = "panda_link0", "panda_hand"
# Beside the arm, it looks across the way of the hand, at a place on the other side.
CAMERA = transform_from_xyz_rpy([0.55, -0.9, 0.5], [-0.5 * math.pi, 0.0, 0.0])
PLACE = transform_from_xyz_rpy([0.55, 0.9, 0.5], [0.5 * math.pi, 0.0, 0.0])
LEFT = [0.5, *READY[1:]]


@pytest.fixture(scope="module")
def network(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Network]:
    made = Network(tmp_path_factory.mktemp("network"))
    srdf = str(bundled_folder("robots") / "panda_hand.srdf")
    made.start("move_group", {"robot": "panda_hand", "srdf": srdf})
    stamped = TransformStamped(child_frame_id="camera")
    stamped.header.frame_id = BASE
    at, turn = stamped.transform.translation, stamped.transform.rotation
    at.x, at.y, at.z = CAMERA[:3, 3].tolist()
    turn.x, turn.y, turn.z, turn.w = matrix_quaternion(CAMERA).tolist()
    made.publisher(TFMessage, "/tf_static", LATCHED).publish(TFMessage(transforms=[stamped]))
    yield made
    made.close()


def stamped(frame: str, T: Any = None) -> PoseStamped:
    message = PoseStamped()
    message.header.frame_id = frame
    T = np.eye(4) if T is None else T
    at, turn = message.pose.position, message.pose.orientation
    at.x, at.y, at.z = T[:3, 3].tolist()
    turn.x, turn.y, turn.z, turn.w = matrix_quaternion(T).tolist()
    return message


def seeing(target: PoseStamped, sensor: PoseStamped, **fields: Any) -> VisibilityConstraint:
    return VisibilityConstraint(
        target_pose=target, sensor_pose=sensor, cone_sides=8, weight=1.0, **fields
    )


def below(q: list[float], distance: float = 0.3) -> PoseStamped:
    """Return a disc that the hand looks at straight."""
    T = hand(q)
    return stamped(
        BASE,
        T @ transform([0.0, 0.0, distance], quaternion_matrix([1.0, 0.0, 0.0, 0.0])),
    )


def hand(q: Any) -> Any:
    return ROBOT.get_transform({**dict(zip(JOINTS, q, strict=True)), FINGER: 0.0}, HAND)


def result(network: Network, constraint: VisibilityConstraint, q: list[float]) -> Any:
    reply = network.call(
        GetStateValidity,
        "check_state_validity",
        group_name="panda_arm",
        robot_state=RobotState(joint_state=JointState(name=JOINTS, position=q)),
        constraints=Constraints(visibility_constraints=[constraint]),
    )
    (found,) = reply.constraint_result
    assert reply.valid == (found.result and not reply.contacts)
    return found


def plan(network: Network, goal: Constraints, path: Constraints | None = None) -> Any:
    request = MotionPlanRequest(group_name="panda_arm", goal_constraints=[goal])
    request.start_state.joint_state = JointState(name=JOINTS, position=READY)
    request.allowed_planning_time = 30.0
    if path is not None:
        request.path_constraints = path
    reply = network.call(GetMotionPlan, "plan_kinematic_path", motion_plan_request=request)
    return reply.motion_plan_response


def at(positions: list[float]) -> Constraints:
    items = [
        JointConstraint(joint_name=name, position=q, tolerance_above=1e-3, tolerance_below=1e-3)
        for name, q in zip(JOINTS, positions, strict=True)
    ]
    return Constraints(joint_constraints=items)


def configurations(response: Any) -> list[list[float]]:
    assert response.error_code.val == CODE.SUCCESS, response.error_code.message
    return [list(point.positions) for point in response.trajectory.joint_trajectory.points]


# -- states --------------------------------------------------------------------------------------


def test_the_axes_that_a_sensor_looks_along(network):
    thing = below(READY)
    for direction, seen in ((0, True), (1, False), (2, False)):
        one = seeing(thing, stamped(HAND), max_view_angle=0.1, sensor_view_direction=direction)
        assert result(network, one, READY).result == seen
    # A sensor that is mounted the other way looks along its x axis.
    turned = transform_from_xyz_rpy([0.0, 0.0, 0.0], [0.0, -0.5 * math.pi, 0.0])
    one = seeing(
        thing,
        stamped(HAND, turned),
        max_view_angle=0.1,
        max_range_angle=0.1,
        sensor_view_direction=VisibilityConstraint.SENSOR_X,
    )
    assert result(network, one, READY).result


@pytest.mark.parametrize(("limit", "seen"), [(0.19, False), (0.21, True)])
def test_both_angles(network, limit, seen):
    # Tilted by 0.2 rad about its own middle; seen 0.2 rad beside the axis.
    tilted = stamped(
        BASE,
        hand(READY)
        @ transform_from_xyz_rpy([0.0, 0.0, 0.3], [0.0, 0.0, 0.0])
        @ transform_from_xyz_rpy([0.0, 0.0, 0.0], [math.pi + 0.2, 0.0, 0.0]),
    )
    view = result(network, seeing(tilted, stamped(HAND), max_view_angle=limit), READY)
    beside = transform_from_xyz_rpy([0.0, 0.3 * math.tan(0.2), 0.3], [math.pi, 0.0, 0.0])
    thing = stamped(BASE, hand(READY) @ beside)
    range_ = result(network, seeing(thing, stamped(HAND), max_range_angle=limit), READY)
    for found in (view, range_):
        assert found.result == seen
        # A limit has a slack of 1e-6.
        assert found.distance == pytest.approx(max(0.0, 0.2 - limit), abs=2e-6)


def test_links_are_in_the_way_but_those_that_are_named(network):
    across = seeing(stamped(BASE, PLACE), stamped("camera"), target_radius=0.03)
    q = list(READY)
    tip = hand(READY)[:3, 3] - [0.0, 0.0, 0.04]  # between its flange and its fingers
    assert abs(tip[0] - CAMERA[0, 3]) > 0.1  # the hand stands beside the line
    assert result(network, across, READY).result
    # The camera moved to where the hand is between.
    T = CAMERA.copy()
    T[[0, 2], 3] = tip[0], tip[2]
    far = PLACE.copy()
    far[[0, 2], 3] = tip[0], tip[2]
    blocked = seeing(stamped(BASE, far), stamped(BASE, T), target_radius=0.01)
    found = result(network, blocked, q)
    assert not found.result
    assert found.distance > 0.0
    # What it looks at is no obstacle to itself.
    on_hand = np.linalg.inv(hand(READY)) @ far
    named = seeing(stamped(HAND, on_hand), stamped(BASE, T), target_radius=0.01)
    assert result(network, named, q).result
    # A disc without a size is seen past anything.
    blocked.target_radius = 0.0
    assert result(network, blocked, q).result


@pytest.mark.parametrize(
    ("fields", "words"),
    [
        ({"sensor_view_direction": 3}, "sensor_view_direction"),
        ({"max_view_angle": math.nan}, "max_view_angle"),
        ({"max_range_angle": -1.0}, "max_range_angle"),
    ],
)
def test_numbers_that_make_no_sense(network, fields, words):
    wrong = seeing(stamped(BASE, PLACE), stamped("camera"), **fields)
    answer = plan(network, Constraints(visibility_constraints=[wrong])).error_code
    assert answer.val == CODE.INVALID_GOAL_CONSTRAINTS
    assert words in answer.message
    answer = plan(network, at(LEFT), Constraints(visibility_constraints=[wrong])).error_code
    assert answer.val == CODE.PLANNING_FAILED


def test_an_unknown_frame(network):
    wrong = seeing(stamped("moon"), stamped("camera"), max_range_angle=0.3)
    answer = plan(network, Constraints(visibility_constraints=[wrong])).error_code
    assert answer.val == CODE.FRAME_TRANSFORM_FAILURE


# -- goals and ways ------------------------------------------------------------------------------


def test_a_goal_that_a_camera_beside_the_hand_sees(network):
    thing = np.array([0.4, 0.4, 0.0])
    mount = transform([0.08, 0.0, 0.02])
    goal = seeing(
        stamped(BASE, transform(thing)),
        stamped(HAND, mount),
        target_radius=0.02,
        max_view_angle=0.5,
        max_range_angle=0.1,
    )
    assert not result(network, goal, READY).result
    ways = configurations(plan(network, Constraints(visibility_constraints=[goal])))
    T = hand(ways[-1]) @ mount
    way = thing - T[:3, 3]
    assert T[:3, 2] @ [0.0, 0.0, -1.0] >= math.cos(0.5) - 1e-6
    assert T[:3, 2] @ way / np.linalg.norm(way) >= math.cos(0.1) - 1e-6
    assert result(network, goal, ways[-1]).result


def test_a_thing_is_kept_in_view_all_along_the_way(network):
    point = hand(READY)[:3, 3] + [0.0, 0.0, -0.35]
    kept = seeing(stamped(BASE, transform(point)), stamped(HAND), max_range_angle=0.35)

    def off(q: list[float]) -> float:
        T = hand(q)
        way = point - T[:3, 3]
        return math.acos(min(1.0, float(T[:3, 2] @ way / np.linalg.norm(way))))

    # Elsewhere, where it looks at the same thing: turned about the vertical through it.
    goal = Constraints(
        visibility_constraints=[kept], joint_constraints=at(LEFT).joint_constraints[:1]
    )
    goal.joint_constraints[0].tolerance_above = goal.joint_constraints[0].tolerance_below = 0.02
    path = Constraints(visibility_constraints=[kept])
    ways = configurations(plan(network, goal, path))
    assert ways[-1][0] == pytest.approx(0.5, abs=0.021)
    between = [
        (1.0 - s) * np.array(a) + s * np.array(b)
        for a, b in itertools.pairwise(ways)
        for s in np.linspace(0.0, 1.0, 5)
    ]
    assert max(map(off, between)) <= 0.35 + 1e-3


def test_a_start_and_goals_that_are_not_seen(network):
    thing = stamped(BASE, transform([0.3, 0.5, 0.0]))
    never = seeing(thing, stamped(HAND), max_range_angle=0.1)
    path = Constraints(visibility_constraints=[never])
    answer = plan(network, at(LEFT), path).error_code
    assert answer.val == CODE.START_STATE_VIOLATES_PATH_CONSTRAINTS
    assert "range angle violated by" in answer.message
    kept = seeing(below(READY), stamped(HAND), max_range_angle=0.1)
    answer = plan(network, at(LEFT), Constraints(visibility_constraints=[kept])).error_code
    assert answer.val == CODE.GOAL_VIOLATES_PATH_CONSTRAINTS


def test_the_arm_stays_out_of_a_line_of_sight(network):
    # From one side of the line to the other, on the way the hand would pass through it.
    start, goal = np.array(READY), np.array(READY)
    start[3], goal[3] = -2.75, -1.2
    T, far = CAMERA.copy(), PLACE.copy()
    x, z = 0.5 * (hand(start) + hand(goal))[[0, 2], 3]
    T[[0, 2], 3] = far[[0, 2], 3] = x, z
    kept = seeing(stamped(BASE, far), stamped(BASE, T), target_radius=0.02)
    straight = [(1.0 - s) * start + s * goal for s in np.linspace(0.0, 1.0, 25)]
    seen = [result(network, kept, q.tolist()).result for q in straight]
    assert seen[0]
    assert seen[-1]
    assert not all(seen)
    request = MotionPlanRequest(group_name="panda_arm", goal_constraints=[at(goal.tolist())])
    request.start_state.joint_state = JointState(name=JOINTS, position=start.tolist())
    request.allowed_planning_time = 60.0
    request.path_constraints = Constraints(visibility_constraints=[kept])
    reply = network.call(GetMotionPlan, "plan_kinematic_path", motion_plan_request=request)
    ways = configurations(reply.motion_plan_response)
    assert ways[-1] == pytest.approx(goal.tolist(), abs=1e-6)
    for first, last in zip(ways[:-1:4], ways[4::4], strict=False):
        assert result(network, kept, last).result
        middle = 0.5 * (np.array(first) + np.array(last))
        assert result(network, kept, middle.tolist()).result


def test_a_straight_line_ends_where_the_thing_is_out_of_view(network):
    point = hand(READY)[:3, 3] + [0.0, 0.0, -0.4]
    kept = seeing(stamped(BASE, transform(point)), stamped(HAND), max_range_angle=0.3)
    request = GetCartesianPath.Request(group_name="panda_arm", link_name=HAND, max_step=0.01)
    request.start_state.joint_state = JointState(name=JOINTS, position=READY)
    # The hand keeps its turn, and so the thing is 0.3 rad beside its axis after 0.124 m.
    T = hand(READY)
    T[1, 3] += 0.25
    request.waypoints = [stamped(BASE, T).pose]
    request.path_constraints = Constraints(visibility_constraints=[kept])
    reply = network.call(GetCartesianPath, "compute_cartesian_path", request)
    assert reply.fraction == pytest.approx(0.4 * math.tan(0.3) / 0.25, abs=0.05)
    assert reply.fraction <= 0.4 * math.tan(0.3) / 0.25
    assert "range angle" in reply.error_code.message


def test_a_solution_sees_what_it_shall_see(network):
    # A joint to spare turns the elbow out of the way; the hand's pose is the same.
    request = PositionIKRequest(group_name="panda_arm", ik_link_name=HAND)
    request.pose_stamped, request.timeout.sec = stamped(BASE, hand(LEFT)), 10
    request.robot_state.joint_state = JointState(name=JOINTS, position=READY)
    elbow = ROBOT.get_transform(
        {**dict(zip(JOINTS, LEFT, strict=True)), FINGER: 0.0}, "panda_link4"
    )[:3, 3]
    T, far = CAMERA.copy(), PLACE.copy()
    T[[0, 2], 3] = far[[0, 2], 3] = elbow[[0, 2]]
    across = seeing(stamped(BASE, far), stamped(BASE, T), target_radius=0.03)
    assert not result(network, across, LEFT).result
    request.constraints = Constraints(visibility_constraints=[across])
    reply = network.call(GetPositionIK, "compute_ik", ik_request=request)
    assert reply.error_code.val == CODE.SUCCESS, reply.error_code.message
    state = reply.solution.joint_state
    found = [state.position[list(state.name).index(name)] for name in JOINTS]
    assert hand(found) == pytest.approx(hand(LEFT), abs=1e-5)
    assert result(network, across, found).result
