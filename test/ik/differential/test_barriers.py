"""Barriers of bodies: closest points beside quadprog, sliding arms, obstacles of all kinds."""

import numpy as np
import pytest
import quadprog
import trimesh

from harness.example_robots import two_hands
from rigid_tree_kinematics import load_robot
from rigid_tree_kinematics.collision import CollisionChecker, Obstacle, PointCloud, Scene
from rigid_tree_kinematics.errors import ModelError
from rigid_tree_kinematics.ik.differential import (
    CollisionBarrier,
    DifferentialIK,
    FrameTask,
    JointVelocityTask,
    PostureTask,
    StepStatus,
)
from rigid_tree_kinematics.ik.differential.near.closest_points import (
    SIMPLEX_COLUMNS,
    closest_points,
)
from rigid_tree_kinematics.model import Box, Cylinder, Mesh, Sphere
from rigid_tree_kinematics.model.transforms import (
    quaternion_matrix,
    random_quaternion,
    rpy_matrix,
    transform,
)

DT = 0.002
START = np.array([0.0, 0.3, 0.0, -1.8, 0.0, 2.1, 0.785])


def hull_distance(one, two):
    """Return quadprog's distance of two hulls of corners."""
    n, m = len(one), len(two)
    A = np.vstack((one, -two)) @ np.eye(3)
    H = A @ A.T + 1e-10 * np.eye(n + m)
    sums = np.zeros((2, n + m))
    sums[0, :n] = sums[1, n:] = 1.0
    normals = np.vstack((sums, np.eye(n + m))).T
    x = quadprog.solve_qp(H, np.zeros(n + m), normals, np.r_[1.0, 1.0, np.zeros(n + m)], 2)[0]
    return float(np.linalg.norm(A.T @ x))


def test_closest_points_of_hulls():
    rng = np.random.default_rng(2)
    simplex, points = np.zeros((4, SIMPLEX_COLUMNS)), np.zeros((2, 3))
    apart = 0
    for case in range(400):
        one = rng.normal(size=(rng.integers(1, 12), 3))
        two = rng.normal(size=(rng.integers(1, 12), 3))
        if case % 3 == 0:  # faces and edges that are parallel
            one, two = np.sign(one), np.sign(two)
        T = transform(rng.uniform(-4, 4, 3))
        if case % 2:
            T = T @ transform(rotation=quaternion_matrix(random_quaternion(rng)))
        axis = rng.normal(size=3)
        rows = tuple(T[:3].ravel())
        found = closest_points(one, two, rows, np.inf, simplex, axis, points)
        placed = two @ T[:3, :3].T + T[:3, 3]
        expected = hull_distance(one, placed)
        assert found == pytest.approx(expected, abs=2e-4)
        if found > 0.0:
            apart += 1
            np.testing.assert_allclose(np.linalg.norm(points[0] - points[1]), found, atol=1e-9)
            normal = (points[0] - points[1]) / found
            assert (one @ normal).min() >= points[0] @ normal - 1e-4
            assert (placed @ normal).max() <= points[1] @ normal + 1e-4
            # With a limit, a distance beyond it is only bounded from below.
            bound = closest_points(one, two, rows, 0.5 * found, simplex, axis, points)
            assert 0.5 * found <= bound <= found + 1e-6
    assert apart > 200


def test_two_arms_that_are_driven_into_each_other_slide_and_rise():
    """Tips go 0.35 m inwards, where they meet, and 0.1 m up, at a higher priority."""
    tree = two_hands()
    sides = "left", "right"
    apart = [(f"{side}_panda_link5", f"{side}_panda_link7") for side in sides]  # always near
    checker = CollisionChecker(tree, disabled_pairs=apart)
    ready = [0.0, -np.pi / 4, 0.0, -3 * np.pi / 4, 0.0, np.pi / 2, np.pi / 4, 0.03]
    heights, tasks, starts = [], [], []
    for side in sides:
        tip = f"{side}_panda_link8"  # its z axis points down
        heights.append(FrameTask(tip, (0.0, 0.0, 1.0), 1.0))
        tasks.append(FrameTask(tip, (1.0, 1.0, 0.0), 0.0, priority=2))
        starts.append(np.array(tree.get_transform([*ready, *ready], tip)))
    ik = DifferentialIK(
        tree,
        [*heights, *tasks],
        start=[*ready, *ready],
        barriers=[CollisionBarrier(checker, 0.02)],
        locked=[f"{side}_panda_finger_joint1" for side in sides],
        acceleration_limits=dict.fromkeys(tree.compiled().joint_names, 10.0),
    )
    for k in range(1500):
        way = min(k / 1000, 1.0)
        way = way * way * (3.0 - 2.0 * way)
        for height, task, T, inwards in zip(heights, tasks, starts, (-0.35, 0.35), strict=True):
            target = transform((0.0, way * inwards, 0.1 * way)) @ T
            height.set_target(target)
            task.set_target(target)
        step = ik.step(DT)
        assert step.status is StepStatus.FOLLOWED
        if k % 10 == 0:
            assert checker.distance(step.configuration).distance >= 0.02
    assert step.active[-1].count("panda_hand") == 2
    assert "near" in step.active[-1]
    for side, T in zip(sides, starts, strict=True):
        risen = tree.get_transform(step.configuration, f"{side}_panda_link8")[2, 3] - T[2, 3]
        assert risen == pytest.approx(0.1, abs=1e-3)


def obstacle(kind, tmp_path):
    if kind == "box":
        return Box((0.1, 0.1, 0.6))
    if kind == "sphere":
        return Sphere(0.1)
    if kind == "cylinder":
        return Cylinder(0.06, 0.6)
    if kind == "cloud":
        grid = np.stack(np.meshgrid([0.0], *[np.linspace(-0.2, 0.2, 30)] * 2), -1)
        return PointCloud(grid.reshape(-1, 3), 0.01)
    file = tmp_path / "ring.stl"
    trimesh.creation.annulus(0.05, 0.12, 0.2).export(file)
    return Mesh(str(file))


@pytest.mark.parametrize("kind", ["box", "sphere", "cylinder", "cloud", "mesh"])
def test_the_robot_slides_along_obstacles_and_never_touches_them(kind, tmp_path):
    robot, scene, rng = load_robot("panda_hand"), Scene(), np.random.default_rng(4)
    scene.add(Obstacle.of("thing", obstacle(kind, tmp_path), transform((0.9, 0.0, 0.5))))
    checker = CollisionChecker(robot, scene)
    start = np.append(START, 0.03)
    task = FrameTask("panda_hand", 1.0, 0.1)
    ik = DifferentialIK(
        robot,
        [task, PostureTask(0.01)],
        start=start,
        barriers=[CollisionBarrier(checker, 0.01)],
        locked=["panda_finger_joint1"],
        acceleration_limits=dict.fromkeys(robot.compiled().joint_names, 10.0),
    )
    T = np.array(robot.get_transform(start, "panda_hand"))
    active, near = set(), np.inf
    for k in range(2400):
        if k % 300 == 0:  # behind the obstacle, and at random places around it
            shift = (0.4, 0.0, 0.0) if k == 0 else rng.uniform((-0.1, -0.4, -0.3), (0.5, 0.4, 0.3))
            task.set_target(transform(shift) @ T)
        step = ik.step(DT)
        active |= {name for name in step.active if "near" in name}
        if k % 20 == 0:
            found = checker.distance(step.configuration).distance
            # Of clouds and concave meshes only the nearest point has a barrier.
            assert found > (0.005 if kind in ("cloud", "mesh") else 0.0095)
            near = min(near, found)
    assert near < 0.05
    assert any("'thing'" in name for name in active)


def test_bodies_without_a_barrier_stop_before_a_contact():
    """A wall appears within the minimum distance: the arm brakes or leaves, but never enters."""
    robot, scene = load_robot("panda"), Scene()
    checker = CollisionChecker(robot, scene)
    task = FrameTask("panda_link8", 1.0, 0.0)
    ik = DifferentialIK(
        robot,
        [task],
        start=START,
        barriers=[CollisionBarrier(checker)],
        acceleration_limits=dict.fromkeys(robot.compiled().joint_names, 5.0),
    )
    T = robot.get_transform(START, "panda_link8")
    task.set_target(transform((0.3, 0.0, 0.0)) @ T)
    for k in range(600):
        step = ik.step(DT)
        if k == 150:
            tip = robot.get_transform(step.configuration, "panda_link8")[:3, 3]
            scene.add(
                Obstacle.of("wall", Box((0.1, 1.0, 1.0)), transform((tip[0] + 0.19, *tip[1:])))
            )
        assert checker.is_free(step.configuration)


def test_joints_that_stop_at_their_limits_do_not_brake_the_robot():
    """The path of a stop bends there; the hand is near a wall meanwhile."""
    robot, scene = load_robot("panda"), Scene()
    checker = CollisionChecker(robot, scene)
    tip = robot.get_transform(START, "panda_link8")[:3, 3]
    scene.add(Obstacle.of("wall", Box((0.02, 2.0, 2.0)), transform((tip[0] + 0.17, 0.0, 0.0))))
    turns = JointVelocityTask()
    ik = DifferentialIK(
        robot,
        [turns],
        start=START,
        barriers=[CollisionBarrier(checker)],
        acceleration_limits=dict.fromkeys(robot.compiled().joint_names, 5.0),
    )
    turns.set_target([0.0, 0.0, 0.0, 0.0, 0.0, 1.5, 2.5])
    reasons = set()
    for _ in range(900):
        step = ik.step(DT)
        assert step.status is not StepStatus.BRAKED
        assert checker.is_free(step.configuration)
        reasons |= set(step.active)
    assert "upper position limit of 'panda_joint7'" in reasons


@pytest.mark.parametrize("seed", range(4))
def test_a_long_stop_beside_a_joint_limit_is_free(seed):
    """The elbow stops at its limit, the wrist later: hundreds of steps that end near the arm."""
    robot = load_robot("ur5")
    checker, hand = CollisionChecker(robot), FrameTask("tool0")
    accelerations = dict.fromkeys(robot.joint_names, 8.0)
    barriers = [CollisionBarrier(checker)]
    ik = DifferentialIK(robot, [hand], barriers=barriers, acceleration_limits=accelerations)
    off = np.random.default_rng(seed).normal(scale=0.02, size=6)
    ik.reset(
        np.array([4.588, 5.146, 2.901, -3.14, 4.953, 0.995]) + off,
        [0.0, -2.059, 1.639, -2.802, -0.54, 2.189],
    )
    hand.set_target(transform((0.061, 0.056, 0.36)))
    statuses = set()
    for _ in range(350):
        step = ik.step(0.00125)
        statuses.add(step.status)
        assert checker.is_free(step.configuration)
    assert StepStatus.BRAKED in statuses


def test_a_barrier_needs_a_checker_of_the_same_robot():
    checker = CollisionChecker(load_robot("ur5"))
    with pytest.raises(ModelError, match="not of this robot"):
        DifferentialIK(load_robot("panda"), [], barriers=[CollisionBarrier(checker)])
    with pytest.raises(ModelError, match="must exceed"):
        CollisionBarrier(checker, 0.2)
    with pytest.raises(ModelError, match="at most one"):
        DifferentialIK(load_robot("ur5"), [], barriers=[CollisionBarrier(checker)] * 2)


def test_a_robot_with_nothing_near_is_not_stopped():
    robot = load_robot("puma560")
    task = FrameTask(robot.body_names[-1])
    ik = DifferentialIK(robot, [task], barriers=[CollisionBarrier(CollisionChecker(robot))])
    T = robot.get_transform(ik.configuration, task.frame)
    task.set_target(transform((0.05, 0.05, 0.05)) @ T)
    for _ in range(20):
        assert ik.step(DT).status is StepStatus.FOLLOWED
    np.testing.assert_allclose(task.error, 0.0, atol=1e-4)


def test_bodies_that_start_nearer_keep_their_distance():
    robot = load_robot("panda")
    checker = CollisionChecker(robot)
    task = FrameTask("panda_link8", 1.0, 1.0)
    ik = DifferentialIK(robot, [task], start=START, barriers=[CollisionBarrier(checker, 0.03)])
    first = checker.distance(START).distance
    assert first < 0.03
    T = robot.get_transform(START, "panda_link8")
    for k in range(200):
        task.set_target(T @ transform(rotation=rpy_matrix(0.0, 0.004 * k, 0.0)))
        step = ik.step(DT)
        assert step.status is StepStatus.FOLLOWED
        assert checker.distance(step.configuration).distance > 0.01  # a lower bound is kept
