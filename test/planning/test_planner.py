"""Plans of real robots, their paths checked again by Pinocchio and coal, or by the exact level."""

import itertools
import math
import sysconfig
import threading
import time
import warnings
from pathlib import Path

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
from rigid_tree_kinematics.collision import CollisionChecker, Obstacle, Scene
from rigid_tree_kinematics.deadline import Deadline
from rigid_tree_kinematics.description import read_urdf_file
from rigid_tree_kinematics.description.robots import load_robot
from rigid_tree_kinematics.errors import ConfigurationError, DescriptionWarning, PlanningError
from rigid_tree_kinematics.model import Box, Sphere
from rigid_tree_kinematics.planning import (
    MotionPlanner,
    PlanSettings,
    PlanStatus,
    PoseGoal,
    PoseRegion,
    RobotValidity,
)
from rigid_tree_kinematics.planning.path.rounding import Corners, corner_radii
from rigid_tree_kinematics.planning.search import tree_search
from rigid_tree_kinematics.planning.search.motions import Motions

ROBOTS = Path(sysconfig.get_path("purelib"), "cmeel.prefix/share/example-robot-data/robots")
TIP = "panda_hand"


def placed(position):
    T = np.eye(4)
    T[:3, 3] = position
    return T


def with_fingers(q):
    return np.append(q, 0.0)


ENDS = with_fingers(START), with_fingers(GOAL)


@pytest.fixture(scope="module")
def pillars():
    scene = Scene(Obstacle.of(n, Box(size), placed(centre)) for n, (size, centre) in BOXES.items())
    return CollisionChecker(_panda(), scene, srdf=SRDF)


@pytest.fixture(scope="module")
def planner(pillars):
    return MotionPlanner(_panda(), pillars, moving_joints=ARM_JOINTS)


def _panda():
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DescriptionWarning)
        return read_urdf_file(URDF)


@pytest.fixture(scope="module")
def judge():
    """Pinocchio and coal on the real meshes."""
    return pillars_judge(convex=False)


def assert_untouched(judge, path):
    for q in straight(path[:, :7]):
        assert not judge.touches(q)


# -- paths ---------------------------------------------------------------------------------------


@pytest.mark.parametrize("settings", [{}, {"shorten": False}, {"step": 0.4}])
@pytest.mark.parametrize("seed", range(6))
def test_no_path_touches_the_meshes_by_pinocchio(planner, judge, seed, settings):
    settings = PlanSettings(seed=seed, **settings)
    result = planner.plan(*ENDS, settings, timing=False)
    assert result.success, result.message
    np.testing.assert_array_equal(result.path[0], with_fingers(START))
    np.testing.assert_array_equal(result.path[-1], with_fingers(GOAL))
    assert_untouched(judge, result.path)
    steps = np.diff(result.path, axis=0)
    assert result.length == pytest.approx(np.linalg.norm(steps, axis=1).sum())


def test_one_tree_finds_paths_that_touch_nothing_too(planner, judge):
    solved = 0
    for seed in range(4):
        settings = PlanSettings(planner="rrt", seed=seed, step=0.5, time_limit=3.0)
        result = planner.plan(*ENDS, settings, timing=False)
        if result.success:
            solved += 1
            assert_untouched(judge, result.path)
    assert solved >= 2


def test_a_trajectory_touches_nothing_and_keeps_the_limits(planner, judge):
    for seed in range(4):
        settings = PlanSettings(seed=seed, velocity_scale=0.7, acceleration_limit=4.0)
        result = planner.plan(*ENDS, settings)
        timed = result.trajectory
        assert_untouched(judge, timed.positions)
        limit = 0.7 * planner.compiled.velocity_limit[:7]
        assert (np.abs(timed.velocities[:, :7]) <= limit + 1e-9).all()
        assert (np.abs(timed.accelerations) <= 4.0 + 1e-9).all()
        for rows in (timed.velocities[0], timed.velocities[-1]):
            np.testing.assert_allclose(rows, 0.0, atol=1e-9)
        # Positions, velocities and times belong together.
        steps = np.diff(timed.times)[:, None]
        moved = 0.5 * (timed.velocities[1:] + timed.velocities[:-1]) * steps
        np.testing.assert_allclose(moved, np.diff(timed.positions, axis=0), atol=2e-3)
        # As fast as possible: something is at its limit for much of the time.
        near = (np.abs(timed.velocities[:, :7]) > 0.9 * limit).any(axis=1)
        near |= (np.abs(timed.accelerations) > 0.9 * 4.0).any(axis=1)
        assert near.mean() > 0.5


@pytest.mark.parametrize("jerk", [100.0, 20.0])
def test_a_trajectory_with_a_jerk_limit_touches_nothing(planner, judge, jerk):
    for seed in range(4):
        plain = planner.plan(*ENDS, PlanSettings(seed=seed, step=1.0))
        timed = planner.plan(*ENDS, PlanSettings(seed=seed, step=1.0, jerk_limit=jerk))
        assert_untouched(judge, timed.trajectory.positions)
        np.testing.assert_array_equal(timed.path, plain.path)
        check_limits(timed.trajectory, PlanSettings(jerk_limit=jerk))
        ratio = timed.trajectory.times[-1] / plain.trajectory.times[-1]
        assert 1.0 < ratio < (1.5 if jerk == 100.0 else 2.5)


def test_single_joints_have_jerk_limits(pillars):
    """A limit of a joint replaces the settings'; without either there is none."""
    limits = {"panda_joint1": 30.0}
    planner = MotionPlanner(_panda(), pillars, moving_joints=ARM_JOINTS, jerk_limits=limits)
    trajectory = planner.plan(*ENDS).trajectory
    jerks = np.diff(trajectory.accelerations, axis=0) / np.diff(trajectory.times)[:, None]
    peaks = np.abs(jerks).max(axis=0)
    assert peaks[0] <= 1.01 * 30.0
    assert planner.jerk_limits(PlanSettings(jerk_limit=70.0))[:2].tolist() == [30.0, 70.0]


@pytest.mark.parametrize("which", ["velocity_limits", "acceleration_limits", "jerk_limits"])
def test_limits_that_make_no_sense_are_named(pillars, which):
    for value in (0.0, -1.0, math.nan):
        with pytest.raises(
            ConfigurationError, match=r"the limits of 'panda_joint1' must be above 0"
        ):
            MotionPlanner(_panda(), pillars, **{which: {"panda_joint1": value}})
    with pytest.raises(ConfigurationError, match=r"a limit of 'elbow', which is no single joint"):
        MotionPlanner(_panda(), pillars, **{which: {"elbow": 1.0}})


def test_a_low_jerk_limit_only_slows_down(planner):
    """A motion that takes k times as long has jerks of 1 / k^3."""
    quick = planner.plan(*ENDS, PlanSettings(jerk_limit=100.0)).trajectory.times[-1]
    for jerk in (5.0, 0.1, 1e-5, 1e-9):
        timed = planner.plan(*ENDS, PlanSettings(jerk_limit=jerk)).trajectory
        assert timed.times[-1] < 1.5 * quick * (100.0 / jerk) ** (1.0 / 3.0)
        assert len(timed.times) < 20_000
        check_limits(timed, PlanSettings(jerk_limit=jerk))


def test_a_path_in_collision_keeps_its_jerk_limit(planner):
    """It is timed as if it were free: going nearer to it would not help."""
    path = np.array([ENDS[0], ENDS[1]])
    settings = PlanSettings(jerk_limit=20.0)
    checked, unchecked = (planner.timed(path, settings, checked=c) for c in (True, False))
    assert not planner.checker.motion_free(*path)
    assert checked.trajectory.times[-1] == unchecked.trajectory.times[-1]


def test_resampling_keeps_the_path_and_its_step(planner):
    plain = planner.plan(*ENDS, timing=False)
    fine = planner.plan(*ENDS, PlanSettings(resample_step=0.1), timing=False)
    steps = np.linalg.norm(np.diff(fine.path, axis=0), axis=1)
    assert steps.max() <= 0.1 + 1e-9
    assert fine.length == pytest.approx(plain.length)
    for corner in plain.path:
        assert np.abs(fine.path - corner).max(axis=1).min() < 1e-9


def test_a_path_that_is_resampled_too_finely_is_bounded(planner):
    settings = PlanSettings(resample_step=1e-5)
    fine = planner.plan(*ENDS, settings)
    assert fine.success
    assert "resample_step 1e-05" in fine.message
    assert 5_000 < len(fine.path) < 10_050
    # Points on straight ways are none to the timing.
    plain = planner.plan(*ENDS)
    assert fine.trajectory.times[-1] == pytest.approx(plain.trajectory.times[-1], rel=1e-6)


def test_the_time_limit_covers_the_timing(planner):
    """AORRTC takes all the time that there is, but what rounding its corners needs."""
    settings = PlanSettings(planner="aorrtc", time_limit=1.0)
    result = planner.plan(*ENDS, settings)
    assert result.success, result.message
    radii = radii_of(planner, result.path, 10.0)
    assert radii.any()
    rests = ~result.trajectory.velocities.any(axis=1)
    assert rests.sum() == (radii == 0.0).sum()


def radii_of(planner, path, seconds):
    model = planner.checker.conservative_model(path[0], planner.space.moving)
    motions = Motions(planner.space, RobotValidity(planner.checker), model)
    return corner_radii(motions, Corners.of_path(planner.space, path), Deadline(seconds))


def test_without_time_corners_are_not_rounded(planner):
    settings = PlanSettings(shorten=False)
    path = planner.plan(*ENDS, settings, timing=False).path
    assert radii_of(planner, path, 10.0).any()
    assert not radii_of(planner, path, 0.0).any()


def test_shortened_paths_are_shorter_on_average(planner):
    def lengths(shorten):
        return [
            planner.plan(*ENDS, PlanSettings(seed=seed, shorten=shorten), timing=False).length
            for seed in range(20)
        ]

    raw, short = np.array(lengths(False)), np.array(lengths(True))
    assert (short <= raw + 1e-9).all()
    assert short.mean() < 0.7 * raw.mean()


def test_equal_seeds_give_equal_paths_and_several_runs_the_best(planner):
    def plan(seed, runs=1):
        settings = PlanSettings(seed=seed, runs=runs)
        return planner.plan(*ENDS, settings, timing=False)

    np.testing.assert_array_equal(plan(3).path, plan(3).path)
    assert not np.array_equal(plan(3).path, plan(4).path)
    raw = PlanSettings(seed=0, runs=5, shorten=False)
    best = planner.plan(*ENDS, raw, timing=False)
    single = [
        planner.plan(*ENDS, PlanSettings(seed=k, shorten=False), timing=False).length
        for k in range(5)
    ]
    assert best.length == pytest.approx(min(single))
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
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DescriptionWarning)
        robot = read_urdf_file(ROBOTS / name) if name.endswith("urdf") else load_robot(name)
    rng = np.random.default_rng(1)
    scene = Scene()
    for number in range(6):
        position = rng.uniform((-1.0, -1.0, -0.7), (1.0, 1.0, 1.3))
        scene.add(Obstacle.of(f"box {number}", Box((0.1, 0.1, 0.4)), placed(position)))
    checker = CollisionChecker(robot, scene)
    compiled = checker.compiled
    low, high = np.maximum(compiled.lower, -np.pi), np.minimum(compiled.upper, np.pi)
    free = []
    for _ in range(5000):
        q = rng.uniform(low, high)
        if checker.check(q).free:
            free.append(q)
        if len(free) == 6:
            break
    planner = MotionPlanner(robot, checker)
    solved = 0
    for start, goal in itertools.pairwise(free):
        result = planner.plan(start, goal, PlanSettings(time_limit=10.0))
        solved += result.success
        if result.success:
            for q in straight(result.path, 0.02):
                assert checker.check(q).free
            for q in straight(result.trajectory.positions, 0.02):
                assert checker.check(q).free
    assert solved >= 4


def test_a_start_a_hair_from_an_obstacle_is_planned_from(pillars):
    """The conservative level cannot free it; the path must be free all the same."""
    robot = _panda()
    q = with_fingers(START)
    scene = pillars.scene.copy()
    tip = robot.get_transform(q, TIP)[:3, 3]
    outward = np.array([tip[0], tip[1], 0.0]) / np.hypot(tip[0], tip[1])
    low, high = 0.0, 0.3
    while high - low > 1e-5:
        gap = 0.5 * (low + high)
        scene.add(Obstacle.of("ball", Sphere(0.05), placed(tip + (0.05 + gap) * outward)))
        too_near = pillars.with_scene(scene).distance(q).distance < 0.0005
        low, high = (gap, high) if too_near else (low, gap)
    scene.add(Obstacle.of("ball", Sphere(0.05), placed(tip + (0.05 + high) * outward)))
    checker = pillars.with_scene(scene)
    assert 0.0003 < checker.distance(q).distance < 0.002
    planner = MotionPlanner(robot, checker, moving_joints=ARM_JOINTS)
    result = planner.plan(q, with_fingers(GOAL), timing=False)
    assert result.success, result.message
    for q in straight(result.path):
        assert checker.check(q).free


# -- goals ---------------------------------------------------------------------------------------


def test_a_pose_is_reached_through_any_branch(planner, judge):
    robot = _panda()
    T = robot.get_transform(with_fingers(GOAL), TIP)
    result = planner.plan(with_fingers(START), PoseGoal(TIP, T), timing=False)
    assert result.success, result.message
    np.testing.assert_allclose(robot.get_transform(result.path[-1], TIP), T, atol=5e-6)
    assert_untouched(judge, result.path)


def test_a_region_is_met(planner):
    robot = _panda()
    T = robot.get_transform(with_fingers(GOAL), TIP)
    bounds = np.array([[-0.02, 0.05], [-0.05, 0.0], [0.0, 0.03]])
    turns = np.array([[0.0, 0.0], [0.0, 0.0], [-0.5, 0.5]])
    for seed in range(3):
        result = planner.plan(
            with_fingers(START),
            PoseRegion(TIP, T, bounds, turns),
            PlanSettings(seed=seed),
            timing=False,
        )
        assert result.success, result.message
        off = np.linalg.inv(T) @ robot.get_transform(result.path[-1], TIP)
        assert (off[:3, 3] >= bounds[:, 0] - 1e-5).all()
        assert (off[:3, 3] <= bounds[:, 1] + 1e-5).all()
        assert abs(off[2, 2] - 1.0) < 1e-9


@pytest.mark.parametrize(
    ("robot", "joints", "tip"), [("planar_two_link", 2, "tool"), ("ur5", 5, "tool0")]
)
def test_a_region_is_met_by_an_arm_with_few_joints(robot, joints, tip):
    """Such an arm does not reach most whole poses of a region with any orientation."""
    tree = load_robot(robot)
    q = tree.home_configuration()
    goal = q + np.array([0.4, -0.5, 0.6, 0.3, 0.5, 0.0])[: len(q)]
    place = np.eye(4)
    place[:3, 3] = tree.get_transform(goal, tip)[:3, 3]
    region = PoseRegion(tip, place, [(-0.005, 0.005)] * 3, [(-3.15, 3.15)] * 3)
    planner = MotionPlanner(tree, moving_joints=tree.joint_names[:joints])
    result = planner.plan(q, region, timing=False)
    assert result.success, result.message
    off = tree.get_transform(result.path[-1], tip)[:3, 3] - place[:3, 3]
    assert np.abs(off).max() <= 0.005 + 1e-5


def test_the_goal_that_was_reached_is_named_and_blocked_ones_are_dropped(planner):
    blocked = with_fingers(GOAL)
    blocked[0] = np.arctan2(0.18, 0.45)
    far = placed((3.0, 0.0, 0.0))
    goals = [blocked, PoseGoal(TIP, far), with_fingers(GOAL)]
    result = planner.plan(with_fingers(START), goals, timing=False)
    assert result.success
    assert result.goal_index == 2
    assert len(result.dropped_goals) == 2
    assert any("left_pillar" in message for message in result.dropped_goals)
    assert any("unreachable" in message for message in result.dropped_goals)


def test_start_and_goal_may_be_given_by_name(planner):
    names = planner.compiled.position_names
    start = dict(zip(names, with_fingers(START), strict=True))
    result = planner.plan(start, [dict(zip(names, with_fingers(GOAL), strict=True))], timing=False)
    assert result.success


def test_a_chain_moves_and_the_rest_stands_still():
    robot = load_robot("nao")
    moving = [
        name for name in robot.joint_names if name.startswith("LShoulder") or "LElbow" in name
    ]
    planner = MotionPlanner(robot, moving_joints=moving)
    start = robot.home_configuration()
    rng = np.random.default_rng(0)
    solved = 0
    for seed in range(5):
        goal = robot.random_configuration(rng)
        result = planner.plan(start, goal, PlanSettings(seed=seed))
        if not result.success:
            assert result.status is PlanStatus.GOAL_BLOCKED
            continue
        solved += 1
        for k, name in enumerate(robot.joint_names):
            if name in moving:
                assert result.path[-1, k] == goal[k]
            else:
                assert (result.path[:, k] == start[k]).all()
                assert (result.trajectory.positions[:, k] == start[k]).all()
    assert solved


# -- no path -------------------------------------------------------------------------------------


def test_blocked_ends_name_what_touches(planner):
    blocked = with_fingers(START)
    blocked[0] = np.arctan2(0.18, 0.45)
    result = planner.plan(blocked, with_fingers(GOAL))
    assert result.status is PlanStatus.START_BLOCKED
    assert "left_pillar" in result.message
    result = planner.plan(with_fingers(START), blocked)
    assert result.status is PlanStatus.GOAL_BLOCKED
    assert "left_pillar" in result.message
    for empty in (result.path, result.trajectory):
        assert empty is None or len(empty) == 0


def test_a_pose_out_of_reach_is_unreachable_and_says_how_far(planner):
    result = planner.plan(with_fingers(START), PoseGoal(TIP, placed((3.0, 0.0, 0.0))))
    assert result.status is PlanStatus.GOAL_UNREACHABLE
    assert " m" in result.message


@pytest.mark.parametrize(
    ("start", "goal", "words"),
    [
        (np.zeros(3), np.zeros(8), "8"),
        (np.full(8, np.nan), np.zeros(8), "finite"),
        (with_fingers(START), with_fingers(GOAL + 10.0), "panda_joint1"),
        (with_fingers(START + 10.0), with_fingers(GOAL), "panda_joint1"),
        (with_fingers(START), PoseGoal("hand", np.eye(4)), "hand"),
        (with_fingers(START), [], "no goal"),
    ],
)
def test_what_makes_no_sense_is_said(planner, start, goal, words):
    result = planner.plan(start, goal)
    assert result.status is PlanStatus.INVALID_INPUT
    assert words in result.message


def cage(robot, pillars):
    """Walls before, behind and above the base, under a ceiling: no way to the other side."""
    scene = pillars.scene.copy()
    walls = {
        "front": ((2.0, 0.02, 2.0), (1.13, 0.0, 1.0)),
        "back": ((2.0, 0.02, 2.0), (-1.2, 0.0, 1.0)),
        "over": ((0.4, 0.02, 0.26), (0.0, 0.0, 0.78)),
        "ceiling": ((4.0, 4.0, 0.02), (0.0, 0.0, 0.91)),
    }
    for name, (size, centre) in walls.items():
        scene.add(Obstacle.of(name, Box(size), placed(centre)))
    return MotionPlanner(robot, pillars.with_scene(scene), moving_joints=ARM_JOINTS)


@pytest.mark.parametrize("method", ["rrt_connect", "rrt", "aorrtc"])
def test_no_way_ends_in_time(pillars, method):
    planner = cage(_panda(), pillars)
    planner.plan(*ENDS, PlanSettings(time_limit=0.01))
    settings = PlanSettings(planner=method, time_limit=0.3)
    begin = time.perf_counter()
    result = planner.plan(*ENDS, settings)
    passed = time.perf_counter() - begin
    assert result.status is PlanStatus.OUT_OF_TIME, result.message
    # A bound for what never ends, on a busy machine; not a time that anything takes.
    assert 0.27 <= passed < 3.0  # a little is kept for shortening and timing


def test_attempts_and_nodes_are_limits(pillars):
    planner = cage(_panda(), pillars)
    for settings in (PlanSettings(maximum_attempts=50), PlanSettings(maximum_nodes=60)):
        result = planner.plan(*ENDS, settings)
        assert result.status is PlanStatus.LIMIT_REACHED
    assert result.nodes <= 61


def test_samples_too_far_from_blocked_nodes_are_no_attempts(planner):
    for seed in range(8):
        result = planner.plan(*ENDS, PlanSettings(seed=seed, step=1.0, maximum_attempts=9))
        assert result.success, result.message


def test_new_trees_begin_after_many_motions(planner, judge, monkeypatch):
    def plan(seed):
        settings = PlanSettings(seed=seed)
        return planner.plan(*ENDS, settings, timing=False)

    patient = [plan(seed).path for seed in range(6)]
    monkeypatch.setattr(tree_search, "MOTIONS_BEFORE_RESTART", 3)
    monkeypatch.setattr(tree_search, "BUDGET", 2)
    again = [plan(seed).path for seed in range(6)]
    assert any(len(a) != len(b) or (a != b).any() for a, b in zip(patient, again, strict=True))
    for seed, path in enumerate(again):
        np.testing.assert_array_equal(path, plan(seed).path)
        assert_untouched(judge, path)


def test_the_exact_level_is_asked_about_few_of_the_doubtful_motions(pillars, monkeypatch):
    planner = cage(_panda(), pillars)
    asked = []
    exactly = planner._validity.motion_free
    monkeypatch.setattr(
        planner._validity, "motion_free", lambda a, b: asked.append(a) or exactly(a, b)
    )
    monkeypatch.setattr(tree_search, "MOTIONS_BEFORE_ASKING", 500)
    settings = PlanSettings(time_limit=1.0)
    result = planner.plan(*ENDS, settings)
    assert result.status is PlanStatus.OUT_OF_TIME
    assert 0 < len(asked) <= 1 + result.checks / tree_search.MOTIONS_BETWEEN_QUESTIONS


def test_a_plan_is_cancelled(pillars):
    planner = cage(_panda(), pillars)
    cancel = threading.Event()
    threading.Timer(0.2, cancel.set).start()
    deadline = Deadline(60.0, cancel)
    result = planner.plan(*ENDS, deadline=deadline)
    assert result.status is PlanStatus.CANCELLED
    assert result.seconds.total < 20.0


def test_progress_is_told(pillars):
    planner = cage(_panda(), pillars)
    told = []
    planner.plan(
        *ENDS,
        PlanSettings(time_limit=0.2),
        progress=lambda p: told.append((p.seconds, p.nodes, p.best_length, len(p.trees[0][0]))),
    )
    assert len(told) > 3
    assert told[-1][0] > told[0][0]
    assert told[-1][1] >= told[0][1] >= 2


def test_an_unknown_joint_is_refused(pillars):
    with pytest.raises(ConfigurationError, match="panda_joint9"):
        MotionPlanner(_panda(), pillars, moving_joints=["panda_joint9"])


@pytest.mark.parametrize(
    "bad",
    [
        {"planner": "prm"},
        {"step": 0.0},
        {"time_limit": -1.0},
        {"goal_bias": 1.5},
        {"runs": 0},
        {"velocity_scale": 1.5},
        {"velocity_scale": 1e-9},
        {"acceleration_scale": 1e-9},
        {"seed": -1},
        {"resample_step": 0.0},
    ],
)
def test_settings_without_sense_are_refused(bad):
    with pytest.raises(PlanningError, match=next(iter(bad))):
        PlanSettings(**bad)


# -- AORRTC --------------------------------------------------------------------------------------


def test_aorrtc_finds_ever_shorter_paths(planner, judge):
    """In the time of thirty runs of RRT-Connect its path is shorter than the best of them."""
    thirty = planner.plan(*ENDS, PlanSettings(runs=30), timing=False)
    told = []
    result = planner.plan(
        *ENDS,
        PlanSettings(planner="aorrtc", time_limit=1.0),
        progress=lambda p: told.append(p.best_length),
        timing=False,
    )
    assert result.success, result.message
    assert_untouched(judge, result.path)
    assert result.length < thirty.length
    seconds, lengths = np.array(result.lengths).T
    assert (np.diff(seconds) > 0.0).all()
    assert (np.diff(lengths) < 0.0).all()
    assert lengths[-1] == pytest.approx(result.length)
    assert set(told) <= {np.inf, *lengths}


def test_aorrtc_ends_when_nothing_can_be_shorter(planner):
    start, goal = ENDS[0], ENDS[0].copy()
    goal[0] += 0.05
    result = planner.plan(start, goal, PlanSettings(planner="aorrtc", time_limit=600.0))
    assert result.length == pytest.approx(0.05)


def test_aorrtc_is_the_planner_that_was_called_rrt_star():
    assert PlanSettings(planner="rrt_star") == PlanSettings(planner="aorrtc")
