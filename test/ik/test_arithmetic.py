"""Arithmetic of the kernels against NumPy and Pinocchio."""

import numpy as np
import pinocchio as pin
import pytest

from rigid_tree_kinematics import InverseKinematics
from rigid_tree_kinematics.ik.search.descent import fill_jacobian, tip_in_target
from rigid_tree_kinematics.kernels.random_stream import uniform
from rigid_tree_kinematics.kinematics.motion import IDENTITY, log_derivative


def test_rate_of_the_rotation_vector():
    rng = np.random.default_rng(0)
    for size in (1e-9, 1e-3, 0.02, 0.5, 2.0, 3.1):
        w = rng.normal(size=3)
        w *= size / np.linalg.norm(w)
        rate = rng.normal(size=3)
        step = 1e-6
        R = pin.exp3(w)
        ahead, behind = (pin.log3(pin.exp3(s * step * rate) @ R) for s in (1, -1))
        truth = (ahead - behind) / (2 * step)
        assert log_derivative(tuple(w), *rate) == pytest.approx(truth, abs=1e-8 + 1e-7 * size)


@pytest.mark.parametrize(("name", "body"), [("panda", "panda_link8"), ("nao", "l_sole")])
def test_pose_and_jacobian_of_a_chain(name, body, request):
    robot = request.getfixturevalue(name)
    chain = InverseKinematics(robot.tree, body).chain
    q = robot.tree.random_configuration(3)
    x = q[chain.entries]
    axes = np.empty((len(chain.steps), 6))
    tip = tip_in_target(chain.steps, x, IDENTITY, axes)
    T = robot.pose(q, body)
    assert np.reshape(tip, (3, 4)) == pytest.approx(T[:3], abs=1e-12)
    J = np.empty((chain.free_count, 6))
    fill_jacobian(chain.steps, axes, chain.free_count, tip, J)
    for v, entry in enumerate(chain.free_entries):
        ahead, behind = q.copy(), q.copy()
        ahead[entry] += 1e-6
        behind[entry] -= 1e-6
        A, B = robot.pose(ahead, body), robot.pose(behind, body)
        shift = (A[:3, 3] - B[:3, 3]) / 2e-6
        turn = pin.log3(A[:3, :3] @ B[:3, :3].T) / 2e-6
        assert J[v] == pytest.approx(np.concatenate([turn, shift]), abs=1e-8)


def test_random_numbers_are_even_and_differ_by_seed():
    drawn = np.array([uniform(7, k) for k in range(4000)])
    assert 0.0 <= drawn.min() < drawn.max() < 1.0
    assert np.histogram(drawn, 10, (0, 1))[0] == pytest.approx(np.full(10, 400), abs=80)
    assert abs(np.corrcoef(drawn[:-1], drawn[1:])[0, 1]) < 0.05
    other = np.array([uniform(8, k) for k in range(4000)])
    assert abs(np.corrcoef(drawn, other)[0, 1]) < 0.05
