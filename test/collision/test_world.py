"""The world's arrays follow a scene, and tree searches agree with a plain scan."""

import coal
import numpy as np
import pytest

from harness.example_robots import random_pose
from rigid_tree_kinematics import load_robot
from rigid_tree_kinematics.collision import (
    CollisionChecker,
    Obstacle,
    PlacedShape,
    PointCloud,
    Prism,
    Scene,
    Triangles,
)
from rigid_tree_kinematics.collision.conservative.kernels import free_batch
from rigid_tree_kinematics.collision.exact import ExactLevel
from rigid_tree_kinematics.collision.world.arrays import make_work
from rigid_tree_kinematics.collision.world.box_tree import (
    build_tree,
    near_boxes,
    points_in_box,
)
from rigid_tree_kinematics.collision.world.world import follow
from rigid_tree_kinematics.errors import DescriptionError
from rigid_tree_kinematics.model import Box, Cylinder, Mesh, Sphere
from rigid_tree_kinematics.model.configuration import random_configuration
from rigid_tree_kinematics.model.transforms import transform


def shape(rng):
    kind = rng.integers(6)
    if kind == 0:
        return Box(tuple(rng.uniform(0.01, 0.1, 3)))
    if kind == 1:
        return Sphere(rng.uniform(0.01, 0.05))
    if kind == 2:
        return Cylinder(rng.uniform(0.01, 0.03), rng.uniform(0.02, 0.2))
    if kind == 3:
        return PointCloud(rng.normal(scale=0.1, size=(rng.integers(1, 60), 3)), 0.004)
    if kind == 4:
        corners = np.array([(0, 0), (3, 0), (3, 2), (2, 2), (2, 1), (0, 1)]) * 0.03
        return Prism(corners, -rng.uniform(0.01, 0.1), 0.05)
    return Triangles(rng.uniform(-0.1, 0.1, (12, 3)), np.arange(12).reshape(4, 3))


def obstacle(name, rng):
    return Obstacle(name, (PlacedShape(shape(rng), random_pose(rng, 0.1)),), place(rng))


def place(rng):
    return random_pose(rng, 0.9)


def obstacles(rng, count):
    return Scene(obstacle(f"o{k}", rng) for k in range(count))


@pytest.fixture(scope="module")
def panda():
    return CollisionChecker(load_robot("panda"))


def free(checker, rows):
    model = checker.conservative_model(rows[0], np.arange(rows.shape[1]))
    out = np.empty(len(rows), dtype=np.bool_)
    free_batch(model, rows, out, make_work(model))
    return out


def configurations(checker, rng, count):
    return np.array([random_configuration(checker.compiled, rng) for _ in range(count)])


@pytest.mark.parametrize("seed", range(2))
def test_a_world_that_followed_many_changes_is_like_a_new_one(panda, seed):
    rng = np.random.default_rng(seed)
    older = []
    scene = obstacles(rng, 25)
    checker = panda.with_scene(scene)
    rows = configurations(checker, rng, 40)

    def answers(asked, change):
        q = rows[change % len(rows)]
        nearest = asked.distance(q)
        ends = zip(rows[change % 7 :: 20][:2], rows[change % 11 + 7 :: 20][:2], strict=True)
        return (
            free(asked, rows).tolist(),
            (nearest.distance, nearest.first, nearest.second),
            {(contact.first, contact.second) for contact in asked.check(q).contacts},
            [asked.motion_free(a, b) for a, b in ends],
            {(d.first, d.second, d.distance) for d in asked.near(q, 0.1, 0.3)},
        )

    for change in range(50):
        name = str(rng.choice(list(scene.obstacles))) if scene.obstacles else "o0"
        kind = rng.integers(5)
        if kind == 0:
            scene.add(obstacle(f"new{change}", rng))
        elif kind == 1:
            scene.add(obstacle(name, rng))
        elif kind == 2 and name in scene.obstacles:
            scene.remove(name)
        elif kind == 3 and name in scene.obstacles:
            scene.move(name, place(rng))
        elif change % 7 == 0:
            # This one goes on from here; the other one stays behind, or goes on later.
            older.append((checker, free(checker, rows)))
            checker = checker.with_scene(scene.copy())
            scene = checker.scene
        elif older and change % 3 == 0:
            checker, _ = older.pop(int(rng.integers(len(older))))
            scene = checker.scene
        fresh = panda.with_scene(scene.copy())
        assert answers(checker, change) == answers(fresh, change)
    for known, before in older:
        assert free(known, rows).tolist() == before.tolist()


def test_the_arrays_of_a_moment_stay_as_they_are(panda):
    rng = np.random.default_rng(6)
    scene = obstacles(rng, 30)
    checker = panda.with_scene(scene)
    rows = configurations(checker, rng, 60)
    model = checker.conservative_model(rows[0], np.arange(rows.shape[1]))
    before = free(checker, rows)
    for k in range(60):
        scene.move(f"o{k % 30}", place(rng))
        scene.add(obstacle(f"o{(k + 7) % 30}", rng))
        checker.prepare()
    after = np.empty(len(rows), dtype=np.bool_)
    free_batch(model, rows, after, make_work(model))
    assert after.tolist() == before.tolist() != free(checker, rows).tolist()


def test_what_did_not_change_is_shared():
    rng = np.random.default_rng(7)
    cloud = Obstacle.of("cloud", PointCloud(rng.normal(size=(50, 3)), 0.004))
    things = {"cloud": cloud, "box": Obstacle.of("box", Box((1, 1, 1)))}
    world = follow(things)
    assert follow(dict(things), world) is world
    moved = follow({**things, "box": Obstacle("box", things["box"].shapes, place(rng))}, world)
    assert moved.pieces == world.pieces
    assert moved.arrays.points is world.arrays.points
    alone = follow({"cloud": cloud}, moved)
    assert alone.arrays.points is world.arrays.points
    assert len(alone.arrays.corners) == 0
    assert len(follow({}, alone).arrays.points) == 0


def test_an_unreadable_mesh_changes_nothing(panda, tmp_path):
    rng = np.random.default_rng(8)
    checker = panda.with_scene(obstacles(rng, 10))
    rows = configurations(checker, rng, 40)
    before = free(checker, rows)
    checker.scene.add(obstacle("good", rng))
    checker.scene.add(Obstacle.of("bad", Mesh("gone.stl", directory=str(tmp_path))))
    for _ in range(2):
        with pytest.raises(DescriptionError, match="bad"):
            checker.prepare()
    checker.scene.remove("good")
    checker.scene.remove("bad")
    assert free(checker, rows).tolist() == before.tolist()


@pytest.mark.parametrize("seed", range(3))
def test_contacts_among_many_obstacles_equal_those_of_pairwise_coal_checks(panda, seed):
    rng = np.random.default_rng(seed)
    scene, solids = Scene(), []
    for k in range(300):
        size = rng.uniform(0.01, 0.08, 3)
        made, theirs, count = (
            (lambda *size: Box(size), coal.Box, 3),
            (Sphere, coal.Sphere, 1),
            (Cylinder, coal.Cylinder, 2),
        )[k % 3]
        T = place(rng)
        scene.add(Obstacle.of(f"o{k}", made(*size[:count]), T))
        solids.append((f"o{k}", theirs(*size[:count]), coal.Transform3s(T[:3, :3], T[:3, 3])))
    cloud = rng.uniform(-0.9, 0.9, (400, 3))
    scene.add(Obstacle.of("cloud", PointCloud(cloud, 0.005)))
    ball = coal.Sphere(0.005)
    solids += [("cloud", ball, coal.Transform3s(np.eye(3), point)) for point in cloud]
    checker = panda.with_scene(scene)
    rows = configurations(checker, rng, 12)
    for q, sure in zip(rows, free(checker, rows), strict=True):
        frames = iter(checker._following().exact._placed(q).frames)
        wanted = set()
        for part in checker._robot.parts:
            for (solid, _), frame in zip(part.solids, frames, strict=False):
                T = coal.Transform3s(frame[:3, :3], frame[:3, 3])
                for name, geometry, pose in solids if part.reach.any() else ():
                    request, result = coal.CollisionRequest(), coal.CollisionResult()
                    if coal.collide(solid.geometry, T, geometry, pose, request, result):
                        wanted.add((part.name, name))
        contacts = checker.check(q).contacts
        assert {(c.first, c.second) for c in contacts if c.second in scene.obstacles} == wanted
        assert not (sure and wanted)


def test_a_distance_to_what_is_far_is_found(panda):
    q = np.array(panda.compiled.home)
    for away in (1.5, 8.0, 900.0):
        ball = Obstacle.of("ball", Sphere(0.1), transform((away, 0, 0)))
        point = Obstacle.of("ball", PointCloud(np.array([[away, 0.0, 0.0]]), 0.1))
        distances = []
        for thing in (ball, point):
            level = ExactLevel(panda.compiled, panda._robot.parts, [], 0.0)
            found = level.among(follow({"ball": thing})).distance(q)
            assert found.second == "ball"
            distances.append(found.distance)
        assert 0.0 < distances[0] < away
        assert distances[0] == pytest.approx(distances[1], abs=1e-6)


def test_a_box_that_nearly_all_configurations_meet_is_one_of_many(panda):
    rng = np.random.default_rng(9)
    scene = Scene()
    checker = panda.with_scene(scene)
    rows = configurations(checker, rng, 10)
    for k in range(30):
        scene.add(Obstacle.of(f"far{k}", Box((0.1, 0.1, 0.1)), transform((9, 9, k))))
        scene.add(Obstacle.of("room", Box((5.0, 5.0, 5.0))))
        assert not free(checker, rows).any()
        scene.remove("room")
        assert free(checker, rows).tolist() == free(panda.with_scene(Scene()), rows).tolist()


# -- the trees -----------------------------------------------------------------------------------


def boxes_of(rng, count):
    low = rng.uniform(-1, 1, (count, 3)).round(1)  # many equal ones
    return np.hstack([low, low + rng.uniform(0.0, 0.2, (count, 3))])


def assert_finds(tree, order, boxes, asked, rows):
    """Assert that a tree of some rows finds what a scan of them finds."""
    rows = np.array(sorted(rows), dtype=np.int64)
    overlap = (boxes[rows, :3] <= asked[:, np.newaxis, 3:]) & (
        boxes[rows, 3:] >= asked[:, np.newaxis, :3]
    )
    wanted = {(int(a), int(rows[b])) for a, b in np.argwhere(overlap.all(axis=2))}
    found = np.empty((len(asked) * (len(rows) + 1), 2), dtype=np.int64)
    number = near_boxes(tree, order, boxes, asked, found)
    assert {(int(a), int(b)) for a, b in found[:number]} == wanted
    assert number == len(wanted)
    assert near_boxes(tree, order, boxes, asked, found[:1].copy()) == number  # the room it needs


@pytest.mark.parametrize("count", [0, 1, 4, 5, 9, 200, 3000])
def test_a_tree_finds_the_boxes_that_a_scan_finds(count):
    for leaf_size in (1, 4, 8):
        rng = np.random.default_rng(count)
        boxes = boxes_of(rng, count + 7)
        order = rng.permutation(count + 7)[:count]
        rows = np.sort(order)
        tree = build_tree(boxes, order, leaf_size)
        assert np.sort(order).tolist() == rows.tolist()
        middle = rng.uniform(-1, 1, (20, 3))
        assert_finds(tree, order, boxes, np.hstack([middle - 0.1, middle + 0.1]), rows)


def test_a_tree_finds_the_points_in_a_box():
    rng = np.random.default_rng(1)
    points = rng.normal(size=(5000, 3))
    order = np.arange(5000)
    tree = build_tree(np.hstack([points, points]), order, 8)
    ordered = points[order]
    for _ in range(20):
        middle = rng.normal(size=3)
        box = np.concatenate([middle - 0.3, middle + 0.3])
        found = np.empty((5000, 3))
        number = points_in_box(tree, ordered, box, found)
        wanted = points[(np.abs(points - middle) <= 0.3).all(axis=1)]
        assert sorted(map(tuple, found[:number])) == sorted(map(tuple, wanted))
