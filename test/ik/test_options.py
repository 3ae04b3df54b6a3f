"""Base body, tool, weights, locked joints, side branches, and invalid arguments."""

import numpy as np
import pytest

from harness.truth import difference
from rigid_tree_kinematics import InverseKinematics, Joint, RigidBody, RigidBodyTree
from rigid_tree_kinematics.errors import ModelError, UnknownNameError
from rigid_tree_kinematics.model.transforms import rpy_matrix, transform


def assert_solved(robot, ik, count, wanted_seed=lambda q: None):
    """Random poses of ``ik.tool`` are solved; return the (wanted, found) configurations."""
    rng = np.random.default_rng(1)
    pairs = []
    for _ in range(count):
        q = robot.tree.random_configuration(rng)
        T = robot.pose(q, ik.body, ik.base) @ ik.tool
        result = ik.solve(T, wanted_seed(q), timeout=10.0)
        assert result.success, result.message
        found = robot.pose(result.configuration, ik.body, ik.base) @ ik.tool
        assert max(difference(T, found)) < 1e-6 + 1e-9
        robot.assert_within_limits(result.configuration)
        pairs.append((q, result.configuration))
    return pairs


def test_joints_off_the_chain_keep_the_seed(nao):
    ik = InverseKinematics(nao.tree, "l_sole", "torso")
    assert all(name.startswith("L") for name in ik.joint_names)
    rng = np.random.default_rng(0)
    seed, wanted = (nao.tree.random_configuration(rng) for _ in range(2))
    result = ik.solve(nao.pose(wanted, "l_sole", "torso"), seed)
    assert result.success
    others = np.setdiff1d(np.arange(len(seed)), ik.involved)
    assert len(others) > 15
    assert (result.configuration[others] == seed[others]).all()


def test_chains_through_a_common_ancestor(nao):
    """From foot to hand (up one leg, down an arm), and to the other foot.

    RHipYawPitch mimics LHipYawPitch, so it is on both sides of the chain between the feet.
    """
    for body in ("l_gripper", "l_sole"):
        ik = InverseKinematics(nao.tree, body, "r_sole")
        assert len(ik.joint_names) >= 11, body
        assert_solved(nao, ik, 200)


def test_tool_is_what_meets_the_target(panda):
    tool = transform((0.1, -0.05, 0.2), rpy_matrix(0.3, -0.4, 0.5))
    ik = InverseKinematics(panda.tree, "panda_link8", tool=tool)
    assert_solved(panda, ik, 100)


def test_locked_joints_stay_where_the_seed_has_them(panda):
    ik = InverseKinematics(panda.tree, "panda_link8", locked=["panda_joint3"])
    assert "panda_joint3" not in ik.joint_names

    def seed_of(q):
        seed = panda.tree.home_configuration()
        seed[2] = q[2]
        return seed

    for wanted, found in assert_solved(panda, ik, 200, seed_of):
        assert found[2] == wanted[2]


def test_locked_joint_off_its_place_makes_a_pose_unreachable(ur5):
    ik = InverseKinematics(ur5.tree, "tool0", locked=["elbow_joint"])
    seed = np.array([0.0, -1.0, 2.0, 0.0, 1.0, 0.0])
    T = ur5.pose(np.array([0.0, -1.0, 0.5, 0.0, 1.0, 0.0]), "tool0")
    result = ik.solve(T, seed, timeout=5.0)
    assert result.status.value == "unreachable"
    assert result.configuration[2] == 2.0


@pytest.mark.parametrize("axis", [0, 1, 2])
def test_free_turn_about_one_axis_of_the_target(panda, axis):
    weights = np.ones(6)
    weights[axis] = 0
    ik = InverseKinematics(panda.tree, "panda_link8", weights=weights)
    rng = np.random.default_rng(5)
    turned = 0
    for _ in range(200):
        T = panda.pose(panda.tree.random_configuration(rng), "panda_link8")
        result = ik.solve(T, panda.tree.random_configuration(rng))
        assert result.success, result.message
        found = panda.pose(result.configuration, "panda_link8")
        assert np.linalg.norm(found[:3, 3] - T[:3, 3]) < 1e-6 + 1e-9
        assert np.linalg.norm(np.cross(found[:3, axis], T[:3, axis])) < 1e-6 + 1e-9
        assert found[:3, axis] @ T[:3, axis] > 0
        turned += np.linalg.norm(found[:3, :3] - T[:3, :3]) > 0.1
    assert turned > 150


def test_single_axes_and_orientation_only(panda):
    """What does not count does not make a target out of reach."""
    ik = InverseKinematics(panda.tree, "panda_link8", weights=(0, 0, 0, 0, 0, 1))
    assert ik.joint_names == tuple(f"panda_joint{i}" for i in range(1, 8))  # without the gripper's
    result = ik.solve(transform((99.0, -99.0, 0.4)))
    assert result.success
    found = panda.pose(result.configuration, "panda_link8")
    assert found[2, 3] == pytest.approx(0.4, abs=1e-6 + 1e-9)
    T = transform((50.0, 0.0, 0.0), rpy_matrix(1.0, -0.5, 2.0))
    result = InverseKinematics(panda.tree, "panda_link8", weights=(1, 1, 1, 0, 0, 0)).solve(T)
    assert result.success
    found = panda.pose(result.configuration, "panda_link8")
    assert difference(T, found)[1] < 1e-6 + 1e-9


def test_weights_decide_the_compromise(panda):
    T = transform((0.9, 0.0, 0.4), np.eye(3))
    heavy = {}
    for weights in ((1, 1, 1, 1e6, 1e6, 1e6), (1e6, 1e6, 1e6, 1, 1, 1)):
        heavy[weights[0]] = InverseKinematics(panda.tree, "panda_link8", weights=weights).solve(T)
    assert heavy[1].position_error < heavy[1e6].position_error
    assert heavy[1].orientation_error > heavy[1e6].orientation_error


def test_tolerances_are_the_callers(panda):
    loose, tight = (
        InverseKinematics(
            panda.tree, "panda_link8", position_tolerance=position, orientation_tolerance=angle
        )
        for position, angle in ((1e-2, 1e-1), (1e-11, 1e-11))
    )
    rng = np.random.default_rng(6)
    for _ in range(50):
        T = panda.pose(panda.tree.random_configuration(rng), "panda_link8")
        result = tight.solve(T)
        assert result.success
        assert result.position_error <= 1e-11
        assert loose.solve(T).iterations < result.iterations


def test_invalid_arguments_are_rejected(panda):
    tree = panda.tree
    for words, body, options in (
        ("panda_link8", "panda_link88", {}),
        ("no body 'map'", "panda_link8", {"base": "map"}),
        ("panda_joint1", "panda_link8", {"locked": ["panda_joint"]}),
        ("can move", "panda_link8", {"base": "panda_link8"}),
        ("can move", "panda_link1", {"locked": ["panda_joint1"]}),
    ):
        error = ModelError if words == "can move" else UnknownNameError
        with pytest.raises(error, match=words):
            InverseKinematics(tree, body, **options)
    for bad in (
        {"weights": (1, 1, 1)},
        {"weights": (0,) * 6},
        {"weights": (1, 1, 1, 1, 1, -1)},
        {"solver": "newton"},
        {"timeout": 0},
        {"timeout": float("nan")},
        {"position_tolerance": -1},
        {"max_restarts": -1},
        {"max_restarts": 1.5},
        {"tool": np.zeros((4, 4))},
        {"locked": "panda_joint1"},
    ):
        with pytest.raises(ModelError):
            InverseKinematics(tree, "panda_link8", **bad)


def test_joint_without_room_is_taken_as_fixed():
    tree = RigidBodyTree()
    for name, parent, limits in (("a", "base", (0.3, 0.3)), ("b", "a", None)):
        joint = Joint(f"to_{name}", "revolute", limits=limits)
        joint.set_fixed_transform(transform((0.5, 0.0, 0.0)))
        tree.add_body(RigidBody(name, joint), parent)
    ik = InverseKinematics(tree, "b")
    assert ik.joint_names == ("to_b",)
    T = tree.get_transform([0.3, 1.0], "b")
    assert ik.solve(T).configuration == pytest.approx([0.3, 1.0], abs=1e-6)


def test_without_a_time_limit_only_restarts_bound_a_search(panda):
    ik = InverseKinematics(panda.tree, "panda_link8", timeout=np.inf, max_restarts=40)
    rng = np.random.default_rng(5)
    near = panda.pose(panda.tree.random_configuration(rng), "panda_link8")
    near[:3, 3] = (0.05, 0.0, 0.33)  # inside the arm's first links
    result = ik.solve(near)
    assert not result.success
    assert result.status.name == "UNREACHABLE"
    assert result.restarts == 40
    batch = ik.solve_batch([near] * 3)
    assert not batch.success.any()
    assert {one.restarts for one in batch} == {40}
    np.testing.assert_array_equal(batch.configurations, [result.configuration] * 3)
