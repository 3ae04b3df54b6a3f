"""Distances, contacts and motions of simple robots with known results."""

import numpy as np
import pytest
import trimesh
from scipy.spatial.transform import Rotation

from harness.cases import case
from harness.example_robots import random_pose, random_transform
from rigid_tree_kinematics.collision import (
    CollisionChecker,
    Obstacle,
    PlacedShape,
    PointCloud,
    Prism,
    Scene,
    Triangles,
    load_scene,
)
from rigid_tree_kinematics.collision.exact import ExactLevel
from rigid_tree_kinematics.description import load_robot
from rigid_tree_kinematics.errors import CollisionError, ConfigurationError, DescriptionError
from rigid_tree_kinematics.kinematics.topology import between, difference
from rigid_tree_kinematics.model import (
    Box,
    Collision,
    Cylinder,
    Joint,
    Mesh,
    Mimic,
    RigidBody,
    RigidBodyTree,
    Sphere,
)
from rigid_tree_kinematics.model.transforms import transform


def flying(*collisions):
    """A robot of one body that goes anywhere."""
    tree = RigidBodyTree("flyer", "ground")
    body = RigidBody("flyer", Joint("flight", "floating"))
    body.collisions.extend(collisions)
    tree.add_body(body, "ground")
    return tree


def at(x, y, z, turn=(0.0, 0.0, 0.0, 1.0)):
    return np.array([x, y, z, *turn])


def mesh_of(mesh):
    return Triangles(mesh.vertices, mesh.faces)


TORUS = mesh_of(trimesh.creation.torus(major_radius=1.0, minor_radius=0.3))
CUBE = mesh_of(trimesh.creation.box((2.0, 2.0, 2.0)))
# An U, open upwards (y): 3 m wide, 3 m high, walls of 1 m.
U_PROFILE = Prism([(0, 0), (3, 0), (3, 3), (2, 3), (2, 1), (1, 1), (1, 3), (0, 3)], -0.5, 0.5)
BALL = Collision(Sphere(0.1))


def test_distances_that_are_known():
    for shape, position, expected in (
        (Box((2.0, 2.0, 2.0)), (1.5, 0.0, 0.0), 0.4),
        (Box((2.0, 2.0, 2.0)), (1.3, 1.4, 0.0), 0.5 - 0.1),
        (Sphere(0.5), (0.0, 3.0, 4.0), 4.4),
        (Cylinder(0.5, 2.0), (0.3, 0.4, 1.7), 0.6),
        (Cylinder(0.5, 2.0), (3.0, 4.0, 0.2), 4.4),
        (CUBE, (1.5, 0.0, 0.0), 0.4),
        (TORUS, (0.0, 0.0, 0.0), 0.6),
        (U_PROFILE, (1.5, 2.0, 0.0), 0.4),
        (U_PROFILE, (1.5, 1.2, 0.0), 0.1),
        (U_PROFILE, (1.5, 0.5, 1.0), 0.4),
        (PointCloud([(0.0, 0.0, 0.0), (5.0, 0.0, 0.0)], 0.2), (3.0, 0.0, 0.0), 1.7),
        (PointCloud([(0.0, 0.0, 0.0)], 0.2), (3000.0, 0.0, 0.0), 2999.7),
    ):
        with case(f"{type(shape).__name__} at {position}"):
            tolerance = 0.01 if shape is TORUS else 1e-5  # it has corners
            checker = CollisionChecker(flying(BALL), Scene([Obstacle.of("thing", shape)]))
            found = checker.distance(at(*position))
            assert found.distance == pytest.approx(expected, abs=tolerance)
            assert {found.first, found.second} == {"flyer", "thing"}
            apart = np.linalg.norm(found.point_first - found.point_second)
            assert apart == pytest.approx(found.distance, abs=1e-5)
            assert np.linalg.norm(found.point_first - position) == pytest.approx(0.1, abs=1e-5)
            assert checker.is_free(at(*position))
            assert checker.check(at(*position)).free


def test_a_motion_into_a_cloud_ends_in_contact_with_it():
    cloud = Scene([Obstacle.of("cloud", PointCloud([(0.0, 0.0, 0.0)], 0.2))])
    exact = CollisionChecker(flying(BALL), cloud)._following().exact
    contact = exact.motion_contact(at(1.0, 0.0, 0.0), at(0.25, 0.0, 0.0))
    assert (contact.first, contact.second) == ("flyer", "cloud")
    assert exact.motion_contact(at(1.0, 0.0, 0.0), at(0.35, 0.0, 0.0)) is None


def test_poses_of_shapes_obstacles_and_bodies_do_not_change_a_distance():
    for seed in range(3):
        rng = np.random.default_rng(seed)
        placed, stands, on_body = (random_transform(rng) for _ in range(3))
        obstacle = Obstacle("thing", (PlacedShape(Box((0.4, 0.6, 0.8)), placed),), stands)
        checker = CollisionChecker(flying(Collision(Sphere(0.1), on_body)), Scene([obstacle]))
        turn = Rotation.random(random_state=rng)
        ahead = stands @ placed @ [0.7, 0.0, 0.0, 1.0]
        position = ahead[:3] - turn.as_matrix() @ on_body[:3, 3]
        found = checker.distance(np.array([*position, *turn.as_quat()]))
        assert found.distance == pytest.approx(0.7 - 0.2 - 0.1, abs=1e-6)


def flawed(shape):
    """Yield meshes with a shape's surface, and the flaws of exported files."""
    vertices, faces = shape.vertices, shape.faces
    middle = vertices[faces[0, :2]].mean(axis=0)
    yield Triangles(vertices[faces].reshape(-1, 3), np.arange(3 * len(faces)))
    for extra in (faces[:1], [faces[0, [0, 0, 1]]], [[2, 2, 2]], [[len(vertices), *faces[0, :2]]]):
        yield Triangles(np.vstack([vertices, middle]), np.vstack([faces, extra]))


def test_triangles_twice_or_without_area_change_nothing():
    for shape, inside, outside, distance in (
        (CUBE, (0.3, 0.0, 0.0), (1.5, 0.0, 0.0), 0.4),
        (TORUS, (1.0, 0.0, 0.0), (0.0, 0.0, 0.0), 0.6),
    ):
        for mesh in flawed(shape):
            checker = CollisionChecker(flying(BALL), Scene([Obstacle.of("thing", mesh)]))
            assert not checker.is_free(at(*inside))
            found = checker.distance(at(*outside)).distance
            assert found == pytest.approx(distance, abs=0.01)
    # With a flap inside, the cube is not closed, and stays as it is.
    flap = [[0.0, 0.0, 0.0], [0.5, 0.0, 0.0], [0.0, 0.5, 0.0]]
    faces = np.vstack([CUBE.faces, [[8, 9, 10]], CUBE.faces[:1, [0, 0, 1]]])
    scene = Scene([Obstacle.of("thing", Triangles(np.vstack([CUBE.vertices, flap]), faces))])
    checker = CollisionChecker(flying(BALL), scene)
    for place in np.random.default_rng(0).uniform(-2.8, 2.8, (60, 3)):
        expected = np.linalg.norm(np.maximum(np.abs(place) - 1.0, 0.0)) - 0.1
        if expected > 0.01:
            assert checker.distance(at(*place)).distance == pytest.approx(expected, abs=1e-5)


def test_enclosed_shapes_are_in_collision():
    for shape, position in (
        (Box((2.0, 2.0, 2.0)), (0.0, 0.0, 0.0)),
        (CUBE, (0.3, 0.0, 0.0)),
        (TORUS, (1.0, 0.0, 0.0)),
        (TORUS, (0.0, -1.0, 0.05)),
        (U_PROFILE, (0.5, 2.0, 0.0)),
    ):
        with case(f"{type(shape).__name__} around {position}"):
            checker = CollisionChecker(flying(BALL), Scene([Obstacle.of("thing", shape)]))
            q = at(*position)
            report = checker.check(q)
            assert [{c.first, c.second} for c in report.contacts] == [{"flyer", "thing"}]
            assert report.message == "'flyer' touches 'thing'"
            assert report.contacts[0].depth > 0.0
            assert not checker.is_free(q)
            assert checker.distance(q).distance < 0.0
            assert not checker.motion_free(q, at(9.0, 0.0, 0.0))


def test_any_point_of_a_cloud_or_part_of_a_mesh_inside_a_closed_mesh_is_in_collision():
    cloud = PointCloud([(5.0, 0.0, 0.0), (1.0, 0.0, 0.0)], 0.01)
    rings = [
        trimesh.creation.torus(0.05, 0.02).apply_translation(p) for p in ((5, 0, 0), (1, 0, 0))
    ]
    for name, shape in (("cloud", cloud), ("rings", mesh_of(trimesh.util.concatenate(rings)))):
        scene = Scene([Obstacle.of(name, shape), Obstacle.of("ring", TORUS)])
        scene.attach("ring", "flyer", np.eye(4))
        checker = CollisionChecker(flying(BALL), scene)
        contacts = checker.check(at(0.0, 0.0, 0.0)).contacts
        assert [(contact.first, contact.second) for contact in contacts] == [("ring", name)]
        assert contacts[0].point == pytest.approx([1.0, 0.0, 0.0], abs=0.08)
        assert checker.check(at(0.0, 0.0, 2.0)).free


def test_depth_and_point_of_a_contact():
    scene = Scene([Obstacle.of("floor", Box((4.0, 4.0, 1.0)), transform((0, 0, -0.5)))])
    (contact,) = CollisionChecker(flying(BALL), scene).check(at(0.3, 0.2, 0.08)).contacts
    assert contact.depth == pytest.approx(0.02, abs=1e-6)
    assert contact.point == pytest.approx([0.3, 0.2, -0.01], abs=0.02)


@pytest.mark.parametrize("padding", [0.0, 0.05])
def test_a_large_cloud_answers_as_its_nearest_point(padding):
    rng = np.random.default_rng(1)
    points = rng.uniform(-1.0, 1.0, (10_000, 3))
    cloud = Scene([Obstacle.of("cloud", PointCloud(points, 0.01))])
    checker = CollisionChecker(flying(Collision(Sphere(0.02))), cloud, padding=padding)
    for position in rng.uniform(-1.2, 1.2, (40, 3)):
        nearest = np.linalg.norm(points - position, axis=1).min() - 0.03
        if abs(nearest - padding) > 1e-5:
            assert checker.check(at(*position)).free == (nearest > padding)
            assert checker.is_free(at(*position)) == (nearest > padding)
        if nearest > 0.0:
            assert checker.distance(at(*position)).distance == pytest.approx(nearest, abs=1e-5)


# -- motions -------------------------------------------------------------------------------------


def all_joint_types(seed):
    """Return a tree with a mimic and all kinds of joints, shapes on most bodies."""
    rng = np.random.default_rng(seed)
    tree = RigidBodyTree("mixed", "ground")
    parent = "ground"
    kinds = ["planar", "revolute", "prismatic", "continuous", "revolute", "floating"]
    shapes = [Box((0.3, 0.2, 0.1)), Cylinder(0.05, 0.4), Sphere(0.1)]
    for number, kind in enumerate(kinds):
        limits = (-1.0, 1.0) if kind in ("revolute", "prismatic") else None
        joint = Joint(f"j{number}", kind, rng.normal(size=3), limits)
        rotation = Rotation.random(random_state=rng).as_matrix()
        joint.set_fixed_transform(transform(rng.uniform(0.1, 0.3, 3), rotation))
        if number == 4:
            joint.mimic = Mimic("j1", -0.5, 0.1)
        body = RigidBody(f"b{number}", joint)
        if number != 3:  # one body without a shape
            body.collisions.append(Collision(shapes[number % 3]))
        tree.add_body(body, parent)
        parent = body.name
    return tree


def boxes_around(seed, count=12):
    rng = np.random.default_rng(seed)
    return Scene(
        Obstacle.of(f"box{n}", Box(tuple(rng.uniform(0.05, 0.4, 3))), random_pose(rng, 1.8))
        for n in range(count)
    )


def points_on(checker, a, b, count):
    """Return configurations on the straight motion between two of them."""
    displacement = difference(checker.kinds, a, b)
    return [between(checker.kinds, a, displacement, t) for t in np.linspace(0.0, 1.0, count)]


@pytest.mark.parametrize("seed", range(2))
def test_a_motion_is_free_exactly_if_dense_samples_of_it_are(seed):
    """Not needlessly blocked either: whoever keeps 1 mm along the samples is free."""
    tree = all_joint_types(seed)
    checker = CollisionChecker(tree, boxes_around(seed))
    exact = checker._following().exact
    rng = np.random.default_rng(seed)
    verdicts = []
    for _ in range(60):
        a = tree.random_configuration(rng)
        b = points_on(checker, a, tree.random_configuration(rng), 4)[1]
        free = checker.motion_free(a, b)
        assert free == (exact.motion_contact(a, b) is None)
        nearest = min(checker.distance(q).distance for q in points_on(checker, a, b, 60))
        if free:
            assert nearest > 0.0
        elif nearest > 1e-3:
            fine = points_on(checker, a, b, 3000)
            assert min(checker.distance(q).distance for q in fine) < 1e-4
        verdicts.append(free)
    assert 5 < sum(verdicts) < 55


def test_a_motion_does_not_jump_over_a_thin_wall():
    wall = Obstacle.of("wall", Box((1e-4, 5.0, 5.0)))
    checker = CollisionChecker(flying(Collision(Sphere(0.001))), Scene([wall]))
    assert not checker.motion_free(at(-50.0, 0.1, 0.0), at(31.0, 0.0, 0.3))
    contact = checker.motion_contact(at(-50.0, 0.1, 0.0), at(31.0, 0.0, 0.3))
    assert {contact.first, contact.second} == {"flyer", "wall"}
    assert abs(contact.point[0]) < 0.01
    assert checker.motion_free(at(-50.0, 0.1, 0.0), at(-0.01, 0.0, 0.3))


def test_a_motion_along_a_wall_at_a_millimetre_is_free():
    wall = Obstacle.of("wall", Box((5.0, 5.0, 1.0)), transform((0, 0, -0.5)))
    checker = CollisionChecker(flying(BALL), Scene([wall]))
    assert checker.motion_free(at(-2.0, 0.0, 0.101), at(2.0, 0.1, 0.101))
    assert not checker.motion_free(at(-2.0, 0.0, 0.101), at(2.0, 0.1, 0.099))


# -- input that makes no sense -------------------------------------------------------------------


def test_invalid_configurations_and_paddings_are_rejected():
    checker, good = CollisionChecker(flying(BALL)), at(0, 0, 0)
    for bad in ([0.0] * 6, [np.nan, 0, 0, 0, 0, 0, 1], [0.0] * 7, np.zeros((2, 7)), "here"):
        for query in (
            checker.check,
            checker.is_free,
            checker.distance,
            lambda q: checker.motion_free(good, q),
            lambda q: checker.motion_free(q, good),
        ):
            with case(bad), pytest.raises(ConfigurationError):
                query(bad)
    with pytest.raises(ConfigurationError, match="quaternion is zero"):
        checker.is_free_batch(np.zeros((2, 7)))
    for padding in (-0.1, np.nan, np.inf):
        with case(padding), pytest.raises(CollisionError, match="padding"):
            CollisionChecker(flying(BALL), padding=padding)


def test_a_missing_mesh_names_the_body_and_the_file(tmp_path):
    tree = flying(Collision(Mesh("gone.stl", directory=str(tmp_path))))
    with pytest.raises(DescriptionError, match=r"'flyer'.*gone\.stl"):
        CollisionChecker(tree)
    scene = Scene([Obstacle.of("statue", Mesh("gone.stl", directory=str(tmp_path)))])
    with pytest.raises(DescriptionError, match=r"'statue'.*gone\.stl"):
        CollisionChecker(flying(BALL), scene).check(at(0, 0, 0))


def test_robot_without_shapes_is_free_with_a_warning():
    checker = CollisionChecker(flying(), boxes_around(0))
    assert checker.is_free(at(0, 0, 0))
    assert checker.check(at(0, 0, 0)).free
    assert checker.distance(at(0, 0, 0)).distance == np.inf
    assert checker.motion_free(at(0, 0, 0), at(3, 0, 0))
    assert checker.self_pairs == ()
    assert "no collision shapes" in checker.warnings[0]
    assert CollisionChecker(flying(BALL)).warnings == ()


def test_a_robot_without_moving_joints_has_one_answer():
    tree = RigidBodyTree("stand", "ground")
    body = RigidBody("plate")
    body.collisions.append(BALL)
    tree.add_body(body, "ground")
    scene = Scene([Obstacle.of("thing", Sphere(0.1), transform((0.3, 0.0, 0.0)))])
    checker = CollisionChecker(tree, scene)
    assert checker.is_free([])
    assert checker.motion_free([], [])
    assert checker.is_free_batch(np.zeros((3, 0))).all()


def distance_of_segment(point, a, b):
    along = b - a
    squared = along @ along
    share = np.clip((point - a) @ along / squared, 0.0, 1.0) if squared > 0.0 else 0.0
    return np.linalg.norm(point - a - share * along)


@pytest.mark.parametrize("beside", [False, True])
@pytest.mark.parametrize("size", [0.0, 1e-9, 1e-4, 1.0, 100.0])
def test_distances_and_contacts_of_collinear_and_coinciding_corners_agree(size, beside):
    """A triangle whose corners are on one line is a segment, or a point; also beside others."""
    rng = np.random.default_rng(int(size) + beside)
    far = np.array([[500.0, 0.0, 0.0], [500.0, 1.0, 0.0], [500.0, 0.0, 1.0]])
    for order in ((0, 1, 2), (2, 0, 1), (1, 2, 0)):
        a, along = rng.normal(size=(2, 3))
        b = a + size * along / np.linalg.norm(along)
        corners = np.array([a, b, a + rng.uniform() * (b - a)])[list(order)]
        faces = [(0, 1, 2), (0, 2, 1), (1, 1, 2)]
        if beside:
            corners, faces = np.vstack((corners, far)), [*faces, (3, 4, 5)]
        scene = Scene([Obstacle.of("wire", Triangles(corners, faces))])
        checker = CollisionChecker(flying(Collision(Sphere(0.1))), scene)
        for off in (0.05, 0.0999, 0.1001, 0.3, 3.0):
            direction = rng.normal(size=3)
            place = a + 0.4 * (b - a) + off * direction / np.linalg.norm(direction)
            expected = distance_of_segment(place, a, b) - 0.1
            q = at(*place)
            found = checker.distance(q).distance
            if abs(expected) > 1e-6:
                assert checker.is_free(q) == (expected > 0.0)
                assert checker.check(q).free == (expected > 0.0)
                # coal's depths of penetration are less exact than its distances.
                assert found == pytest.approx(expected, abs=2e-6 if expected > 0.0 else 1e-3)


def test_distances_of_coplanar_corners_are_those_of_their_plane():
    square = np.array([(-1, -1, 0), (1, -1, 0), (1, 1, 0), (-1, 1, 0), (0, 0, 0), (1, 0, 0.0)])
    faces = [(0, 1, 2), (0, 2, 3), (3, 4, 5), (4, 4, 5)]
    scene = Scene([Obstacle.of("sheet", Triangles(square, faces))])
    checker = CollisionChecker(flying(Collision(Sphere(0.1))), scene)
    for height in (-0.5, -0.101, 0.101, 2.0):
        q = at(0.3, -0.2, height)
        assert checker.distance(q).distance == pytest.approx(abs(height) - 0.1, abs=1e-6)
        assert checker.is_free(q)
    for height in (-0.099, 0.0, 0.099):
        q = at(0.3, -0.2, height)
        assert checker.distance(q).distance < 0.0
        assert not checker.is_free(q)


def test_most_collisions_are_found_by_the_undecided_pair(monkeypatch):
    """A hundred times faster than by all pairs of solids that are near each other."""
    checker = CollisionChecker(load_robot("panda"), load_scene("panda_pillars"))
    rng = np.random.default_rng(3)
    ends = rng.uniform(checker.compiled.lower, checker.compiled.upper, (120, 2, 7))
    blocked = [(a, b) for a, b in ends if not checker.motion_free(a, b)]
    starts = [a for a, _ in ends if not checker.is_free(a)]
    assert min(len(blocked), len(starts)) > 10
    asked = []
    for name in ("contacts", "motion_contact"):
        monkeypatch.setattr(ExactLevel, name, lambda *_: asked.append(1) or iter([]))
    for a, b in blocked:
        checker.motion_free(a, b)
    for a in starts:
        checker.is_free(a)
    assert len(asked) < 0.1 * (len(blocked) + len(starts))
