"""Results of a solver in difficult cases: correct, bounded in time, reproducible."""

import pickle
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pinocchio as pin
import pytest

from harness.cases import case
from harness.truth import difference
from rigid_tree_kinematics import InverseKinematics
from rigid_tree_kinematics.errors import ConfigurationError, ModelError
from rigid_tree_kinematics.ik import IKStatus
from rigid_tree_kinematics.ik.chain.layout import CHAIN
from rigid_tree_kinematics.ik.search.descent import fill_jacobian, tip_in_target
from rigid_tree_kinematics.kernels.random_stream import uniform
from rigid_tree_kinematics.kinematics import body_transform
from rigid_tree_kinematics.kinematics.motion import IDENTITY, log_derivative


@pytest.fixture(scope="module")
def ik(panda):
    return InverseKinematics(panda.tree, "panda_link8")


def poses(robot, body, count, seed=0):
    rng = np.random.default_rng(seed)
    return [robot.pose(robot.tree.random_configuration(rng), body) for _ in range(count)]


def test_result_describes_the_outcome(ik, panda):
    result = ik.solve(poses(panda, "panda_link8", 1)[0])
    assert (result.success, result.status.value) == (True, "converged")
    assert result.iterations > 0
    assert 0 < result.seconds < 10
    assert max(result.position_error, result.orientation_error) <= 1e-6
    assert result.by_name == panda.tree.configuration_by_name(result.configuration)
    with pytest.raises(AttributeError):
        result.success = False
    assert pickle.loads(pickle.dumps(result)).message == result.message


def test_far_target_is_unreachable_and_the_best_pose_points_at_it(ik, panda):
    T = np.eye(4)
    T[:3, 3] = 3.0, 0.0, 0.5
    result = InverseKinematics(panda.tree, "panda_link8", weights=(0, 0, 0, 1, 1, 1)).solve(T)
    assert not result.success
    assert result.status is IKStatus.UNREACHABLE
    assert "reaches" in result.message
    panda.assert_within_limits(result.configuration)
    tip = panda.pose(result.configuration, "panda_link8")[:3, 3]
    assert np.linalg.norm(tip - T[:3, 3]) == pytest.approx(result.position_error, abs=1e-9)
    # The arm cannot stretch fully (joint 4), but it does as well as any of many samples.
    rng = np.random.default_rng(0)
    samples = [panda.tree.random_configuration(rng) for _ in range(20000)]
    tips = body_transform(panda.tree, samples, "panda_link8")[:, :3, 3]
    assert result.position_error <= np.linalg.norm(tips - T[:3, 3], axis=1).min()


def test_a_target_of_impossible_orientation_is_unreachable_or_takes_too_long(ik, panda):
    T = np.eye(4)
    T[:3, 3] = 0.84, 0.0, 0.4  # the flange cannot point up there
    result = ik.solve(T, timeout=10.0)
    assert result.status is IKStatus.UNREACHABLE
    assert result.restarts == ik.max_restarts
    assert result.position_error > 1e-3 or result.orientation_error > 1e-3
    result = ik.solve(T, timeout=0.02, max_restarts=10**9)
    assert result.status is IKStatus.OUT_OF_TIME
    assert result.seconds >= 0.02
    assert "Out of time" in result.message
    panda.assert_within_limits(result.configuration)


def test_a_target_beyond_all_numbers_is_unreachable(ur5):
    ik = InverseKinematics(ur5.tree, "tool0", timeout=1.0)
    T = np.eye(4)
    T[0, 3] = 1e200  # its square is infinite
    for _ in range(3):
        garbage = np.full(ik.work_size, 1e300)
        del garbage  # the next search may get this memory
        assert ik.solve(T).status is IKStatus.UNREACHABLE


def test_tiny_timeout_still_gives_the_first_chunk(ik, panda):
    T = poses(panda, "panda_link8", 1)[0]
    assert ik.solve(T, timeout=1e-9).success


def test_bad_targets_and_seeds_raise(ik):
    home = ik.compiled.home
    for error, target, seed, words in (
        (ModelError, np.full((4, 4), np.nan), home, "target.*NaN"),
        (ModelError, np.diag([np.inf, 1, 1, 1]), home, "target.*infinity"),
        (ModelError, np.eye(3), home, "target.*4x4"),
        (ModelError, np.diag([1.0, 1.0, -1.0, 1.0]), home, "target.*rotation"),
        (ModelError, np.diag([2.0, 2.0, 2.0, 1.0]), home, "target.*rotation"),
        (ModelError, np.eye(4) + np.eye(4)[::-1], home, "target.*last row"),
        (ModelError, "pose", home, "target.*4x4"),
        (ModelError, [[1, 2], [3]], home, "target.*4x4"),
        (ModelError, None, home, "target.*4x4"),
        (ModelError, [0.4, 0.1, 0.5], home, "target.*weights"),  # how to solve for a position
        (ConfigurationError, np.eye(4), np.full(8, np.nan), "seed.*panda_joint1"),
        (ConfigurationError, np.eye(4), np.zeros(3), "seed.*8 joint positions"),
        (ConfigurationError, np.eye(4), {"panda_joint1": 0.0}, "seed.*lacks"),
        (ConfigurationError, np.eye(4), {"elbow": 0.0}, "seed.*elbow"),
        (ConfigurationError, np.eye(4), "seed", "seed.*seed"),
    ):
        for solve in (ik.solve, ik.solve_all):
            with case(words), pytest.raises(error, match=words):
                solve(target, seed)


def test_seed_outside_the_limits_is_clamped_and_reported(ik, panda):
    q = np.full(8, 9.0)
    result = ik.solve(poses(panda, "panda_link8", 1)[0], q)
    assert result.success
    assert "clamped" in result.message
    assert "panda_joint4" in result.message
    panda.assert_within_limits(result.configuration)
    assert (q == 9.0).all()


def test_solution_is_the_seed_where_that_is_one(ik, panda):
    rng = np.random.default_rng(3)
    for _ in range(50):
        q = panda.tree.random_configuration(rng)
        result = ik.solve(panda.pose(q, "panda_link8"), q)
        assert result.success
        assert np.abs(result.configuration - q).max() < 1e-12


def test_solution_stays_near_the_seed(ik, panda):
    """A target a little away is reached without leaving the branch."""
    rng = np.random.default_rng(4)
    near = 0
    for _ in range(200):
        q = panda.tree.random_configuration(rng)
        moved = np.clip(q + rng.uniform(-0.02, 0.02, 8), ik.compiled.lower, ik.compiled.upper)
        result = ik.solve(panda.pose(moved, "panda_link8"), q)
        assert result.success
        near += np.abs(result.configuration - q).max() < 0.2
    assert near >= 196  # the others start at a singularity or between limits


def test_a_limited_search_has_the_types_of_numbas_form(ik):
    """Without compiled kernels, Numba refuses arrays that are not as its signature says."""
    home = ik.compiled.home
    near = ik.chain.variables_near(home, np.ones_like(home))
    for arrays in (ik.arrays(), ik.arrays(near)):
        for array, declared in zip(arrays, CHAIN.items, strict=True):
            assert array.flags.writeable != declared.readonly


def test_no_joint_moves_farther_than_max_step(ik, panda):
    rng = np.random.default_rng(14)
    found = 0
    for _ in range(100):
        q = panda.tree.random_configuration(rng)
        moved = np.clip(q + rng.uniform(-0.3, 0.3, 8), ik.compiled.lower, ik.compiled.upper)
        result = ik.solve(panda.pose(moved, "panda_link8"), q, max_step=0.3, timeout=1.0)
        assert np.abs(result.configuration - q).max() <= 0.3 + 1e-12
        found += result.success
    assert found == 100
    far = panda.tree.random_configuration(rng)
    result = ik.solve(panda.pose(far, "panda_link8"), q, max_step=0.01, timeout=5.0)
    assert result.status is IKStatus.UNREACHABLE


def test_continuous_joint_takes_the_turn_nearest_to_the_seed(ur5):
    ik = InverseKinematics(ur5.tree, "tool0")
    rng = np.random.default_rng(5)
    for _ in range(100):
        q = rng.uniform(-1, 1, 6)
        seed = q + 2 * np.pi * rng.integers(-1, 2, 6)
        seed = np.clip(seed, ur5.compiled.lower, ur5.compiled.upper)
        result = ik.solve(ur5.pose(q, "tool0"), seed)
        assert result.success
        for i, value in enumerate(result.configuration):
            for other in (value - 2 * np.pi, value + 2 * np.pi):
                if ur5.compiled.lower[i] <= other <= ur5.compiled.upper[i]:
                    assert abs(value - seed[i]) <= abs(other - seed[i]) + 1e-9


def test_poses_at_singularities_are_reached(ur5, panda):
    """UR5 with straight wrist, straight elbow, wrist over the shoulder; Panda's zero wrist."""
    ik = InverseKinematics(ur5.tree, "tool0")
    rng = np.random.default_rng(6)
    for q in (
        [0.3, -1.0, 1.2, 0.4, 0.0, 0.7],
        [0.3, -1.0, 0.0, 0.4, 1.0, 0.7],
        [0.3, -1.0, 0.0, 0.4, 0.0, 0.7],
        [0.0, -np.pi / 2, 0.0, -np.pi / 2, 0.0, 0.0],
    ):
        T = ur5.pose(np.array(q), "tool0")
        for _ in range(20):
            result = ik.solve(T, ur5.tree.random_configuration(rng))
            assert result.success, result.message
            position, orientation = difference(T, ur5.pose(result.configuration, "tool0"))
            assert max(position, orientation) < 1e-6 + 1e-9
    ik = InverseKinematics(panda.tree, "panda_link8")
    q = np.array([0.0, 0.0, 0.0, -1.5, 0.0, 0.0, 0.0, 0.0])
    assert ik.solve(panda.pose(q, "panda_link8")).success


def test_equal_seeds_give_equal_answers(panda):
    targets = poses(panda, "panda_link8", 200, seed=7)

    def answers(seed):
        ik = InverseKinematics(panda.tree, "panda_link8", random_seed=seed)
        return [ik.solve(T) for T in targets]

    first, again, other = answers(1), answers(1), answers(2)
    assert all(a.random_seed == 1 for a in first)
    for a, b in zip(first, again, strict=True):
        assert (a.configuration == b.configuration).all()
        assert a.iterations == b.iterations
    restarted = [(a, c) for a, c in zip(first, other, strict=True) if a.restarts]
    assert restarted
    assert any((a.configuration != c.configuration).any() for a, c in restarted)


def test_eight_threads_share_one_solver(panda):
    ik = InverseKinematics(panda.tree, "panda_link8", timeout=10.0)
    targets = poses(panda, "panda_link8", 2000, seed=8)
    alone = [ik.solve(T).configuration for T in targets]
    with ThreadPoolExecutor(8) as pool:
        together = list(pool.map(lambda T: ik.solve(T).configuration, targets))
    assert (np.array(alone) == np.array(together)).all()


def test_batch_equals_single_calls(ik, panda):
    targets = np.array(poses(panda, "panda_link8", 500, seed=9))
    batch = ik.solve_batch(targets)
    assert len(batch) == 500
    for T, result, q in zip(targets, batch, batch.configurations, strict=True):
        assert (q == result.configuration).all()
        assert (ik.solve(T).configuration == q).all()


def test_batch_distinguishes_bad_rows(ik, panda):
    targets = np.array(poses(panda, "panda_link8", 4))
    targets[1] = np.nan
    targets[2, :3, 3] = 5.0
    statuses = [result.status for result in ik.solve_batch(targets)]
    assert statuses[1] is IKStatus.INVALID_INPUT
    assert statuses[2] is IKStatus.UNREACHABLE
    assert statuses[0] is statuses[3] is IKStatus.CONVERGED
    with pytest.raises(ValueError, match=r"\(N, 4, 4\)"):
        ik.solve_batch(np.eye(4))
    with pytest.raises(ValueError, match="seeds for 4"):
        ik.solve_batch(targets, np.zeros((3, 8)))
    assert len(ik.solve_batch(np.empty((0, 4, 4)))) == 0


# -- arithmetic of the kernels against NumPy and Pinocchio ---------------------------------------


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
