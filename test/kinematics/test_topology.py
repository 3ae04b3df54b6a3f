"""Straight motions between configurations, against SciPy's rotations and by properties."""

import math

import numpy as np
import pytest
from scipy.spatial.transform import Rotation, Slerp

from rigid_tree_kinematics.kinematics.topology import (
    between_kernel,
    difference_kernel,
    distance_kernel,
)
from rigid_tree_kinematics.model import Joint, Mimic, RigidBody, RigidBodyTree
from rigid_tree_kinematics.model.joints.joint_types import (
    CIRCLE,
    INTERVAL,
    QUATERNION,
    QUATERNION_REST,
)


def tree_of(*types: str) -> RigidBodyTree:
    tree = RigidBodyTree("tree", "ground")
    parent = "ground"
    for number, joint_type in enumerate(types):
        tree.add_body(RigidBody(f"b{number}", Joint(f"j{number}", joint_type)), parent)
        parent = f"b{number}"
    return tree


def test_kinds_follow_the_joint_types() -> None:
    compiled = tree_of("revolute", "continuous", "planar", "floating", "prismatic").compiled()
    expected = [INTERVAL, CIRCLE, INTERVAL, INTERVAL, CIRCLE, *[INTERVAL] * 3, QUATERNION]
    expected += [*[QUATERNION_REST] * 3, INTERVAL]
    np.testing.assert_array_equal(compiled.position_kinds, expected)


@pytest.mark.parametrize(
    ("follower_type", "multiplier", "kind"),
    [
        ("continuous", -2.0, CIRCLE),
        ("continuous", 0.5, INTERVAL),
        ("prismatic", 1.0, INTERVAL),
        ("prismatic", 0.0, CIRCLE),
        ("revolute", 1.0, INTERVAL),  # whose limits cut the circle open
    ],
)
def test_a_mimic_may_tell_turns_apart(follower_type: str, multiplier: float, kind: int) -> None:
    tree = tree_of("continuous")
    follower = Joint("follower", follower_type)
    follower.mimic = Mimic("j0", multiplier, 0.1)
    tree.add_body(RigidBody("end", follower), "b0")
    assert list(tree.compiled().position_kinds) == [kind]


def test_a_planar_joint_with_a_limited_angle_does_not_go_round() -> None:
    tree = tree_of("planar")
    tree.get_joint("j0").position_limits = ((-1.0, -1.0, -3.0), (1.0, 1.0, 3.0))
    assert list(tree.compiled().position_kinds) == [INTERVAL] * 3


def random_pair(seed: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    rng = np.random.default_rng(seed)
    compiled = tree_of("revolute", "continuous", "planar", "floating").compiled()
    a, b = rng.uniform(-7.0, 7.0, (2, compiled.position_count))
    for vector in (a, b):
        vector[-4:] = Rotation.random(random_state=rng).as_quat()
    return compiled.position_kinds, a, b


@pytest.mark.parametrize("seed", range(20))
def test_straight_motion_takes_the_shorter_direction(seed: int) -> None:
    kinds, a, b = random_pair(seed)
    difference, end, middle = np.empty((3, kinds.size))
    difference_kernel(kinds, a, b, difference)
    between_kernel(kinds, a, difference, 1.0, end)
    between_kernel(kinds, a, difference, 0.3, middle)
    circles = kinds == CIRCLE
    intervals = kinds == INTERVAL
    np.testing.assert_allclose(end[intervals], b[intervals], atol=1e-14)
    turns = (end[circles] - b[circles]) / (2 * math.pi)
    np.testing.assert_allclose(turns, np.round(turns), atol=1e-14)
    assert (abs(difference[circles]) <= math.pi + 1e-14).all()
    rotations = Rotation.from_quat([a[-4:], b[-4:]])
    np.testing.assert_allclose(
        Rotation.from_quat(middle[-4:]).as_matrix(),
        Slerp([0.0, 1.0], rotations)(0.3).as_matrix(),
        atol=1e-13,
    )
    assert np.linalg.norm(difference[-4:-1]) == pytest.approx(
        (rotations[1] * rotations[0].inv()).magnitude(), abs=1e-13
    )


@pytest.mark.parametrize("seed", range(20))
def test_distance_is_the_weighted_length_and_a_metric(seed: int) -> None:
    kinds, a, b = random_pair(seed)
    _, c, _ = random_pair(seed + 100)
    rng = np.random.default_rng(seed)
    weights = rng.uniform(0.1, 3.0, kinds.size)
    difference = np.empty(kinds.size)
    difference_kernel(kinds, a, b, difference)
    scaled = difference * weights
    scaled[-4:-1] = difference[-4:-1] * weights[-4]

    def distance(first: np.ndarray, second: np.ndarray) -> float:
        return distance_kernel(kinds, weights, first, second)

    assert distance(a, b) == pytest.approx(np.linalg.norm(scaled), rel=1e-12)
    assert distance(a, b) == pytest.approx(distance(b, a), rel=1e-12)
    assert distance(a, a) == pytest.approx(0.0, abs=1e-7)
    assert distance(a, c) <= distance(a, b) + distance(b, c) + 1e-12
