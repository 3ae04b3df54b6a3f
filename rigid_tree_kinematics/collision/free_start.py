"""Search for a collision-free configuration near a given one."""

import numpy as np

from rigid_tree_kinematics.arrays import Array
from rigid_tree_kinematics.collision.checker import CollisionChecker
from rigid_tree_kinematics.kinematics.topology import between, difference
from rigid_tree_kinematics.model.configuration import random_configuration

RINGS, SAMPLES = 50, 40  # fractions of the motion to random configurations, samples at each
SEED = 3
HALVINGS = 20
MARGIN = 0.05  # of the motion to a sample: the distance of the result from the border


def nearest_free(checker: CollisionChecker, q: Array) -> Array | None:
    """Return a free configuration (nq,) near ``q``, or ``q`` itself if it is free.

    Random configurations are tried at increasing distances, the same ones in each call; the result
    is None if all are in collision.

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
            motion = difference(checker.kinds, q, random_configuration(checker.compiled, rng))
            if checker.is_free(between(checker.kinds, q, motion, float(part))):
                return _nearer(checker, q, motion, float(part))
    return None


def _nearer(checker: CollisionChecker, q: Array, motion: Array, free: float) -> Array:
    """Return a configuration near ``q`` on a motion that is free at the fraction ``free``."""
    low, high = 0.0, free
    for _ in range(HALVINGS):
        middle = 0.5 * (low + high)
        if checker.is_free(between(checker.kinds, q, motion, middle)):
            high = middle
        else:
            low = middle
    apart = between(checker.kinds, q, motion, min(high + MARGIN, free))
    return apart if checker.is_free(apart) else between(checker.kinds, q, motion, high)
