"""All distinct solutions: complete with a closed form, correct and distinct otherwise."""

import numpy as np
import pytest

from harness.example_robots import random_robot
from harness.truth import difference
from rigid_tree_kinematics import InverseKinematics, Joint, RigidBody, RigidBodyTree, load_robot
from rigid_tree_kinematics.ik.branches import screws_at_zero
from rigid_tree_kinematics.ik.closed_forms import Screws, closed_form_angles
from rigid_tree_kinematics.model.transforms import axis_angle_matrix, inverse, transform


def apart(one, other):
    """Largest difference of two configurations; whole turns do not count."""
    return np.abs((one - other + np.pi) % (2 * np.pi) - np.pi).max()


def displacement(screws, q):
    G = np.eye(4)
    for axis, point, angle in zip(screws.axes, screws.points, q, strict=True):
        R = axis_angle_matrix(axis, angle)
        G = G @ transform(point - R @ point, R)
    return G


def unit(rng):
    vector = rng.normal(size=3)
    return vector / np.linalg.norm(vector)


@pytest.mark.parametrize(
    "kind", ["general", "parallel 2, 3", "parallel 1, 2", "meeting 1, 2", "UR"]
)
@pytest.mark.parametrize("backwards", [False, True])
def test_closed_forms_of_random_arms(kind, backwards):
    """Every branch makes the displacement, and the one it was made from is among them.

    Axes 4 to 6 meet in a point; a UR's 2, 3 and 4 are parallel, and its 5 and 6 meet.
    """
    rng = np.random.default_rng(0)
    for _ in range(100):
        h = np.array([unit(rng) for _ in range(6)])
        o = rng.uniform(-0.5, 0.5, (6, 3))
        if kind == "UR":
            h[2], h[3], o[5] = -h[1], h[1], o[4]
        else:
            o[3:] = o[3] + rng.uniform(-0.1, 0.1, (3, 1)) * h[3:]
        if kind == "parallel 2, 3":
            h[2] = h[1]
        elif kind == "parallel 1, 2":
            h[1] = h[0]
        elif kind == "meeting 1, 2":
            o[1] = o[0]
        arm = Screws(h, o).reversed() if backwards else Screws(h, o)
        q = rng.uniform(-np.pi, np.pi, 6)
        G = displacement(arm, q)
        branches = closed_form_angles(arm, G, np.zeros(6))
        assert 1 <= len(branches) <= 8
        for found in branches:
            assert np.abs(displacement(arm, found) - G).max() < 1e-5
        assert min(apart(found, q) for found in branches) < 1e-5


def test_general_six_joints_have_no_closed_form():
    rng = np.random.default_rng(1)
    arm = Screws(np.array([unit(rng) for _ in range(6)]), rng.uniform(-1, 1, (6, 3)))
    assert closed_form_angles(arm, np.eye(4), np.zeros(6)) is None


@pytest.mark.parametrize(
    ("name", "body"), [("ur5", "tool0"), ("puma", "tool0"), ("nao", "l_sole")]
)
def test_all_branches_inside_the_limits(name, body, request):
    """None of the solutions found by 1,500 random starts is missing."""
    robot = request.getfixturevalue(name)
    ik = InverseKinematics(robot.tree, body)
    free = list(ik.involved)
    rng = np.random.default_rng(3)
    for _ in range(12):
        q = robot.tree.random_configuration(rng)
        T = robot.pose(q, body)
        solutions = ik.solve_all(T, q)
        assert apart(solutions[0].configuration[free], q[free]) < 1e-3
        distances = [np.linalg.norm((s.configuration - q)[free]) for s in solutions]
        assert distances == sorted(distances)
        for number, solution in enumerate(solutions):
            robot.assert_within_limits(solution.configuration)
            assert max(difference(T, robot.pose(solution.configuration, body))) < 1e-6 + 1e-9
            for other in solutions[:number]:
                assert apart(solution.configuration[free], other.configuration[free]) > 1e-3
        starts = [robot.tree.random_configuration(rng) for _ in range(1500)]
        for result in ik.solve_batch(np.repeat(T[None], 1500, axis=0), starts):
            assert any(
                apart(result.configuration[free], s.configuration[free]) < 1e-2 for s in solutions
            )


def test_ur5_has_eight_branches_and_the_nearest_turns(ur5):
    ik = InverseKinematics(ur5.tree, "tool0")
    q = np.array([0.4, -1.2, 1.5, -0.7, 0.9, 0.3])
    seed = q + np.array([0, 0, 0, 2 * np.pi, 0, -2 * np.pi])
    solutions = ik.solve_all(ur5.pose(q, "tool0"), seed)
    assert len(solutions) == 8
    assert np.abs(solutions[0].configuration - seed).max() < 1e-6


def test_eaik_finds_the_same_branches(ur5):
    eaik = pytest.importorskip("eaik.IK_HP", reason="no wheel for Python 3.14")
    ik = InverseKinematics(ur5.tree, "tool0")
    screws, T_zero = screws_at_zero(ik.chain, np.zeros(6))
    points = np.vstack([screws.points, T_zero[:3, 3]])
    offsets = np.diff(points, axis=0, prepend=np.zeros((1, 3)))
    bot = eaik.HPRobot(screws.axes, offsets)
    rng = np.random.default_rng(4)
    for _ in range(50):
        T = ur5.pose(ur5.tree.random_configuration(rng), "tool0")
        aim = T.copy()
        aim[:3, :3] = T[:3, :3] @ inverse(T_zero)[:3, :3]
        answer = bot.IK(aim)
        ours = [solution.configuration for solution in ik.solve_all(T)]
        for q, approximate in zip(answer.Q, answer.is_LS, strict=True):
            if not approximate:
                assert min(apart(q, found) for found in ours) < 1e-3


def test_singular_pose_keeps_the_seed_where_any_angle_would_do(ur5):
    """Wrist straight: joints 4 and 6 share their turn; the solution nearest to the seed is it."""
    ik = InverseKinematics(ur5.tree, "tool0")
    q = np.array([0.3, -1.0, 1.2, 0.4, 0.0, 0.7])
    solutions = ik.solve_all(ur5.pose(q, "tool0"), q)
    assert np.abs(solutions[0].configuration - q).max() < 1e-6
    assert len(solutions) >= 2


def test_planar_two_link_arm():
    """Both elbows, as the planar demo has them."""
    tree = load_robot("planar_two_link")
    tip = tree.body_names[-1]
    ik = InverseKinematics(tree, tip, weights=(0, 0, 0, 1, 1, 0))
    T = transform((0.2314, 1.1871, 0.0))
    solutions = ik.solve_all(T)
    found = sorted(tuple(s.configuration % (2 * np.pi)) for s in solutions)
    truth = [(0.2000111296, 1.9438561543), (2.5565521196, 4.3393291531)]
    assert np.array(found) == pytest.approx(np.array(truth), abs=2e-6)
    assert ik.solve_all(transform((2.2, 0.0, 0.0))) == []


def test_planar_three_link_arm():
    tree = RigidBodyTree()
    parent = "base"
    for number, length in enumerate((0.0, 0.7, 0.5, 0.2)):
        joint = Joint(f"j{number}", "revolute" if number < 3 else "fixed")
        joint.set_fixed_transform(transform((length, 0.0, 0.0)))
        parent = tree.add_body(RigidBody(f"b{number}", joint), parent).name
    ik = InverseKinematics(tree, parent)
    q = np.array([0.3, 0.8, -0.4])
    solutions = ik.solve_all(tree.get_transform(q, parent), q)
    assert len(solutions) == 2
    assert np.abs(solutions[0].configuration - q).max() < 1e-9


def test_redundant_arm_returns_the_requested_number(panda):
    ik = InverseKinematics(panda.tree, "panda_link8")
    q = panda.tree.random_configuration(5)
    solutions = ik.solve_all(panda.pose(q, "panda_link8"), q, most=12, separation=0.1)
    assert len(solutions) == 12
    for number, one in enumerate(solutions):
        for other in solutions[:number]:
            assert apart(one.configuration, other.configuration) > 0.1
    assert np.abs(solutions[0].configuration - q).max() < 1e-6


def test_offset_wrist_is_sampled():
    """A 6R arm without a closed form still gives its branches."""
    tree = random_robot(6, ["revolute"] * 6, mimics=0.0, chain=1.0)
    tip = tree.body_names[-1]
    ik = InverseKinematics(tree, tip)
    for seed in range(5):
        q = tree.random_configuration(seed)
        solutions = ik.solve_all(tree.get_transform(q, tip), q)
        assert np.abs(solutions[0].configuration - q).max() < 1e-6
        assert len(solutions) > 1
