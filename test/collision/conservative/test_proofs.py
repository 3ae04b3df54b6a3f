"""The conservative level: proven motions are free by the exact level and dense sampling."""

from typing import Any

import coal
import numpy as np
import pytest
import trimesh
from scipy.spatial import ConvexHull

from harness.example_robots import ROBOTS, random_pose, robot_of
from rigid_tree_kinematics.collision import (
    CollisionChecker,
    Obstacle,
    PointCloud,
    Prism,
    Scene,
    Triangles,
)
from rigid_tree_kinematics.collision.conservative.kernels import (
    FREE,
    free_batch,
    is_clear,
    motion_verdict,
)
from rigid_tree_kinematics.collision.exact import ExactLevel
from rigid_tree_kinematics.collision.shapes.hull_distance import hull_gap
from rigid_tree_kinematics.collision.shapes.hulls import hulls_of
from rigid_tree_kinematics.collision.world.arrays import make_work
from rigid_tree_kinematics.kinematics.topology import between, difference
from rigid_tree_kinematics.model import Box, Cylinder, Mesh, Sphere
from rigid_tree_kinematics.model.configuration import random_configuration
from rigid_tree_kinematics.model.transforms import inverse

FILES = (
    "panda_description/urdf/panda.urdf",
    "ur_description/urdf/ur5_robot.urdf",
    "kinova_description/robots/kinova.urdf",
    "so_arm_description/urdf/so100.urdf",
    "tiago_description/robots/tiago_no_hand.urdf",
)


def shape_of(kind, rng):
    size = rng.uniform(0.05, 0.3)
    if kind == 0:
        return Box(tuple(rng.uniform(0.02, 0.5, 3)))
    if kind == 1:
        return Sphere(size)
    if kind == 2:
        return Cylinder(rng.uniform(0.01, 0.2), rng.uniform(0.02, 0.6))
    if kind == 3:
        u_profile = np.array([(0, 0), (3, 0), (3, 2), (2, 2), (2, 1), (1, 1), (1, 2), (0, 2)])
        return Prism(u_profile * size / 1.5, -rng.uniform(0.01, 0.2), 0.05)
    if kind == 4:
        mesh = trimesh.creation.torus(size, 0.3 * size)
        return Triangles(mesh.vertices, mesh.faces)
    if kind == 5:
        mesh = trimesh.creation.icosphere(subdivisions=1, radius=size)
        return Triangles(mesh.vertices, mesh.faces)
    if kind == 6:
        return PointCloud(rng.normal(scale=size, size=(300, 3)), rng.uniform(0.001, 0.02))
    # A sheet without an inside.
    return Triangles(rng.uniform(-size, size, (12, 3)), np.arange(12).reshape(4, 3))


KINDS = 8


def scene_of(seed, count=8, reach=1.0):
    rng = np.random.default_rng(seed)
    return Scene(
        Obstacle.of(f"obstacle {n}", shape_of((seed + n) % KINDS, rng), random_pose(rng, reach))
        for n in range(count)
    )


@pytest.fixture(scope="module", params=[*FILES, "panda", "nao"])
def robot(request):
    return robot_of(request.param)


@pytest.fixture(scope="module")
def base_checker(robot):
    return CollisionChecker(robot)


def conservative_free(checker, rows, moving=None):
    count = checker.compiled.position_count
    moving = np.arange(count) if moving is None else moving
    model = checker.conservative_model(rows[0], moving)
    free = np.empty(len(rows), dtype=np.bool_)
    free_batch(model, rows, free, make_work(model))
    return free


@pytest.mark.parametrize("seed", range(3))
def test_what_the_conservative_level_frees_is_free(robot, base_checker, seed):
    checker = base_checker.with_scene(scene_of(seed))
    rng = np.random.default_rng(seed)
    rows = np.array([random_configuration(checker.compiled, rng) for _ in range(400)])
    free = conservative_free(checker, rows)
    truth = np.array([checker.check(q).free for q in rows])
    assert not (free & ~truth).any()
    # TIAGo's torso has few large spheres, and hardly moves away from what stands beside it.
    if truth.sum() > 20 and robot.name != "tiago":
        # It is of use: it frees most of what is free, though meshes and sheets stand in the way.
        assert free[truth].mean() > 0.2


def test_a_padding_is_kept_by_the_conservative_level_too(robot):
    checker = CollisionChecker(robot, scene_of(5), padding=0.02)
    rng = np.random.default_rng(5)
    rows = np.array([random_configuration(checker.compiled, rng) for _ in range(150)])
    for q in rows[conservative_free(checker, rows)]:
        assert checker.distance(q).distance > 0.02


@pytest.mark.parametrize("seed", range(2))
def test_a_motion_that_the_conservative_level_frees_is_free_all_along(base_checker, seed):
    checker = base_checker.with_scene(scene_of(10 + seed))
    compiled, kinds = checker.compiled, checker.kinds
    rng = np.random.default_rng(seed)
    rows = np.array([random_configuration(compiled, rng) for _ in range(300)])
    rows = rows[conservative_free(checker, rows)]
    if len(rows) < 2:
        pytest.skip("no free configurations in this scene")
    model = checker.conservative_model(rows[0], np.arange(compiled.position_count))
    work, freed = make_work(model), 0
    for _ in range(400):
        a, b = rows[rng.integers(len(rows), size=2)]
        displacement = difference(kinds, a, b) * rng.uniform(0.05, 1.0)
        if freed < 25 and motion_verdict(model, kinds, a, displacement, work) == FREE:
            freed += 1
            for t in np.linspace(0.0, 1.0, 40):
                assert checker.check(between(kinds, a, displacement, t)).free


def test_fixed_joints_are_part_of_the_world(base_checker):
    """A model for some moving positions answers like the one for all."""
    checker = base_checker.with_scene(scene_of(20))
    compiled = checker.compiled
    rng = np.random.default_rng(6)
    moving = np.sort(rng.choice(compiled.position_count, compiled.position_count // 2, False))
    standing = random_configuration(compiled, rng)
    rows = np.tile(standing, (200, 1))
    for row in rows:
        row[moving] = random_configuration(compiled, rng)[moving]
    some, every = conservative_free(checker, rows, moving), conservative_free(checker, rows)
    # It leaves out pairs that stand still, so that it may free what the whole one does not.
    assert not (every & ~some).any()
    if checker.check(standing).free:
        for q in rows[some & ~every]:
            assert checker.check(q).free


def test_a_batch_is_what_single_questions_say(base_checker):
    checker = base_checker.with_scene(scene_of(30))
    rng = np.random.default_rng(7)
    rows = np.array([random_configuration(checker.compiled, rng) for _ in range(60)])
    truth = [checker.check(q).free for q in rows]
    assert checker.is_free_batch(rows).tolist() == truth
    assert [checker.is_free(q) for q in rows] == truth
    quick = checker.is_free_batch(rows, exact=False)
    np.testing.assert_array_equal(quick, conservative_free(checker, rows))
    assert quick.any()


def test_what_is_wholly_inside_an_obstacle_is_not_freed(robot):
    scene = Scene([Obstacle.of("room", Box((20.0, 20.0, 20.0)))])
    checker = CollisionChecker(robot, scene)
    rng = np.random.default_rng(8)
    rows = np.array([random_configuration(checker.compiled, rng) for _ in range(20)])
    assert not conservative_free(checker, rows).any()
    assert not checker.is_free_batch(rows).any()


# -- hulls ---------------------------------------------------------------------------------------


def random_hull(rng, corners=30):
    points = rng.normal(size=(corners, 3)) * rng.uniform(0.05, 0.5, 3)
    return np.ascontiguousarray(trimesh.convex.convex_hull(points).vertices)


def coal_hull(corners):
    tree = coal.BVHModelOBBRSS()
    faces = trimesh.convex.convex_hull(corners).faces
    tree.beginModel(len(faces), len(corners))
    tree.addVertices(corners)
    tree.addTriangles(np.ascontiguousarray(faces, dtype=np.int64))
    tree.endModel()
    tree.buildConvexRepresentation(False)
    return tree.convex


@pytest.mark.parametrize("seed", range(5))
def test_the_gap_of_two_hulls_is_coals_distance(seed):
    rng = np.random.default_rng(seed)
    for _ in range(60):
        one, two = random_hull(rng), random_hull(rng, 8)
        frames = [random_pose(rng, 0.6) for _ in range(2)]
        poses = [coal.Transform3s(T[:3, :3], T[:3, 3]) for T in frames]
        axis = rng.normal(size=3) if rng.random() < 0.5 else np.array([0.0, 0.0, 1.0])
        T_one_two = tuple((inverse(frames[0]) @ frames[1])[:3].ravel())
        gap = hull_gap(one, two, T_one_two, 10.0, np.empty((4, 3)), axis)
        request, result = coal.DistanceRequest(), coal.DistanceResult()
        hulls = coal_hull(one), coal_hull(two)  # coal does not keep them alive
        wanted = coal.distance(hulls[0], poses[0], hulls[1], poses[1], request, result)
        assert gap <= wanted + 1e-9 if wanted > 0.0 else gap <= 0.0
        if wanted > 0.0:
            assert gap >= 0.999 * wanted - 1e-6


@pytest.mark.parametrize(
    "file",
    [
        "panda_description/meshes/collision/hand.stl",
        "ur_description/meshes/ur5/collision/forearm.stl",
    ],
)
def test_the_hulls_of_a_mesh_contain_its_surface(file):
    mesh: Any = trimesh.load(ROBOTS / file, force="mesh")
    hulls = hulls_of(Mesh(str(ROBOTS / file)))
    assert 1 <= len(hulls) <= 8
    np.random.seed(2)
    points = np.vstack([mesh.sample(4000), mesh.vertices])
    outside = np.full(len(points), np.inf)
    for hull in hulls:
        equations = ConvexHull(hull.corners).equations
        gaps = (points @ equations[:, :3].T + equations[:, 3]).max(axis=1)
        np.minimum(outside, gaps - hull.radius, out=outside)
    assert outside.max() <= 1e-9
    # Together they are little more than the mesh: less than the one hull around all of it.
    volume = sum(ConvexHull(hull.corners).volume for hull in hulls)
    assert volume <= mesh.convex_hull.volume * 1.001


def test_boxes_contain_a_single_triangle():
    corners = np.array([(0.0, 0.0, 0.0), (0.3, 0.1, 0.0), (0.0, 0.2, 0.2)])
    hulls = hulls_of(Triangles(corners, [(0, 1, 2)]))
    points = np.random.default_rng(3).dirichlet(np.ones(3), 500) @ corners
    low, high = (np.array([f(hull.corners, axis=0) for hull in hulls]) for f in (np.min, np.max))
    inside = (points[:, np.newaxis] >= low - 1e-12) & (points[:, np.newaxis] <= high + 1e-12)
    assert inside.all(axis=2).any(axis=1).all()


def test_pairs_that_are_proven_to_stay_apart_do():
    for name in ("ur_description/urdf/ur5_robot.urdf", "nao"):
        checker = CollisionChecker(robot_of(name))
        compiled, parts, proven = checker.compiled, checker._robot.parts, checker._robot.apart
        assert proven
        assert {(parts[a].name, parts[b].name) for a, b in proven} <= set(checker.self_pairs)
        rng = np.random.default_rng(9)
        level = ExactLevel(compiled, parts, [p for p in checker._robot.pairs if p in proven], 0.0)
        for _ in range(150):
            # The proof holds beyond the limits, too.
            q = np.where(compiled.is_angle, rng.uniform(-np.pi, np.pi, len(compiled.home)), 0.0)
            assert next(level.contacts(q), None) is None


def test_what_is_near_an_obstacle_is_free_by_looking_closely():
    """A Panda two millimeters above a plate: spheres are undecided, hulls are not."""
    robot = robot_of(FILES[0])
    q = np.array([0.0, -0.4, 0.0, -2.4, 0.0, 2.0, 0.785, 0.02])  # fingers apart
    checker = CollisionChecker(robot)
    scene = Scene([Obstacle.of("plate", Box((0.3, 0.3, 0.02)))])
    low, high = -1.0, 1.0
    T = np.eye(4)
    T[:3, 3] = robot.get_transform(q, "panda_hand")[:3, 3]
    for _ in range(40):  # the height at which the plate comes to 2 mm under the hand
        T[2, 3] = 0.5 * (low + high)
        scene.move("plate", T)
        near = checker.with_scene(scene).distance(q).distance < 0.002
        low, high = (low, T[2, 3]) if near else (T[2, 3], high)
    T[2, 3] = low
    scene.move("plate", T)
    checker = checker.with_scene(scene)
    assert 0.001 < checker.distance(q).distance < 0.01
    model = checker.conservative_model(q, np.arange(len(q)))
    assert not is_clear(model, q, make_work(model, closely=False))
    assert is_clear(model, q, make_work(model))
