"""Constraints of move_group, along the way and of goals, judged by Pinocchio's kinematics."""

from __future__ import annotations

import itertools
from typing import Any

import numpy as np
import pytest
from geometry_msgs.msg import Point, Pose, Quaternion, Vector3
from moveit_msgs.msg import (
    BoundingVolume,
    Constraints,
    JointConstraint,
    MotionPlanRequest,
    MoveItErrorCodes,
    OrientationConstraint,
    PositionConstraint,
    PositionIKRequest,
)
from moveit_msgs.srv import GetCartesianPath, GetMotionPlan, GetPositionIK, GetStateValidity
from scipy.spatial import Delaunay
from scipy.spatial.transform import Rotation
from shape_msgs.msg import Mesh, SolidPrimitive

from harness.moveit import DOWN, FINGER, JOINTS, PATIENCE, READY, TIP, MoveGroup
from harness.truth import Truth

CODE = MoveItErrorCodes
R_DOWN = np.diag([1.0, -1.0, -1.0])
ASIDE = [0.9, *READY[1:]]  # turned about the first joint: as high and as upright
CORNERS = np.array([(0, 0, 0), (0.1, 0, 0), (0, 0.1, 0), (0, 0, 0.1), (0.02, 0.02, 0.02)])


@pytest.fixture(scope="module")
def moveit(shared: MoveGroup) -> MoveGroup:
    shared.be_ready()
    return shared


@pytest.fixture(scope="module")
def truth(moveit: MoveGroup) -> Truth:
    return Truth(moveit.robot)


def poses(truth: Truth, trajectory: Any, link: str = TIP) -> np.ndarray:
    """Return where a link is (k, 4, 4) at every 0.01 rad of a trajectory."""
    columns = [list(trajectory.joint_names).index(name) for name in JOINTS]
    rows = np.array([point.positions for point in trajectory.points])[:, columns]
    dense = [rows[:1]]
    for first, last in itertools.pairwise(rows):
        count = max(1, int(np.ceil(np.abs(last - first).max() / 0.01)))
        dense.append(first + (last - first) * np.linspace(0.0, 1.0, count + 1)[1:, None])
    return np.array([truth.pose(np.append(q, 0.035), link) for q in np.vstack(dense)])


def euler(T: np.ndarray) -> np.ndarray:
    """Return the turns about x, the new y and the new z from straight down, as MoveIt has them."""
    return np.abs(Rotation.from_matrix(R_DOWN.T @ T[:3, :3]).as_euler("XYZ"))


def upright(tolerance: float = 0.1, **fields: Any) -> Constraints:
    one = OrientationConstraint(link_name=TIP, **fields)
    one.header.frame_id = "panda_link0"
    one.orientation = Quaternion(x=1.0, w=0.0)
    one.absolute_x_axis_tolerance = one.absolute_y_axis_tolerance = tolerance
    one.absolute_z_axis_tolerance = 3.1416
    return Constraints(orientation_constraints=[one])


def box(sizes: tuple[float, ...], middle: Any, **fields: Any) -> PositionConstraint:
    one = PositionConstraint(link_name=TIP, **fields)
    one.header.frame_id = "panda_link0"
    one.constraint_region = region(primitive(SolidPrimitive.BOX, sizes), middle)
    return one


def primitive(kind: int, sizes: tuple[float, ...]) -> SolidPrimitive:
    return SolidPrimitive(type=kind, dimensions=list(sizes))


def pose(middle: Any) -> Pose:
    x, y, z = (float(value) for value in middle)
    return Pose(position=Point(x=x, y=y, z=z), orientation=Quaternion(w=1.0))


def region(shape: SolidPrimitive | Mesh, middle: Any) -> BoundingVolume:
    if isinstance(shape, Mesh):
        return BoundingVolume(meshes=[shape], mesh_poses=[pose(middle)])
    return BoundingVolume(primitives=[shape], primitive_poses=[pose(middle)])


def joints(values: Any, names: Any = JOINTS, tolerance: float = 1e-3) -> Constraints:
    items = [
        JointConstraint(
            joint_name=name, position=value, tolerance_above=tolerance, tolerance_below=tolerance
        )
        for name, value in zip(names, values, strict=True)
    ]
    return Constraints(joint_constraints=items)


def plan(moveit: MoveGroup, goal: Constraints, **fields: Any) -> Any:
    start = fields.pop("start", READY)
    request = MotionPlanRequest(group_name="panda_arm", goal_constraints=[goal], **fields)
    request.start_state.joint_state.name = JOINTS
    request.start_state.joint_state.position = start
    reply = moveit.network.call(GetMotionPlan, "plan_kinematic_path", motion_plan_request=request)
    return reply.motion_plan_response


def solved(response: Any) -> Any:
    assert response.error_code.val == CODE.SUCCESS, response.error_code
    return response.trajectory.joint_trajectory


# -- pymoveit2 -----------------------------------------------------------------------------------


def test_pymoveit2_keeps_the_hand_upright_around_a_post_and_drives_it(moveit, truth):
    arm = moveit.arm
    arm.add_collision_box(
        "post", (0.1, 0.1, 1.2), position=(0.45, 0.3, 0.6), quat_xyzw=(0, 0, 0, 1.0)
    )
    moveit.network.until(lambda: "post" in moveit.objects()[0], "the post in the scene")
    arm.set_path_orientation_constraint(quat_xyzw=DOWN, tolerance=(0.1, 0.1, 3.15))
    try:
        way = arm.plan(joint_positions=[1.4, *READY[1:]], timeout_sec=PATIENCE)
        assert way is not None, arm.last_failure()
        for T in poses(truth, way):
            assert euler(T)[:2].max() <= 0.1
        arm.execute(way)
        assert arm.wait_until_executed(), arm.last_failure()
    finally:
        arm.clear_path_constraints()
    moveit.be_ready()


def test_pymoveit2_keeps_the_hand_in_a_ball(moveit, truth):
    arm = moveit.arm
    middle = moveit.tip(READY)[:3, 3]
    arm.set_path_position_constraint(position=middle.tolist(), tolerance=0.15)
    try:
        goal = moveit.tip(READY)[:3, 3] + (0.0, 0.1, -0.1)
        way = arm.plan(
            position=goal.tolist(), quat_xyzw=(0.9239, 0.3827, 0.0, 0.0), timeout_sec=PATIENCE
        )
        assert way is not None, arm.last_failure()
        places = poses(truth, way)[:, :3, 3]
        assert np.linalg.norm(places - middle, axis=1).max() <= 0.15
        np.testing.assert_allclose(places[-1], goal, atol=1.1e-3)
    finally:
        arm.clear_path_constraints()


def test_pymoveit2_keeps_a_joint(moveit):
    arm = moveit.arm
    arm.set_path_joint_constraint([READY[3]], ["panda_joint4"], tolerance=0.2)
    try:
        way = arm.plan(joint_positions=ASIDE, timeout_sec=PATIENCE)
        at = list(way.joint_names).index("panda_joint4")
        values = np.array([point.positions[at] for point in way.points])
        assert np.abs(values - READY[3]).max() <= 0.2 + 1e-6
    finally:
        arm.clear_path_constraints()


# -- along the way -------------------------------------------------------------------------------


def test_a_plane_and_a_box_with_an_offset(moveit, truth):
    tip = moveit.tip(READY)
    offset = (0.0, 0.0, 0.1)  # below the hand
    height = tip[2, 3] - 0.1
    plane = box((4.0, 4.0, 0.0005), (0.0, 0.0, height), target_point_offset=Vector3(z=0.1))
    response = plan(
        moveit, joints(ASIDE), path_constraints=Constraints(position_constraints=[plane])
    )
    for T in poses(truth, solved(response)):
        assert abs((T @ [*offset, 1.0])[2] - height) <= 0.00025


def test_a_rotation_vector_is_in_the_axes_of_its_frame(moveit, truth):
    held = upright(0.3, parameterization=OrientationConstraint.ROTATION_VECTOR)
    response = plan(moveit, joints([0.6, *READY[1:6], 0.5]), path_constraints=held)
    for T in poses(truth, solved(response)):
        vector = Rotation.from_matrix(T[:3, :3] @ R_DOWN.T).as_rotvec()
        assert np.abs(vector[:2]).max() <= 0.3


def test_a_frame_of_a_link_moves_with_it(moveit, truth):
    held = upright(0.4)
    turn = held.orientation_constraints[0]
    turn.header.frame_id, turn.link_name = "panda_link5", "panda_link7"
    q = np.append(READY, 0.035)
    now = Rotation.from_matrix(truth.pose(q, "panda_link7", "panda_link5")[:3, :3])
    x, y, z, w = now.as_quat()
    turn.orientation = Quaternion(x=x, y=y, z=z, w=w)
    turn.absolute_z_axis_tolerance = 0.4
    goal = [1.5, 0.2, 0.3, -1.5, 0.4, 1.4, 0.9]
    way = solved(plan(moveit, joints(goal), path_constraints=held))
    links = zip(poses(truth, way, "panda_link7"), poses(truth, way, "panda_link5"), strict=True)
    for T, above in links:
        relative = now.as_matrix().T @ above[:3, :3].T @ T[:3, :3]
        assert np.abs(Rotation.from_matrix(relative).as_euler("XYZ")).max() <= 0.4


def test_starts_and_goals_that_violate_have_their_codes(moveit):
    tilted = [*READY[:5], READY[5] + 0.5, READY[6]]
    answer = plan(moveit, joints(ASIDE), start=tilted, path_constraints=upright()).error_code
    assert answer.val == CODE.START_STATE_VIOLATES_PATH_CONSTRAINTS
    assert (
        "OrientationBounds of 'panda_hand_tcp': orientation violated by 0.4 rad" in answer.message
    )
    answer = plan(moveit, joints(tilted), path_constraints=upright()).error_code
    assert answer.val == CODE.GOAL_VIOLATES_PATH_CONSTRAINTS
    assert "0.4 rad" in answer.message


def test_what_cannot_be_held_is_refused_in_words(moveit):
    nowhere = Constraints(position_constraints=[PositionConstraint(link_name=TIP)])
    for held, words in (
        (nowhere, "needs a primitive or a mesh"),
        (joints([0.0], ["elbow"]), "elbow"),
        (joints([9.0], ["panda_joint1"]), "panda_joint1"),
        (joints([0.0] * 201, ["panda_joint1"] * 201), "201 constraints"),
    ):
        answer = plan(moveit, joints(ASIDE), path_constraints=held).error_code
        assert answer.val == CODE.PLANNING_FAILED, answer
        assert words in answer.message


# -- goals ---------------------------------------------------------------------------------------


def test_goals_of_all_kinds(moveit, truth):
    low = moveit.tip(READY)[:3, 3] + (0.0, 0.2, -0.2)
    mesh = Mesh(vertices=[Point(x=x, y=y, z=z) for x, y, z in CORNERS.astype(float)])
    in_mesh = PositionConstraint(link_name=TIP, constraint_region=region(mesh, low))
    far = primitive(SolidPrimitive.SPHERE, (0.1,))
    near = primitive(SolidPrimitive.CYLINDER, (0.1, 0.02))
    either = PositionConstraint(link_name=TIP, target_point_offset=Vector3(z=0.05))
    either.constraint_region = BoundingVolume(
        primitives=[far, near], primitive_poses=[pose((3.0, 0.0, 0.0)), pose(low)]
    )
    with_joint = joints([0.4], ["panda_joint7"], tolerance=0.05)
    with_joint.position_constraints = [box((0.02, 0.02, 0.02), low)]
    with_joint.orientation_constraints = upright(0.02).orientation_constraints

    def end(goal: Constraints) -> np.ndarray:
        way = solved(plan(moveit, goal))
        if goal is with_joint:
            at = list(way.joint_names).index("panda_joint7")
            assert abs(way.points[-1].positions[at] - 0.4) <= 0.05
        return poses(truth, way)[-1]

    T = end(Constraints(position_constraints=[in_mesh]))
    assert Delaunay(CORNERS).find_simplex(T[:3, 3] - low) >= 0
    T = end(Constraints(position_constraints=[either]))
    x, y, z = (T @ [0.0, 0.0, 0.05, 1.0])[:3] - low
    assert np.hypot(x, y) <= 0.02
    assert abs(z) <= 0.05
    T = end(with_joint)
    assert np.abs(T[:3, 3] - low).max() <= 0.01
    assert euler(T)[:2].max() <= 0.02
    vector = upright(0.1, parameterization=OrientationConstraint.ROTATION_VECTOR)
    vector.orientation_constraints[0].absolute_z_axis_tolerance = 0.2
    T = end(vector)
    assert (
        np.abs(Rotation.from_matrix(T[:3, :3] @ R_DOWN.T).as_rotvec()) <= (0.1, 0.1, 0.2)
    ).all()


# -- the other services --------------------------------------------------------------------------


def test_a_straight_line_ends_where_a_constraint_does(moveit, truth):
    start = moveit.tip(READY)
    request = GetCartesianPath.Request(group_name="panda_arm", link_name=TIP, max_step=0.01)
    request.header.frame_id = "panda_link0"
    request.start_state.joint_state.name = JOINTS
    request.start_state.joint_state.position = READY
    request.waypoints = [pose(start[:3, 3] + (0.0, 0.2, 0.0))]
    request.waypoints[0].orientation = Quaternion(x=1.0, w=0.0)
    request.path_constraints.position_constraints = [
        box((2.0, 0.2, 2.0), start[:3, 3])  # 0.1 m to each side
    ]
    reply = moveit.network.call(GetCartesianPath, "compute_cartesian_path", request)
    assert reply.error_code.val == CODE.SUCCESS
    assert 0.4 < reply.fraction <= 0.5
    assert "position violated by" in reply.error_code.message
    way = poses(truth, reply.solution.joint_trajectory)[:, 1, 3]
    assert 0.09 < way.max() <= 0.1
    request.path_constraints.position_constraints[0].constraint_region.primitive_poses[
        0
    ].position.y = 1.0
    reply = moveit.network.call(GetCartesianPath, "compute_cartesian_path", request)
    assert reply.error_code.val == CODE.START_STATE_VIOLATES_PATH_CONSTRAINTS


def test_states_are_judged_by_constraints_one_by_one(moveit):
    request = GetStateValidity.Request(group_name="panda_arm")
    request.robot_state.joint_state.name = JOINTS
    request.robot_state.joint_state.position = READY
    request.constraints = joints([0.25], ["panda_joint1"], tolerance=0.05)
    request.constraints.orientation_constraints = upright().orientation_constraints
    reply = moveit.network.call(GetStateValidity, "check_state_validity", request)
    assert not reply.valid
    assert not reply.contacts
    assert [item.result for item in reply.constraint_result] == [False, True]
    assert reply.constraint_result[0].distance == pytest.approx(0.2)
    request.constraints.joint_constraints = []
    assert moveit.network.call(GetStateValidity, "check_state_validity", request).valid


def test_inverse_kinematics_meets_constraints_and_several_poses(moveit, truth):
    ask = PositionIKRequest(group_name="panda_arm", ik_link_name=TIP)
    ask.robot_state.joint_state.name = JOINTS
    ask.robot_state.joint_state.position = READY
    ask.pose_stamped.header.frame_id = "panda_link0"
    ask.pose_stamped.pose = pose((0.4, 0.2, 0.4))
    ask.pose_stamped.pose.orientation = Quaternion(x=1.0, w=0.0)
    elbow = box((4.0, 4.0, 0.02), (0.0, 0.0, 0.62))
    elbow.link_name = "panda_link4"
    ask.constraints.position_constraints = [elbow]
    ask.timeout.sec = 2
    reply = moveit.network.call(GetPositionIK, "compute_ik", ik_request=ask)
    assert reply.error_code.val == CODE.SUCCESS, reply.error_code
    state = dict(
        zip(reply.solution.joint_state.name, reply.solution.joint_state.position, strict=True)
    )
    q = np.array([*(state[name] for name in JOINTS), state[FINGER]])
    np.testing.assert_allclose(truth.pose(q, TIP)[:3, 3], (0.4, 0.2, 0.4), atol=2e-6)
    np.testing.assert_allclose(truth.pose(q, TIP)[:3, :3], R_DOWN, atol=2e-6)
    assert abs(truth.pose(q, "panda_link4")[2, 3] - 0.62) <= 0.01

    goal = np.append([0.3, -0.2, 0.2, -2.0, 0.1, 1.8, 0.9], 0.035)
    ask.constraints = Constraints()
    ask.ik_link_names = [TIP, "panda_link4"]
    for link in ask.ik_link_names:
        T = truth.pose(goal, link)
        x, y, z, w = Rotation.from_matrix(T[:3, :3]).as_quat()
        stamped = type(ask.pose_stamped)()
        stamped.header.frame_id = "panda_link0"
        stamped.pose = pose(T[:3, 3])
        stamped.pose.orientation = Quaternion(x=x, y=y, z=z, w=w)
        ask.pose_stamped_vector.append(stamped)
    reply = moveit.network.call(GetPositionIK, "compute_ik", ik_request=ask)
    assert reply.error_code.val == CODE.SUCCESS, reply.error_code
    state = dict(
        zip(reply.solution.joint_state.name, reply.solution.joint_state.position, strict=True)
    )
    q = np.array([*(state[name] for name in JOINTS), state[FINGER]])
    for link in ask.ik_link_names:
        np.testing.assert_allclose(truth.pose(q, link), truth.pose(goal, link), atol=1e-5)
    ask.ik_link_names = [TIP]
    reply = moveit.network.call(GetPositionIK, "compute_ik", ik_request=ask)
    assert reply.error_code.val == CODE.INVALID_GOAL_CONSTRAINTS
