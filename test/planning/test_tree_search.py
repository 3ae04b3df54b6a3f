"""Samples of the search cover the space evenly."""

from types import SimpleNamespace

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
from rigid_tree_kinematics.planning.search.growth_kernels import EASY, WORTH, choose_step
from rigid_tree_kinematics.planning.search.sample_kernels import (
    Samples,
    draw_between,
    recurrence_of,
)


@pytest.mark.parametrize("dimension", [2, 7, 26])
def test_samples_cover_the_space_more_evenly_than_chance(dimension):
    moving = np.arange(1, dimension + 1)
    begin, step = recurrence_of(5, dimension + 2, moving)[:, moving]
    points = (begin + np.arange(1, 400)[:, None] * step) % 1.0
    rng = np.random.default_rng(0)
    chance = [qmc.discrepancy(rng.random(points.shape)) for _ in range(20)]
    assert qmc.discrepancy(points) < np.mean(chance)
    assert not np.allclose(begin, recurrence_of(6, dimension + 2, moving)[0, moving])


@pytest.mark.filterwarnings("ignore:overflow")
def test_samples_of_shorter_paths_are_spread_evenly_over_them():
    """As those are that are drawn anywhere, and kept if a path through them is short enough."""
    weights = np.array([1.0, 1.0, 0.5, 2.0])
    lower, upper = np.array([[-1.0, 0.0, -4.0, -1.0], [2.0, 0.0, 4.0, 2.0]])
    start, goal, bound = np.array([-0.5, 0.0, 1.0, 0.2]), np.array([0.8, 0.0, -1.0, 0.9]), 2.5
    moving = np.array([0, 2, 3])
    kinds = np.full(4, INTERVAL)
    samples = Samples(moving, lower, upper, np.zeros((2, 4)))

    def through(q):
        legs = np.array([q - start, q - goal]) * weights
        return np.linalg.norm(legs, axis=-1).sum(axis=0)

    found, q = [], start.copy()
    for draws in range(4000):
        state = SimpleNamespace(bound=bound, seed=7, draws=draws)
        if draw_between(kinds, weights, samples, state, start, goal, q):
            found.append(q.copy())
    drawn = np.array(found)
    assert (through(drawn) < bound).all()
    assert (drawn >= lower).all()
    assert (drawn <= upper).all()
    assert (drawn[:, 1] == 0.0).all()
    anywhere = np.random.default_rng(1).uniform(lower, upper, (200_000, 4))
    kept = anywhere[through(anywhere) < bound]
    assert drawn.mean(axis=0) == pytest.approx(kept.mean(axis=0), abs=0.05)
    np.testing.assert_allclose(np.cov(drawn.T), np.cov(kept.T), atol=0.05)


def test_the_mean_distance_is_that_of_random_configurations():
    kinds = [INTERVAL, CIRCLE, QUATERNION, *3 * [QUATERNION_REST]]
    space = Space.of_kinds(kinds, [-1.0, -np.pi, *4 * [-1.0]], [3.0, np.pi, *4 * [1.0]])
    rng = np.random.default_rng(3)
    base = np.array([0.0, 0.0, 0.0, 0.0, 0.0, 1.0])
    squares = [
        space.distance(space.random(base, rng), space.random(base, rng)) ** 2 for _ in range(4000)
    ]
    assert space.mean_distance == pytest.approx(np.sqrt(np.mean(squares)), rel=0.03)


@pytest.mark.parametrize(("free", "better"), [((0.4, 0.3), 1), ((0.4, 0.03), 0)])
def test_the_step_that_grows_the_trees_faster_is_used_more(free, better):
    """Twice the step is worth 3.2 times as much: it may be free a third as often."""
    rng = np.random.default_rng(0)
    steps = np.array([1.25, 2.5])
    used = np.zeros(2)
    state = SimpleNamespace(step=0, motions=0, draws=0, gains=np.zeros(2), spent=np.ones(2))
    for draws in range(3000):
        state.draws = state.motions = draws
        choose_step(state)
        if draws < EASY:
            assert state.step == 0
        used[state.step] += 1
        state.spent[state.step] += 1
        if rng.random() < free[state.step]:
            state.gains[state.step] += steps[state.step] ** WORTH
    assert used[better] > 0.8 * used.sum()
