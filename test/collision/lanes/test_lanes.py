"""Results of the lanes agree with proofs without lanes, and with samples."""

import numpy as np
import pytest

from harness.example_robots import random_pose, random_robot, robot_of
from rigid_tree_kinematics.collision import CollisionChecker, Obstacle, PointCloud, Scene
from rigid_tree_kinematics.collision.conservative import ConservativeLevel
from rigid_tree_kinematics.collision.conservative.kernels import FREE, motion_verdict
from rigid_tree_kinematics.collision.lanes.inner_spheres import inner_spheres
from rigid_tree_kinematics.collision.lanes.never_free_kernels import is_never_free
from rigid_tree_kinematics.collision.robot.parts import make_part
from rigid_tree_kinematics.collision.scene import PlacedShape
from rigid_tree_kinematics.collision.shapes.hull_distance import hull_gap
from rigid_tree_kinematics.collision.world import NO_OBSTACLES, follow
from rigid_tree_kinematics.collision.world.arrays import (
    CHECKED,
    make_work,
    no_lanes,
)
from rigid_tree_kinematics.kinematics import body_transforms
from rigid_tree_kinematics.kinematics.topology import between, difference
from rigid_tree_kinematics.model import Box, Cylinder, Sphere
from rigid_tree_kinematics.model.configuration import random_configuration
from rigid_tree_kinematics.model.transforms import transform

FILES = (
    "panda_description/urdf/panda.urdf",
    "ur_description/urdf/ur5_robot.urdf",
    "tiago_description/robots/tiago_no_hand.urdf",
)
NAMES = (*FILES, "nao", "puma560")


def random_scene(rng):
    shapes = [
        Box(tuple(rng.uniform(0.02, 0.6, 3))),
        Box((3.0, 3.0, 0.01)),
        Sphere(rng.uniform(0.02, 0.3)),
        Cylinder(rng.uniform(0.01, 0.2), rng.uniform(0.02, 0.8)),
    ]
    obstacles = [Obstacle.of(f"{k}", shapes[k % 4], random_pose(rng, 1.0)) for k in range(9)]
    far = Obstacle.of("far", Box((200.0, 1.0, 1.0)), random_pose(rng, 400.0))
    return Scene([*obstacles, far])


def random_motion(checker, moving, still, rng):
    """Return a motion of some positions: its start and its way."""
    compiled, ends = checker.compiled, []
    for _ in range(2):
        end = still.copy()
        end[moving] = random_configuration(compiled, rng)[moving]
        ends.append(end)
    displacement = difference(compiled.position_kinds, *ends)
    return ends[0], displacement * rng.choice([0.03, 0.3, 1.0])


def samples_are_free(checker, a, displacement):
    steps = np.linspace(0.0, 1.0, 200)
    qs = np.array([between(checker.compiled.position_kinds, a, displacement, t) for t in steps])
    return checker.is_free_batch(qs).all()


@pytest.mark.parametrize("padding", [0.0, 0.02])
@pytest.mark.parametrize("name", NAMES)
def test_lanes_agree_with_proofs_and_samples(name, padding):
    first = CollisionChecker(robot_of(name), padding=padding)
    compiled, rng = first.compiled, np.random.default_rng(len(name))
    counts = dict.fromkeys(("never", "undecided", "touching", "sampled", "free", "at once"), 0)
    for _ in range(6):
        checker = first.with_scene(random_scene(rng))
        still = random_configuration(compiled, rng)
        count = compiled.position_count
        moving = np.sort(rng.choice(count, rng.integers(1, count + 1), replace=False))
        model = checker.conservative_model(still, moving)
        without = model._replace(lanes=no_lanes(len(model.entities)))
        work = make_work(model)
        for number in range(100):
            a, displacement = random_motion(checker, moving, still, rng)
            never = is_never_free(model, a, displacement, work)
            proven = motion_verdict(without, checker.kinds, a, displacement, work) == FREE
            before = work.counts[CHECKED]
            free = motion_verdict(model, checker.kinds, a, displacement, work) == FREE
            assert not (never and (proven or free))
            assert free or not proven
            counts["never"] += never
            counts["undecided"] += not free
            counts["free"] += free
            counts["at once"] += free and work.counts[CHECKED] == before + 1
            if free and number % 5 == 0 and checker.is_free(a):  # what is still is not checked
                assert samples_are_free(checker, a, displacement)
            if never and number % 20 == 0:
                counts["sampled"] += 1
                counts["touching"] += not samples_are_free(checker, a, displacement)
    assert counts["never"] > 0.1 * counts["undecided"]  # of use
    assert counts["free"] < 75 or counts["at once"] > 0.15 * counts["free"]
    assert counts["touching"] >= 0.9 * counts["sampled"]  # others meet hulls and spheres only


@pytest.mark.parametrize("name", FILES)
def test_a_cloud_has_the_results_of_a_sphere_at_each_point(name):
    first, rng = CollisionChecker(robot_of(name)), np.random.default_rng(len(name))
    compiled, found = first.compiled, []
    moving = np.arange(compiled.position_count)
    for _ in range(4):
        pose, radius = random_pose(rng, 0.5), rng.uniform(0.01, 0.05)
        points = rng.uniform(-1.0, 1.0, (40, 3))
        cloud = Obstacle.of("cloud", PointCloud(points, radius), pose)
        spheres = [
            Obstacle.of(f"{k}", Sphere(radius), pose @ transform(point))
            for k, point in enumerate(points)
        ]
        models = [
            first.with_scene(Scene(obstacles)).conservative_model(compiled.home, moving)
            for obstacles in ([cloud], spheres)
        ]
        works = [make_work(model) for model in models]
        for _ in range(100):
            a, displacement = random_motion(first, moving, compiled.home, rng)
            outcomes = []
            for model, work in zip(models, works, strict=True):
                never = is_never_free(model, a, displacement, work)
                before = work.counts[CHECKED]
                free = motion_verdict(model, first.kinds, a, displacement, work) == FREE
                outcomes.append((never, free and work.counts[CHECKED] == before + 1))
            assert outcomes[0] == outcomes[1]
            found.append(outcomes[0])
    never, at_once = np.mean(found, axis=0)
    assert never > 0.1
    assert at_once > 0.03


@pytest.mark.parametrize("seed", range(30))
def test_spheres_that_touch_at_one_moment_are_not_free(seed):
    """By 0.02 mm, where they are nearest: two of the robot's, or one and an obstacle.

    Some trees have planar joints that do not move and have no limits: their reach is infinite.
    """
    compiled, rng = random_robot(seed).compiled(), np.random.default_rng(seed)
    still, joints = random_configuration(compiled, rng), compiled.joint_of_position
    moves = np.array([joints.count(name) == 1 for name in joints])
    end = np.where(moves, random_configuration(compiled, rng), still)
    displacement = rng.uniform(0.1, 1.0) * difference(compiled.position_kinds, still, end)
    qs = [
        between(compiled.position_kinds, still, displacement, t)
        for t in np.linspace(0.0, 1.0, 1500)
    ]
    origins = np.array([body_transforms(compiled, q)[:, :3, 3] for q in qs])
    for _ in range(10):
        one, two = rng.choice(len(compiled.table), 2, replace=False)
        point = origins[rng.integers(len(qs)), one] + 0.1 * rng.normal(size=3)
        apart = np.linalg.norm(origins[:, one] - origins[:, two], axis=1).min()
        from_point = np.linalg.norm(origins[:, one] - point, axis=1).min()
        grain = Obstacle.of("grain", Sphere(0.001), transform(point))
        for world, sizes in (
            (NO_OBSTACLES, (0.5 * apart + 1e-5, 0.5 * apart + 1e-5)),
            (follow({"grain": grain}), (from_point - 98e-5, 1e-5)),
        ):
            if min(sizes) <= 0.0:
                continue
            parts = [
                make_part(compiled, f"{row}", int(row), [PlacedShape(Sphere(size), np.eye(4))])
                for row, size in zip((one, two), sizes, strict=True)
            ]
            level = ConservativeLevel(compiled, parts, [(0, 1)], 0.0)
            model = level.model(still, np.flatnonzero(moves), world)
            checked = model.entities["in_world"][model.entities["body"] == one].any()
            if checked if world.obstacles else len(model.pairs):
                kinds, work = compiled.position_kinds, make_work(model)
                assert motion_verdict(model, kinds, still, displacement, work) != FREE


@pytest.mark.parametrize("name", NAMES)
def test_balls_lie_in_a_sphere_and_in_a_hull_of_their_part(name):
    rng = np.random.default_rng(0)
    simplex, axis = np.empty((4, 3)), np.array([0.0, 0.0, 1.0])
    same_frame = tuple(np.eye(4)[:3].ravel())
    for part in CollisionChecker(robot_of(name))._robot.parts:
        for ball in inner_spheres(part):
            points = rng.normal(size=(20, 3))
            points *= ball[3] / np.linalg.norm(points, axis=1)[:, np.newaxis]
            for point in points + ball[:3]:
                apart = np.linalg.norm(part.spheres[:, :3] - point, axis=1) - part.spheres[:, 3]
                assert apart.min() < 1e-9
                corner = point[np.newaxis].copy()
                gaps = [
                    hull_gap(corner, hull.corners, same_frame, 1.0, simplex, axis) - hull.radius
                    for hull in part.hulls
                ]
                assert min(gaps, default=0.0) < 1e-6
