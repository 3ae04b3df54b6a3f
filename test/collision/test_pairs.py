"""Which bodies are checked against each other: neighbours, always touching ones, and SRDF."""

import re
import sysconfig
import warnings
from pathlib import Path
from xml.etree import ElementTree

import numpy as np
import pinocchio as pin
import pytest

from rigid_tree_kinematics.collision import CollisionChecker
from rigid_tree_kinematics.collision.srdf import disabled_pairs
from rigid_tree_kinematics.description import read_urdf_file
from rigid_tree_kinematics.errors import (
    DescriptionError,
    DescriptionWarning,
    UnknownNameError,
)
from rigid_tree_kinematics.model import Box, Collision, Joint, RigidBody, RigidBodyTree, Sphere
from rigid_tree_kinematics.model.transforms import transform

ROBOTS = Path(sysconfig.get_path("purelib"), "cmeel.prefix/share/example-robot-data/robots")
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


def test_neighbours_are_no_pair():
    tree = chain(*(body(name, "continuous", 1.0, SMALL) for name in "abcd"))
    assert pairs(tree) == {both("a", "c"), both("b", "d"), both("a", "d")}


def test_bodies_fixed_to_each_other_count_as_one():
    tree = chain(
        body("a", "continuous", 1.0, SMALL),
        body("flange", "fixed", 0.1, SMALL),
        body("b", "continuous", 1.0, SMALL),
        body("tip", "fixed", 0.1, SMALL),
        body("c", "continuous", 1.0, SMALL),
    )
    assert pairs(tree) == {both(one, "c") for one in ("a", "flange")}


def test_neighbours_may_have_bodies_without_shapes_between_them():
    tree = chain(
        body("a", "continuous", 1.0, SMALL),
        body("yaw", "continuous", 0.0),
        body("pitch", "continuous", 0.0),
        body("b", "continuous", 0.1, SMALL),
        body("c", "continuous", 1.0, SMALL),
    )
    assert pairs(tree) == {both("a", "c")}


def test_siblings_are_a_pair():
    tree = RigidBodyTree("star", "hub")
    tree.add_body(body("left", "prismatic", 1.0, SMALL), "hub")
    tree.add_body(body("right", "prismatic", -1.0, SMALL), "hub")
    assert pairs(tree) == {both("left", "right")}


def test_what_touches_always_is_no_pair():
    """Two bodies that turn about one axis inside of each other, past the body in between."""
    tree = chain(
        body("a", "continuous", 1.0, Box((0.3, 0.3, 0.3))),
        body("b", "continuous", 0.0, Box((0.3, 0.3, 0.3))),
        body("c", "continuous", 0.05, Box((0.3, 0.3, 0.3))),
        body("d", "continuous", 1.0, SMALL),
    )
    assert pairs(tree) == {both("a", "d"), both("b", "d")}


def test_disabled_pairs_in_any_order():
    tree = chain(*(body(name, "continuous", 1.0, SMALL) for name in "abcd"))
    for pair in (("a", "d"), ("d", "a")):
        assert pairs(tree, disabled_pairs=[pair]) == {both("a", "c"), both("b", "d")}


def test_disabled_pairs_do_not_depend_on_the_order_of_bodies():
    tree = RigidBodyTree("tree", "ground")
    for name, parent in (("z", "ground"), ("m", "ground"), ("a", "z"), ("b", "a"), ("n", "m")):
        tree.add_body(body(name, "continuous", 1.0, SMALL), parent)
    everything = pairs(tree)
    for pair in everything:
        for order in (tuple(pair), tuple(pair)[::-1]):
            assert pairs(tree, disabled_pairs=[order]) == everything - {pair}


def test_a_disabled_pair_of_an_unknown_body_is_refused():
    with pytest.raises(UnknownNameError, match="nobody"):
        pairs(chain(body("a", "fixed", 0.0, SMALL)), disabled_pairs=[("a", "nobody")])


def test_an_srdf_disables_pairs_and_may_know_other_links():
    tree = chain(*(body(name, "continuous", 1.0, SMALL) for name in "axb"))
    assert pairs(tree) == {both("a", "b")}
    other = '<disable_collisions link1="a" link2="camera" reason="User"/>'
    assert pairs(tree, srdf=f"<robot name='r'>{other}</robot>") == {both("a", "b")}
    assert pairs(tree, srdf=f"<robot name='r'>{PAIR}{other}</robot>") == set()


# -- reading SRDF --------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "text",
    [
        f'<robot name="r">{PAIR}</robot>',
        f'<?xml version="1.0"?>\n<!-- made -->\n<robot name="r"><group name="g"/>{PAIR}</robot>',
        f'  \n<robot xmlns="http://ros.org/srdf" name="r">{PAIR}</robot>',
        f'<robot xmlns:xacro="http://ros.org/wiki/xacro" name="r"><x><y>{PAIR}</y></x></robot>',
    ],
)
def test_text_is_read(text, tmp_path):
    assert disabled_pairs(text) == [("a", "b")]
    file = tmp_path / "r.srdf"
    file.write_text(text.strip())
    assert disabled_pairs(file) == disabled_pairs(str(file)) == [("a", "b")]


def test_a_xacro_file_is_expanded(tmp_path):
    file = tmp_path / "r.srdf.xacro"
    file.write_text(
        '<robot xmlns:xacro="http://www.ros.org/wiki/xacro" name="r">'
        '<xacro:macro name="off" params="side">'
        '<disable_collisions link1="a" link2="${side}_b" reason="Never"/></xacro:macro>'
        '<xacro:off side="left"/><xacro:off side="right"/></robot>'
    )
    assert disabled_pairs(file) == [("a", "left_b"), ("a", "right_b")]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("<robot>", "well-formed"),
        ("<sdf/>", "root is <robot>, not <sdf>"),
        ('<robot><disable_collisions link1="a"/></robot>', "lacks 'link2'"),
        ("not/there.srdf", r"not/there\.srdf: cannot read"),
    ],
)
def test_what_is_no_srdf_is_refused(text, message):
    with pytest.raises(DescriptionError, match=message):
        disabled_pairs(text)


def sound(file):
    try:
        ElementTree.parse(file)
    except ElementTree.ParseError:
        return False
    return True


FILES = sorted(file for file in ROBOTS.glob("*/srdf/*.srdf") if sound(file))


@pytest.mark.parametrize("file", FILES, ids=lambda file: file.stem)
def test_every_srdf_of_the_example_robots_is_read(file):
    bare = re.sub(r"<!--.*?-->", "", file.read_text(), flags=re.DOTALL)
    elements = re.findall(r"<disable_collisions\b([^>]*)>", bare)
    expected = [
        tuple(re.search(rf"""{name}\s*=\s*["']([^"']*)""", text)[1] for name in ("link1", "link2"))
        for text in elements
    ]
    assert disabled_pairs(file) == expected


@pytest.mark.parametrize(
    ("urdf", "srdf"),
    [
        ("panda_description/urdf/panda.urdf", "panda_description/srdf/panda.srdf"),
        ("ur_description/urdf/ur5_robot.urdf", "ur_description/srdf/ur5.srdf"),
        ("talos_data/robots/talos_left_arm.urdf", "talos_data/srdf/talos.srdf"),
    ],
)
def test_pairs_are_pinocchios_without_those_that_touch_always(urdf, srdf):
    """All that Pinocchio checks, but neighbours and what was found to touch always."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DescriptionWarning)
        tree = read_urdf_file(ROBOTS / urdf)
    checker = CollisionChecker(tree, srdf=ROBOTS / srdf)
    ours = {frozenset(pair) for pair in checker.self_pairs}
    model = pin.buildModelFromUrdf(str(ROBOTS / urdf))
    shapes = pin.buildGeomFromUrdf(
        model, str(ROBOTS / urdf), pin.GeometryType.COLLISION, None, [str(ROBOTS.parent.parent)]
    )
    shapes.addAllCollisionPairs()  # of shapes on different joints
    pin.removeCollisionPairs(model, shapes, str(ROBOTS / srdf))
    frames = [model.frames[shape.parentFrame].name for shape in shapes.geometryObjects]
    joints = {
        name: shape.parentJoint for name, shape in zip(frames, shapes.geometryObjects, strict=True)
    }
    theirs = {
        frozenset((frames[pair.first], frames[pair.second])) for pair in shapes.collisionPairs
    }
    assert ours <= theirs
    everything = CollisionChecker(tree)
    sampled = {frozenset(pair) for pair in everything.self_pairs}
    for pair in theirs - ours:
        first, second = (joints[name] for name in pair)
        next_to = first in (second, model.parents[second]) or second == model.parents[first]
        assert next_to or pair not in sampled
    assert ours


def test_always_touching_pairs_are_the_same_each_time():
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DescriptionWarning)
        tree = read_urdf_file(ROBOTS / "panda_description/urdf/panda.urdf")
    one, two = CollisionChecker(tree), CollisionChecker(tree)
    assert one.self_pairs == two.self_pairs
    rng = np.random.default_rng(0)
    touching = [not one.is_free(tree.random_configuration(rng)) for _ in range(100)]
    assert 0 < sum(touching) < 60
