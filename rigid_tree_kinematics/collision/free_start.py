"""Search for a collision-free configuration near a given one."""

from __future__ import annotations

import numpy as np

from rigid_tree_kinematics.arrays import Array
from rigid_tree_kinematics.collision.checker import CollisionChecker
from rigid_tree_kinematics.kinematics.topology import between, difference
from rigid_tree_kinematics.model.configuration import random_configuration

RINGS, SAMPLES = 50, 40  # parts of the way to random configurations, and how many on each
SEED = 3
HALVINGS = 20
MARGIN = 0.05  # of the way to a sample, by which the result is farther away than the nearest


def nearest_free(checker: CollisionChecker, q: Array) -> Array | None:
    """Return a free configuration (nq,) near ``q``, or ``q`` itself if it is free.

    It is searched among random configurations farther and farther away, the same each time; None
    if all of them are in collision.

    Example:
        >>> checker = CollisionChecker(load_robot("panda"), load_scene("panda_pillars"))
        >>> q = nearest_free(checker, np.array([0.5, 0.3, 0.0, -1.8, 0.0, 2.1, 0.785]))
        >>> checker.is_free(q)
        True
    """
    if checker.is_free(q):
        return q
    rng = np.random.default_rng(SEED)
    for part in np.linspace(0.0, 1.0, RINGS + 1)[1:]:
        for _ in range(SAMPLES):
            way = difference(checker.kinds, q, random_configuration(checker.compiled, rng))
            if checker.is_free(between(checker.kinds, q, way, float(part))):
                return _nearer(checker, q, way, float(part))
    return None


def _nearer(checker: CollisionChecker, q: Array, way: Array, free: float) -> Array:
    """Return a free configuration between ``q`` and ``free``, as near to ``q`` as possible."""
    low, high = 0.0, free
    for _ in range(HALVINGS):
        middle = 0.5 * (low + high)
        if checker.is_free(between(checker.kinds, q, way, middle)):
            high = middle
        else:
            low = middle
    apart = between(checker.kinds, q, way, min(high + MARGIN, free))
    chosen = apart if checker.is_free(apart) else between(checker.kinds, q, way, high)
    return np.asarray(chosen)
