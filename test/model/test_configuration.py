"""Configurations: by vector, by name, at home and at random."""

import math

import numpy as np
import pytest

from rigid_tree_kinematics import Joint, RigidBody, RigidBodyTree
from rigid_tree_kinematics.errors import ConfigurationError
from rigid_tree_kinematics.model import Mimic, SafetyController


def tree_of_all_types() -> RigidBodyTree:
    tree = RigidBodyTree("all")
    parent = "base"
    for joint_type in ("revolute", "continuous", "prismatic", "planar", "floating", "fixed"):
        body = RigidBody(f"{joint_type}_body", Joint(joint_type, joint_type))
        parent = tree.add_body(body, parent).name
    return tree


def test_by_vector_and_by_name_are_the_same() -> None:
    tree = tree_of_all_types()
    q = tree.random_configuration(5)
    named = tree.configuration_by_name(q)
    assert list(named) == ["revolute", "continuous", "prismatic", "planar", "floating"]
    assert isinstance(named["revolute"], float)
    assert named["floating"].shape == (7,)
    np.testing.assert_allclose(tree.configuration(named), q, rtol=0, atol=1e-15)
    same = tree.get_transform(named, "fixed_body"), tree.get_transform(q, "fixed_body")
    np.testing.assert_allclose(*same, rtol=0, atol=1e-14)
    assert len(tree.position_names) == len(q) == 13


def test_what_is_wrong_is_named() -> None:
    tree = tree_of_all_types()
    named = tree.configuration_by_name(tree.home_configuration())
    for wrong, words in (
        ({**named, "elbow": 0.0}, "no independent joint elbow"),
        ({k: named[k] for k in ("continuous", "prismatic", "floating")}, "lacks revolute, planar"),
        ({**named, "prismatic": math.inf}, "not finite: prismatic"),
        ({**named, "planar": 0.0}, "'planar' takes 3"),
        ({**named, "revolute": "straight"}, "'revolute'"),
        ([0.0, 1.0], "takes 13 joint positions"),
        (np.zeros(13), "quaternion is zero"),
        (np.full(13, 1e308), "quaternion is zero or too large"),
    ):
        with pytest.raises(ConfigurationError, match=words):
            tree.configuration(wrong)


def test_quaternions_are_normalized() -> None:
    tree = tree_of_all_types()
    q = tree.home_configuration()
    q[-1] = 5.0
    np.testing.assert_array_equal(tree.configuration(q), tree.home_configuration())
    q[-1] = 1e200
    np.testing.assert_array_equal(tree.configuration(q), tree.home_configuration())


def test_huge_limits_have_random_configurations() -> None:
    tree = RigidBodyTree("slider")
    tree.add_body(RigidBody("b", Joint("x", "prismatic", limits=(-1e308, 1e308))), "base")
    assert abs(tree.random_configuration(0)[0]) <= 1.0


def test_random_configurations_obey_all_limits_and_fill_them() -> None:
    tree = tree_of_all_types()
    tree.get_joint("revolute").position_limits = (0.5, 2.0)
    follower = Joint("follower", "revolute", limits=(-1.0, 0.0))
    follower.mimic = Mimic("revolute", -2.0, 2.0)  # leaves the source 1.0 .. 1.5
    tree.add_body(RigidBody("follower_body", follower), "base")
    rng = np.random.default_rng(0)
    values = np.array([tree.random_configuration(rng) for _ in range(2000)])
    compiled = tree.compiled()
    assert ((values >= compiled.lower) & (values <= compiled.upper)).all()
    assert values[:, 0].min() == pytest.approx(1.0, abs=0.01)
    assert values[:, 0].max() == pytest.approx(1.5, abs=0.01)
    assert abs(values[:, 1]).max() <= math.pi
    np.testing.assert_allclose(np.linalg.norm(values[:, -4:], axis=1), 1.0)
    assert abs(values[:, -4:].mean(axis=0)).max() < 0.05
    np.testing.assert_array_equal(tree.random_configuration(7), tree.random_configuration(7))


@pytest.mark.parametrize("ahead", [False, True])
def test_limits_of_a_mimic_that_contradict_its_source_do_not_lock_it(ahead: bool) -> None:
    tree = RigidBodyTree()
    for name in ("right", "left") if ahead else ("left", "right"):
        tree.add_body(RigidBody(name, Joint(name, "revolute", limits=(0.0, 0.8))), "base")
    tree.get_joint("right").mimic = Mimic("left", -1.0)
    assert (tree.compiled().lower[0], tree.compiled().upper[0]) == (0.0, 0.8)


def test_soft_limits_and_limits_of_changes_narrow_those_of_the_source() -> None:
    tree = RigidBodyTree()
    for name in ("left", "right"):
        tree.add_body(RigidBody(name, Joint(name, "revolute", limits=(-2.0, 2.0))), "base")
    left, right = tree.joints
    compiled = tree.compiled()
    assert (compiled.acceleration_limit == np.inf).all()
    assert (compiled.jerk_limit == np.inf).all()
    right.mimic = Mimic("left", -2.0)
    left.safety_controller = SafetyController(soft_lower_limit=-1.5)
    right.safety_controller = SafetyController(soft_lower_limit=-1.0)  # left below 0.5
    left.acceleration_limit, left.jerk_limit = 3.0, 0.0  # 0: unknown
    right.acceleration_limit, right.deceleration_limit, right.jerk_limit = 8.0, 4.0, 10.0
    compiled = tree.compiled()
    assert (compiled.lower[0], compiled.upper[0]) == (-1.0, 0.5)
    assert (compiled.acceleration_limit[0], compiled.jerk_limit[0]) == (2.0, 5.0)
    assert tree.joint_limits("left") == (-1.5, 2.0)
    assert left.position_limits == (-2.0, 2.0)
    left.safety_controller = SafetyController(0.0, 0.0)  # no range: a placeholder
    assert tree.joint_limits("left") == (-2.0, 2.0)
