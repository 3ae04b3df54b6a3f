"""Straight motions between configurations, against SciPy's rotations and by properties."""

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

from rigid_tree_kinematics.kinematics.topology import difference, distance_kernel
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


def test_a_mimic_or_a_limit_may_tell_turns_apart() -> None:
    for follower_type, multiplier, kind in (
        ("continuous", -2.0, CIRCLE),
        ("continuous", 0.5, INTERVAL),
        ("prismatic", 1.0, INTERVAL),
        ("prismatic", 0.0, CIRCLE),
        ("revolute", 1.0, INTERVAL),  # whose limits cut the circle open
    ):
        tree = tree_of("continuous")
        follower = Joint("follower", follower_type)
        follower.mimic = Mimic("j0", multiplier, 0.1)
        tree.add_body(RigidBody("end", follower), "b0")
        assert list(tree.compiled().position_kinds) == [kind], (follower_type, multiplier)
    tree = tree_of("planar")
    tree.get_joint("j0").position_limits = ((-1.0, -1.0, -3.0), (1.0, 1.0, 3.0))
    assert list(tree.compiled().position_kinds) == [INTERVAL] * 3


@pytest.mark.parametrize("seed", range(20))
def test_distance_is_the_weighted_length_and_a_metric(seed: int) -> None:
    rng = np.random.default_rng(seed)
    compiled = tree_of("revolute", "continuous", "planar", "floating").compiled()
    kinds = compiled.position_kinds
    a, b, c = rng.uniform(-7.0, 7.0, (3, compiled.position_count))
    for vector in (a, b, c):
        vector[-4:] = Rotation.random(random_state=rng).as_quat()
    weights = rng.uniform(0.1, 3.0, kinds.size)
    displacement = difference(kinds, a, b)
    scaled = displacement * weights
    scaled[-4:-1] = displacement[-4:-1] * weights[-4]

    def distance(first: np.ndarray, second: np.ndarray) -> float:
        return distance_kernel(kinds, weights, first, second)

    assert distance(a, b) == pytest.approx(np.linalg.norm(scaled), rel=1e-12)
    assert distance(a, b) == pytest.approx(distance(b, a), rel=1e-12)
    assert distance(a, a) == pytest.approx(0.0, abs=1e-7)
    assert distance(a, c) <= distance(a, b) + distance(b, c) + 1e-12
