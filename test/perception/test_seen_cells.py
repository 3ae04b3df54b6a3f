"""Lifetime of cells, against a dictionary."""

import numpy as np
import pytest

from rigid_tree_kinematics.perception import SeenCells


def test_each_view_takes_the_place_of_the_one_before_without_a_lifetime():
    seen = SeenCells()
    assert seen.add(np.array([1, 5]), 0.0, 0.0)
    assert not seen.add(np.array([1, 5]), 1.0, 0.0)
    assert seen.add(np.array([5, 7]), 2.0, 0.0)
    assert seen.numbers.tolist() == [5, 7]
    assert not seen.remove_old(100.0, 0.0)


@pytest.mark.parametrize("seed", range(5))
def test_cells_are_removed_when_their_time_is_over(seed):
    rng = np.random.default_rng(seed)
    seen, truth, now, lifetime = SeenCells(), {}, 0.0, 1.0
    for _ in range(100):
        now += rng.uniform(0.0, 0.5)
        before = {n for n, t in truth.items()}
        if rng.random() < 0.3:
            changed = seen.remove_old(now, lifetime)
        else:
            numbers = np.unique(rng.integers(0, 40, rng.integers(0, 20)))
            changed = seen.add(numbers, now, lifetime)
            truth.update(dict.fromkeys(numbers.tolist(), now))
        truth = {n: t for n, t in truth.items() if t > now - lifetime}
        assert seen.numbers.tolist() == sorted(truth)
        assert changed == (before != set(truth))
