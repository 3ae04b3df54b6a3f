"""What the search relies on: samples that cover the space, and how far it reaches."""

import numpy as np
import pytest
from scipy.stats import qmc

from rigid_tree_kinematics.model.joints.joint_types import (
    CIRCLE,
    INTERVAL,
    QUATERNION,
    QUATERNION_REST,
)
from rigid_tree_kinematics.planning.problem.space import Space
from rigid_tree_kinematics.planning.search.growth_kernels import recurrence_of


@pytest.mark.parametrize("dimension", [2, 7, 26])
def test_samples_cover_the_space_more_evenly_than_chance(dimension):
    moving = np.arange(1, dimension + 1)
    begin, step = recurrence_of(5, dimension + 2, moving)[:, moving]
    points = (begin + np.arange(1, 400)[:, None] * step) % 1.0
    rng = np.random.default_rng(0)
    chance = [qmc.discrepancy(rng.random(points.shape)) for _ in range(20)]
    assert qmc.discrepancy(points) < np.mean(chance)
    assert not np.allclose(begin, recurrence_of(6, dimension + 2, moving)[0, moving])


def test_the_mean_distance_is_that_of_random_configurations():
    kinds = [INTERVAL, CIRCLE, QUATERNION, *3 * [QUATERNION_REST]]
    space = Space.of_kinds(kinds, [-1.0, -np.pi, *4 * [-1.0]], [3.0, np.pi, *4 * [1.0]])
    rng = np.random.default_rng(3)
    base = np.array([0.0, 0.0, 0.0, 0.0, 0.0, 1.0])
    squares = [
        space.distance(space.random(base, rng), space.random(base, rng)) ** 2 for _ in range(4000)
    ]
    assert space.mean_distance == pytest.approx(np.sqrt(np.mean(squares)), rel=0.03)
