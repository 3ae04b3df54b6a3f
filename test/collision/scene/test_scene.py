"""Scenes: obstacles are added, moved, attached and removed, and the checker follows."""

import numpy as np
import pytest

from harness.cases import case
from rigid_tree_kinematics.collision import (
    CollisionChecker,
    Obstacle,
    PlacedShape,
    PointCloud,
    Prism,
    Scene,
    Triangles,
)
from rigid_tree_kinematics.collision.shapes.obstacle_shapes import convex_pieces, triangulation
from rigid_tree_kinematics.errors import CollisionError, UnknownNameError
from rigid_tree_kinematics.kinematics import body_transform
from rigid_tree_kinematics.model import (
    Box,
    Collision,
    Cylinder,
    Joint,
    RigidBody,
    RigidBodyTree,
    Sphere,
)
from rigid_tree_kinematics.model.transforms import inverse, transform
from rigid_tree_kinematics.planning import MotionPlanner, PlanStatus


def arm(links=3):
    """A planar arm along x: links of 1 m, 5 cm thick, with a ball at the end."""
    tree = RigidBodyTree("arm", "ground")
    parent = "ground"
    for number in range(links):
        joint = Joint(f"j{number}", "revolute", limits=(-3.0, 3.0))
        joint.set_fixed_transform(transform((1.0 if number else 0.0, 0.0, 0.0)))
        body = RigidBody(f"link{number}", joint)
        body.collisions.append(Collision(Box((0.8, 0.05, 0.05)), transform((0.5, 0.0, 0.0))))
        tree.add_body(body, parent)
        parent = body.name
    hand = RigidBody("hand", Joint("wrist", "fixed"))
    hand.joint.set_fixed_transform(transform((1.0, 0.0, 0.0)))
    hand.collisions.append(Collision(Sphere(0.05)))
    tree.add_body(hand, parent)
    return tree


def ball(name, *position, radius=0.1):
    return Obstacle.of(name, Sphere(radius), transform(position))


STRAIGHT = np.zeros(3)


def names(checker, q):
    return {(contact.first, contact.second) for contact in checker.check(q).contacts}


def agree(checker, q, free):
    """Assert that every way to ask says the same."""
    assert checker.check(q).free == free
    assert checker.is_free(q) == free
    assert checker.is_free_batch(np.array([q])).tolist() == [free]
    assert checker.motion_free(q, q) == free


def test_a_checker_follows_every_change():
    scene = Scene()
    checker = CollisionChecker(arm(), scene)
    agree(checker, STRAIGHT, True)
    scene.add(ball("ball", 1.5, 0.0, 0.0))
    agree(checker, STRAIGHT, False)
    assert names(checker, STRAIGHT) == {("link1", "ball")}
    scene.move("ball", transform((1.5, 1.0, 0.0)))
    agree(checker, STRAIGHT, True)
    scene.add(ball("ball", 2.5, 0.0, 0.0))  # replaces
    assert names(checker, STRAIGHT) == {("link2", "ball")}
    scene.remove("ball")
    agree(checker, STRAIGHT, True)
    scene.add(ball("one", 0.5, 0.0, 0.0))
    scene.add(ball("two", 0.5, 0.0, 0.0))
    assert names(checker, STRAIGHT) == {("link0", "one"), ("link0", "two")}
    scene.clear()
    agree(checker, STRAIGHT, True)


def test_another_scene_with_the_same_version_is_seen():
    checker = CollisionChecker(arm(), Scene([ball("ball", 0.0, 9.0, 0.0)]))
    agree(checker, STRAIGHT, True)
    checker.scene = Scene([ball("ball", 1.5, 0.0, 0.0)])
    agree(checker, STRAIGHT, False)


def test_the_version_grows_with_every_change_only():
    scene = Scene()
    seen = [scene.version]
    for change in (
        lambda: scene.add(ball("a", 1, 2, 3)),
        lambda: scene.move("a", np.eye(4)),
        lambda: scene.attach("a", "hand", np.eye(4)),
        lambda: scene.detach("a", np.eye(4)),
        lambda: scene.remove("a"),
        scene.clear,
    ):
        change()
        seen.append(scene.version)
    assert seen == sorted(set(seen))
    with pytest.raises(UnknownNameError):
        scene.remove("a")
    scene.obstacles["b"] = scene.copy().obstacles["c"] = ball("b", 0, 0, 0)  # copies
    scene.copy().add(ball("d", 0, 0, 0))
    assert scene.obstacles == {}
    assert scene.version == seen[-1]


def test_an_attached_obstacle_moves_with_its_body():
    tree = arm()
    grasped = ball("ball", 3.2, 0.0, 0.0)
    scene = Scene(
        [grasped, Obstacle.of("wall", Box((0.1, 2.0, 2.0)), transform((0.0, 2.95, 0.0)))]
    )
    checker = CollisionChecker(tree, scene)
    up = np.array([np.pi / 2, 0.0, 0.0])
    assert names(checker, up) == {("link2", "wall"), ("hand", "wall")}
    scene.move("wall", transform((0.0, 4.25, 0.0)))
    agree(checker, up, True)  # the hand ends at 3.05
    grasp = inverse(body_transform(checker.compiled, STRAIGHT, "hand")) @ grasped.pose
    scene.attach("ball", "hand", grasp)
    agree(checker, up, False)  # the ball ends at 3.3, the wall begins at 3.25
    assert names(checker, up) == {("ball", "wall")}
    scene.move("wall", transform((0.0, 5.3, 0.0)))
    found = checker.distance(up)
    assert found.distance == pytest.approx(1.0, abs=1e-6)
    assert found.point_first == pytest.approx([0.0, 3.3, 0.0], abs=1e-3)


def test_attached_obstacle_collides_with_the_world_and_other_bodies_but_not_its_own():
    tree = arm()
    scene = Scene([ball("ball", 0, 0, 0), ball("post", 3.35, 0.0, 0.0, radius=0.1)])
    checker = CollisionChecker(tree, scene)
    agree(checker, np.array([0.5, 0.0, 0.0]), False)  # the ball still lies at the arm's foot
    scene.attach("ball", "hand", transform((0.2, 0.0, 0.0)))
    assert names(checker, STRAIGHT) == {("ball", "post")}
    agree(checker, np.array([0.5, 0.0, 0.0]), True)
    # Folded, with the ball on the first link and the hand still 17 cm above it.
    assert names(checker, np.array([0.0, 1.6, 2.521])) == {("link0", "ball")}
    placed = body_transform(checker.compiled, STRAIGHT, "hand") @ transform((0.2, 0.0, 0.0))
    scene.detach("ball", placed)
    assert ("hand", "ball") not in names(checker, np.array([0.5, 0.0, 0.0]))
    assert scene.obstacles["ball"].pose == pytest.approx(placed)


def test_touch_bodies_are_allowed_to_collide():
    scene = Scene([ball("ball", 0, 0, 0, radius=0.3)])
    checker = CollisionChecker(arm(), scene)
    scene.attach("ball", "link2", transform((0.1, 0.0, 0.0)))
    assert names(checker, STRAIGHT) == {("link1", "ball"), ("link2", "ball")}
    scene.detach("ball", np.eye(4))
    scene.attach("ball", "link2", transform((0.1, 0.0, 0.0)), ("link1",))
    assert names(checker, STRAIGHT) == {("link2", "ball")}
    agree(checker, STRAIGHT, False)
    scene.detach("ball", np.eye(4))
    scene.attach("ball", "link2", transform((0.1, 0.0, 0.0)), ("link1", "link2"))
    agree(checker, STRAIGHT, True)


def test_attached_obstacle_in_collision_with_a_fixed_joint_blocks_the_start():
    tree = arm()
    checker = CollisionChecker(tree, Scene([ball("ball", 0, 0, 0, radius=0.3)]))
    checker.scene.attach("ball", "link2", transform((0.1, 0.0, 0.0)), ["link2"])
    planner = MotionPlanner(tree, checker, moving_joints=["j0"])
    result = planner.plan(STRAIGHT, [0.5, 0.0, 0.0])
    assert result.status is PlanStatus.START_BLOCKED
    assert "'link1' touches 'ball'" in result.message


def test_obstacles_attached_to_two_bodies_collide():
    scene = Scene([ball("one", 0, 0, 0), ball("two", 0, 0, 0)])
    checker = CollisionChecker(arm(), scene)
    scene.attach("one", "link0", transform((0.5, 0.5, 0.0)))
    scene.attach("two", "hand", transform((0.0, 0.5, 0.0)))
    agree(checker, STRAIGHT, True)
    assert checker.distance(STRAIGHT).distance < 2.5
    # Folded to a triangle: the hand is at the arm's foot, and both balls inside of it.
    folded = np.array([0.0, 2.0 * np.pi / 3.0, 2.0 * np.pi / 3.0])
    T = body_transform(checker.compiled, folded, "hand")
    scene.detach("two", np.eye(4))
    scene.attach("two", "hand", inverse(T) @ transform((0.5, 0.6, 0.0)))
    assert ("one", "two") in names(checker, folded)
    agree(checker, folded, False)


def test_motions_include_attached_obstacles():
    post = Obstacle.of("post", Cylinder(0.05, 1.0), transform((2.55, 2.2, 0.0)))
    scene = Scene([post, ball("ball", 9, 0, 0)])
    checker = CollisionChecker(arm(), scene)
    a, b = np.zeros(3), np.array([1.5, 0.0, 0.0])
    assert checker.motion_free(a, b)  # the post is 3.37 m away
    scene.attach("ball", "hand", transform((0.25, 0.0, 0.0)))
    contact = checker.motion_contact(a, b)
    assert {contact.first, contact.second} == {"ball", "post"}


def test_a_conservative_model_is_made_again_where_a_still_joint_or_the_scene_differs():
    scene = Scene([ball("ball", 9, 0, 0)])
    checker = CollisionChecker(arm(), scene)
    moving, elsewhere = np.array([1, 2]), np.array([0.0, 0.3, -0.4])
    first = checker.conservative_model(STRAIGHT, moving)
    assert checker.conservative_model(elsewhere, moving) is first
    turned = checker.conservative_model(np.array([0.5, 0.0, 0.0]), moving)
    assert not np.allclose(turned.frames, first.frames)
    other = checker.conservative_model(STRAIGHT, np.array([2]))
    assert len(other.rows) < len(first.rows)
    scene.add(ball("second", 8, 0, 0))
    assert len(checker.conservative_model(STRAIGHT, moving).world.obstacles) == 2


# -- what is refused -----------------------------------------------------------------------------


def test_invalid_shape_is_rejected():
    for make, message in (
        (lambda: ball("", 0, 0, 0), "name"),
        (lambda: Obstacle("empty", ()), "'empty' has no shape"),
        (lambda: Obstacle.of("bad", "a box"), "not str"),
        (lambda: PointCloud([], 0.1), r"\(n, 3\)"),
        (lambda: PointCloud([(0.0, 0.0)], 0.1), r"\(n, 3\)"),
        (lambda: PointCloud([(0.0, 0.0, np.nan)], 0.1), "finite"),
        (lambda: Triangles([(0, 0, 0), (1, 0, 0), (0, 1, 0)], [(0, 1, 3)]), "not to 3"),
        (lambda: Triangles([(0, 0, 0), (1, 0, 0), (0, 1, 0)], []), "at least one triangle"),
        (lambda: Prism([(0, 0), (1, 0)], 0.0, 1.0), "3 corners"),
        (lambda: Prism([(0, 0), (1, 0), (2, 0)], 0.0, 1.0), "collinear"),
        (lambda: Prism([(0, 0), (2, 2), (2, 0), (0, 3)], 0.0, 1.0), "intersect"),
        (lambda: Prism([(0, 0), (1, 0), (0, 1)], 1.0, 1.0), "upper"),
    ):
        with case(message), pytest.raises(CollisionError, match=message):
            make()


def test_unknown_or_existing_name_is_rejected():
    scene = Scene([ball("cup", 0, 0, 0), ball("plate", 0, 0, 0)])
    checker = CollisionChecker(arm(), scene)
    with pytest.raises(UnknownNameError, match="did you mean 'cup'"):
        scene.move("cups", np.eye(4))
    with pytest.raises(UnknownNameError):
        scene.detach("cup", np.eye(4))
    scene.attach("cup", "hand", np.eye(4))
    for change in (
        lambda: scene.add(ball("cup", 0, 0, 0)),
        lambda: scene.move("cup", np.eye(4)),
        lambda: scene.attach("cup", "link0", np.eye(4)),
    ):
        with pytest.raises(CollisionError, match="attached to body 'hand'"):
            change()
    scene.attach("plate", "paw", np.eye(4))
    with pytest.raises(UnknownNameError, match="paw"):
        checker.check(STRAIGHT)


# -- prisms --------------------------------------------------------------------------------------


def test_a_prisms_pieces_make_up_its_area_and_its_surface_its_volume():
    def area(corners):
        x, y = corners.T
        return 0.5 * float(x @ np.roll(y, -1) - y @ np.roll(x, -1))

    for seed in range(6):
        rng = np.random.default_rng(seed)
        count = int(rng.integers(3, 20))  # corners of a star
        angles = (np.arange(count) + rng.uniform(0.0, 0.3, count)) * 2.0 * np.pi / count
        corners = np.column_stack([np.cos(angles), np.sin(angles)])
        corners *= rng.uniform(0.3, 1.0, (count, 1))
        for order in (corners, corners[::-1]):
            prism = Prism(order, -0.25, 0.5)
            assert sum(map(area, convex_pieces(prism))) == pytest.approx(area(corners))
            vertices, faces = triangulation(prism)
            volume = np.linalg.det(vertices[faces]).sum() / 6.0  # the divergence theorem
            assert volume == pytest.approx(0.75 * area(corners))


def test_shapes_of_one_obstacle_are_at_their_poses():
    shapes = tuple(PlacedShape(Sphere(0.1), transform((x, 0.0, 0.0))) for x in (-1.0, 1.0))
    scene = Scene([Obstacle("pair", shapes, transform((1.5, 0.5, 0.0)))])
    checker = CollisionChecker(arm(), scene)
    assert checker.distance(STRAIGHT).distance == pytest.approx(0.5 - 0.1 - 0.025, abs=1e-6)
    scene.move("pair", transform((1.5, 0.1, 0.0)))
    assert names(checker, STRAIGHT) == {("link0", "pair"), ("link2", "pair")}
