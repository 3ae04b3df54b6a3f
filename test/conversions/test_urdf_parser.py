"""Conversion from and to objects of urdf_parser_py and yourdfpy."""

import math
import warnings

import numpy as np
import pytest
import yourdfpy
from urdf_parser_py.urdf import (
    URDF,
    Box,
    Collision,
    Joint,
    JointLimit,
    Link,
    Pose,
    Robot,
    Visual,
)
from urdf_parser_py.xml_reflection.core import ParseError

from harness.cases import case
from harness.example_robots import LOADED_BY_PINOCCHIO, assert_same_robot, read
from rigid_tree_kinematics import list_robots, load_robot
from rigid_tree_kinematics.conversions import from_urdf_parser, from_yourdfpy, to_urdf_parser
from rigid_tree_kinematics.description import read_urdf
from rigid_tree_kinematics.errors import DescriptionError, DescriptionWarning
from rigid_tree_kinematics.kinematics import body_transforms
from rigid_tree_kinematics.model import Calibration

pytestmark = pytest.mark.filterwarnings("ignore::rigid_tree_kinematics.errors.DescriptionWarning")

# What urdf_parser_py cannot read: a <texture> without a file, and transmissions of the PR2, since
# it gives up after the first of the two kinds that it knows.
REFUSED = {
    "icub": "filename",
    "icub_reduced": "filename",
    "romeo_laas_small": "filename",
    "pr2": "duck-typed",
}


def calibrations(tree):
    return [joint.calibration for joint in tree.joints]


def assert_equal_trees(tree, other, tolerance=0.0):
    assert_same_robot(tree, other, tolerance, without="calibration")
    assert other.body_names == tree.body_names
    for a, b in zip((tree.base, *tree.bodies), (other.base, *other.bodies), strict=True):
        assert [v.material for v in b.visuals] == [v.material for v in a.visuals]


@pytest.mark.parametrize("path", LOADED_BY_PINOCCHIO, ids=lambda path: path.stem)
def test_every_example_robot_is_read_as_an_object_and_comes_back(path):
    tree = read(path)
    back = from_urdf_parser(to_urdf_parser(tree))
    assert_equal_trees(tree, back, 2e-15)
    assert calibrations(back) == calibrations(tree)
    urdf = yourdfpy.URDF.load(str(path), load_meshes=False, build_scene_graph=False)
    assert_equal_trees(tree, from_yourdfpy(urdf, str(path.parent)), 4e-15)
    if path.stem in REFUSED:
        with pytest.raises(ParseError, match=REFUSED[path.stem]):
            URDF.from_xml_file(str(path))
        return
    from_object = from_urdf_parser(URDF.from_xml_file(str(path)), str(path.parent))
    assert_equal_trees(tree, from_object)
    # The parser makes a zero of an edge that is not there.
    zeros = [c and Calibration(c.rising or 0.0, c.falling or 0.0) for c in calibrations(tree)]
    assert calibrations(from_object) == zeros


def test_bundled_robots_come_back_at_the_same_places():
    """A body off its joint's frame gets a link between, as in URDF; the rest stays."""
    for name in list_robots():
        tree = load_robot(name)
        back = from_urdf_parser(to_urdf_parser(tree))
        assert back.joint_names == tree.joint_names, name
        q = np.array([tree.random_configuration(seed) for seed in range(5)])
        rows = [back.compiled().index_of(body) for body in tree.compiled().body_names]
        found, wanted = body_transforms(back, q)[:, rows], body_transforms(tree, q)
        np.testing.assert_allclose(found, wanted, atol=1e-13, err_msg=name)


def two_links():
    robot = Robot("r")
    robot.add_link(Link("a"))
    robot.add_link(Link("b"))
    robot.add_joint(
        Joint("j", "a", "b", "revolute", [0, 0, 1], Pose([0, 0, 1], [0, 0, math.pi]),
              JointLimit(1.0, 2.0, -1.0, 1.5))
    )  # fmt: skip
    return robot


def test_a_robot_made_by_hand():
    tree = from_urdf_parser(two_links())
    joint = tree.get_joint("j")
    assert joint.position_limits == (-1.0, 1.5)
    assert (joint.effort_limit, joint.velocity_limit) == (1.0, 2.0)
    np.testing.assert_allclose(
        tree.get_transform([0.0], "b"),
        [[-1, 0, 0, 0], [0, -1, 0, 0], [0, 0, 1, 1], [0, 0, 0, 1]],
        atol=1e-15,
    )


def test_a_shape_that_the_parser_holds_twice_is_there_once():
    robot = two_links()
    box = Box([1.0, 2.0, 3.0])
    robot.links.append(Link("c", visual=Visual(box), collision=Collision(box)))
    robot.add_joint(Joint("k", "b", "c", "fixed"))
    assert len(robot.links[-1].visuals) == 2  # the parser's slip
    body = from_urdf_parser(robot).get_body("c")
    assert (len(body.visuals), len(body.collisions)) == (1, 1)


def test_mistakes_that_the_parser_accepts_are_rejected():
    def joint(child, parent="a", name="k"):
        return lambda robot: robot.add_joint(Joint(name, parent, child, "fixed"))

    for message, *mistakes in (
        ("link 'b': the name is used by the link;", lambda robot: robot.add_link(Link("b"))),
        (
            "joint 'j': the name is used by the joint;",
            lambda robot: robot.add_link(Link("c")),
            joint("c", name="j"),
        ),
        ("joint 'k': its child link 'nowhere' is not in the document", joint("nowhere", "b")),
        ("two parents: 'a' by joint 'j', and 'a' by this one", joint("b")),
        (
            "lower: 'nan' is not a finite number",
            lambda robot: setattr(robot.joints[0].limit, "lower", math.nan),
        ),
        ("has no direction", lambda robot: setattr(robot.joints[0], "axis", [0, 0, 0])),
        ("joint type 'unknown'", lambda robot: setattr(robot.joints[0], "type", "unknown")),
    ):
        robot = two_links()
        for mistake in mistakes:
            mistake(robot)
        for wrong in (robot, URDF.from_xml_string(robot.to_xml_string())):
            with case(message), pytest.raises(DescriptionError, match=message) as caught:
                from_urdf_parser(wrong)
            assert str(caught.value).startswith("urdf_parser_py robot: ")
            assert "line" not in str(caught.value)
    with pytest.raises(DescriptionError, match="not a urdf_parser_py or yourdfpy robot"):
        from_urdf_parser("<robot/>")


def test_a_rotation_by_a_quaternion_is_lost_by_the_parser(capsys):
    """URDF 1.2 has quat_xyzw; the parser says so on stderr and goes on without it."""
    text = """<robot name="r"><link name="a"/><link name="b"/><joint name="j" type="fixed">
    <origin quat_xyzw="0 0 1 0"/><parent link="a"/><child link="b"/></joint></robot>"""
    ours = read_urdf(text).get_joint("j").joint_to_parent
    theirs = from_urdf_parser(URDF.from_xml_string(text))
    assert "quat_xyzw" in capsys.readouterr().err
    np.testing.assert_array_equal(theirs.get_joint("j").joint_to_parent, np.eye(4))
    np.testing.assert_allclose(np.diag(ours), [-1, -1, 1, 1], atol=1e-15)


def test_remarks_name_the_element_instead_of_a_line():
    robot = two_links()
    robot.joints[0].limit = JointLimit(1.0, 2.0, 0.0, 0.0)
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        from_urdf_parser(robot)
    (warning,) = [w for w in caught if w.category is DescriptionWarning]
    assert "cannot move" in str(warning.message)
    assert str(warning.message).endswith(": joint 'j'")
    assert warning.filename == __file__
