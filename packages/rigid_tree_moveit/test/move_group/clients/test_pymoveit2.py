"""move_group with unmodified pymoveit2 and a simulated Panda."""

import numpy as np
import pytest
import trimesh
from moveit_harness.move_group import DOWN, FINGER, JOINTS, PATIENCE, READY, TIP
from pymoveit2 import MoveIt2State, RobotDescription

from harness.arm.paths import straight
from move_group.cell import CODE, by_name, of_arm, rows, times
from rigid_tree_kinematics.collision import CollisionChecker, Obstacle, Scene
from rigid_tree_kinematics.model import Box
from rigid_tree_kinematics.model.transforms import transform
from rigid_tree_kinematics.nodes.tf import pose_matrix

AHEAD = (0.4, 0.2, 0.4)
T_AHEAD = transform(AHEAD, np.diag([1.0, -1.0, -1.0]))  # of a hand that points downwards
POSE = {"position": AHEAD, "quat_xyzw": DOWN}
FAR = [1.5, *READY[1:]]
STILL = (0.0, 0.0, 0.0, 1.0)


@pytest.fixture
def arm(moveit):
    """pymoveit2's client, as it was made when the test is over."""
    yield moveit.arm
    moveit.arm.clear_goal_constraints()
    moveit.arm.max_velocity = 0.0


@pytest.fixture
def plan(arm):
    """Return a function that plans with patience."""
    return lambda **goal: arm.plan(**goal, timeout_sec=PATIENCE)


# -- kinematics and plans ------------------------------------------------------------------------


def test_fk_and_ik_agree_with_the_model(moveit, arm):
    rng = np.random.default_rng(5)
    for _ in range(5):
        q = moveit.robot.random_configuration(rng)[:7].tolist()
        answer = arm.compute_fk(q, timeout_sec=PATIENCE)
        np.testing.assert_allclose(pose_matrix(answer.pose), moveit.tip(q), atol=1e-12)
    found = arm.compute_ik(AHEAD, DOWN, ik_link_name=TIP, timeout_sec=PATIENCE)
    assert "panda_finger_joint2" in by_name(found)  # mimic joints, too
    np.testing.assert_allclose(moveit.tip(of_arm(found)), T_AHEAD, atol=2e-6)
    assert arm.compute_ik((3.0, 0.0, 0.0), DOWN, timeout_sec=PATIENCE) is None
    links = ["panda_link4", TIP]
    answers = arm.compute_fk(READY, links, timeout_sec=PATIENCE)
    for answer, link in zip(answers, links, strict=True):
        wanted = moveit.robot.get_transform([*READY, 0.035], link)
        np.testing.assert_allclose(pose_matrix(answer.pose), wanted, atol=1e-12)
    assert arm.compute_fk(READY, ["panda_link44"], timeout_sec=PATIENCE) is None


def test_without_waiting(moveit, arm):
    futures = [
        arm.compute_fk_async(READY),
        arm.compute_ik_async(AHEAD, DOWN, start_joint_state=READY, ik_link_name=TIP),
        arm.plan_async(**POSE),
        arm.plan_async(**POSE, cartesian=True),
    ]
    moveit.network.until(lambda: all(future.done() for future in futures), "all answers")
    pose = pose_matrix(arm.get_compute_fk_result(futures[0]).pose)
    np.testing.assert_allclose(pose, moveit.tip(READY), atol=1e-12)
    found = of_arm(arm.get_compute_ik_result(futures[1]))
    np.testing.assert_allclose(moveit.tip(found)[:3, 3], AHEAD, atol=1e-5)
    for future, cartesian in ((futures[2], False), (futures[3], True)):
        last = rows(arm.get_trajectory(future, cartesian=cartesian))[-1]
        np.testing.assert_allclose(moveit.tip(last)[:3, 3], AHEAD, atol=1e-3)


def test_a_pose_is_planned_around_an_obstacle_and_reached(moveit, arm, plan):
    size, middle = (0.1, 0.1, 0.8), (0.45, 0.0, 0.4)
    start = arm.compute_ik((0.45, 0.35, 0.3), DOWN, ik_link_name=TIP, timeout_sec=PATIENCE)
    arm.move_to_configuration(of_arm(start))
    assert arm.wait_until_executed()
    arm.add_collision_box("post", size, position=middle, quat_xyzw=STILL)
    moveit.network.until(lambda: "post" in moveit.objects()[0], "the post in the scene")

    trajectory = plan(position=(0.45, -0.35, 0.3), quat_xyzw=DOWN)
    scene = Scene([Obstacle.of("post", Box(size), transform(middle))])
    checker = CollisionChecker(moveit.robot, scene)
    for q in straight(rows(trajectory)):
        assert checker.is_free([*q, 0.035])
    assert (np.diff(times(trajectory)) > 0.0).all()
    assert all(len(point.velocities) == len(JOINTS) for point in trajectory.points)

    arm.execute(trajectory)
    assert arm.wait_until_executed(), arm.last_failure()
    reached = moveit.tip(moveit.positions())
    np.testing.assert_allclose(reached[:3, 3], (0.45, -0.35, 0.3), atol=2e-3)


def test_a_straight_line_is_straight_and_a_blocked_one_ends_early(moveit, arm, plan):
    start = moveit.tip(READY)
    end = start.copy()
    end[:3, 3] += (0.1, 0.15, -0.1)
    goal = {"position": end[:3, 3].tolist(), "quat_xyzw": DOWN, "cartesian": True}
    places = [moveit.tip(q) for q in rows(plan(**goal))]
    shift = (end - start)[:3, 3]
    for T in places:
        off = T[:3, 3] - start[:3, 3]
        assert np.linalg.norm(np.cross(off, shift)) / np.linalg.norm(shift) < 1e-3
    np.testing.assert_allclose(places[-1], end, atol=1e-5)

    arm.add_collision_sphere("ball", 0.03, position=(start[:3, 3] + 0.7 * shift).tolist())
    moveit.network.until(lambda: "ball" in moveit.objects()[0], "the ball in the scene")
    assert plan(**goal, cartesian_fraction_threshold=1.0) is None
    assert "touches" in moveit.process.output


def test_a_robot_is_described_by_the_parameters_of_move_group(arm):
    description = RobotDescription.from_node(arm._node, timeout_sec=PATIENCE)
    assert description.arm_group_name == "panda_arm"
    found = description.moveit2_kwargs()
    assert found["joint_names"] == JOINTS
    assert (found["base_link_name"], found["end_effector_name"]) == ("panda_link0", "panda_link8")
    assert description.joint_positions("ready") == pytest.approx(READY, abs=1e-3)
    assert description.moveit2_gripper_kwargs()["gripper_group_name"] == "hand"


# -- objects -------------------------------------------------------------------------------------


def test_objects_are_added_moved_attached_detached_and_cleared(moveit, arm):
    arm.add_collision_box("box", (0.04, 0.04, 0.04), position=(0.5, 0.0, 0.1), quat_xyzw=STILL)
    arm.add_collision_cylinder("can", 0.1, 0.03, position=(0.5, 0.2, 0.1), quat_xyzw=STILL)
    arm.add_collision_cone("cone", 0.1, 0.03, position=(0.5, -0.2, 0.1), quat_xyzw=STILL)
    names = {"box", "can", "cone"}
    moveit.network.until(lambda: moveit.objects()[0].keys() == names, "three objects")
    arm.move_collision("box", (0.5, 0.0, 0.3), STILL)
    moveit.network.until(
        lambda: abs(moveit.objects()[0]["box"].pose.position.z - 0.3) < 1e-9, "the box higher"
    )
    arm.attach_collision_object("box", TIP, ["panda_leftfinger", "panda_rightfinger"])
    moveit.network.until(lambda: "box" in moveit.objects()[1], "the box attached")
    attached = moveit.objects()[1]["box"]
    assert attached.link_name == TIP
    T = moveit.tip(moveit.positions()) @ pose_matrix(attached.object.pose)
    np.testing.assert_allclose(T[:3, 3], (0.5, 0.0, 0.3), atol=1e-6)
    arm.detach_collision_object("box")
    moveit.network.until(lambda: "box" in moveit.objects()[0], "the box standing")
    arm.remove_collision_object("can")
    moveit.network.until(lambda: moveit.objects()[0].keys() == {"box", "cone"}, "no can")


def test_mesh_blocks_the_path_and_attached_objects_are_detached_together(moveit, arm, plan):
    mesh = trimesh.creation.box((0.2, 0.2, 0.2))
    arm.add_collision_mesh(None, "block", position=AHEAD, quat_xyzw=STILL, mesh=mesh)
    moveit.network.until(lambda: "block" in moveit.objects()[0], "the mesh in the scene")
    assert plan(**POSE) is None
    assert "'block'" in moveit.process.output
    arm.remove_collision_object("block")
    for number, name in enumerate(("one", "two")):
        middle = (0.5, 0.2 * number, 0.1)
        arm.add_collision_box(name, (0.04, 0.04, 0.04), position=middle, quat_xyzw=STILL)
        moveit.network.until(lambda name=name: name in moveit.objects()[0], "a box")
        arm.attach_collision_object(name, TIP)
    moveit.network.until(lambda: moveit.objects()[1].keys() == {"one", "two"}, "both held")
    arm.detach_all_collision_objects()
    moveit.network.until(lambda: moveit.objects()[0].keys() == {"one", "two"}, "both standing")


# -- motions -------------------------------------------------------------------------------------


def test_the_action_plans_and_moves_in_one(moveit):
    one = moveit.client(use_move_group_action=True)
    one.move_to_pose(**POSE)
    assert one.wait_until_executed(), one.last_failure()
    np.testing.assert_allclose(moveit.tip(moveit.positions()), T_AHEAD, atol=3e-3)


def test_a_motion_can_be_followed(moveit, arm):
    assert arm.query_state() == MoveIt2State.IDLE
    arm.move_to_configuration([0.4, *READY[1:]])
    moveit.network.until(lambda: arm.query_state() == MoveIt2State.EXECUTING, "a motion")
    future = arm.get_execution_future()
    moveit.network.until(future.done, "its end")
    assert arm.wait_until_executed(PATIENCE)
    assert arm.motion_succeeded
    assert arm.get_last_execution_error_code().val == CODE.SUCCESS
    assert arm.reset_controller(moveit.positions())  # where the robot is already
    assert arm.wait_until_executed(PATIENCE), arm.last_failure()


def test_motions_are_stopped_and_cancelled(moveit, arm):
    arm.max_velocity = 0.05
    for end in (arm.stop_all_trajectory_execution, arm.cancel_execution):
        arm.move_to_configuration(FAR)
        before = moveit.positions()[0]
        moveit.network.until(lambda at=before: moveit.positions()[0] > at + 0.02, "the motion")
        end()
        assert not arm.wait_until_executed(PATIENCE)
        assert arm.get_last_execution_error_code().val == CODE.PREEMPTED
    arm.move_to_configuration(FAR)
    moveit.network.until(lambda: arm.query_state() == MoveIt2State.EXECUTING, "a motion")
    assert not arm.wait_until_executed(0.3, cancel_on_timeout=True)
    moveit.network.until(lambda: arm.query_state() == MoveIt2State.IDLE, "its end")
    assert moveit.positions()[0] < 1.4


def test_a_client_of_the_gripper_moves_it(moveit):
    hand = moveit.client(joint_names=[FINGER], end_effector_name="panda_hand", group_name="hand")
    hand.move_to_configuration([0.01])
    assert hand.wait_until_executed(), hand.last_failure()
    assert abs(by_name(hand.joint_state)[FINGER] - 0.01) < 1e-3
