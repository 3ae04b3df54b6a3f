"""Kernels of a servo step, against NumPy's decompositions and finite differences."""

import numpy as np
import pytest

from rigid_tree_kinematics import load_robot
from rigid_tree_kinematics.collision import CollisionChecker, load_scene
from rigid_tree_kinematics.description.robots import bundled_folder
from rigid_tree_kinematics.kinematics import geometric_jacobian
from rigid_tree_kinematics.servo.kernels import DAMPING
from rigid_tree_kinematics.servo.obstacles import find_near_pairs
from rigid_tree_kinematics.servo.tip_motion import TipMotion

ROBOT = load_robot("panda_hand")
TIP = "panda_hand_tcp"
SRDF = bundled_folder("robots") / "panda_hand.srdf"
SOME = [[0, 1, 2, 3, 4, 5, 6], [0, 2, 3, 5], [1], [0, 1, 2, 3, 4, 5, 6, 7]]


def numpy_velocity(J: np.ndarray, twist: np.ndarray) -> np.ndarray:
    left, values, right = np.linalg.svd(J, full_matrices=False)
    gains = values / (values**2 + (DAMPING * values[0]) ** 2)
    return (gains * (left.T @ twist)) @ right


@pytest.mark.parametrize("places", SOME, ids=len)
def test_velocities_and_condition_are_those_of_the_singular_values(places):
    compiled = ROBOT.compiled()
    slots = np.array(places)
    motion = TipMotion(compiled, TIP, slots, slots)  # each joint has one position
    rng = np.random.default_rng(4)
    for _ in range(200):
        q, twist = ROBOT.random_configuration(rng), rng.normal(size=6)
        J = geometric_jacobian(compiled, q, TIP)[:, slots]
        end = q.copy()
        end[slots] += 0.01 * numpy_velocity(J, twist)
        wanted = numpy_velocity(geometric_jacobian(compiled, end, TIP)[:, slots], twist)
        found = motion.velocity(q, twist, 0.01)
        np.testing.assert_allclose(found, wanted, rtol=1e-6, atol=1e-9 * np.abs(wanted).max())
        values = np.linalg.svd(J, compute_uv=False)
        values = values[values > 1e-9 * values[0]]
        assert motion.condition(q) == pytest.approx(values[0] / values[-1], rel=1e-6)


def test_at_a_singularity_velocities_are_finite_and_the_condition_is_not():
    slots = np.arange(7)
    motion = TipMotion(ROBOT.compiled(), TIP, slots, slots)
    q = np.zeros(8)  # the arm is straight
    assert motion.condition(q) > 1e6
    assert np.isfinite(motion.velocity(q, np.ones(6), 0.01)).all()


def test_gradients_are_those_of_the_distances():
    scene = load_scene("panda_pillars")
    checker = CollisionChecker(ROBOT, scene, srdf=SRDF)
    slots, step = np.arange(7), 1e-6
    rng = np.random.default_rng(5)
    off = []
    for _ in range(20):
        q = ROBOT.random_configuration(rng)
        near = find_near_pairs(checker, q, slots, 0.02, 0.05)
        change = np.zeros(8)
        change[slots] = step * rng.normal(size=7)
        after = find_near_pairs(checker, q + change, slots, 0.03, 0.06)
        before = find_near_pairs(checker, q - change, slots, 0.03, 0.06)
        for k, name in enumerate(near.names):
            if near.pairs.distances[k] < 1e-3 or not {name} <= {*after.names} & {*before.names}:
                continue
            predicted = near.pairs.gradients[k] @ change[slots]
            found = after.pairs.distances[after.names.index(name)]
            found -= before.pairs.distances[before.names.index(name)]
            off.append(abs(0.5 * found - predicted) / step)
    assert len(off) > 20
    # Where nearest points jump between corners there is no gradient.
    assert np.percentile(off, 90) < 0.01
