"""Allowed collisions, and pairs that are checked although excluded by default."""

import numpy as np
import pytest

from rigid_tree_kinematics import load_robot
from rigid_tree_kinematics.collision import (
    AllowedCollisions,
    CollisionChecker,
    LeftOut,
    Obstacle,
    PointCloud,
    Scene,
)
from rigid_tree_kinematics.errors import ConfigurationError
from rigid_tree_kinematics.model import Box, Sphere
from rigid_tree_kinematics.model.transforms import inverse, transform

ROBOT = load_robot("panda_hand")
BARE = CollisionChecker(ROBOT)


def pair(first, second):
    return frozenset((first, second))


def scene():
    made = Scene(
        [
            Obstacle.of("ball", Sphere(0.12), transform((0.45, 0.1, 0.45))),
            Obstacle.of("post", Box((0.1, 0.1, 1.0)), transform((-0.3, 0.3, 0.5))),
            Obstacle.of("floor", Box((3.0, 3.0, 0.1)), transform((0.0, 0.0, -0.06))),
        ]
    )
    made.add(Obstacle.of("held", Sphere(0.04), np.eye(4)))
    made.attach("held", "panda_hand", transform((0.0, 0.0, 0.1)), ["panda_leftfinger"])
    return made


def contacts(checker, q):
    return {pair(c.first, c.second) for c in checker.check(q).contacts}


RULES = [
    AllowedCollisions({pair("ball", "panda_hand"): True}),
    AllowedCollisions({pair("ball", "panda_hand"): True, pair("post", "panda_link4"): True}),
    AllowedCollisions({pair("held", "floor"): True, pair("held", "panda_link3"): True}),
    AllowedCollisions({pair("panda_link1", "panda_hand"): True}),
    AllowedCollisions({}, {"ball": True}),
    AllowedCollisions({pair("ball", "panda_link5"): False}, {"ball": True}),
    AllowedCollisions({}, {"panda_hand": True, "floor": False}),
]


@pytest.mark.parametrize("rules", RULES)
def test_exactly_what_is_allowed_is_left_out(rules):
    """The truth: all contacts, without those that the rules allow."""
    everything = BARE.with_scene(scene())
    ruled_scene = scene()
    ruled_scene.allow(rules)
    ruled = BARE.with_scene(ruled_scene)
    rng = np.random.default_rng(4)
    rows = [ROBOT.random_configuration(rng) for _ in range(400)]
    free, left_out = [], 0
    for q in rows:
        found = contacts(everything, q)
        wanted = {names for names in found if not rules.decide(*sorted(names))}
        assert contacts(ruled, q) == wanted
        assert ruled.is_free(q) == (not wanted)
        left_out += wanted != found
        free.append(not wanted)
    assert left_out
    assert ruled.is_free_batch(rows).tolist() == free
    # Motions: what a dense look finds free or not.
    for a, b in zip(rows[:40], rows[40:80], strict=True):
        between = [a + part * (b - a) for part in np.linspace(0.0, 1.0, 60)]
        if any(contacts(ruled, q) for q in between):
            assert not ruled.motion_free(a, b)


def test_motions_pass_through_allowed_collisions():
    free_scene, ruled_scene = Scene(), scene()
    for name in ("post", "floor", "held"):
        ruled_scene.remove(name)
    ruled_scene.allow(AllowedCollisions({}, {"ball": True}))
    free, ruled = BARE.with_scene(free_scene), BARE.with_scene(ruled_scene)
    rng = np.random.default_rng(8)
    for _ in range(60):
        a, b = ROBOT.random_configuration(rng), ROBOT.random_configuration(rng)
        b = a + 0.3 * (b - a)
        assert ruled.motion_free(a, b) == free.motion_free(a, b)


def test_links_that_are_left_out_can_be_checked():
    """The truth: a checker that was told at its making."""
    left_out = [names for names, why in BARE.left_out_pairs.items() if why is not LeftOut.FIXED]
    assert left_out
    made = Scene()
    made.allow(AllowedCollisions({pair(*names): False for names in left_out}))
    changed, truth = BARE.with_scene(made), CollisionChecker(ROBOT, checked_pairs=left_out)
    rng = np.random.default_rng(6)
    found = set()
    for q in [ROBOT.random_configuration(rng) for _ in range(60)]:
        assert contacts(changed, q) == contacts(truth, q)
        assert changed.is_free(q) == truth.is_free(q)
        found |= contacts(changed, q)
    assert found & {pair(*names) for names in left_out}


def test_rules_go_with_the_obstacle_that_they_name_and_follow_it():
    made = scene()
    made.allow(AllowedCollisions({pair("ball", "panda_hand"): True}, {"post": True}))
    checker = BARE.with_scene(made)
    q = np.array([0.0, -0.4, 0.0, -2.0, 0.0, 1.6, 0.8, 0.035])
    at = ROBOT.get_transform(q, "panda_hand")
    made.move("ball", at @ transform((0.0, 0.0, 0.02)))
    assert pair("ball", "panda_hand") not in contacts(checker, q)
    assert contacts(checker, q)  # other links touch it, where it is now
    made.attach("ball", "panda_hand", inverse(at) @ made.obstacles["ball"].pose)
    assert pair("ball", "panda_hand") in made.allowed.pairs
    made.remove("ball")
    made.remove("post")
    assert made.allowed == AllowedCollisions()
    copied = scene()
    copied.allow(AllowedCollisions({}, {"ball": True}))
    assert copied.copy().allowed == copied.allowed
    copied.clear()
    assert copied.allowed == AllowedCollisions()


def test_clouds_count_in_any_case():
    points = np.array([[0.45, 0.1, 0.45]])
    made = Scene([Obstacle.of("cloud", PointCloud(points, 0.1))])
    before = BARE.with_scene(made.copy())
    made.allow(AllowedCollisions({}, {"panda_hand": True, "cloud": True}))
    after = BARE.with_scene(made)
    rng = np.random.default_rng(3)
    for q in [ROBOT.random_configuration(rng) for _ in range(100)]:
        touched = {found for found in contacts(before, q) if "cloud" in found}
        assert {found for found in contacts(after, q) if "cloud" in found} == touched


@pytest.mark.parametrize(
    ("joints", "still"),
    [
        (["panda_finger_joint1"], 11),  # link0 to link8, the hand, and what it holds
        (["panda_joint5", "panda_joint7"], 5),
        (["panda_joint1"], 1),
    ],
)
def test_a_group_ignores_contacts_of_links_that_it_does_not_move(joints, still):
    """The truth: MoveIt's rule for CollisionRequest.group_name, applied to all contacts."""
    links = [f"panda_link{k}" for k in range(9)]
    fixed = {*links, "panda_hand"} if still == 11 else {*links[:still]}
    idle = fixed | {"ball", "post", "floor"} | ({"held"} if still == 11 else set())
    rules = AllowedCollisions({pair("ball", "panda_link3"): True})
    for allowed in (AllowedCollisions(), rules):
        made = scene()
        made.allow(allowed)
        whole = BARE.with_scene(made)
        group = whole.for_joints(joints)
        rng = np.random.default_rng(5)
        rows = [ROBOT.random_configuration(rng) for _ in range(60)]
        wanted = [{found for found in contacts(whole, q) if not found <= idle} for q in rows]
        assert [contacts(group, q) for q in rows] == wanted
        assert group.is_free_batch(rows).tolist() == [not found for found in wanted]
        assert any(wanted)
        moving = [list(ROBOT.position_names).index(name) for name in joints]
        for q, other, found in zip(rows, rows[1:], wanted, strict=False):
            end = q.copy()
            end[moving] += 0.05 * (other - q)[moving]
            if not found and not any(
                contacts(group, q + part * (end - q)) for part in np.linspace(0.0, 1.0, 20)
            ):
                nearest = min(
                    group.distance(q + part * (end - q)).distance for part in (0.0, 0.5, 1.0)
                )
                assert group.motion_free(q, end) or nearest < 0.01
            else:
                assert not group.motion_free(q, end)


def test_a_group_has_only_independent_joints():
    for name in ("panda_joint9", "panda_finger_joint2"):
        with pytest.raises(ConfigurationError, match=name):
            BARE.for_joints([name])
