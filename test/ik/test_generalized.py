"""Several constraints: satisfied together, or violations are named with their amount."""

import numpy as np
import pytest

from harness.truth import difference, example_truth
from rigid_tree_kinematics import Joint, RigidBody, RigidBodyTree
from rigid_tree_kinematics.errors import ConfigurationError, ModelError, UnknownNameError
from rigid_tree_kinematics.ik import (
    AimingConstraint,
    CartesianBounds,
    CenterOfMassOverPolygon,
    DistanceBounds,
    GeneralizedInverseKinematics,
    IKStatus,
    JointBounds,
    OrientationTarget,
    PoseTarget,
    PositionTarget,
)
from rigid_tree_kinematics.kinematics import center_of_mass
from rigid_tree_kinematics.model.transforms import rpy_matrix, transform

TIP = "panda_link8"


def solve(robot, *constraints, **options):
    return GeneralizedInverseKinematics(robot.tree, constraints, **options).solve()


def test_pose_target_is_what_inverse_kinematics_solves(panda):
    rng = np.random.default_rng(0)
    for _ in range(10):
        T = panda.pose(panda.tree.random_configuration(rng), TIP)
        result = solve(panda, PoseTarget(TIP, T))
        assert result.success, result.message
        assert result.status is IKStatus.CONVERGED
        assert result.violations == ()
        panda.assert_within_limits(result.configuration)
        assert max(difference(T, panda.pose(result.configuration, TIP))) < 1e-6 + 1e-9


def test_tool_and_reference_of_a_pose_target(nao):
    tool = transform((0.01, 0.0, 0.05), rpy_matrix(0.0, 0.1, 0.0))
    q = nao.tree.random_configuration(1)
    T = nao.pose(q, "l_gripper", "r_sole") @ tool
    result = solve(nao, PoseTarget("l_gripper", T, "r_sole", tool))
    assert result.success, result.message
    found = nao.pose(result.configuration, "l_gripper", "r_sole") @ tool
    assert max(difference(T, found)) < 1e-6 + 1e-9


def test_position_aim_bounds_and_distance_together(panda):
    look_at = np.array([0.9, 0.1, 0.0])
    result = solve(
        panda,
        PositionTarget(TIP, (0.45, 0.1, 0.5)),
        AimingConstraint(TIP, look_at, tolerance=0.05),
        JointBounds({"panda_joint1": (-0.3, 0.3)}),
        CartesianBounds("panda_link4", (-1, -1, 0.4), (1, 1, 2)),
        DistanceBounds("panda_link4", TIP, 0.1, 0.6),
    )
    assert result.success, result.message
    q = result.configuration
    T = panda.pose(q, TIP)
    assert T[:3, 3] == pytest.approx([0.45, 0.1, 0.5], abs=1e-6)
    direction = (look_at - T[:3, 3]) / np.linalg.norm(look_at - T[:3, 3])
    assert np.arccos(T[:3, 2] @ direction) <= 0.05 + 1e-5
    assert abs(q[0]) <= 0.3 + 1e-6
    elbow = panda.pose(q, "panda_link4")[:3, 3]
    assert elbow[2] >= 0.4 - 1e-6
    assert 0.1 - 1e-6 <= np.linalg.norm(elbow - T[:3, 3]) <= 0.6 + 1e-6


def test_two_hands_of_the_nao_at_once(nao):
    rng = np.random.default_rng(2)
    q = nao.tree.random_configuration(rng)
    goals = [
        PositionTarget(b, nao.pose(q, b)[:3, 3]) for b in ("l_gripper", "r_gripper", "l_sole")
    ]
    result = solve(nao, *goals)
    assert result.success, result.message
    for goal in goals:
        found = nao.pose(result.configuration, goal.body)[:3, 3]
        assert found == pytest.approx(goal.target, abs=1e-6)


def test_center_of_mass_over_a_polygon():
    robot = example_truth("romeo_description/urdf/romeo_small.urdf")
    tree = robot.tree
    seed = tree.home_configuration()
    x, y = center_of_mass(tree, seed)[:2]
    vertices = np.array([[-0.02, -0.02], [0.02, -0.02], [0.02, 0.02], [-0.02, 0.02]])
    vertices += (x + 0.03, y)
    constraint = CenterOfMassOverPolygon(vertices, margin=0.005)
    result = GeneralizedInverseKinematics(tree, [constraint]).solve(seed)
    assert result.success, result.message
    found = center_of_mass(tree, result.configuration)[:2]
    assert (found >= vertices.min(0) + 0.005 - 1e-6).all()
    assert (found <= vertices.max(0) - 0.005 + 1e-6).all()


def test_violated_constraints_are_named_with_their_amount(panda):
    """A point 2 m away, and a joint bound that costs nothing."""
    far = PositionTarget(TIP, (2.0, 0.0, 0.333))
    easy = JointBounds({"panda_joint7": (-1.0, 1.0)})
    result = solve(panda, far, easy, max_restarts=5)
    assert result.status is IKStatus.UNREACHABLE
    (violation,) = result.violations
    assert (violation.constraint, violation.unit) == (far, "m")
    found = panda.pose(result.configuration, TIP)[:3, 3]
    assert violation.amount == pytest.approx(np.linalg.norm(found - far.target), abs=1e-9)
    assert "PositionTarget of 'panda_link8': position violated by" in result.message
    panda.assert_within_limits(result.configuration)
    late = solve(panda, far, max_restarts=10**6, timeout=0.05)
    assert late.status is IKStatus.OUT_OF_TIME
    assert late.violations


def test_weights_decide_between_contradictions():
    tree = RigidBodyTree()
    tree.add_body(RigidBody("cart", Joint("slide", "prismatic", (1, 0, 0), (-9, 9))), "base")
    left = PositionTarget("cart", (0.0, 0.0, 0.0), weight=1.0)
    right = PositionTarget("cart", (1.0, 0.0, 0.0), weight=3.0)
    result = GeneralizedInverseKinematics(tree, [left, right], max_restarts=1).solve()
    assert result.configuration == pytest.approx([0.75], abs=1e-6)
    assert [v.constraint for v in result.violations] == [left, right]
    assert [v.amount for v in result.violations] == pytest.approx([0.75, 0.25], abs=1e-6)


def test_floating_and_locked_joints():
    tree = RigidBodyTree()
    tree.add_body(RigidBody("drone", Joint("free", "floating")), "base")
    tree.add_body(RigidBody("arm", Joint("hinge", "revolute", (0, 1, 0))), "drone")
    T = transform((1.0, 2.0, 3.0), rpy_matrix(3.0, -1.0, 2.0))
    seed = {"free": (0, 0, 0, 0, 0, 0, 1), "hinge": 0.4}
    solver = GeneralizedInverseKinematics(tree, [PoseTarget("arm", T)], locked=["hinge"])
    result = solver.solve(seed)
    assert result.success, result.message
    assert result.by_name["hinge"] == 0.4
    assert tree.get_transform(result.configuration, "arm") == pytest.approx(T, abs=3e-6)


def test_invalid_input_is_rejected(panda):
    there = PositionTarget(TIP, (0.4, 0, 0.5))
    for error, words, make in (
        (UnknownNameError, TIP, lambda: [PositionTarget("panda_link88", (0, 0, 0))]),
        (UnknownNameError, "panda_joint1", lambda: [JointBounds({"panda_joint": (0, 1)})]),
        (ModelError, "at least one", list),
        (ModelError, "area", lambda: [CenterOfMassOverPolygon([(0, 0), (1, 1), (2, 2)])]),
        (ModelError, "above", lambda: [JointBounds({"panda_joint1": (1, 0)})]),
        (ModelError, "axis is zero", lambda: [AimingConstraint(TIP, (1, 0, 0), axis=(0, 0, 0))]),
        (ModelError, "not a rotation", lambda: [OrientationTarget(TIP, 2 * np.eye(3))]),
    ):
        with pytest.raises(error, match=words):
            solve(panda, *make())
    with pytest.raises(ModelError, match="timeout"):
        solve(panda, there, timeout=0)
    with pytest.raises(ConfigurationError, match="panda_joint1"):
        GeneralizedInverseKinematics(panda.tree, [there]).solve(np.full(8, np.nan))
