"""Constraints of move_group, on paths and goals, checked by Pinocchio."""

from typing import Any

import numpy as np
import pytest
from geometry_msgs.msg import Point, Pose, PoseStamped, Quaternion, Vector3
from moveit_harness.move_group import DOWN, FINGER, JOINTS, PATIENCE, READY, TIP, MoveGroup
from moveit_msgs.msg import (
    BoundingVolume,
    Constraints,
    OrientationConstraint,
    PositionConstraint,
)
from scipy.spatial import Delaunay
from scipy.spatial.transform import Rotation
from shape_msgs.msg import Mesh, SolidPrimitive
from std_msgs.msg import Header

from harness.arm.paths import straight
from harness.poses import pose_stamped
from harness.truth import Truth
from move_group.cell import BASE, CODE, Cell, by_name, has_error, joints, rows, solved, state

R_DOWN = np.diag([1.0, -1.0, -1.0])
ASIDE = [0.9, *READY[1:]]  # turned about the first joint: as high and as upright
CORNERS = np.array([(0, 0, 0), (0.1, 0, 0), (0, 0.1, 0), (0, 0, 0.1), (0.02, 0.02, 0.02)])


@pytest.fixture(scope="module")
def cell(moveit: MoveGroup) -> Cell:
    return Cell(moveit.network)


def poses(truth: Truth, trajectory: Any, link: str = TIP) -> np.ndarray:
    """Return where a link is (k, 4, 4) at every 0.01 rad of a trajectory."""
    return np.array([truth.pose(np.append(q, 0.035), link) for q in straight(rows(trajectory))])


def euler(T: np.ndarray) -> np.ndarray:
    """Return the turns about x, the new y and the new z from straight down, as MoveIt has them."""
    return np.abs(Rotation.from_matrix(R_DOWN.T @ T[:3, :3]).as_euler("XYZ"))


def turns(T: np.ndarray) -> np.ndarray:
    """Return the rotation vector from straight down, in the axes of the base."""
    return np.abs(Rotation.from_matrix(T[:3, :3] @ R_DOWN.T).as_rotvec())


def upright(tolerance: float = 0.1, **fields: Any) -> Constraints:
    one = OrientationConstraint(link_name=TIP, header=Header(frame_id=BASE), **fields)
    one.orientation = Quaternion(x=1.0, w=0.0)
    one.absolute_x_axis_tolerance = one.absolute_y_axis_tolerance = tolerance
    one.absolute_z_axis_tolerance = 3.1416
    return Constraints(orientation_constraints=[one])


def box(sizes: tuple[float, ...], middle: Any, **fields: Any) -> PositionConstraint:
    one = PositionConstraint(link_name=TIP, header=Header(frame_id=BASE), **fields)
    one.constraint_region = BoundingVolume(
        primitives=[primitive(SolidPrimitive.BOX, sizes)], primitive_poses=[pose(middle)]
    )
    return one


def primitive(kind: int, sizes: tuple[float, ...]) -> SolidPrimitive:
    return SolidPrimitive(type=kind, dimensions=list(sizes))


def pose(middle: Any, **turn: float) -> Pose:
    x, y, z = (float(value) for value in middle)
    return Pose(position=Point(x=x, y=y, z=z), orientation=Quaternion(**turn or {"w": 1.0}))


# -- pymoveit2 -----------------------------------------------------------------------------------


def test_pymoveit2_keeps_the_hand_upright_around_a_post_and_drives_it(moveit, truth):
    arm = moveit.arm
    arm.add_collision_box(
        "post", (0.1, 0.1, 1.2), position=(0.45, 0.3, 0.6), quat_xyzw=(0, 0, 0, 1.0)
    )
    moveit.network.until(lambda: "post" in moveit.objects()[0], "the post in the scene")
    arm.set_path_orientation_constraint(quat_xyzw=DOWN, tolerance=(0.1, 0.1, 3.15))
    try:
        planned = arm.plan(joint_positions=[1.4, *READY[1:]], timeout_sec=PATIENCE)
        assert planned is not None, arm.last_failure()
        for T in poses(truth, planned):
            assert euler(T)[:2].max() <= 0.1
        arm.execute(planned)
        assert arm.wait_until_executed(), arm.last_failure()
    finally:
        arm.clear_path_constraints()
    moveit.be_ready()


# -- along the way -------------------------------------------------------------------------------


def test_a_plane_and_a_box_with_an_offset(moveit, cell, truth):
    height = moveit.tip(READY)[2, 3] - 0.1  # below the hand
    plane = box((4.0, 4.0, 0.0005), (0.0, 0.0, height), target_point_offset=Vector3(z=0.1))
    kept = Constraints(position_constraints=[plane])
    for T in poses(truth, solved(cell.plan(joints(ASIDE), path_constraints=kept))):
        assert abs((T @ [0.0, 0.0, 0.1, 1.0])[2] - height) <= 0.00025


def test_a_rotation_vector_is_in_the_axes_of_its_frame(cell, truth):
    kept = upright(0.3, parameterization=OrientationConstraint.ROTATION_VECTOR)
    goal = joints([0.6, *READY[1:6], 0.5])
    for T in poses(truth, solved(cell.plan(goal, path_constraints=kept))):
        assert turns(T)[:2].max() <= 0.3


def test_a_frame_of_a_link_moves_with_it(cell, truth):
    kept = upright(0.4)
    turn = kept.orientation_constraints[0]
    turn.header.frame_id, turn.link_name = "panda_link5", "panda_link7"
    now = truth.pose(np.append(READY, 0.035), "panda_link7", "panda_link5")
    turn.orientation = pose_stamped(now).pose.orientation
    turn.absolute_z_axis_tolerance = 0.4
    goal = [1.5, 0.2, 0.3, -1.5, 0.4, 1.4, 0.9]
    planned = solved(cell.plan(joints(goal), path_constraints=kept))
    links = zip(
        poses(truth, planned, "panda_link7"), poses(truth, planned, "panda_link5"), strict=True
    )
    for T, above in links:
        relative = now[:3, :3].T @ above[:3, :3].T @ T[:3, :3]
        assert np.abs(Rotation.from_matrix(relative).as_euler("XYZ")).max() <= 0.4


def test_starts_and_goals_that_violate_have_their_codes(cell):
    tilted = [*READY[:5], READY[5] + 0.5, READY[6]]
    words = "OrientationBounds of 'panda_hand_tcp': orientation violated by 0.4 rad"
    fields = {"start_state": state(tilted), "path_constraints": upright()}
    answer = cell.plan(joints(ASIDE), **fields).error_code
    assert has_error(answer, CODE.START_STATE_VIOLATES_PATH_CONSTRAINTS, words)
    answer = cell.plan(joints(tilted), path_constraints=upright()).error_code
    assert has_error(answer, CODE.GOAL_VIOLATES_PATH_CONSTRAINTS, "0.4 rad")


def test_unsatisfiable_constraints_are_rejected_with_a_message(cell):
    nowhere = Constraints(position_constraints=[PositionConstraint(link_name=TIP)])
    many = Constraints(joint_constraints=joints({JOINTS[0]: 0.0}).joint_constraints * 201)
    for kept, words in (
        (nowhere, "needs a primitive or a mesh"),
        (joints({"elbow": 0.0}), "elbow"),
        (joints({JOINTS[0]: 9.0}), "panda_joint1"),
        (many, "201 constraints"),
    ):
        answer = cell.plan(joints(ASIDE), path_constraints=kept).error_code
        assert has_error(answer, CODE.PLANNING_FAILED, words)


# -- goals ---------------------------------------------------------------------------------------


def test_goals_of_all_kinds(moveit, cell, truth):
    low = moveit.tip(READY)[:3, 3] + (0.0, 0.2, -0.2)
    mesh = Mesh(vertices=[Point(x=x, y=y, z=z) for x, y, z in CORNERS.astype(float)])
    volume = BoundingVolume(meshes=[mesh], mesh_poses=[pose(low)])
    in_mesh = PositionConstraint(link_name=TIP, constraint_region=volume)
    far = primitive(SolidPrimitive.SPHERE, (0.1,))
    near = primitive(SolidPrimitive.CYLINDER, (0.1, 0.02))
    either = PositionConstraint(link_name=TIP, target_point_offset=Vector3(z=0.05))
    either.constraint_region = BoundingVolume(
        primitives=[far, near], primitive_poses=[pose((3.0, 0.0, 0.0)), pose(low)]
    )
    with_joint = joints({"panda_joint7": 0.4}, tolerance=0.05)
    with_joint.position_constraints = [box((0.02, 0.02, 0.02), low)]
    with_joint.orientation_constraints = upright(0.02).orientation_constraints
    vector = upright(0.1, parameterization=OrientationConstraint.ROTATION_VECTOR)
    vector.orientation_constraints[0].absolute_z_axis_tolerance = 0.2

    def end(goal: Constraints) -> np.ndarray:
        planned = solved(cell.plan(goal))
        if goal is with_joint:
            assert abs(rows(planned)[-1, 6] - 0.4) <= 0.05
        return poses(truth, planned)[-1]

    T = end(Constraints(position_constraints=[in_mesh]))
    assert Delaunay(CORNERS).find_simplex(T[:3, 3] - low) >= 0
    T = end(Constraints(position_constraints=[either]))
    x, y, z = (T @ [0.0, 0.0, 0.05, 1.0])[:3] - low
    assert np.hypot(x, y) <= 0.02
    assert abs(z) <= 0.05
    T = end(with_joint)
    assert np.abs(T[:3, 3] - low).max() <= 0.01
    assert euler(T)[:2].max() <= 0.02
    assert (turns(end(vector)) <= (0.1, 0.1, 0.2)).all()


# -- the other services --------------------------------------------------------------------------


def test_a_straight_line_ends_where_a_constraint_does(moveit, cell, truth):
    start = moveit.tip(READY)[:3, 3]
    goal = pose(start + np.array([0.0, 0.2, 0.0]), x=1.0, w=0.0)
    region = box((2.0, 0.2, 2.0), start)  # 0.1 m to each side
    fields = {"header": Header(frame_id=BASE)}
    fields["path_constraints"] = Constraints(position_constraints=[region])
    reply = cell.line(goal, **fields)
    assert has_error(reply.error_code, CODE.SUCCESS, "position violated by")
    assert 0.4 < reply.fraction <= 0.5
    planned = poses(truth, reply.solution.joint_trajectory)[:, 1, 3]
    assert 0.09 < planned.max() <= 0.1
    region.constraint_region.primitive_poses[0].position.y = 1.0
    code = cell.line(goal, **fields).error_code.val
    assert code == CODE.START_STATE_VIOLATES_PATH_CONSTRAINTS


def test_each_constraint_of_a_state_has_its_own_result(cell):
    both = joints({JOINTS[0]: 0.25}, tolerance=0.05)
    both.orientation_constraints = upright().orientation_constraints
    reply = cell.validity(constraints=both)
    assert not reply.valid
    assert not reply.contacts
    assert [item.result for item in reply.constraint_result] == [False, True]
    assert reply.constraint_result[0].distance == pytest.approx(0.2)
    both.joint_constraints = []
    assert cell.validity(constraints=both).valid


def test_inverse_kinematics_meets_constraints_and_several_poses(cell, truth):
    elbow = box((4.0, 4.0, 0.02), (0.0, 0.0, 0.62))
    elbow.link_name = "panda_link4"

    def solution(**fields: Any) -> np.ndarray:
        reply = cell.ik(avoid_collisions=False, **fields)
        assert reply.error_code.val == CODE.SUCCESS, reply.error_code
        at = by_name(reply.solution.joint_state)
        return np.array([at[name] for name in (*JOINTS, FINGER)])

    target = PoseStamped(header=Header(frame_id=BASE), pose=pose((0.4, 0.2, 0.4), x=1.0, w=0.0))
    constraints = Constraints(position_constraints=[elbow])
    q = solution(ik_link_name=TIP, pose_stamped=target, constraints=constraints)
    np.testing.assert_allclose(truth.pose(q, TIP)[:3, 3], (0.4, 0.2, 0.4), atol=2e-6)
    np.testing.assert_allclose(truth.pose(q, TIP)[:3, :3], R_DOWN, atol=2e-6)
    assert abs(truth.pose(q, "panda_link4")[2, 3] - 0.62) <= 0.01

    links = [TIP, "panda_link4"]
    goal = np.append([0.3, -0.2, 0.2, -2.0, 0.1, 1.8, 0.9], 0.035)
    targets = [pose_stamped(truth.pose(goal, link), BASE) for link in links]
    q = solution(ik_link_names=links, pose_stamped_vector=targets)
    for link in links:
        np.testing.assert_allclose(truth.pose(q, link), truth.pose(goal, link), atol=1e-5)
    reply = cell.ik(ik_link_names=links[:1], pose_stamped_vector=targets)
    assert reply.error_code.val == CODE.INVALID_GOAL_CONSTRAINTS
