"""Prescribed motions: the tool's motion by Pinocchio, and limits at every instant."""

import numpy as np
import pytest
from scipy.spatial.transform import Rotation, Slerp

from harness.arm.motions import (
    LIMITS,
    ROBOT,
    SETTINGS,
    START,
    START_POSE,
    TIP,
    TRUTH,
    check_limits,
    dense,
    planner,
    shifted,
    ten_seconds,
)
from harness.truth import Truth
from rigid_tree_kinematics import load_robot
from rigid_tree_kinematics.collision import CollisionChecker, Obstacle, Scene
from rigid_tree_kinematics.deadline import Deadline
from rigid_tree_kinematics.errors import PlanningError
from rigid_tree_kinematics.model import (
    Box,
    Collision,
    Joint,
    RigidBody,
    RigidBodyTree,
    Sphere,
)
from rigid_tree_kinematics.model.transforms import rotation_log, transform
from rigid_tree_kinematics.planning import (
    MotionPlanner,
    PlanSettings,
    PlanStatus,
    PoseGoal,
    ToolLimits,
    ToolLine,
    arc_about,
    arc_through,
    move_joints,
    move_tool,
)

PATHS = {
    "shift": ToolLine(START_POSE, shifted((0.1, -0.4, 0.1))),
    "turn": ToolLine(START_POSE, shifted((0.0, 0.0, 0.0), (0.0, 0.5, -0.6))),
    "both": ToolLine(START_POSE, shifted((0.02, 0.2, -0.2), (0.3, 0.0, 0.9))),
    "tiny": ToolLine(START_POSE, shifted((1e-4, 0.0, 0.0))),
    "center": arc_about(START_POSE, shifted((0.1, 0.1, 0.0)), START_POSE[:3, 3] + (0.1, 0.0, 0.0)),
    "interim": arc_through(
        START_POSE,
        shifted((0.0, 0.0, -0.2), (0.0, 0.3, 0.0)),
        START_POSE[:3, 3] + (0.0, -0.12, -0.1),
    ),
}


@pytest.mark.parametrize("name", PATHS)
def test_tool_stays_on_its_path_and_joints_within_their_limits(name):
    tool_path = PATHS[name]
    slow = PlanSettings(velocity_scale=0.1, acceleration_scale=0.2)
    for settings in (SETTINGS, slow, PlanSettings(jerk_limit=50.0)):
        result = move_tool(planner(), TIP, START, tool_path, LIMITS, settings, ten_seconds())
        assert result.status is PlanStatus.SOLVED, result.message
        check_limits(result.trajectory, settings)
        times, q, _, _ = dense(result.trajectory)
        found = np.array([TRUTH.pose(row, TIP) for row in q])
        np.testing.assert_allclose(found[0], tool_path.start, atol=1e-6)
        np.testing.assert_allclose(found[-1], tool_path.end, atol=1e-6)
        # On the way: where the nearest share of it is, position and turn are those of the share.
        moved = found[:, :3, 3]
        turned = [
            np.linalg.norm(rotation_log(START_POSE[:3, :3].T @ pose[:3, :3])) for pose in found
        ]
        if tool_path.length > 0.0:
            steps = np.linalg.norm(np.diff(moved, axis=0), axis=1)
            shares = np.append(0.0, np.cumsum(steps)) / tool_path.length
        else:
            shares = np.array(turned) / tool_path.angle
        for share, pose in zip(shares, found, strict=True):
            wanted = tool_path.pose(float(min(share, 1.0)))
            np.testing.assert_allclose(pose, wanted, atol=3e-5)
        # The tool's own limits.
        speed = np.gradient(shares, times) * tool_path.length
        rotation = np.gradient(shares, times) * tool_path.angle
        assert speed.max() <= settings.velocity_scale * LIMITS.velocity * 1.001
        assert rotation.max() <= settings.velocity_scale * LIMITS.rotation_velocity * 1.001
        slope = np.gradient(speed, times)
        assert slope.max() <= settings.acceleration_scale * LIMITS.acceleration * 1.01 + 1e-3
        assert -slope.min() <= settings.acceleration_scale * LIMITS.deceleration * 1.01 + 1e-3


def test_the_tools_speed_is_a_trapezoid():
    limits = ToolLimits(velocity=0.2, acceleration=0.5, deceleration=1.0)
    tool_path = ToolLine(START_POSE, shifted((0.0, 0.3, 0.0)))
    result = move_tool(planner(), TIP, START, tool_path, limits, SETTINGS, ten_seconds())
    # 0.2 m/s after 0.4 s, stopped within 0.2 s, even in between; smoothed by some ms.
    assert result.trajectory.times[-1] == pytest.approx(0.4 + 0.2 + 0.24 / 0.2, abs=0.005)
    times, q, _, _ = dense(result.trajectory)
    x = np.array([TRUTH.pose(row, TIP)[1, 3] for row in q]) - START_POSE[1, 3]
    speed = np.gradient(x, times)
    for at, wanted in ((0.2, 0.1), (0.45, 0.2), (1.0, 0.2), (1.55, 0.2), (1.7, 0.1)):
        assert np.interp(at, times, speed) == pytest.approx(wanted, abs=5e-3)


def test_joints_go_together():
    goal = START + np.array([0.5, -0.3, 1.0, 0.2, 0.0, 0.4, -1.0, 0.0])
    result = move_joints(planner(), START, goal, SETTINGS, ten_seconds())
    check_limits(result.trajectory)
    _, q, _, _ = dense(result.trajectory)
    shares = (q - START)[:, 2] / (goal - START)[2]
    np.testing.assert_allclose(q, START + np.outer(shares, goal - START), atol=1e-9)
    # The joint that takes longest moves as fast as it may: 1 rad at 5 rad/s^2 up to 2.175 rad/s.
    fastest = 1.0 / 2.175 + 2.175 / 5.0
    assert result.trajectory.times[-1] == pytest.approx(fastest, abs=0.006)


def test_joints_move_as_they_were_checked():
    """A continuous joint takes the short arc across pi, not the long one through the wall."""
    tree = RigidBodyTree("crane")
    arm = RigidBody("arm", Joint("turn", "continuous"))
    arm.joint.velocity_limit = 1.0
    arm.collisions.append(Collision(Box((0.1, 0.1, 0.1)), transform((1.0, 0.0, 0.0))))
    tree.add_body(arm, "base")
    wall = Obstacle.of("wall", Box((0.3, 0.3, 0.3)), transform((1.0, 0.0, 0.0)))
    crane = MotionPlanner(tree, CollisionChecker(tree, Scene([wall])))
    start, goal = np.array([3.1]), np.array([-3.1])
    for result in (
        move_joints(crane, start, goal, SETTINGS, ten_seconds()),
        crane.timed(np.array([start, goal])),
    ):
        assert result.length == pytest.approx(2.0 * np.pi - 6.2)
        assert result.trajectory.positions.min() == 3.1
        assert result.trajectory.positions[-1] == pytest.approx(goal + 2.0 * np.pi)


def test_joints_keep_their_limits_and_locked_joints_stay():
    far = move_joints(planner(), START, START + 100.0, SETTINGS, ten_seconds())
    assert (far.status, "outside its limits" in far.message) == (PlanStatus.INVALID_INPUT, True)
    elbow = MotionPlanner(ROBOT, moving_joints=["panda_joint4"])
    moved = move_joints(elbow, START, START + 0.1, SETTINGS, ten_seconds()).path[-1] - START
    np.testing.assert_allclose(moved, 0.1 * (np.arange(len(START)) == 3), atol=1e-12)


def test_joints_go_to_the_nearest_posture_of_a_pose():
    goal = shifted((0.1, -0.2, 0.1), (0.2, 0.3, 0.0))
    result = move_joints(planner(), START, PoseGoal(TIP, goal), SETTINGS, ten_seconds())
    np.testing.assert_allclose(TRUTH.pose(result.path[-1], TIP), goal, atol=1e-6)
    assert np.abs(result.path[-1] - START).max() < 1.0


def test_blocking_obstacle_is_named():
    ball = Obstacle.of("ball", Sphere(0.05), transform(START_POSE[:3, 3] + (0.0, 0.2, 0.0)))
    tool_path = ToolLine(START_POSE, shifted((0.0, 0.4, 0.0)))
    result = move_tool(planner(ball), TIP, START, tool_path, LIMITS, SETTINGS, ten_seconds())
    assert (result.status, "'ball'" in result.message) == (PlanStatus.WAY_BLOCKED, True)
    goal = move_joints(
        planner(), START, PoseGoal(TIP, tool_path.end), SETTINGS, ten_seconds()
    ).path[-1]
    result = move_joints(planner(ball), START, goal, SETTINGS, ten_seconds())
    assert (result.status, "'ball'" in result.message) == (PlanStatus.WAY_BLOCKED, True)
    ball = Obstacle.of("ball", Sphere(0.1), transform(START_POSE[:3, 3]))
    result = move_tool(planner(ball), TIP, START, tool_path, LIMITS, SETTINGS, ten_seconds())
    assert result.status is PlanStatus.START_BLOCKED


def test_out_of_reach_late_and_too_slow_are_reported():
    far = ToolLine(START_POSE, shifted((0.0, 0.0, 2.0)))
    result = move_tool(planner(), TIP, START, far, LIMITS, SETTINGS, ten_seconds())
    assert result.status is PlanStatus.GOAL_UNREACHABLE
    assert "% of the path" in result.message
    result = move_tool(planner(), TIP, START, far, LIMITS, SETTINGS, Deadline(1e-9))
    assert result.status is PlanStatus.OUT_OF_TIME
    slow = ToolLimits(velocity=1e-7)
    result = move_tool(planner(), TIP, START, PATHS["shift"], slow, SETTINGS, ten_seconds())
    assert "more than a day" in result.message


def test_a_joint_that_cannot_follow_slows_the_whole_motion_down():
    quick = ToolLimits(velocity=5.0, acceleration=50.0, deceleration=50.0)
    tool_path = PATHS["shift"]
    result = move_tool(planner(), TIP, START, tool_path, quick, SETTINGS, ten_seconds())
    check_limits(result.trajectory)
    _, _, v, a = dense(result.trajectory)
    used = np.abs(v[:, :7]) / ROBOT.compiled().velocity_limit[:7]
    assert max(used.max(), np.sqrt(np.abs(a).max() / 5.0)) > 0.98


def test_motions_slow_down_near_singularities_and_halt_at_them():
    # A UR5 whose wrist 1 and wrist 3 turn about nearly parallel axes, led aside.
    robot = load_robot("ur5")
    truth = Truth(robot)
    free = MotionPlanner(robot, CollisionChecker(robot))
    durations = []
    for bend in (0.3, 0.05, 0.01):
        start = np.array([0.0, -1.2, 1.6, -1.97, bend, 0.0])
        here = truth.pose(start, "tool0")
        tool_path = ToolLine(here, transform((0.0, 0.1, 0.0)) @ here)
        result = move_tool(free, "tool0", start, tool_path, LIMITS, SETTINGS, ten_seconds())
        if result.success:
            _, _, v, a = dense(result.trajectory)
            assert (np.abs(v) <= robot.compiled().velocity_limit * (1.0 + 1e-6)).all()
            assert np.abs(a).max() <= 5.0 * (1.0 + 1e-6)
            durations.append(result.trajectory.times[-1])
    assert len(durations) == 2
    assert durations[0] < durations[1]
    assert not result.success
    assert "singularity" in result.message


# -- lines and arcs against their geometry -------------------------------------------------------


SHARES = np.linspace(0.0, 1.0, 41)


def poses(rng):
    pair = np.tile(np.eye(4), (2, 1, 1))
    pair[:, :3, 3] = rng.normal(size=(2, 3))
    pair[:, :3, :3] = Rotation.random(2, random_state=rng).as_matrix()
    return pair


def circle(rng, angle):
    """Return poses on a random circle, ``angle`` apart, its center, and a point by angle."""
    frame = Rotation.random(random_state=rng).as_matrix()
    center, radius = rng.normal(size=3), rng.uniform(0.05, 2.0)

    def point(at):
        return center + radius * frame @ np.array([np.cos(at), np.sin(at), 0.0])

    start, end = poses(rng)
    start[:3, 3], end[:3, 3] = point(0.0), point(angle)
    return start, end, center, point


def test_a_line_is_straight_and_turns_as_scipys_slerp():
    for seed in range(20):
        start, end = poses(np.random.default_rng(seed))
        line = ToolLine(start, end)
        turned = Slerp([0.0, 1.0], Rotation.from_matrix([start[:3, :3], end[:3, :3]]))(SHARES)
        for share, wanted in zip(SHARES, turned.as_matrix(), strict=True):
            pose = line.pose(float(share))
            np.testing.assert_allclose(pose[:3, :3], wanted, atol=1e-9)
            place = (1.0 - share) * start[:3, 3] + share * end[:3, 3]
            np.testing.assert_allclose(pose[:3, 3], place, atol=1e-12)


@pytest.mark.parametrize("angle", [0.1, 1.0, 2.0, 3.0, 3.3, 4.5, 6.0])
def test_arc_of_any_length_passes_its_interim_point(angle):
    for seed in range(10):
        start, end, center, point = circle(np.random.default_rng(seed), angle)
        for part in (0.2, 0.5, 0.9):
            arc = arc_through(start, end, point(part * angle))
            np.testing.assert_allclose(arc.center, center, atol=1e-9)
            assert arc.sweep == pytest.approx(angle, abs=1e-9)
            for share in SHARES:
                place = arc.position(float(share))
                np.testing.assert_allclose(place, point(share * angle), atol=1e-9)


@pytest.mark.parametrize("angle", [0.1, 1.0, 2.0, 3.0, 3.3, 4.5, 6.0])
def test_an_arc_about_a_center_is_the_shorter_one(angle):
    for seed in range(10):
        start, end, center, point = circle(np.random.default_rng(seed), angle)
        arc = arc_about(start, end, center)
        shorter = angle if angle < np.pi else angle - 2.0 * np.pi
        assert arc.sweep == pytest.approx(abs(shorter), abs=1e-9)
        for share in SHARES:
            np.testing.assert_allclose(arc.position(share), point(share * shorter), atol=1e-9)


def test_a_center_some_millimeters_off_still_ends_at_the_goal():
    start, end, center, _ = circle(np.random.default_rng(3), 1.2)
    arc = arc_about(start, end, center + np.array([0.001, -0.002, 0.001]))
    np.testing.assert_allclose(arc.position(1.0), end[:3, 3], atol=1e-12)


def test_points_without_a_circle_are_reported():
    start, end, center, point = circle(np.random.default_rng(1), np.pi)
    with pytest.raises(PlanningError, match="collinear"):
        arc_about(start, end, center)
    with pytest.raises(PlanningError, match="not on the circle"):
        arc_about(start, end, center + 0.1 * (end - start)[:3, 3])
    with pytest.raises(PlanningError, match="collinear"):
        arc_through(start, end, 0.5 * (start + end)[:3, 3])
    with pytest.raises(PlanningError, match="coincide"):
        arc_through(start, start, point(1.0))
    with pytest.raises(PlanningError, match="coincide"):
        arc_through(start, end, start[:3, 3])
    for wrong in ((np.nan, 0.0, 0.0), (0.0, 0.0), (1e200, 0.0, 0.0)):
        with pytest.raises(PlanningError, match="center is three numbers"):
            arc_about(start, end, wrong)
        with pytest.raises(PlanningError, match="interim point is three numbers"):
            arc_through(start, end, wrong)
