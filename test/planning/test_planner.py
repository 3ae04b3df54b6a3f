"""Plans of real robots, with paths checked by Pinocchio and coal, or the exact level."""

import itertools
import math
import re
import threading

import numpy as np
import pytest

from benchmarks.planning.pillars_scene import (
    ARM_JOINTS,
    BOXES,
    GOAL,
    SRDF,
    START,
    URDF,
    pillars_judge,
)
from harness.arm.motions import check_limits
from harness.arm.paths import straight
from harness.example_robots import ROBOTS, read
from rigid_tree_kinematics.collision import CollisionChecker, Obstacle, Scene
from rigid_tree_kinematics.deadline import Deadline
from rigid_tree_kinematics.description.robots import load_robot
from rigid_tree_kinematics.errors import ConfigurationError, PlanningError
from rigid_tree_kinematics.model import Box, Sphere
from rigid_tree_kinematics.model.transforms import transform
from rigid_tree_kinematics.planning import (
    MotionPlanner,
    PlanSettings,
    PlanStatus,
    PoseGoal,
    PoseRegion,
    RobotValidity,
)
from rigid_tree_kinematics.planning.path.shaping import Corners, corner_radii
from rigid_tree_kinematics.planning.search.motions import Motions
from rigid_tree_kinematics.planning.timing import states_at

TIP = "panda_hand"


def with_fingers(q):
    return np.append(q, 0.0)


ENDS = with_fingers(START), with_fingers(GOAL)
BLOCKED = with_fingers([np.arctan2(0.18, 0.45), *GOAL[1:]])  # in the left pillar
FAR = PoseGoal(TIP, transform((3.0, 0.0, 0.0)))


@pytest.fixture(scope="module")
def pillars():
    boxes = ((name, Box(size), transform(center)) for name, (size, center) in BOXES.items())
    scene = Scene(Obstacle.of(*box) for box in boxes)
    return CollisionChecker(read(URDF), scene, srdf=SRDF)


@pytest.fixture(scope="module")
def planner(pillars):
    return MotionPlanner(read(URDF), pillars, moving_joints=ARM_JOINTS)


@pytest.fixture(scope="module")
def judge():
    """Pinocchio and coal on the real meshes."""
    return pillars_judge(convex=False)


@pytest.mark.parametrize(
    ("settings", "solves"),
    [
        ({}, 6),
        ({"shorten": False}, 6),
        ({"step": 0.4}, 6),
        ({"planner": "rrt", "step": 0.5, "time_limit": 10.0}, 3),
    ],
)
def test_no_path_is_in_collision_according_to_pinocchio(planner, judge, settings, solves):
    solved = 0
    for seed in range(6):
        result = planner.plan(*ENDS, PlanSettings(seed=seed, **settings), timing=False)
        solved += result.success
        if result.success:
            np.testing.assert_array_equal(result.path[[0, -1]], ENDS)
            assert not judge.path_touches(result.path[:, :7])
            steps = np.diff(result.path, axis=0)
            assert result.length == pytest.approx(np.linalg.norm(steps, axis=1).sum())
        if solved == solves:
            break
    assert solved == solves


def test_trajectory_is_collision_free_and_within_the_limits(planner, judge):
    for seed in range(4):
        settings = PlanSettings(seed=seed, velocity_scale=0.7, acceleration_limit=4.0)
        result = planner.plan(*ENDS, settings)
        timed = result.trajectory
        assert not judge.path_touches(timed.positions[:, :7])
        check_limits(timed, settings)
        # Positions, velocities and times belong together.
        steps = np.diff(timed.times)[:, None]
        moved = 0.5 * (timed.velocities[1:] + timed.velocities[:-1]) * steps
        np.testing.assert_allclose(moved, np.diff(timed.positions, axis=0), atol=2e-3)
        # As fast as possible: something is at its limit for much of the time.
        limit = 0.7 * planner.compiled.velocity_limit[:7]
        near = (np.abs(timed.velocities[:, :7]) > 0.9 * limit).any(axis=1)
        near |= (np.abs(timed.accelerations) > 0.9 * 4.0).any(axis=1)
        assert near.mean() > 0.5


def test_a_jerk_limit_only_slows_down(planner, judge):
    """A motion that takes k times as long has jerks of 1 / k^3."""
    for seed in range(4):
        plain = planner.plan(*ENDS, PlanSettings(seed=seed, step=1.0, time_limit=60.0))
        seconds = []
        for jerk in (100.0, 20.0, 5.0, 0.1, 1e-5, 1e-9)[: 6 if seed == 0 else 2]:
            settings = PlanSettings(seed=seed, step=1.0, jerk_limit=jerk, time_limit=60.0)
            timed = planner.plan(*ENDS, settings)
            np.testing.assert_array_equal(timed.path, plain.path)
            check_limits(timed.trajectory, settings)
            assert len(timed.trajectory.times) < 20_000
            seconds.append(timed.trajectory.times[-1])
            assert seconds[-1] < 1.5 * seconds[0] * (100.0 / jerk) ** (1.0 / 3.0)
            if jerk >= 20.0:
                assert not judge.path_touches(timed.trajectory.positions[:, :7])
        assert 1.0 < seconds[0] / plain.trajectory.times[-1] < 1.5
    # A path in collision is timed as if it were free: going nearer to it would not help.
    path, settings = np.array(ENDS), PlanSettings(jerk_limit=20.0)
    checked, unchecked = (planner.timed(path, settings, checked=c) for c in (True, False))
    assert not planner.checker.motion_free(*path)
    assert checked.trajectory.times[-1] == unchecked.trajectory.times[-1]


def test_limits_of_the_description_come_before_the_settings_and_given_ones_first():
    robot = read(URDF)
    first, second, third = (robot.get_joint(f"panda_joint{k}") for k in (1, 2, 3))
    first.acceleration_limit, second.deceleration_limit, third.jerk_limit = 2.0, 1.0, 30.0
    second.acceleration_limit = 3.0
    planner = MotionPlanner(robot, moving_joints=ARM_JOINTS, jerk_limits={"panda_joint2": 20.0})
    settings = PlanSettings(acceleration_limit=4.0, jerk_limit=50.0)
    assert planner.limits(settings)[1][:4].tolist() == [2.0, 1.0, 4.0, 4.0]
    assert planner.jerk_limits(settings)[:4].tolist() == [50.0, 20.0, 30.0, 50.0]
    trajectory = planner.timed(np.array(ENDS), settings, checked=False).trajectory
    peaks = np.abs(trajectory.accelerations).max(axis=0)
    assert (peaks[:4] <= np.array([2.0, 1.0, 4.0, 4.0]) * 1.001).all()
    jerks = np.diff(trajectory.accelerations, axis=0) / np.diff(trajectory.times)[:, None]
    assert (np.abs(jerks).max(axis=0)[:4] <= np.array([50.0, 20.0, 30.0, 50.0]) * 1.01).all()
    own = MotionPlanner(robot, acceleration_limits={"panda_joint1": 7.0})
    assert own.limits(PlanSettings())[1][:4].tolist() == [7.0, 1.0, 5.0, 5.0]


def test_single_joints_have_limits(pillars):
    """A limit of a joint replaces the settings'; without either there is none."""
    limits = {"panda_joint1": 30.0}
    planner = MotionPlanner(read(URDF), pillars, moving_joints=ARM_JOINTS, jerk_limits=limits)
    trajectory = planner.plan(*ENDS).trajectory
    jerks = np.diff(trajectory.accelerations, axis=0) / np.diff(trajectory.times)[:, None]
    peaks = np.abs(jerks).max(axis=0)
    assert peaks[0] <= 1.01 * 30.0
    assert planner.jerk_limits(PlanSettings(jerk_limit=70.0))[:2].tolist() == [30.0, 70.0]
    for which in ("velocity_limits", "acceleration_limits", "jerk_limits"):
        for joint, value, words in (
            ("panda_joint1", 0.0, "the limits of 'panda_joint1' must be above 0"),
            ("panda_joint1", math.nan, "the limits of 'panda_joint1' must be above 0"),
            ("elbow", 1.0, "a limit of 'elbow', which is not a single joint"),
        ):
            with pytest.raises(ConfigurationError, match=words):
                MotionPlanner(read(URDF), pillars, **{which: {joint: value}})
    with pytest.raises(ConfigurationError, match="panda_joint9"):
        MotionPlanner(read(URDF), pillars, moving_joints=["panda_joint9"])


def test_resampling_keeps_the_path_its_step_and_a_bound(planner):
    plain = planner.plan(*ENDS)
    fine = planner.plan(*ENDS, PlanSettings(resample_step=0.1), timing=False)
    steps = np.linalg.norm(np.diff(fine.path, axis=0), axis=1)
    assert steps.max() <= 0.1 + 1e-9
    assert fine.length == pytest.approx(plain.length)
    for corner in plain.path:
        assert np.abs(fine.path - corner).max(axis=1).min() < 1e-9
    finest = planner.plan(*ENDS, PlanSettings(resample_step=1e-5))
    assert finest.success
    assert "resample_step 1e-05" in finest.message
    assert 5_000 < len(finest.path) < 10_050
    # Points on straight ways are none to the timing.
    assert finest.trajectory.times[-1] == pytest.approx(plain.trajectory.times[-1], rel=1e-6)


def radii_of(planner, path, seconds):
    model = planner.checker.conservative_model(path[0], planner.space.moving)
    motions = Motions(planner.space, RobotValidity(planner.checker), model)
    corners = Corners.of_path(planner.space, path)
    return corner_radii(motions, corners, np.inf, Deadline(seconds))


def farthest_from(path, points):
    """Return the largest distance of points (m, n) from a path (k, n) of straight motions."""
    starts, along = path[:-1], np.diff(path, axis=0)
    to = points[:, np.newaxis] - starts
    squared = np.maximum((along * along).sum(axis=-1), 1e-30)
    share = np.clip((to * along).sum(axis=-1) / squared, 0.0, 1.0)
    gaps = np.linalg.norm(to - share[..., np.newaxis] * along, axis=-1)
    return gaps.min(axis=1).max()


@pytest.mark.parametrize("bound", [0.0, 1e-5, 1e-3, 0.03, None])
@pytest.mark.parametrize("acceleration", [2.0, 100.0])
@pytest.mark.parametrize("jerk", [None, 50.0])
def test_trajectories_pass_corners_within_the_bound(bound, acceleration, jerk):
    ur5 = MotionPlanner(load_robot("ur5"))
    settings = PlanSettings(
        max_corner_deviation=bound, acceleration_limit=acceleration, jerk_limit=jerk
    )
    rng = np.random.default_rng(5)
    cut = []
    for count in (3, 6, 12):
        steps = rng.normal(size=(count, 6)) * rng.choice([0.03, 0.4], size=(count, 1))
        path = ur5.compiled.home + np.cumsum(steps, axis=0)
        for checked in (True, False):
            driven = ur5.timed(path, settings, checked=checked).trajectory
            times = np.linspace(0.0, driven.times[-1], 3000)
            places, velocities, _ = states_at(driven, times)
            off = max(farthest_from(path, places), farthest_from(places, path))
            if bound is not None:
                spacing = np.abs(velocities).max() * times[1]  # between two places
                assert off <= bound + 1e-9 + 0.5 * spacing**2
            cut.append(farthest_from(path, places))
    if bound is None:
        assert max(cut) > 0.05
    elif jerk is None and acceleration == 2.0 and bound >= 1e-3:
        assert max(cut) > 0.6 * bound  # it is not wasted
    elif bound == 0.0:
        assert max(cut) < 1e-12


def changes_along_a_half_circle(count):
    """Return the sum of all changes of acceleration while ``count`` points are passed."""
    limits = dict.fromkeys(("shoulder_pan_joint", "wrist_3_joint"), 0.2)
    planner = MotionPlanner(load_robot("ur5"), velocity_limits=limits)
    angles = np.linspace(0.0, np.pi, count)
    path = np.tile(planner.compiled.home, (count, 1))
    path[:, 0] += 0.6 * np.cos(angles)
    path[:, 5] += 0.6 * np.sin(angles)
    driven = planner.timed(path).trajectory
    inside = (driven.times > 0.5) & (driven.times < driven.times[-1] - 0.5)
    return np.abs(np.diff(driven.accelerations[inside], axis=0)).sum()


def test_accelerations_change_as_much_however_many_points_a_curve_has():
    few, more, many = (changes_along_a_half_circle(count) for count in (15, 60, 600))
    assert max(more, many) < 1.2 * few


@pytest.mark.parametrize("excess", [1e-9, 1e-6, 9e-5])
def test_a_start_rounded_beyond_a_limit_is_clamped(planner, excess):
    lower, upper = planner.compiled.lower, planner.compiled.upper
    goal = ENDS[1]
    for limit, sign in ((upper, 1.0), (lower, -1.0)):
        start = ENDS[0].copy()
        start[0] = limit[0] + sign * excess
        result = planner.plan(start, goal)
        assert result.success, result.message
        assert result.path[0, 0] == limit[0]
        result = planner.plan(goal, start)
        assert result.success, result.message
        assert result.path[-1, 0] == limit[0]


@pytest.mark.parametrize("excess", [1.01e-4, 1e-3, 1.0])
def test_a_start_beyond_a_limit_is_told_apart_from_it(planner, excess):
    start = ENDS[0].copy()
    start[0] = planner.compiled.upper[0] + excess
    result = planner.plan(start, ENDS[1])
    assert result.status is PlanStatus.INVALID_INPUT
    found, limit = re.search(r"= (\S+), allowed \S+ to (\S+)", result.message).groups()
    assert float(found) > float(limit)


def test_corners_are_rounded_while_there_is_time(planner):
    """AORRTC takes all the time that there is, but what rounding its corners needs."""
    result = planner.plan(*ENDS, PlanSettings(planner="aorrtc", time_limit=1.0))
    assert result.success, result.message
    radii = radii_of(planner, result.path, 10.0)
    assert radii.any()
    rests = ~result.trajectory.velocities.any(axis=1)
    assert rests.sum() == (radii == 0.0).sum()
    assert not radii_of(planner, result.path, 0.0).any()


def test_shorter_paths_equal_seeds_and_the_best_of_several_runs(planner):
    def plan(seed, **settings):
        return planner.plan(*ENDS, PlanSettings(seed=seed, **settings), timing=False)

    raw = np.array([plan(seed, shorten=False).length for seed in range(20)])
    short = np.array([plan(seed).length for seed in range(20)])
    assert (short <= raw + 1e-9).all()
    assert short.mean() < 0.7 * raw.mean()
    np.testing.assert_array_equal(plan(3).path, plan(3).path)
    assert not np.array_equal(plan(3).path, plan(4).path)
    best = plan(0, runs=5, shorten=False)
    assert best.length == pytest.approx(min(raw[:5]))
    assert best.runs_solved == 5


@pytest.mark.parametrize(
    "name",
    [
        "ur_description/urdf/ur5_robot.urdf",
        "kinova_description/robots/kinova.urdf",
        "xarm_description/urdf/xarm7.urdf",
        "tiago_description/robots/tiago_no_hand.urdf",
        "nao",
    ],
)
def test_any_robot_among_obstacles(name):
    robot = read(ROBOTS / name) if name.endswith("urdf") else load_robot(name)
    rng = np.random.default_rng(1)
    scene = Scene()
    for number in range(6):
        position = rng.uniform((-1.0, -1.0, -0.7), (1.0, 1.0, 1.3))
        scene.add(Obstacle.of(f"box {number}", Box((0.1, 0.1, 0.4)), transform(position)))
    checker = CollisionChecker(robot, scene)
    compiled = checker.compiled
    low, high = np.maximum(compiled.lower, -np.pi), np.minimum(compiled.upper, np.pi)
    some = rng.uniform(low, high, (5000, len(low)))
    free = itertools.islice((q for q in some if checker.check(q).free), 6)
    planner = MotionPlanner(robot, checker)
    solved = 0
    for start, goal in itertools.pairwise(free):
        result = planner.plan(start, goal, PlanSettings(time_limit=10.0))
        solved += result.success
        if result.success:
            for rows in (result.path, result.trajectory.positions):
                for q in straight(rows, 0.02):
                    assert checker.check(q).free
    assert solved >= 4


def test_a_start_a_hair_from_an_obstacle_is_planned_from(pillars):
    """The conservative level cannot free it; the path must be free all the same."""
    scene = pillars.scene.copy()
    tip = read(URDF).get_transform(ENDS[0], TIP)[:3, 3]
    outward = np.array([tip[0], tip[1], 0.0]) / np.hypot(tip[0], tip[1])

    def beside(gap):
        scene.add(Obstacle.of("ball", Sphere(0.05), transform(tip + (0.05 + gap) * outward)))
        checker = pillars.with_scene(scene)
        return checker, checker.distance(ENDS[0]).distance

    low, high = 0.0, 0.3
    while high - low > 1e-5:
        gap = 0.5 * (low + high)
        low, high = (gap, high) if beside(gap)[1] < 0.0005 else (low, gap)
    checker, distance = beside(high)
    assert 0.0003 < distance < 0.002
    planner = MotionPlanner(read(URDF), checker, moving_joints=ARM_JOINTS)
    result = planner.plan(*ENDS, timing=False)
    assert result.success, result.message
    for q in straight(result.path):
        assert checker.check(q).free


def test_a_pose_and_a_region_are_reached_through_any_branch(planner, judge):
    robot = read(URDF)
    T = robot.get_transform(ENDS[1], TIP)
    result = planner.plan(ENDS[0], PoseGoal(TIP, T), timing=False)
    assert result.success, result.message
    np.testing.assert_allclose(robot.get_transform(result.path[-1], TIP), T, atol=5e-6)
    assert not judge.path_touches(result.path[:, :7])
    bounds = np.array([[-0.02, 0.05], [-0.05, 0.0], [0.0, 0.03]])
    region = PoseRegion(TIP, T, bounds, np.array([[0.0, 0.0], [0.0, 0.0], [-0.5, 0.5]]))
    for seed in range(3):
        result = planner.plan(ENDS[0], region, PlanSettings(seed=seed), timing=False)
        assert result.success, result.message
        off = np.linalg.inv(T) @ robot.get_transform(result.path[-1], TIP)
        assert (off[:3, 3] >= bounds[:, 0] - 1e-5).all()
        assert (off[:3, 3] <= bounds[:, 1] + 1e-5).all()
        assert abs(off[2, 2] - 1.0) < 1e-9


def test_a_region_is_met_by_an_arm_with_few_joints():
    """Such an arm does not reach most whole poses of a region with any orientation."""
    for robot, joints, tip in (("planar_two_link", 2, "tool"), ("ur5", 5, "tool0")):
        tree = load_robot(robot)
        q = tree.home_configuration()
        goal = q + np.array([0.4, -0.5, 0.6, 0.3, 0.5, 0.0])[: len(q)]
        place = transform(tree.get_transform(goal, tip)[:3, 3])
        region = PoseRegion(tip, place, [(-0.005, 0.005)] * 3, [(-3.15, 3.15)] * 3)
        planner = MotionPlanner(tree, moving_joints=tree.joint_names[:joints])
        result = planner.plan(q, region, timing=False)
        assert result.success, result.message
        off = tree.get_transform(result.path[-1], tip)[:3, 3] - place[:3, 3]
        assert np.abs(off).max() <= 0.005 + 1e-5


def test_the_goal_that_was_reached_is_named_and_blocked_ones_are_dropped(planner):
    names = planner.compiled.position_names
    start, by_name = (dict(zip(names, q, strict=True)) for q in ENDS)
    result = planner.plan(start, [BLOCKED, FAR, by_name], timing=False)
    assert result.success
    assert result.goal_index == 2
    blocked, unreachable = sorted(result.dropped_goals)
    assert "left_pillar" in blocked
    assert "unreachable" in unreachable


def test_failed_plans_are_reported(planner):
    invalid, blocked = PlanStatus.INVALID_INPUT, PlanStatus.GOAL_BLOCKED
    for start, goal, status, words in (
        (BLOCKED, ENDS[1], PlanStatus.START_BLOCKED, "left_pillar"),
        (ENDS[0], BLOCKED, blocked, "left_pillar"),
        (ENDS[0], FAR, PlanStatus.GOAL_UNREACHABLE, " m"),
        (np.zeros(3), np.zeros(8), invalid, "8"),
        (np.full(8, np.nan), np.zeros(8), invalid, "finite"),
        (ENDS[0], with_fingers(GOAL + 10.0), invalid, "panda_joint1"),
        (with_fingers(START + 10.0), ENDS[1], invalid, "panda_joint1"),
        (ENDS[0], PoseGoal("hand", np.eye(4)), invalid, "hand"),
        (ENDS[0], [], invalid, "no goal"),
        (ENDS[0], None, invalid, "a goal is"),
        (ENDS[0], 3.0, invalid, "a goal is"),
    ):
        result = planner.plan(start, goal)
        assert (result.status, words in result.message) == (status, True), result.message
        for empty in (result.path, result.trajectory):
            assert empty is None or len(empty) == 0


@pytest.fixture
def caged(pillars):
    """Walls before, behind and above the base, under a ceiling: no way to the other side."""
    scene = pillars.scene.copy()
    walls = {
        "front": ((2.0, 0.02, 2.0), (1.13, 0.0, 1.0)),
        "back": ((2.0, 0.02, 2.0), (-1.2, 0.0, 1.0)),
        "over": ((0.4, 0.02, 0.26), (0.0, 0.0, 0.78)),
        "ceiling": ((4.0, 4.0, 0.02), (0.0, 0.0, 0.91)),
    }
    for name, (size, center) in walls.items():
        scene.add(Obstacle.of(name, Box(size), transform(center)))
    return MotionPlanner(read(URDF), pillars.with_scene(scene), moving_joints=ARM_JOINTS)


def test_search_without_a_path_ends_at_the_limit_of_time_attempts_or_nodes(caged, planner):
    caged.plan(*ENDS, PlanSettings(time_limit=0.01))
    for method in ("rrt_connect", "rrt", "aorrtc"):
        result = caged.plan(*ENDS, PlanSettings(planner=method, time_limit=0.3))
        assert result.status is PlanStatus.OUT_OF_TIME, result.message
        assert result.seconds.total >= 0.27  # a little is kept for shortening and timing
    for settings in (PlanSettings(maximum_attempts=50), PlanSettings(maximum_nodes=60)):
        result = caged.plan(*ENDS, settings)
        assert result.status is PlanStatus.LIMIT_REACHED
    assert result.nodes <= 61
    for seed in range(8):  # samples too far from blocked nodes are no attempts
        result = planner.plan(*ENDS, PlanSettings(seed=seed, step=1.0, maximum_attempts=9))
        assert result.success, result.message


def test_plan_reports_its_progress_and_can_be_cancelled(caged):
    cancel, reports = threading.Event(), []

    def progress(p):
        reports.append((p.seconds, p.nodes, p.best_length, len(p.trees[0][0])))
        if len(reports) > 3:
            cancel.set()

    result = caged.plan(*ENDS, deadline=Deadline(60.0, cancel), progress=progress)
    assert result.status is PlanStatus.CANCELLED
    assert result.seconds.total < 20.0
    assert reports[-1][0] > reports[0][0]
    assert reports[-1][1] >= reports[0][1] >= 2


def test_a_long_search_keeps_its_trees(caged):
    """Restarts of searches with large trees discarded most of their work."""
    nodes = []
    settings = PlanSettings(maximum_nodes=4_000, time_limit=60.0)
    result = caged.plan(*ENDS, settings, progress=lambda p: nodes.append(p.nodes))
    assert result.status is PlanStatus.LIMIT_REACHED
    assert (np.diff(nodes) >= 0).all()


def test_a_path_of_another_shape_or_without_numbers_is_rejected(planner):
    for path in ([], np.zeros((2, 3)), np.full((2, len(ENDS[0])), np.nan)):
        with pytest.raises(ConfigurationError, match="path"):
            planner.timed(path)


def test_invalid_settings_are_rejected():
    wrong = {"planner": "prm", "step": 0.0, "time_limit": -1.0, "goal_bias": 1.5, "runs": 0}
    wrong |= {"velocity_scale": 1.5, "acceleration_scale": 1e-9, "seed": -1, "resample_step": 0.0}
    for name, value in (*wrong.items(), ("velocity_scale", 1e-9)):
        with pytest.raises(PlanningError, match=name):
            PlanSettings(**{name: value})


def test_aorrtc_finds_ever_shorter_paths(planner, judge):
    """In the time of thirty runs of RRT-Connect its path is shorter than the best of them."""
    thirty = planner.plan(*ENDS, PlanSettings(runs=30), timing=False)
    reports = []
    result = planner.plan(
        *ENDS,
        PlanSettings(planner="aorrtc", time_limit=1.0),
        progress=lambda p: reports.append(p.best_length),
        timing=False,
    )
    assert result.success, result.message
    assert not judge.path_touches(result.path[:, :7])
    assert result.length < thirty.length
    seconds, lengths = np.array(result.lengths).T
    assert (np.diff(seconds) > 0.0).all()
    assert (np.diff(lengths) < 0.0).all()
    assert lengths[-1] == pytest.approx(result.length)
    assert set(reports) <= {np.inf, *lengths}
    # It ends when nothing can be shorter.
    goal = ENDS[0] + 0.05 * np.eye(8)[0]
    settings = PlanSettings(planner="aorrtc", time_limit=600.0)
    assert planner.plan(ENDS[0], goal, settings).length == pytest.approx(0.05)
    assert PlanSettings(planner="rrt_star") == PlanSettings(planner="aorrtc")  # its old name
