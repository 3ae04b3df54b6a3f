"""Plans with constraints, checked by Pinocchio along the timed path."""

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

from harness.arm.paths import curve_of, straight
from harness.truth import Truth
from rigid_tree_kinematics import load_robot
from rigid_tree_kinematics.collision import CollisionChecker, load_scene
from rigid_tree_kinematics.ik import (
    CartesianBounds,
    ConstraintSet,
    DirectionBounds,
    JointBounds,
    OrientationBounds,
    RegionBounds,
)
from rigid_tree_kinematics.ik.constraints.constraint_set import TIGHTEST
from rigid_tree_kinematics.model import Box
from rigid_tree_kinematics.model.transforms import transform
from rigid_tree_kinematics.planning import (
    ConstrainedGoal,
    MotionPlanner,
    PlanSettings,
    PlanStatus,
    PoseGoal,
    PoseRegion,
)

TIP = "panda_link8"
DOWN = np.diag([1.0, -1.0, -1.0])
# Left of the pillars of the scene, with the hand's axis straight down; and right of them.
START = np.array([1.0, 0.3, 0.0, -1.8, 0.0, 2.1, 0.785])
GOAL = np.array([-1.0, *START[1:]])
UPRIGHT = DirectionBounds(TIP, (0.0, 0.0, -1.0), 0.1)
PANDA = Truth(load_robot("panda"))
PLANNER = MotionPlanner(PANDA.tree, CollisionChecker(PANDA.tree, load_scene("panda_pillars")))


def dense(trajectory, step=0.01):
    """Return places on a trajectory, joined by quintics as drivers do, no joint a step apart."""
    moved = np.abs(np.diff(trajectory.positions, axis=0)).max(axis=1)
    times = [
        np.linspace(low, high, max(2, int(np.ceil(change / step)) + 1))
        for low, high, change in zip(
            trajectory.times[:-1], trajectory.times[1:], moved, strict=True
        )
    ]
    return curve_of(trajectory)(np.concatenate(times))


def tilt(q):
    """Return the angle (rad) between the hand's axis and straight down, by Pinocchio."""
    return np.arccos(np.clip(-PANDA.pose(q, TIP)[2, 2], -1.0, 1.0))


def assert_upright(result, most=0.1):
    assert result.success, result.message
    for q in np.vstack([straight(result.path), dense(result.trajectory)]):
        assert tilt(q) <= most


def configurations(constraints, seed, count=2):
    """Return random free configurations that meet constraints."""
    constraint_set = ConstraintSet(PLANNER.compiled, constraints)
    rng = np.random.default_rng(seed)
    found = []
    while len(found) < count:
        q = constraint_set.projected(rng.uniform(PLANNER.compiled.lower, PLANNER.compiled.upper))
        if q is not None and PLANNER.checker.is_free(q):
            found.append(q)
    return found


# -- the glass of water --------------------------------------------------------------------------


@pytest.mark.parametrize("seed", range(4))
def test_a_glass_stays_upright_between_the_pillars(seed):
    result = PLANNER.plan(START, GOAL, PlanSettings(seed=seed), constraints=[UPRIGHT])
    assert_upright(result)
    assert (result.path[0] == START).all()
    assert (result.path[-1] == GOAL).all()
    for q in dense(result.trajectory, 0.05):
        assert PLANNER.checker.is_free(q)


def test_without_the_constraint_the_glass_is_spilt():
    result = PLANNER.plan(START, GOAL)
    assert max(tilt(q) for q in straight(result.path)) > 0.2


def test_aorrtc_finds_shorter_paths_on_which_the_glass_stays_upright():
    settings = PlanSettings(planner="aorrtc", time_limit=2.0)
    result = PLANNER.plan(START, GOAL, settings, constraints=[UPRIGHT])
    assert_upright(result)
    lengths = [length for _, length in result.lengths]
    assert len(lengths) > 1
    assert lengths == sorted(lengths, reverse=True)


@pytest.mark.parametrize("settings", [{"shorten": False}, {"runs": 3}, {"resample_step": 0.02}])
def test_settings_hold_it_as_well(settings):
    result = PLANNER.plan(START, GOAL, PlanSettings(**settings), constraints=[UPRIGHT])
    assert_upright(result)
    if "resample_step" in settings:
        assert np.linalg.norm(np.diff(result.path, axis=0), axis=1).max() < 0.0201


def test_it_moves_on_from_and_to_where_the_glass_may_just_be():
    ends = []
    for q in (START, GOAL):
        q = q.copy()
        q[5] += 0.1 - tilt(q) - 1e-9  # the sixth joint tilts the hand alone
        assert 0.0999 < tilt(q) <= 0.1
        ends.append(q)
    result = PLANNER.plan(*ends, constraints=[UPRIGHT])
    assert_upright(result, 0.1 + 1e-9)


def test_equal_seeds_plan_the_same():
    paths = [PLANNER.plan(START, GOAL, constraints=[UPRIGHT], timing=False).path for _ in "ab"]
    np.testing.assert_array_equal(*paths)


# -- constraints of all kinds --------------------------------------------------------------------


def height_of(low, high):
    return lambda T: max(low - T[2, 3], T[2, 3] - high)


def line(T):
    return np.linalg.norm(T[[0, 2], 3] - (0.35, 0.5))


def euler(T):
    return np.abs(Rotation.from_matrix(DOWN.T @ T[:3, :3]).as_euler("XYZ")[:2]).max() - 0.05


def vector(T):
    return np.abs(Rotation.from_matrix(T[:3, :3] @ DOWN.T).as_rotvec()[:2]).max() - 0.3


KINDS = {
    "a layer": (CartesianBounds(TIP, (-9, -9, 0.35), (9, 9, 0.37)), height_of(0.35, 0.37)),
    "a plane": (CartesianBounds(TIP, (-9, -9, 0.4), (9, 9, 0.4)), height_of(0.4, 0.4)),
    "a line": (CartesianBounds(TIP, (0.35, -0.6, 0.5), (0.35, 0.6, 0.5)), line),
    "euler angles": (OrientationBounds(TIP, DOWN, (0.05, 0.05, np.pi)), euler),
    "a rotation vector": (
        OrientationBounds(TIP, DOWN, (0.3, 0.3, np.pi), angles="rotation_vector"),
        vector,
    ),
}


@pytest.mark.parametrize("kind", KINDS)
def test_constraints_are_satisfied_along_the_timed_path(kind):
    constraint, miss = KINDS[kind]
    for seed in (2, 5):
        ends = configurations([constraint], seed)
        result = PLANNER.plan(*ends, constraints=[constraint])
        assert result.success, result.message
        allowed = 1.5 * TIGHTEST if kind in ("a plane", "a line") else 0.0
        for q in np.vstack([straight(result.path), dense(result.trajectory)]):
            assert miss(PANDA.pose(q, TIP)) <= allowed
        for q in dense(result.trajectory, 0.05):
            assert PLANNER.checker.is_free(q)
        # It does not stop and go: paths of many short ways are driven through.
        assert np.abs(result.trajectory.velocities[1:-1]).max(axis=1).min() > 1e-3


def test_several_at_once_of_several_bodies():
    constraints = [
        CartesianBounds(TIP, (0.2, -1, 0.3), (0.9, 1, 0.8)),
        DirectionBounds(TIP, (0, 0, -1), 0.15),
        CartesianBounds("panda_link4", (-1, -1, 0.4), (1, 1, 1)),
        JointBounds({"panda_joint4": (-2.4, -1.2)}),
    ]
    ends = configurations(constraints, 1)
    result = PLANNER.plan(*ends, constraints=constraints)
    assert result.success, result.message
    for q in dense(result.trajectory):
        T = PANDA.pose(q, TIP)
        assert 0.2 <= T[0, 3] <= 0.9
        assert 0.3 <= T[2, 3] <= 0.8
        assert tilt(q) <= 0.15
        assert PANDA.pose(q, "panda_link4")[2, 3] >= 0.4
        assert -2.4 <= q[3] <= -1.2


def test_a_moving_reference():
    orientation = OrientationBounds("panda_link7", DOWN, (0.5, 0.5, 0.5), reference="panda_link4")
    result = PLANNER.plan(*configurations([orientation], 4), constraints=[orientation])
    assert result.success, result.message
    for q in dense(result.trajectory):
        T = PANDA.pose(q, "panda_link7", "panda_link4")
        angles = Rotation.from_matrix(DOWN.T @ T[:3, :3]).as_euler("XYZ")
        assert np.abs(angles).max() <= 0.5


# -- goals ---------------------------------------------------------------------------------------


def test_a_pose_is_reached_exactly_by_a_branch_that_holds():
    pose = PANDA.pose(GOAL, TIP)
    result = PLANNER.plan(START, PoseGoal(TIP, pose), constraints=[UPRIGHT])
    assert result.success, result.message
    np.testing.assert_allclose(PANDA.pose(result.path[-1], TIP), pose, atol=2e-6)
    assert_upright(result)


def test_a_redundant_arm_reaches_a_pose_as_the_constraint_wants_it():
    pose = PANDA.pose(GOAL, TIP)
    elbow = CartesianBounds("panda_link4", (-1, -1, 0.55), (1, 1, 0.6))
    start = configurations([elbow], 3, count=1)[0]
    result = PLANNER.plan(start, PoseGoal(TIP, pose), constraints=[elbow])
    assert result.success, result.message
    np.testing.assert_allclose(PANDA.pose(result.path[-1], TIP), pose, atol=2e-6)
    for q in dense(result.trajectory):
        assert 0.55 <= PANDA.pose(q, "panda_link4")[2, 3] <= 0.6


def test_a_region_and_constraints_as_goals():
    place = transform((0.4, -0.4, 0.5))
    region = PoseRegion(TIP, place, np.full((3, 2), (-0.05, 0.05)), np.full((3, 2), (-4.0, 4.0)))
    box = CartesianBounds(TIP, (0.35, -0.45, 0.45), (0.45, -0.35, 0.55))
    joint = JointBounds({"panda_joint7": (0.2, 0.4)})
    for goal in (region, ConstrainedGoal([box]), ConstrainedGoal([box, joint])):
        result = PLANNER.plan(START, goal, constraints=[UPRIGHT])
        assert result.success, result.message
        at = PANDA.pose(result.path[-1], TIP)[:3, 3]
        assert np.abs(at - place[:3, 3]).max() <= 0.05
        assert_upright(result)
    assert 0.2 <= result.path[-1, 6] <= 0.4
    free = PLANNER.plan(START, ConstrainedGoal([box, joint]))
    assert free.success, free.message


# -- what cannot be ------------------------------------------------------------------------------


def test_a_start_that_violates_is_named_with_its_measure():
    start = START + np.array([0, 0, 0, 0, 0, 0.5, 0])
    result = PLANNER.plan(start, GOAL, constraints=[UPRIGHT])
    assert result.status is PlanStatus.START_VIOLATES
    over = tilt(start) - 0.1
    assert f"DirectionBounds of 'panda_link8': direction violated by {over:.3g} rad" in (
        result.message
    )


def test_goals_that_violate_are_named():
    goal = GOAL + np.array([0, 0, 0, 0, 0, 0.5, 0])
    result = PLANNER.plan(START, goal, constraints=[UPRIGHT])
    assert result.status is PlanStatus.GOAL_VIOLATES
    assert "the goal violates the constraints: DirectionBounds" in result.message
    # One of two goals is enough.
    result = PLANNER.plan(START, [goal, GOAL], constraints=[UPRIGHT])
    assert result.success
    assert result.goal_index == 1
    assert "goal 1 violates" in result.dropped_goals[0]
    for wanted in (
        PoseGoal(TIP, PANDA.pose(goal, TIP)),
        ConstrainedGoal([DirectionBounds(TIP, (1, 0, 0), 0.1)]),
    ):
        result = PLANNER.plan(START, wanted, constraints=[UPRIGHT])
        assert result.status is PlanStatus.GOAL_VIOLATES, result.message
        assert "DirectionBounds of 'panda_link8': direction violated by" in result.message


def test_a_goal_out_of_reach_is_not_blamed_on_the_constraints():
    far = transform((3.0, 0.0, 0.5), DOWN)
    for goal in (
        PoseGoal(TIP, far),
        ConstrainedGoal([CartesianBounds(TIP, (2, 0, 0), (3, 1, 1))]),
    ):
        result = PLANNER.plan(START, goal, constraints=[UPRIGHT])
        assert result.status is PlanStatus.GOAL_UNREACHABLE, result.message


def test_a_goal_out_of_reach_leaves_time_for_another():
    far = ConstrainedGoal([CartesianBounds(TIP, (2, 0, 0), (3, 1, 1))])
    result = PLANNER.plan(START, [far, GOAL], PlanSettings(time_limit=1.0))
    assert result.success, result.message
    assert result.goal_index == 1


def test_bad_constraints_are_answered():
    result = PLANNER.plan(START, GOAL, constraints=[DirectionBounds("hook", (0, 0, 1), 0.1)])
    assert result.status is PlanStatus.INVALID_INPUT
    assert "hook" in result.message
    for wrong in (UPRIGHT, 5, [None]):
        result = PLANNER.plan(START, GOAL, constraints=wrong)
        assert result.status is PlanStatus.INVALID_INPUT, wrong
    result = PLANNER.plan(START, GOAL, PlanSettings(planner="rrt"), constraints=[UPRIGHT])
    assert result.status is PlanStatus.INVALID_INPUT
    assert "'rrt_connect'" in result.message


def test_joints_that_stand_still_do():
    moving = [f"panda_joint{k}" for k in (2, 4, 6)]
    planner = MotionPlanner(PANDA.tree, moving_joints=moving)
    goal = START.copy()
    goal[[1, 3, 5]] += 0.4, -0.3, 0.65
    assert tilt(goal) < 0.1
    result = planner.plan(START, goal, constraints=[UPRIGHT])
    assert result.success, result.message
    assert (result.trajectory.positions[:, [0, 2, 4, 6]] == START[[0, 2, 4, 6]]).all()
    assert_upright(result)


def test_the_middle_of_a_region_and_an_orientation_satisfies_both():
    turn = OrientationBounds(
        TIP, DOWN, (0.1, 0.1, 3.0), tool=Rotation.from_rotvec([0, 0, 0.4]).as_matrix()
    )
    regions = [(Box((0.1, 0.1, 0.1)), transform((0.4, y, 0.4))) for y in (-0.3, 0.3)]
    place = RegionBounds(TIP, regions, point=(0.02, 0.0, 0.1))
    poses = ConstrainedGoal([place, turn]).middle_poses()
    both = ConstraintSet(PANDA.tree.compiled(), [place, turn])
    for goal, (_, T_base_region) in zip(poses, regions, strict=True):
        q = PLANNER.plan(START, goal).path[-1]
        assert both.met(q)
        point = PANDA.tree.get_transform(q, TIP) @ [0.02, 0.0, 0.1, 1.0]
        np.testing.assert_allclose(point, T_base_region[:, 3], atol=1e-5)
    for others in ([turn], [turn, place], [place, JointBounds({"panda_joint1": (0.0, 1.0)})]):
        assert not ConstrainedGoal(others).middle_poses()
