"""move_group, asked by pymoveit2 as it comes from PyPI, with a simulated Panda."""

from __future__ import annotations

import itertools
from typing import Any

import numpy as np

from harness.moveit import DOWN, FINGER, JOINTS, PATIENCE, READY, TIP
from rigid_tree_kinematics.collision import CollisionChecker, Obstacle, Scene
from rigid_tree_kinematics.model import Box
from rigid_tree_kinematics.model.transforms import transform
from rigid_tree_kinematics.nodes.tf.target_frames import pose_matrix

AHEAD = transform((0.4, 0.2, 0.4), np.diag([1.0, -1.0, -1.0]))  # of a hand that points downwards


def rows(trajectory: Any) -> np.ndarray:
    columns = [list(trajectory.joint_names).index(name) for name in JOINTS]
    return np.array([point.positions for point in trajectory.points])[:, columns]


def test_fk_and_ik_agree_with_the_model(moveit):
    rng = np.random.default_rng(5)
    for _ in range(5):
        q = moveit.robot.random_configuration(rng)[:7].tolist()
        answer = moveit.arm.compute_fk(q, timeout_sec=PATIENCE)
        np.testing.assert_allclose(pose_matrix(answer.pose), moveit.tip(q), atol=1e-12)
    found = moveit.arm.compute_ik(
        AHEAD[:3, 3].tolist(), DOWN, ik_link_name=TIP, timeout_sec=PATIENCE
    )
    at = dict(zip(found.name, found.position, strict=True))
    assert "panda_finger_joint2" in at  # mimic joints, too
    np.testing.assert_allclose(moveit.tip([at[name] for name in JOINTS]), AHEAD, atol=2e-6)
    assert moveit.arm.compute_ik((3.0, 0.0, 0.0), DOWN, timeout_sec=PATIENCE) is None


def test_fk_of_links_by_name_and_of_one_that_is_none(moveit):
    links = ["panda_link4", TIP]
    first, second = moveit.arm.compute_fk(READY, links, timeout_sec=PATIENCE)
    q = {**dict(zip(JOINTS, READY, strict=True)), FINGER: 0.035}
    for answer, link in ((first, links[0]), (second, links[1])):
        wanted = moveit.robot.get_transform(q, link)
        np.testing.assert_allclose(pose_matrix(answer.pose), wanted, atol=1e-12)
    assert moveit.arm.compute_fk(READY, ["panda_link44"], timeout_sec=PATIENCE) is None


def test_a_pose_is_planned_around_an_obstacle_and_reached(moveit):
    size, middle = (0.1, 0.1, 0.8), (0.45, 0.0, 0.4)
    start = moveit.arm.compute_ik((0.45, 0.35, 0.3), DOWN, ik_link_name=TIP, timeout_sec=PATIENCE)
    at = dict(zip(start.name, start.position, strict=True))
    moveit.arm.move_to_configuration([at[name] for name in JOINTS])
    assert moveit.arm.wait_until_executed()
    moveit.arm.add_collision_box("post", size, position=middle, quat_xyzw=(0.0, 0.0, 0.0, 1.0))
    moveit.network.until(lambda: "post" in moveit.objects()[0], "the post in the scene")

    trajectory = moveit.arm.plan(position=(0.45, -0.35, 0.3), quat_xyzw=DOWN, timeout_sec=PATIENCE)
    path = rows(trajectory)
    scene = Scene([Obstacle.of("post", Box(size), transform(middle))])
    checker = CollisionChecker(moveit.robot, scene)
    for first, last in itertools.pairwise(path):
        for part in np.linspace(0.0, 1.0, 2 + int(np.abs(last - first).max() / 0.01)):
            report = checker.check([*((1.0 - part) * first + part * last), 0.035])
            assert report.free, report.message
    times = [
        point.time_from_start.sec + 1e-9 * point.time_from_start.nanosec
        for point in trajectory.points
    ]
    assert (np.diff(times) > 0.0).all()
    assert all(len(point.velocities) == len(JOINTS) for point in trajectory.points)

    moveit.arm.execute(trajectory)
    assert moveit.arm.wait_until_executed(), moveit.arm.last_failure()
    reached = moveit.tip(moveit.positions())
    np.testing.assert_allclose(reached[:3, 3], (0.45, -0.35, 0.3), atol=2e-3)


def test_the_action_plans_and_moves_in_one(moveit):
    one = moveit.client(use_move_group_action=True)
    one.move_to_pose(position=AHEAD[:3, 3].tolist(), quat_xyzw=DOWN)
    assert one.wait_until_executed(), one.last_failure()
    np.testing.assert_allclose(moveit.tip(moveit.positions()), AHEAD, atol=3e-3)


def test_a_straight_line_is_straight_and_a_blocked_one_ends_early(moveit):
    start = moveit.tip(READY)
    end = start.copy()
    end[:3, 3] += (0.1, 0.15, -0.1)
    goal = {"position": end[:3, 3].tolist(), "quat_xyzw": DOWN, "cartesian": True}
    trajectory = moveit.arm.plan(**goal, timeout_sec=PATIENCE)
    way = (end - start)[:3, 3]
    for positions in rows(trajectory):
        off = moveit.tip(positions.tolist())[:3, 3] - start[:3, 3]
        assert np.linalg.norm(np.cross(off, way)) / np.linalg.norm(way) < 1e-3
    np.testing.assert_allclose(moveit.tip(rows(trajectory)[-1].tolist()), end, atol=1e-5)

    middle = (start[:3, 3] + 0.7 * way).tolist()
    moveit.arm.add_collision_sphere("ball", 0.03, position=middle)
    moveit.network.until(lambda: "ball" in moveit.objects()[0], "the ball in the scene")
    assert moveit.arm.plan(**goal, cartesian_fraction_threshold=1.0, timeout_sec=PATIENCE) is None
    assert "touches" in moveit.process.output


def test_objects_are_added_moved_attached_detached_and_cleared(moveit):
    still = (0.0, 0.0, 0.0, 1.0)
    arm = moveit.arm
    arm.add_collision_box("box", (0.04, 0.04, 0.04), position=(0.5, 0.0, 0.1), quat_xyzw=still)
    arm.add_collision_cylinder("can", 0.1, 0.03, position=(0.5, 0.2, 0.1), quat_xyzw=still)
    arm.add_collision_cone("cone", 0.1, 0.03, position=(0.5, -0.2, 0.1), quat_xyzw=still)
    names = {"box", "can", "cone"}
    moveit.network.until(lambda: moveit.objects()[0].keys() == names, "three objects")
    arm.move_collision("box", (0.5, 0.0, 0.3), still)
    moveit.network.until(
        lambda: abs(moveit.objects()[0]["box"].pose.position.z - 0.3) < 1e-9, "the box higher"
    )
    arm.attach_collision_object("box", TIP, ["panda_leftfinger", "panda_rightfinger"])
    moveit.network.until(lambda: "box" in moveit.objects()[1], "the box attached")
    held = moveit.objects()[1]["box"]
    assert held.link_name == TIP
    tip = moveit.tip(moveit.positions())
    np.testing.assert_allclose(
        (tip @ pose_matrix(held.object.pose))[:3, 3], (0.5, 0.0, 0.3), atol=1e-6
    )
    arm.detach_collision_object("box")
    moveit.network.until(lambda: "box" in moveit.objects()[0], "the box standing")
    arm.remove_collision_object("can")
    moveit.network.until(lambda: moveit.objects()[0].keys() == {"box", "cone"}, "no can")


def test_a_goal_inside_an_obstacle_is_refused_with_its_name(moveit):
    moveit.arm.add_collision_box(
        "wall", (0.3, 0.3, 0.3), position=AHEAD[:3, 3].tolist(), quat_xyzw=(0.0, 0.0, 0.0, 1.0)
    )
    moveit.network.until(lambda: "wall" in moveit.objects()[0], "the wall in the scene")
    goal = AHEAD[:3, 3].tolist()
    assert moveit.arm.plan(position=goal, quat_xyzw=DOWN, timeout_sec=PATIENCE) is None
    assert "'wall'" in moveit.process.output


def test_a_motion_is_cancelled(moveit):
    moveit.arm.max_velocity = 0.05
    try:
        moveit.arm.move_to_configuration([1.5, *READY[1:]])
        moveit.network.until(lambda: moveit.positions()[0] > 0.02, "the arm on its way")
        assert moveit.arm.cancel_execution()
        assert not moveit.arm.wait_until_executed(PATIENCE)
    finally:
        moveit.arm.max_velocity = 0.0
    assert moveit.positions()[0] < 1.4


def test_the_fingers_are_a_group_of_their_own(moveit):
    hand = moveit.client(joint_names=[FINGER], end_effector_name="panda_hand", group_name="hand")
    hand.move_to_configuration([0.01])
    assert hand.wait_until_executed(), hand.last_failure()
    state = hand.joint_state
    at = dict(zip(state.name, state.position, strict=True))
    assert abs(at[FINGER] - 0.01) < 1e-3


def test_what_is_not_served_is_said(moveit):
    stranger = moveit.client(group_name="left_arm")
    assert stranger.plan(joint_positions=READY, timeout_sec=PATIENCE) is None
    assert "no group 'left_arm'" in moveit.process.output
