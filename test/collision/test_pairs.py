"""The pairs of bodies that are checked: neighbors, permanent contacts, SRDF."""

from itertools import combinations
from xml.etree import ElementTree

import numpy as np
import pinocchio as pin
import pytest

from harness.cases import case
from harness.example_robots import ROBOTS, read
from harness.truth import Truth
from rigid_tree_kinematics.collision import CollisionChecker, LeftOut
from rigid_tree_kinematics.collision.checked_robot import CheckedRobot
from rigid_tree_kinematics.collision.exact import ExactLevel
from rigid_tree_kinematics.collision.pairs import ALWAYS, SAMPLE_SEED, SAMPLES, always_touching
from rigid_tree_kinematics.description import list_robots, load_robot
from rigid_tree_kinematics.description.srdf import CollisionRules, read_collision_rules
from rigid_tree_kinematics.errors import CollisionError, DescriptionError, UnknownNameError
from rigid_tree_kinematics.model import (
    Box,
    Collision,
    Joint,
    RigidBody,
    RigidBodyTree,
    Sphere,
    Visual,
)
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


def checked(checker):
    return {frozenset(pair) for pair in checker.self_pairs}


def pairs(tree, **options):
    return checked(CollisionChecker(tree, **options))


def both(one, two):
    return frozenset((one, two))


SMALL = Sphere(0.1)


def turning(name, x=1.0, shape=SMALL):
    return body(name, "continuous", x, shape)


def nested():
    """Return boxes a and c that turn about one axis inside each other, past b in between."""
    boxes = (turning(*at, Box((0.3, 0.3, 0.3))) for at in (("a", 1.0), ("b", 0.0), ("c", 0.05)))
    return chain(*boxes, turning("d"))


def test_the_pairs_without_an_srdf():
    star = RigidBodyTree("star", "hub")
    for name, x in (("left", 1.0), ("right", -1.0)):
        star.add_body(body(name, "prismatic", x, SMALL), "hub")
    flange, tip = (body(name, "fixed", 0.1, SMALL) for name in ("flange", "tip"))
    fixed = chain(turning("a"), flange, turning("b"), tip, turning("c"))
    empty = (turning(name, 0.0, None) for name in "yp")
    for what, tree, expected in (
        ("neighbors are no pair", chain(*map(turning, "abcd")), {"ac", "bd", "ad"}),
        ("bodies fixed to each other count as one", fixed, {"ac", ("flange", "c")}),
        (
            "neighbors may have bodies without shapes between them",
            chain(turning("a"), *empty, turning("b", 0.1), turning("c")),
            {"ac"},
        ),
        ("siblings are a pair", star, {("left", "right")}),
        ("bodies always in contact are no pair", nested(), {"ad", "bd"}),
    ):
        with case(what):
            assert pairs(tree) == {both(*pair) for pair in expected}


def test_contact_at_home_is_checked_unless_it_is_nearly_permanent():
    """Two spheres, no neighbors, touch in a share of the second one's way."""
    for share, is_checked in ((0.99, False), (0.9, True), (0.5, True)):
        tree = chain(body("a", "continuous", 0.0, SMALL), body("m", "continuous", 0.0, SMALL))
        slide = Joint("slide", "prismatic", axis=(0, 0, 1), limits=(0.0, 0.2 / share))
        made = RigidBody("b", slide)
        made.collisions.append(Collision(SMALL))
        tree.add_body(made, "m")
        checker = CollisionChecker(tree)
        with case(share):
            assert (("a", "b") in checker.self_pairs) is is_checked
            left_out = checker.left_out_pairs.get(("a", "b")) is LeftOut.ALWAYS
            assert left_out is not is_checked
            assert checker.is_free([0.0, 0.0, 0.199]) is not is_checked
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


def test_a_left_out_pair_can_be_put_back():
    """Neighbors, what touches always, and what is fixed to each other, near or apart."""
    tree = nested()
    for name, x in (("flange", 0.5), ("clamp", 0.1)):
        tree.add_body(body(name, "fixed", x, SMALL), "a")
    without = CollisionChecker(tree)
    draws = np.array([tree.random_configuration(seed) for seed in range(20)])
    free = without.is_free_batch(draws)
    assert free.any()
    for one, two in (("a", "b"), ("b", "a"), ("a", "c"), ("a", "flange"), ("clamp", "a")):
        with case(f"{one} and {two}"):
            assert both(one, two) not in checked(without)
            checker = CollisionChecker(tree, checked_pairs=[(one, two)])
            assert checked(checker) == checked(without) | {both(one, two)}
            touching = two != "flange"
            assert bool(checker.warnings) is touching
            assert checker.is_free_batch(draws).tolist() == (free & (not touching)).tolist()
            for q in draws[free]:
                report = checker.check(q)
                assert report.free is checker.is_free(q) is not touching
                assert checker.motion_free(q, q + 1e-3) is not touching
                assert (checker.distance(q).distance < 0.0) is touching
                first, second = sorted((one, two))
                assert (report.message == f"'{first}' touches '{second}'") is touching


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
    """Neighbors and what touches always are checked, too, unless it disables them."""
    tree = nested()
    tree.add_body(body("tip", "fixed", 0.0, SMALL), "d")
    everything = {both(x, y) for x in "abc" for y in ("d", "tip")}
    everything |= {both("a", "b"), both("b", "c"), both("a", "c")}
    assert pairs(tree, srdf=srdf_of()) == everything
    off = pair_element("disable_collisions", "c", "a")
    unknown = pair_element("disable_collisions", "a", "camera")
    checker = CollisionChecker(tree, srdf=srdf_of(off, unknown))
    assert checked(checker) == everything - {both("a", "c")}
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


def test_every_srdf_of_the_example_robots_is_read():
    read_files = 0
    for file in ROBOTS.glob("*/srdf/*.srdf"):
        try:
            elements = ElementTree.parse(file).iter("disable_collisions")
        except ElementTree.ParseError:
            continue
        expected = {both(element.get("link1"), element.get("link2")) for element in elements}
        assert read_collision_rules(file).disabled == expected, file
        read_files += 1
    assert read_files > 5


PANDA = ROBOTS / "panda_description/urdf/panda.urdf"
PANDA_SRDF = (ROBOTS / "panda_description/srdf/panda.srdf").read_text()


def pinocchio_of(urdf, srdf):
    """Return Pinocchio's model of a file, and its shapes with the pairs that an SRDF leaves."""
    truth = Truth(read(urdf), urdf.read_text())
    shapes = pin.buildGeomFromUrdfString(
        truth.model, truth.urdf, pin.GeometryType.COLLISION, None, [str(ROBOTS.parent.parent)]
    )
    shapes.addAllCollisionPairs()  # of shapes on different joints
    pin.removeCollisionPairsFromXML(truth.model, shapes, srdf)
    return truth, shapes


@pytest.mark.parametrize(
    ("urdf", "srdf"),
    [
        ("panda_description/urdf/panda.urdf", "panda_description/srdf/panda.srdf"),
        ("ur_description/urdf/ur5_robot.urdf", "ur_description/srdf/ur5.srdf"),
        ("talos_data/robots/talos_left_arm.urdf", "talos_data/srdf/talos.srdf"),
    ],
)
def test_pairs_are_pinocchios_with_the_same_srdf(urdf, srdf):
    truth, shapes = pinocchio_of(ROBOTS / urdf, (ROBOTS / srdf).read_text())
    frames = [truth.model.frames[shape.parentFrame].name for shape in shapes.geometryObjects]
    theirs = {both(frames[pair.first], frames[pair.second]) for pair in shapes.collisionPairs}
    assert pairs(truth.tree, srdf=ROBOTS / srdf) == theirs
    assert theirs


def test_a_panda_is_free_where_pinocchio_finds_it_free():
    """Also where pairs are checked that touch at home, which is all zeros in a URDF."""
    lines = PANDA_SRDF.splitlines()
    strict = "\n".join(line for line in lines if 'reason="Default"' not in line)
    for srdf, fewest in ((PANDA_SRDF, 20), (strict, 250)):
        truth, shapes = pinocchio_of(PANDA, srdf)
        checker = CollisionChecker(truth.tree, srdf=srdf)
        rng = np.random.default_rng(5)
        rows = np.array([random_configuration(checker.compiled, rng) for _ in range(3000)])
        arrays = truth.model, truth.data, shapes, shapes.createData()
        free = [not pin.computeCollisions(*arrays, truth.positions(q), True) for q in rows]
        assert free.count(False) > fewest
        assert checker.is_free_batch(rows).tolist() == free
        assert [checker.check(q).free for q in rows[:300]] == free[:300]


def test_contact_at_zero_is_checked_without_an_srdf():
    checker = CollisionChecker(read(PANDA))
    at_zero = {
        both("panda_link5", "panda_hand"),
        both("panda_link5", "panda_link7"),
        both("panda_leftfinger", "panda_rightfinger"),
    }
    assert at_zero <= checked(checker)
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


def test_links_that_are_drawn_but_have_no_collision_shapes_are_named():
    drawn, frame = turning("drawn", shape=None), turning("frame", shape=None)
    drawn.visuals.append(Visual(SMALL))
    assert CollisionChecker(chain(turning("a"), drawn, frame)).warnings == (
        "links without collision shapes pass through obstacles: 'drawn'",
    )
