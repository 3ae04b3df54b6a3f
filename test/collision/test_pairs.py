"""The pairs of bodies that are checked: neighbors, permanent contacts, SRDF."""

import re
from itertools import combinations
from typing import Any
from xml.etree import ElementTree

import numpy as np
import pinocchio as pin
import pytest

from harness.example_robots import ROBOTS, read
from rigid_tree_kinematics.collision import CollisionChecker, LeftOut
from rigid_tree_kinematics.collision.checked_robot import CheckedRobot
from rigid_tree_kinematics.collision.exact import ExactLevel
from rigid_tree_kinematics.collision.pairs import ALWAYS, SAMPLE_SEED, SAMPLES, always_touching
from rigid_tree_kinematics.description import list_robots, load_robot
from rigid_tree_kinematics.description.srdf import CollisionRules, read_collision_rules
from rigid_tree_kinematics.errors import (
    CollisionError,
    DescriptionError,
    UnknownNameError,
)
from rigid_tree_kinematics.model import Box, Collision, Joint, RigidBody, RigidBodyTree, Sphere
from rigid_tree_kinematics.model.configuration import random_configuration
from rigid_tree_kinematics.model.transforms import transform

PAIR = '<disable_collisions link1="a" link2="b" reason="Never"/>'


def body(name, kind, x, shape=None):
    made = RigidBody(name, Joint(f"{name}_joint", kind, limits=None))
    made.joint.set_fixed_transform(transform((x, 0.0, 0.0)))
    if shape is not None:
        made.collisions.append(Collision(shape))
    return made


def chain(*bodies):
    tree = RigidBodyTree("chain", "ground")
    parent = "ground"
    for item in bodies:
        tree.add_body(item, parent)
        parent = item.name
    return tree


def pairs(tree, **options):
    return {frozenset(pair) for pair in CollisionChecker(tree, **options).self_pairs}


def both(one, two):
    return frozenset((one, two))


SMALL = Sphere(0.1)


def turning(name, x=1.0, shape=SMALL):
    return body(name, "continuous", x, shape)


def star():
    tree = RigidBodyTree("star", "hub")
    tree.add_body(body("left", "prismatic", 1.0, SMALL), "hub")
    tree.add_body(body("right", "prismatic", -1.0, SMALL), "hub")
    return tree


def nested():
    """Return boxes a and c that turn about one axis inside each other, past b in between."""
    boxes = (turning(*at, Box((0.3, 0.3, 0.3))) for at in (("a", 1.0), ("b", 0.0), ("c", 0.05)))
    return chain(*boxes, turning("d"))


FLANGE, TIP = (body(name, "fixed", 0.1, SMALL) for name in ("flange", "tip"))
TREES: dict[str, tuple[RigidBodyTree, set[Any]]] = {
    "neighbours are no pair": (chain(*map(turning, "abcd")), {"ac", "bd", "ad"}),
    "bodies fixed to each other count as one": (
        chain(turning("a"), FLANGE, turning("b"), TIP, turning("c")),
        {"ac", ("flange", "c")},
    ),
    "neighbours may have bodies without shapes between them": (
        chain(
            turning("a"),
            turning("y", 0.0, None),
            turning("p", 0.0, None),
            turning("b", 0.1),
            turning("c"),
        ),
        {"ac"},
    ),
    "siblings are a pair": (star(), {("left", "right")}),
    "bodies always in contact are no pair": (nested(), {"ad", "bd"}),
}


@pytest.mark.parametrize("case", TREES)
def test_the_pairs_without_an_srdf(case):
    tree, expected = TREES[case]
    assert pairs(tree) == {both(*pair) for pair in expected}


def slide(share):
    """Return two spheres, no neighbours, that touch in this share of the second one's way."""
    tree = chain(body("a", "continuous", 0.0, SMALL), body("m", "continuous", 0.0, SMALL))
    made = RigidBody("b", Joint("slide", "prismatic", axis=(0, 0, 1), limits=(0.0, 0.2 / share)))
    made.collisions.append(Collision(SMALL))
    tree.add_body(made, "m")
    return tree


@pytest.mark.parametrize(("share", "checked"), [(0.99, False), (0.9, True), (0.5, True)])
def test_contact_at_home_is_checked_unless_it_is_nearly_permanent(share, checked):
    checker = CollisionChecker(slide(share))
    pair = ("a", "b")
    assert (pair in checker.self_pairs) is checked
    assert (checker.left_out_pairs.get(pair) is LeftOut.ALWAYS) is not checked
    assert checker.is_free([0.0, 0.0, 0.199]) is not checked
    assert checker.is_free([0.0, 0.0, 0.201])


def test_left_out_pairs_name_the_reason():
    cube = Box((0.3, 0.3, 0.3))
    flange, inner = body("flange", "fixed", 0.0, SMALL), turning("c", 0.05, cube)
    tree = chain(turning("a", 1.0, cube), flange, turning("b", 0.0, cube), inner, turning("d"))
    checker = CollisionChecker(tree, disabled_pairs=[("d", "b")])
    assert checker.left_out_pairs == {
        ("a", "flange"): LeftOut.FIXED,
        ("a", "b"): LeftOut.ADJACENT,
        ("flange", "b"): LeftOut.ADJACENT,
        ("a", "c"): LeftOut.ALWAYS,
        ("flange", "c"): LeftOut.ALWAYS,
        ("b", "c"): LeftOut.ADJACENT,
        ("b", "d"): LeftOut.ARGUMENT,
        ("c", "d"): LeftOut.ADJACENT,
    }
    assert checker.self_pairs == (("a", "d"), ("flange", "d"))
    for part in ("2 of 10 pairs", "1 fixed", "4 adjacent", "'a' and 'c', 'flange' and 'c'"):
        assert part in checker.pairs_summary
    assert not checker.warnings


@pytest.mark.parametrize("pair", [("a", "b"), ("b", "a"), ("a", "c"), ("a", "flange")])
def test_a_left_out_pair_can_be_put_back(pair):
    """Neighbours, what touches always, and what is fixed to each other."""
    tree = nested()
    flange = RigidBody("flange", Joint("flange_joint", "fixed"))
    flange.joint.set_fixed_transform(transform((0.5, 0.0, 0.0)))
    flange.collisions.append(Collision(SMALL))
    tree.add_body(flange, "a")
    assert both(*pair) not in pairs(tree)
    checker = CollisionChecker(tree, checked_pairs=[pair])
    assert {both(*p) for p in checker.self_pairs} == pairs(tree) | {both(*pair)}
    touching = "flange" not in pair
    assert bool(checker.warnings) is touching
    rng = np.random.default_rng(2)
    for _ in range(20):
        q = tree.random_configuration(rng)
        if CollisionChecker(tree).is_free(q):
            assert checker.is_free(q) is not touching
            assert checker.check(q).free is not touching
            assert checker.is_free_batch([q]).tolist() == [not touching]


def test_bodies_fixed_to_each_other_that_touch_are_found_when_put_back():
    tree = chain(turning("a"), body("flange", "fixed", 0.1, SMALL), turning("b"))
    q = np.zeros(2)
    assert CollisionChecker(tree).is_free(q)
    checker = CollisionChecker(tree, checked_pairs=[("flange", "a")])
    assert not checker.is_free(q)
    assert not checker.motion_free(q, q + 0.1)
    assert checker.check(q).message == "'a' touches 'flange'"
    assert checker.distance(q).distance < 0.0


def test_invalid_pairs_are_rejected():
    tree = chain(*map(turning, "abcd"))
    for checked, disabled, message in (
        (("a", "a"), None, "'a' are not two bodies with collision shapes"),
        (("a", "ground"), None, "'a' and 'ground' are not two bodies with"),
        (("a", "z"), None, "no body 'z'"),
        (("a", "b"), ("b", "a"), "checked_pairs and disabled_pairs both have 'a' and 'b'"),
        (None, ("a", "nobody"), "nobody"),
    ):
        options = {"checked_pairs": checked, "disabled_pairs": disabled}
        with pytest.raises((CollisionError, UnknownNameError), match=message):
            CollisionChecker(tree, **{name: [p] for name, p in options.items() if p})


def test_disabled_pairs_in_any_order_of_names_and_bodies():
    tree = RigidBodyTree("tree", "ground")
    for name, parent in (("z", "ground"), ("m", "ground"), ("a", "z"), ("b", "a"), ("n", "m")):
        tree.add_body(turning(name), parent)
    everything = pairs(tree)
    for pair in everything:
        for order in (tuple(pair), tuple(pair)[::-1]):
            assert pairs(tree, disabled_pairs=[order]) == everything - {pair}


def srdf_of(*elements):
    return f"<robot name='r'>{''.join(elements)}</robot>"


def pair_element(tag, one, two):
    return f'<{tag} link1="{one}" link2="{two}"/>'


def test_srdf_decides_about_all_pairs_except_rigidly_connected_ones():
    """Neighbours and what touches always are checked, too, unless it disables them."""
    tree = nested()
    tree.add_body(body("tip", "fixed", 0.0, SMALL), "d")
    everything = {both(x, y) for x in "abc" for y in ("d", "tip")}
    everything |= {both("a", "b"), both("b", "c"), both("a", "c")}
    assert pairs(tree, srdf=srdf_of()) == everything
    off = pair_element("disable_collisions", "c", "a")
    unknown = pair_element("disable_collisions", "a", "camera")
    checker = CollisionChecker(tree, srdf=srdf_of(off, unknown))
    assert {both(*pair) for pair in checker.self_pairs} == everything - {both("a", "c")}
    assert checker.left_out_pairs == {("a", "c"): LeftOut.SRDF, ("d", "tip"): LeftOut.FIXED}
    (warning,) = checker.warnings
    assert "'a' and 'b', 'b' and 'c'" in warning
    again = pairs(tree, srdf=srdf_of(off), checked_pairs=[("a", "c")])
    assert again == everything


def test_an_srdf_may_disable_a_link_and_enable_pairs_of_it():
    """As in MoveIt: all of the link's pairs but the enabled; a disabled pair has the last word."""
    tree = chain(*map(turning, "abcd"))
    default = '<disable_default_collisions link="a"/>'
    free = {both("b", "c"), both("b", "d"), both("c", "d")}
    assert pairs(tree, srdf=srdf_of(default)) == free
    on = pair_element("enable_collisions", "d", "a")
    assert pairs(tree, srdf=srdf_of(default, on)) == free | {both("a", "d")}
    off = pair_element("disable_collisions", "a", "d")
    assert pairs(tree, srdf=srdf_of(default, off, on)) == free


def test_text_is_read(tmp_path):
    rules = CollisionRules(frozenset({both("a", "b")}))
    file = tmp_path / "r.srdf"
    for text in (
        f'<robot name="r">{PAIR}</robot>',
        f'<?xml version="1.0"?>\n<!-- made -->\n<robot name="r"><group name="g"/>{PAIR}</robot>',
        f'  \n<robot xmlns="http://ros.org/srdf" name="r">{PAIR}</robot>',
        f'<robot xmlns:xacro="http://ros.org/wiki/xacro" name="r"><x><y>{PAIR}</y></x></robot>',
    ):
        file.write_text(text.strip())
        for source in (text, file, str(file)):
            assert read_collision_rules(source) == rules


def test_a_xacro_file_is_expanded(tmp_path):
    file = tmp_path / "r.srdf.xacro"
    file.write_text(
        '<robot xmlns:xacro="http://www.ros.org/wiki/xacro" name="r">'
        '<xacro:macro name="off" params="side">'
        '<disable_collisions link1="a" link2="${side}_b" reason="Never"/></xacro:macro>'
        '<xacro:off side="left"/><xacro:off side="right"/></robot>'
    )
    assert read_collision_rules(file).disabled == {both("a", "left_b"), both("a", "right_b")}


def test_invalid_srdf_is_rejected():
    for text, message in (
        ("<robot>", "well-formed"),
        ("<sdf/>", "root is <robot>, not <sdf>"),
        ('<robot><disable_collisions link1="a"/></robot>', "lacks 'link2'"),
        ('<robot><enable_collisions link2="a"/></robot>', "<enable_collisions> lacks 'link1'"),
        ("not/there.srdf", r"not/there\.srdf: cannot read"),
    ):
        with pytest.raises(DescriptionError, match=message):
            read_collision_rules(text)


def sound(file):
    try:
        ElementTree.parse(file)
    except ElementTree.ParseError:
        return False
    return True


def test_every_srdf_of_the_example_robots_is_read():
    files = [file for file in ROBOTS.glob("*/srdf/*.srdf") if sound(file)]
    assert len(files) > 5
    for file in files:
        bare = re.sub(r"<!--.*?-->", "", file.read_text(), flags=re.DOTALL)
        expected = {
            frozenset(
                re.search(rf"""{n}\s*=\s*["']([^"']*)""", text)[1] for n in ("link1", "link2")
            )
            for text in re.findall(r"<disable_collisions\b([^>]*)>", bare)
        }
        assert read_collision_rules(file).disabled == expected, file


PANDA = ROBOTS / "panda_description/urdf/panda.urdf"
PANDA_SRDF = ROBOTS / "panda_description/srdf/panda.srdf"


def pinocchio_of(urdf, srdf):
    """Return Pinocchio's model and shapes, with the pairs that an SRDF leaves enabled."""
    model = pin.buildModelFromUrdf(str(urdf))
    shapes = pin.buildGeomFromUrdf(
        model, str(urdf), pin.GeometryType.COLLISION, None, [str(ROBOTS.parent.parent)]
    )
    shapes.addAllCollisionPairs()  # of shapes on different joints
    pin.removeCollisionPairs(model, shapes, str(srdf))
    return model, shapes


@pytest.mark.parametrize(
    ("urdf", "srdf"),
    [
        ("panda_description/urdf/panda.urdf", "panda_description/srdf/panda.srdf"),
        ("ur_description/urdf/ur5_robot.urdf", "ur_description/srdf/ur5.srdf"),
        ("talos_data/robots/talos_left_arm.urdf", "talos_data/srdf/talos.srdf"),
    ],
)
def test_pairs_are_pinocchios_with_the_same_srdf(urdf, srdf):
    checker = CollisionChecker(read(ROBOTS / urdf), srdf=ROBOTS / srdf)
    model, shapes = pinocchio_of(ROBOTS / urdf, ROBOTS / srdf)
    frames = [model.frames[shape.parentFrame].name for shape in shapes.geometryObjects]
    theirs = {both(frames[pair.first], frames[pair.second]) for pair in shapes.collisionPairs}
    assert {both(*pair) for pair in checker.self_pairs} == theirs
    assert theirs


@pytest.fixture(scope="module")
def strict_srdf(tmp_path_factory):
    """The Panda's SRDF without the pairs that were disabled since they touch at zero only."""
    kept = [line for line in PANDA_SRDF.read_text().splitlines() if 'reason="Default"' not in line]
    file = tmp_path_factory.mktemp("srdf") / "panda.srdf"
    file.write_text("\n".join(kept))
    return file


@pytest.mark.parametrize("strict", [False, True])
def test_a_panda_is_free_where_pinocchio_finds_it_free(strict, strict_srdf):
    """Also where the pairs in question touch at home, which is all zeros in a URDF."""
    srdf = strict_srdf if strict else PANDA_SRDF
    checker = CollisionChecker(read(PANDA), srdf=srdf)
    compiled = checker.compiled
    model, shapes = pinocchio_of(PANDA, srdf)
    data, shape_data = model.createData(), shapes.createData()
    rng = np.random.default_rng(5)
    rows = np.array([random_configuration(compiled, rng) for _ in range(3000)])
    touching = np.zeros(len(rows), dtype=bool)
    for number, q in enumerate(rows):
        positions = pin.neutral(model)
        for name, (start, _) in compiled.joint_slots.items():
            positions[model.joints[model.getJointId(name)].idx_q] = q[start]
        positions[model.joints[model.getJointId("panda_finger_joint2")].idx_q] = q[-1]
        touching[number] = pin.computeCollisions(model, data, shapes, shape_data, positions, True)
    assert touching.sum() > (250 if strict else 20)
    np.testing.assert_array_equal(checker.is_free_batch(rows), ~touching)
    assert [checker.check(q).free for q in rows[:300]] == (~touching[:300]).tolist()


def test_contact_at_zero_is_checked_without_an_srdf():
    checker = CollisionChecker(read(PANDA))
    checked = {both(*pair) for pair in checker.self_pairs}
    at_zero = {
        both("panda_link5", "panda_hand"),
        both("panda_link5", "panda_link7"),
        both("panda_leftfinger", "panda_rightfinger"),
    }
    assert at_zero <= checked
    report = checker.check(checker.compiled.home)
    assert {both(contact.first, contact.second) for contact in report.contacts} == at_zero
    assert "'panda_link5' touches 'panda_hand'" in report.message
    assert set(checker.left_out_pairs.values()) == {LeftOut.ADJACENT, LeftOut.FIXED}


@pytest.mark.parametrize("name", list_robots())
def test_the_bundled_robots_are_free_at_home(name):
    """What their plain shapes leave out touches in every configuration."""
    robot = load_robot(name)
    checker = CollisionChecker(robot)
    again = CollisionChecker(robot)
    assert (again.self_pairs, again.left_out_pairs) == (checker.self_pairs, checker.left_out_pairs)
    report = checker.check(checker.compiled.home)
    assert report.free, report.message
    always = [p for p, reason in checker.left_out_pairs.items() if reason is LeftOut.ALWAYS]
    strict = CollisionChecker(robot, checked_pairs=always)
    rng = np.random.default_rng(3)
    for _ in range(100):
        contacts = strict.check(random_configuration(checker.compiled, rng)).contacts
        assert set(always) <= {(contact.first, contact.second) for contact in contacts}


@pytest.mark.parametrize(
    "file", ["tiago_description/robots/tiago.urdf", "ur_description/urdf/ur5_gripper.urdf"]
)
@pytest.mark.parametrize("padding", [0.0, 0.03])
def test_pairs_always_in_contact_are_those_of_the_exact_level_alone(file, padding):
    robot = CheckedRobot(
        read(ROBOTS / file), padding, disabled_pairs=(), checked_pairs=(), srdf=None
    )
    compiled, parts = robot.compiled, robot.parts
    some = list(combinations(range(len(parts)), 2))[::3]
    level = ExactLevel(compiled, parts, some, padding)
    rng = np.random.default_rng(SAMPLE_SEED)
    every = np.ones(len(some), dtype=np.bool_)
    touched = sum(
        level.touching_pairs(random_configuration(compiled, rng), every) for _ in range(SAMPLES)
    )
    expected = touched > ALWAYS * SAMPLES
    assert 0 < expected.sum() < len(some)
    assert always_touching(compiled, parts, some, padding).tolist() == expected.tolist()
