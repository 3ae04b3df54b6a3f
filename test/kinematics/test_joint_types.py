"""Scalars and batches for trees of every joint type.

That their kinematics are right is tested in test/conversions/test_pinocchio.py.
"""

import numpy as np
import pytest

from harness.cases import case
from harness.example_robots import random_robot
from rigid_tree_kinematics.errors import ConfigurationError, UnknownNameError
from rigid_tree_kinematics.kinematics import (
    body_transform,
    body_transforms,
    center_of_mass,
    geometric_jacobian,
)
from rigid_tree_kinematics.model import Joint, RigidBody, RigidBodyTree


def test_large_angles_keep_their_accuracy() -> None:
    tree = RigidBodyTree()
    tree.add_body(RigidBody("wheel", Joint("axle", "continuous")), "base")
    for angle in (0.0, 1e-300, 3.0, 1e4, 99_999.0, 1e5, 1e9, -7e8):
        T = tree.get_transform([angle], "wheel")
        np.testing.assert_allclose(T[:2, 0], (np.cos(angle), np.sin(angle)), atol=3e-16)


def test_bad_positions_are_rejected_by_name() -> None:
    tree = random_robot(0)
    q = tree.home_configuration()
    q[4] = np.nan
    for call in (
        lambda: body_transforms(tree, q),
        lambda: body_transform(tree, q, "body 11"),
        lambda: geometric_jacobian(tree, np.stack([q, q]), "body 11"),
        lambda: center_of_mass(tree, q),
    ):
        with pytest.raises(ConfigurationError, match=tree.position_names[4]):
            call()
    with pytest.raises(ConfigurationError, match="shape"):
        body_transforms(tree, q[:-1])
    with pytest.raises(UnknownNameError, match="did you mean 'body 11'"):
        body_transform(tree, tree.home_configuration(), "body 111")


def test_any_array_of_numbers_is_taken() -> None:
    tree = random_robot(1)
    q = tree.random_configuration(0)
    expected = body_transforms(tree, q)
    frozen = q.copy()
    frozen.flags.writeable = False
    for same in (frozen, list(q), np.repeat(q, 2)[::2], q.astype(">f8")):
        np.testing.assert_array_equal(body_transforms(tree, same), expected)
    out = np.empty_like(expected)
    assert body_transforms(tree, q, out) is out
    with pytest.raises(ConfigurationError, match="out"):
        body_transforms(tree, q, np.empty((2, 4, 4)))


@pytest.mark.parametrize("rows", [1, 3, 4, 9, 5000])
def test_a_batch_of_any_size_with_any_angles_equals_the_rows(rows: int) -> None:
    """The largest is computed by several threads."""
    for seed in range(4):
        tree = random_robot(seed)
        rng = np.random.default_rng(seed)
        batch = np.array([tree.random_configuration(rng) for _ in range(rows)])
        batch[rows // 2] *= 1e6  # too large for the quick sine
        frames = body_transforms(tree, batch)
        for k in {*range(min(rows, 9)), rows // 4, rows // 2 - 1, rows // 2, rows - 1}:
            alone = body_transforms(tree, batch[k])
            np.testing.assert_allclose(frames[k], alone, rtol=1e-12, atol=1e-13)


def test_one_row_of_a_batch_that_is_no_number_is_found() -> None:
    tree = random_robot(1)
    words = f"not finite: {tree.compiled().position_names[2]}"
    for row in range(6):
        batch = np.array([tree.random_configuration(k) for k in range(6)])
        batch[row, 2] = np.nan
        with case(row), pytest.raises(ConfigurationError, match=words):
            body_transforms(tree, batch)
