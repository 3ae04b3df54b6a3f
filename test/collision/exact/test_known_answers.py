"""Distances, contacts and motions of simple robots with known results."""

import numpy as np
import pytest
import trimesh
from scipy.spatial.transform import Rotation

from rigid_tree_kinematics.collision import (
    CollisionChecker,
    Obstacle,
    PlacedShape,
    PointCloud,
    Prism,
    Scene,
    Triangles,
)
from rigid_tree_kinematics.errors import CollisionError, ConfigurationError, DescriptionError
from rigid_tree_kinematics.kinematics.topology import between_kernel, difference_kernel
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


def flying(*collisions, joint_type="floating"):
    """A robot of one body that goes anywhere."""
    tree = RigidBodyTree("flyer", "ground")
    body = RigidBody("flyer", Joint("flight", joint_type))
    body.collisions.extend(collisions)
    tree.add_body(body, "ground")
    return tree


def at(x, y, z, turn=(0.0, 0.0, 0.0, 1.0)):
    return np.array([x, y, z, *turn])


def mesh_of(mesh):
    return Triangles(mesh.vertices, mesh.faces)


def u_profile():
    """An U, open upwards (y): 3 m wide, 3 m high, walls of 1 m."""
    return Prism([(0, 0), (3, 0), (3, 3), (2, 3), (2, 1), (1, 1), (1, 3), (0, 3)], -0.5, 0.5)


HOLLOW = trimesh.creation.torus(major_radius=1.0, minor_radius=0.3)
BALL = Collision(Sphere(0.1))


@pytest.mark.parametrize(
    ("shape", "position", "expected"),
    [
        (Box((2.0, 2.0, 2.0)), (1.5, 0.0, 0.0), 0.4),
        (Box((2.0, 2.0, 2.0)), (1.3, 1.4, 0.0), 0.5 - 0.1),
        (Sphere(0.5), (0.0, 3.0, 4.0), 4.4),
        (Cylinder(0.5, 2.0), (0.3, 0.4, 1.7), 0.6),
        (Cylinder(0.5, 2.0), (3.0, 4.0, 0.2), 4.4),
        (mesh_of(trimesh.creation.box((2.0, 2.0, 2.0))), (1.5, 0.0, 0.0), 0.4),
        (mesh_of(HOLLOW), (0.0, 0.0, 0.0), 0.6),
        (u_profile(), (1.5, 2.0, 0.0), 0.4),
        (u_profile(), (1.5, 1.2, 0.0), 0.1),
        (u_profile(), (1.5, 0.5, 1.0), 0.4),
        (PointCloud([(0.0, 0.0, 0.0), (5.0, 0.0, 0.0)], 0.2), (3.0, 0.0, 0.0), 1.7),
    ],
)
def test_distances_that_are_known(shape, position, expected):
    tolerance = 0.01 if isinstance(shape, Triangles) else 1e-5  # the torus has corners
    checker = CollisionChecker(flying(BALL), Scene([Obstacle.of("thing", shape)]))
    found = checker.distance(at(*position))
    assert found.distance == pytest.approx(expected, abs=tolerance)
    assert {found.first, found.second} == {"flyer", "thing"}
    apart = np.linalg.norm(found.point_first - found.point_second)
    assert apart == pytest.approx(found.distance, abs=1e-5)
    assert np.linalg.norm(found.point_first - position) == pytest.approx(0.1, abs=1e-5)
    assert checker.is_free(at(*position))
    assert checker.check(at(*position)).free


@pytest.mark.parametrize("seed", range(3))
def test_poses_of_shapes_obstacles_and_bodies_do_not_change_a_distance(seed):
    rng = np.random.default_rng(seed)
    placed = transform(rng.normal(size=3), Rotation.random(random_state=rng).as_matrix())
    stands = transform(rng.normal(size=3), Rotation.random(random_state=rng).as_matrix())
    obstacle = Obstacle("thing", (PlacedShape(Box((0.4, 0.6, 0.8)), placed),), stands)
    on_body = transform(rng.normal(size=3), Rotation.random(random_state=rng).as_matrix())
    checker = CollisionChecker(flying(Collision(Sphere(0.1), on_body)), Scene([obstacle]))
    turn = Rotation.random(random_state=rng)
    ahead = stands @ placed @ [0.7, 0.0, 0.0, 1.0]
    position = ahead[:3] - turn.as_matrix() @ on_body[:3, 3]
    found = checker.distance(np.array([*position, *turn.as_quat()]))
    assert found.distance == pytest.approx(0.7 - 0.2 - 0.1, abs=1e-6)


@pytest.mark.parametrize(
    ("shape", "position"),
    [
        (Box((2.0, 2.0, 2.0)), (0.0, 0.0, 0.0)),
        (mesh_of(trimesh.creation.box((2.0, 2.0, 2.0))), (0.3, 0.0, 0.0)),
        (mesh_of(HOLLOW), (1.0, 0.0, 0.0)),
        (mesh_of(HOLLOW), (0.0, -1.0, 0.05)),
        (u_profile(), (0.5, 2.0, 0.0)),
    ],
)
def test_enclosed_shapes_are_in_collision(shape, position):
    checker = CollisionChecker(flying(BALL), Scene([Obstacle.of("thing", shape)]))
    q = at(*position)
    report = checker.check(q)
    assert [{contact.first, contact.second} for contact in report.contacts] == [{"flyer", "thing"}]
    assert report.message == "'flyer' touches 'thing'"
    assert report.contacts[0].depth > 0.0
    assert not checker.is_free(q)
    assert checker.distance(q).distance < 0.0
    assert not checker.motion_free(q, at(9.0, 0.0, 0.0))


def test_any_point_of_a_cloud_inside_a_closed_mesh_is_in_collision():
    cloud = PointCloud([(5.0, 0.0, 0.0), (1.0, 0.0, 0.0)], 0.01)
    robot = flying(BALL)
    ring = Obstacle.of("ring", mesh_of(HOLLOW))
    scene = Scene([Obstacle.of("cloud", cloud)])
    checker = CollisionChecker(robot, scene)
    scene.add(ring)
    scene.attach("ring", "flyer", np.eye(4))
    contacts = checker.check(at(0.0, 0.0, 0.0)).contacts
    assert [(contact.first, contact.second) for contact in contacts] == [("ring", "cloud")]
    assert contacts[0].point == pytest.approx([1.0, 0.0, 0.0])


def test_any_part_of_a_mesh_inside_a_closed_mesh_is_in_collision():
    far, near = (
        trimesh.creation.torus(0.05, 0.02).apply_translation(p) for p in ((5, 0, 0), (1, 0, 0))
    )
    scene = Scene([Obstacle.of("rings", mesh_of(trimesh.util.concatenate([far, near])))])
    scene.add(Obstacle.of("ring", mesh_of(HOLLOW)))
    scene.attach("ring", "flyer", np.eye(4))
    checker = CollisionChecker(flying(BALL), scene)
    assert not checker.check(at(0.0, 0.0, 0.0)).free
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
    obstacles = []
    for number in range(count):
        pose = transform(rng.uniform(-1.8, 1.8, 3), Rotation.random(random_state=rng).as_matrix())
        obstacles.append(Obstacle.of(f"box{number}", Box(tuple(rng.uniform(0.05, 0.4, 3))), pose))
    return Scene(obstacles)


def way(checker, a, b, count):
    difference = np.empty(len(a))
    difference_kernel(checker.kinds, a, b, difference)
    rows = np.empty((count, len(a)))
    for row, t in zip(rows, np.linspace(0.0, 1.0, count), strict=True):
        between_kernel(checker.kinds, a, difference, t, row)
    return rows


@pytest.mark.parametrize("seed", range(2))
def test_a_motion_is_free_exactly_if_dense_samples_of_it_are(seed):
    """Not needlessly blocked either: whoever keeps 1 mm along the samples is free."""
    tree = all_joint_types(seed)
    checker = CollisionChecker(tree, boxes_around(seed))
    rng = np.random.default_rng(seed)
    verdicts = []
    for _ in range(60):
        a = tree.random_configuration(rng)
        b = way(checker, a, tree.random_configuration(rng), 4)[1]
        free = checker.motion_free(a, b)
        distances = [checker.distance(q).distance for q in way(checker, a, b, 60)]
        if free:
            assert min(distances) > 0.0
        elif min(distances) > 1e-3:
            closer = min(checker.distance(q).distance for q in way(checker, a, b, 3000))
            assert closer < 1e-4
        verdicts.append(free)
    assert 5 < sum(verdicts) < 55


def test_the_exact_level_alone_agrees_with_the_conservative_one():
    tree = all_joint_types(4)
    checker = CollisionChecker(tree, boxes_around(4))
    exact = checker._prepared().exact
    rng = np.random.default_rng(4)
    for _ in range(40):
        a = tree.random_configuration(rng)
        b = way(checker, a, tree.random_configuration(rng), 8)[1]
        assert checker.motion_free(a, b) == (exact.motion_contact(a, b) is None)


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


def test_a_joint_without_limits_below_a_turning_one():
    tree = RigidBodyTree("crane", "ground")
    tree.add_body(RigidBody("mast", Joint("turn", "continuous")), "ground")
    hook = RigidBody("hook", Joint("slide", "floating"))
    hook.collisions.append(BALL)
    tree.add_body(hook, "mast")
    scene = Scene([Obstacle.of("pole", Cylinder(0.05, 4.0), transform((1.0, 0.0, 0.0)))])
    checker = CollisionChecker(tree, scene)
    a, b = np.array([-0.5, *at(1.0, 0, 0)]), np.array([0.5, *at(1.0, 0, 0)])
    assert checker.is_free(a)
    assert checker.is_free(b)
    assert not checker.motion_free(a, b)
    slid = np.array([-0.5, *at(0.5, 0, 0)])
    assert checker.motion_free(a, slid)


# -- input that makes no sense -------------------------------------------------------------------


@pytest.mark.parametrize(
    "bad", [[0.0] * 6, [np.nan, 0, 0, 0, 0, 0, 1], [0.0] * 7, np.zeros((2, 7)), "here"]
)
def test_a_bad_configuration_is_rejected(bad):
    checker = CollisionChecker(flying(BALL))
    good = at(0, 0, 0)
    for ask in (
        lambda: checker.check(bad),
        lambda: checker.is_free(bad),
        lambda: checker.distance(bad),
        lambda: checker.motion_free(good, bad),
        lambda: checker.motion_free(bad, good),
    ):
        with pytest.raises(ConfigurationError):
            ask()


@pytest.mark.parametrize("padding", [-0.1, np.nan, np.inf])
def test_a_bad_padding_is_rejected(padding):
    with pytest.raises(CollisionError, match="padding"):
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
