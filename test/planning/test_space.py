"""Planning in spaces of every kind: intervals, circles, poses in the plane and in space."""

import itertools
import math
import time

import numpy as np
import pytest

from rigid_tree_kinematics.collision import CollisionChecker, Obstacle, Scene
from rigid_tree_kinematics.errors import ConfigurationError
from rigid_tree_kinematics.model import Box, Collision, Joint, RigidBody, RigidBodyTree
from rigid_tree_kinematics.model.joints.joint_types import CIRCLE, INTERVAL
from rigid_tree_kinematics.model.transforms import transform
from rigid_tree_kinematics.planning import (
    MotionPlanner,
    PlanSettings,
    PlanStatus,
    Space,
    plan_in_space,
)

TURN = 2.0 * math.pi


class Walls:
    """Blocks positions inside of boxes (low, high); motions are looked at densely."""

    def __init__(self, space, *boxes):
        self._space = space
        self._boxes = [np.array(box, dtype=float) for box in boxes]

    def inside(self, q):
        where = np.where(self._space.kinds == CIRCLE, np.mod(q, TURN), q)
        return any((where > low).all() and (where < high).all() for low, high in self._boxes)

    def why(self, q):
        return "in a wall" if self.inside(q) else ""

    def motion_free(self, start, end):
        difference = self._space.difference(start, end)
        steps = 2 + int(self._space.distance(start, end) / 0.005)
        return not any(
            self.inside(self._space.between(start, difference, t))
            for t in np.linspace(0, 1, steps)
        )

    def conservative_model(self, q, moving):
        return None


def checked(space, walls, start, goal, **settings):
    """Return a plan whose path was looked at again."""
    result = plan_in_space(
        space, walls, np.array(start), [np.array(goal)], PlanSettings(**settings)
    )
    if result.success:
        np.testing.assert_array_equal(result.path[0], start)
        for first, last in itertools.pairwise(result.path):
            assert walls.motion_free(first, last)
            for t in np.linspace(0.0, 1.0, 50):
                assert not walls.inside(first + t * (last - first))
    return result


@pytest.mark.parametrize("method", ["rrt_connect", "rrt", "aorrtc"])
@pytest.mark.parametrize("seed", range(3))
def test_around_a_wall(method, seed):
    space = Space.of_kinds([INTERVAL, INTERVAL], [0.0, 0.0], [10.0, 10.0])
    walls = Walls(space, [(4.0, 0.0), (6.0, 8.0)])
    shortest = 2.0 * math.hypot(3.0, 7.0) + 2.0  # over two corners
    # AORRTC takes all its time: more of it only if the machine is busy.
    for time_limit in (1.0, 20.0) if method == "aorrtc" else (60.0,):
        settings = {"planner": method, "seed": seed, "step": 2.0, "time_limit": time_limit}
        result = checked(space, walls, (1.0, 1.0), (9.0, 1.0), **settings)
        if result.success and result.length < 1.1 * shortest:
            break
    assert result.success, result.message
    np.testing.assert_array_equal(result.path[-1], (9.0, 1.0))
    assert shortest <= result.length + 1e-6
    if method == "aorrtc":
        assert result.length < 1.1 * shortest


@pytest.mark.parametrize("seed", range(5))
def test_through_a_narrow_passage(seed):
    space = Space.of_kinds([INTERVAL, INTERVAL], [0.0, 0.0], [10.0, 10.0])
    walls = Walls(space, [(4.5, -1.0), (5.5, 5.0)], [(4.5, 5.1), (5.5, 11.0)])
    settings = {"seed": seed, "step": 1.0, "time_limit": 90.0}
    result = checked(space, walls, (1.0, 9.0), (9.0, 1.0), **settings)
    assert result.success, result.message


def test_shorter_path_crosses_the_border_of_a_circle():
    space = Space.of_kinds([CIRCLE, INTERVAL], [0.0, 0.0], [TURN, 1.0])
    walls = Walls(space, [(3.0, -1.0), (3.3, 2.0)])
    result = checked(space, walls, (2.0, 0.5), (4.0, 0.5))
    assert result.success
    # The direct way is 2 rad and blocked; around it is a turn less that.
    assert result.length == pytest.approx(TURN - 2.0, abs=0.3)
    assert result.path[-1, 0] == pytest.approx(4.0 - TURN)
    assert np.abs(np.diff(result.path[:, 0])).max() < math.pi


def test_a_wall_all_around_a_circle_cannot_be_passed():
    space = Space.of_kinds([CIRCLE, INTERVAL], [0.0, 0.0], [TURN, 1.0])
    walls = Walls(space, [(-1.0, 0.4), (TURN + 1.0, 0.6)])
    begin = time.perf_counter()
    result = checked(space, walls, (2.0, 0.1), (2.0, 0.9), time_limit=0.3)
    assert result.status is PlanStatus.OUT_OF_TIME
    assert time.perf_counter() - begin < 30.0
    few = checked(space, walls, (2.0, 0.1), (2.0, 0.9), maximum_nodes=30)
    assert few.status is PlanStatus.LIMIT_REACHED


def test_positions_outside_the_bounds_are_named():
    space = Space.of_kinds([INTERVAL, INTERVAL], [0.0, 0.0], [1.0, 1.0])
    free = Walls(space)
    result = checked(space, free, (0.5, 0.5), (0.5, 1.5))
    assert result.status is PlanStatus.INVALID_INPUT
    assert "q1 = 1.5" in result.message
    # A rounding is none.
    assert checked(space, free, (0.5, 0.5), (0.5, 1.0 + 1e-9)).success


def test_unknown_joints_and_no_joints_are_rejected():
    compiled = plate("planar").compiled()
    with pytest.raises(ConfigurationError, match="wing"):
        Space.of_robot(compiled, ["wing"])
    with pytest.raises(ConfigurationError, match="no joint"):
        Space.of_robot(compiled, [])


# -- bodies that move freely ---------------------------------------------------------------------


def plate(joint_type):
    """A plate, 0.8 x 0.1 x 0.1 m, in the plane or in space."""
    tree = RigidBodyTree("plate", "world")
    body = RigidBody("plate", Joint("flight", joint_type, axis=(0.0, 0.0, 1.0)))
    body.collisions.append(Collision(Box((0.8, 0.1, 0.1))))
    tree.add_body(body, "world")
    return tree


def wall_with_a_gap(width):
    """A wall across x = 0 with a gap that the plate has to go through lengthwise."""
    half = 0.5 * width
    return Scene(
        [
            Obstacle.of("left", Box((0.1, 10.0, 10.0)), transform((0.0, 5.0 + half, 0.0))),
            Obstacle.of("right", Box((0.1, 10.0, 10.0)), transform((0.0, -5.0 - half, 0.0))),
        ]
    )


def assert_free(checker, path):
    space = Space.of_robot(checker.compiled)
    for first, last in itertools.pairwise(path):
        difference = space.difference(first, last)
        for t in np.linspace(0.0, 1.0, 100):
            assert checker.check(space.between(first, difference, t)).free


@pytest.mark.parametrize("seed", range(3))
def test_a_plate_in_the_plane_turns_to_pass_a_gap(seed):
    robot = plate("planar")
    checker = CollisionChecker(robot, wall_with_a_gap(0.4))
    start, goal = np.array([-1.5, 0.0, math.pi / 2]), np.array([1.5, 0.0, math.pi / 2])
    result = MotionPlanner(robot, checker).plan(
        start, goal, PlanSettings(seed=seed, time_limit=20.0)
    )
    assert result.success, result.message
    assert_free(checker, result.path)
    # In the gap it lies along its way.
    crossing = result.path[np.abs(result.path[:, 0]).argmin()]
    assert abs(math.sin(crossing[2])) < 0.75
    assert result.trajectory is not None


def test_planar_rotation_takes_the_shorter_direction():
    robot = plate("planar")
    result = MotionPlanner(robot).plan([0.0, 0.0, 3.0], [0.0, 0.0, -3.0])
    assert result.success
    assert result.length == pytest.approx(TURN - 6.0)


def test_a_turn_in_the_plane_with_limits_stays_within_them():
    """The long way, for the short one leads through angles that the joint cannot have."""
    robot = plate("planar")
    robot.get_joint("flight").position_limits = ((-1.0, -1.0, -3.0), (1.0, 1.0, 3.0))
    result = MotionPlanner(robot).plan([0.0, 0.0, 2.9], [0.0, 0.0, -2.9])
    assert result.success
    assert result.length == pytest.approx(5.8)
    assert (np.abs(result.trajectory.positions[:, 2]) <= 3.0).all()
    outside = MotionPlanner(robot).plan([0.0, 0.0, 2.9], [0.0, 0.0, 3.1])
    assert outside.status is PlanStatus.INVALID_INPUT
    assert "flight/theta = 3.1" in outside.message


def test_a_velocity_limit_of_zero_is_none():
    """As in MoveIt; many URDFs have it."""
    robot = RigidBodyTree()
    robot.add_body(RigidBody("arm", Joint("turn", "revolute", limits=(-3.0, 3.0))), "base")
    times = []
    for limit in (0.0, math.inf):
        robot.get_joint("turn").velocity_limit = limit
        times.append(MotionPlanner(robot).plan([0.0], [2.0]).trajectory.times[-1])
    assert times[0] == times[1]


@pytest.mark.parametrize("first", ["free", "arm"])
def test_every_joint_keeps_its_own_speed_beside_a_floating_one(first):
    robot = RigidBodyTree()
    free, arm = Joint("free", "floating"), Joint("arm", "revolute", limits=(-3.0, 3.0))
    free.velocity_limit, arm.velocity_limit = 0.2, 1.5
    for joint in (free, arm) if first == "free" else (arm, free):
        robot.add_body(RigidBody(f"{joint.name}_body", joint), "base")
    planner = MotionPlanner(robot)
    start = robot.configuration({"free": (0, 0, 0, 0, 0, 0, 1), "arm": 0.0})
    settings = PlanSettings(velocity_scale=1.0, acceleration_scale=1.0, acceleration_limit=50.0)
    for moved, fastest in (
        ({"free": (0, 0, 0, 0, 0, 0, 1), "arm": 2.0}, 1.5),
        ({"free": (1, 0, 0, 0, 0, 0, 1), "arm": 0.0}, 0.2),
        ({"free": (0, 0, 0, 0, 0, math.sin(0.5), math.cos(0.5)), "arm": 0.0}, 0.2),
    ):
        trajectory = planner.plan(start, robot.configuration(moved), settings).trajectory
        assert np.abs(trajectory.velocities).max() == pytest.approx(fastest, rel=0.02)


@pytest.mark.parametrize("seed", range(2))
def test_a_plate_in_space_passes_a_gap(seed):
    robot = plate("floating")
    checker = CollisionChecker(robot, wall_with_a_gap(0.5))
    half = math.sqrt(0.5)
    start = np.array([-1.5, 0.0, 0.0, 0.0, 0.0, half, half])
    goal = np.array([1.5, 0.0, 0.0, half, 0.0, 0.0, half])
    result = MotionPlanner(robot, checker).plan(
        start, goal, PlanSettings(seed=seed, time_limit=20.0)
    )
    assert result.success, result.message
    assert_free(checker, result.path)
    np.testing.assert_allclose(np.linalg.norm(result.path[:, 3:], axis=1), 1.0, atol=1e-9)
    np.testing.assert_allclose(np.abs(result.path[-1] @ goal), goal @ goal, atol=1e-9)
    timed = result.trajectory
    assert timed is not None
    np.testing.assert_allclose(np.linalg.norm(timed.positions[:, 3:], axis=1), 1.0, atol=1e-9)
    assert (np.diff(timed.times) > 0.0).all()


def test_half_of_a_free_body_can_be_locked():
    """Of a chain of two planar joints one stands still."""
    robot = plate("planar")
    second = Joint("second", "revolute", axis=(0.0, 0.0, 1.0), limits=(-1.0, 1.0))
    robot.add_body(RigidBody("arm", second), "plate")
    planner = MotionPlanner(robot, moving_joints=["second"])
    result = planner.plan([0.3, 0.2, 0.1, -0.5], [0.0, 0.0, 0.0, 0.9])
    assert result.success
    np.testing.assert_array_equal(result.path[:, :3], [[0.3, 0.2, 0.1]] * len(result.path))
    assert result.path[-1, 3] == 0.9


@pytest.mark.parametrize("kind", ["planar", "floating", "prismatic"])
@pytest.mark.parametrize("width", [4.0, 60.0])
def test_an_unlimited_base_gets_around_an_obstacle_of_any_width(kind, width):
    tree, parent = RigidBodyTree("cart", "map"), "map"
    axes = ["x", "y"] if kind == "prismatic" else ["z"]
    for axis in axes:
        joint = Joint(f"{axis} base", kind, np.eye(3)["xyz".index(axis)])
        if kind == "prismatic":
            joint.position_limits = (-np.inf, np.inf)
        parent = tree.add_body(RigidBody(f"{axis} body", joint), parent).name
    tree.get_body(parent).collisions.append(Collision(Box((0.5, 0.5, 0.5))))
    wall = Obstacle.of("wall", Box((0.2, width, width)), transform((1.5, 0.0, 0.0)))
    start = tree.home_configuration()
    goal = start.copy()
    goal[0] = 3.0
    for seed in range(3):
        planner = MotionPlanner(tree, CollisionChecker(tree, Scene([wall])))
        result = planner.plan(start, goal, PlanSettings(seed=seed, time_limit=30.0))
        assert result.success, result.message
        assert np.abs(result.path[:, 1:3]).max() > 0.5 * width
