"""Tasks: steps beside quadprog with Pinocchio's Jacobians, convergence, priorities."""

import numpy as np
import pinocchio as pin
import pytest
import quadprog

from rigid_tree_kinematics import Joint, RigidBody, RigidBodyTree, load_robot
from rigid_tree_kinematics.errors import ConfigurationError, ModelError, UnknownNameError
from rigid_tree_kinematics.ik.differential import (
    ComTask,
    DifferentialIK,
    FrameTask,
    JointVelocityTask,
    LookAtTask,
    PostureTask,
    RelativeFrameTask,
    StepStatus,
)
from rigid_tree_kinematics.kinematics import center_of_mass
from rigid_tree_kinematics.model import Inertia, Mimic
from rigid_tree_kinematics.model.transforms import rpy_matrix, transform

START = np.array([0.0, 0.3, 0.0, -1.8, 0.0, 2.1, 0.785, 0.0])
DT = 0.01


def small_move(rng, T, size):
    return T @ transform(size * rng.normal(size=3), rpy_matrix(*(size * rng.normal(size=3))))


def test_step_is_the_minimum_that_quadprog_finds_with_pinocchio(panda):
    """One frame with a cost for each axis, a posture, and speed limits, some of them active."""
    rng = np.random.default_rng(1)
    model, data = panda.model, panda.data
    costs, posture_cost = np.array([1.0, 2.0, 0.5, 0.3, 0.0, 0.7]), 0.05
    bound = 0
    for _ in range(50):
        q = panda.tree.random_configuration(rng)
        task = FrameTask("panda_link8", costs[:3], costs[3:], gain=0.5)
        posture = PostureTask(posture_cost)
        ik = DifferentialIK(panda.tree, [task, posture], start=q)
        goal = panda.tree.random_configuration(rng)
        posture.set_target(goal)
        target = small_move(rng, panda.pose(q, "panda_link8"), 0.01)
        task.set_target(target)
        v = ik.step(DT).velocity
        frame = model.getFrameId("panda_link8")
        at = panda.positions(q)
        J = pin.computeFrameJacobian(model, data, at, frame, pin.LOCAL) @ panda.velocity_map()
        pin.framesForwardKinematics(model, data, at)
        T = data.oMf[frame]
        offset = T.inverse() * pin.SE3(target)
        error = np.concatenate((offset.translation, pin.log3(offset.rotation)))
        W = np.diag(costs**2)
        H = J.T @ W @ J + (posture_cost**2 + 1e-6) * np.eye(len(v))
        g = -J.T @ W @ (0.5 * error / DT) - posture_cost**2 * (goal - q) / DT
        limit = ik.compiled.velocity_limit
        low = np.maximum(-limit, (ik.compiled.lower - q) / DT)
        high = np.minimum(limit, (ik.compiled.upper - q) / DT)
        normals = np.vstack((np.eye(len(v)), -np.eye(len(v)))).T
        expected = quadprog.solve_qp(H, -g, normals, np.concatenate((low, -high)))[0]
        np.testing.assert_allclose(v, expected, atol=1e-6)
        bound += (np.abs(v) > limit - 1e-9).any()
    assert bound > 10


def all_kinds_of_joints():
    tree = RigidBodyTree()
    kinds = "floating", "revolute", "prismatic", "planar", "continuous", "revolute"
    rng, parent = np.random.default_rng(3), "base"
    for number, kind in enumerate(kinds):
        limits = (-2.0, 2.0) if kind in ("prismatic", "revolute") else None
        joint = Joint(f"j{number}", kind, limits=limits)
        joint.set_fixed_transform(
            transform(rng.uniform(-0.4, 0.4, 3), rpy_matrix(*rng.normal(size=3)))
        )
        inertia = Inertia(mass=rng.uniform(0.5, 2.0), center_of_mass=rng.uniform(-0.2, 0.2, 3))
        body = RigidBody(f"b{number}", joint)
        body.inertia = inertia
        parent = tree.add_body(body, parent).name
    mimic = Joint("copy", "revolute", limits=(-2.0, 2.0))
    mimic.mimic = Mimic("j1", -0.5, 0.1)
    mimic.set_fixed_transform(transform((0.2, 0.1, 0.3)))
    tree.add_body(RigidBody("side", mimic), "b1")
    return tree


def view_error(T, point):
    away = point - T[:3, 3]
    return np.arccos(np.clip(T[:3, 2] @ away / np.linalg.norm(away), -1.0, 1.0))


@pytest.mark.parametrize("kind", ["frame", "relative", "center", "view"])
def test_a_small_error_is_removed_in_one_step_to_second_order(kind):
    tree, rng = all_kinds_of_joints(), np.random.default_rng(4)
    offset = transform((0.1, 0.2, -0.1), rpy_matrix(0.3, 0.2, 0.1))
    for _ in range(20):
        q = tree.random_configuration(rng)
        if kind == "frame":
            task = FrameTask("b5", offset=offset)
            T = small_move(rng, tree.get_transform(q, "b5") @ offset, 1e-3)
            task.set_target(T)
        elif kind == "relative":
            task = RelativeFrameTask("b5", "side", offset=offset)
            T = small_move(rng, tree.get_transform(q, "b5", "side") @ offset, 1e-3)
            task.set_target(T)
        elif kind == "center":
            task = ComTask()
            task.set_target(center_of_mass(tree, q) + 1e-3 * rng.normal(size=3))
        else:
            task = LookAtTask("b5")
            frame = tree.get_transform(q, "b5")
            point = frame[:3, 3] + rng.uniform(0.5, 2.0) * frame[:3, 2] + 1e-3 * rng.normal(size=3)
            task.set_target(point)
        ik = DifferentialIK(tree, [task], start=q, damping=1e-9)
        ik.step(DT)
        before = np.linalg.norm(task.error)
        after = ik.step(DT).configuration
        left = np.linalg.norm(task.error)
        assert 1e-5 < before < 1e-2
        assert left < 1e-2 * before
        assert (after >= ik.compiled.lower).all()
        assert (after <= ik.compiled.upper).all()


def test_a_second_iteration_lowers_the_error_of_fast_motions():
    robot = load_robot("panda")
    start = START[:7]
    T = robot.get_transform(start, "panda_link8")
    errors = []
    for iterations in (1, 2):
        task = FrameTask("panda_link8")
        ik = DifferentialIK(robot, [task], start=start)
        for k in range(100):
            angle = 0.04 * k
            target = transform((0.1 * np.sin(angle), 0.1 - 0.1 * np.cos(angle), 0.0)) @ T
            task.set_target(target)
            reached = robot.get_transform(ik.step(DT, iterations).configuration, "panda_link8")
            errors.append(np.abs(reached - target).max())
    assert max(errors[100:]) < 2e-6
    assert max(errors[:100]) > 10 * max(errors[100:])


def test_a_second_priority_uses_only_what_the_first_leaves(panda):
    rng = np.random.default_rng(5)
    for _ in range(20):
        q = panda.tree.random_configuration(rng)
        target = small_move(rng, panda.pose(q, "panda_link8"), 0.003)
        goal = panda.tree.random_configuration(rng)
        steps = []
        for others in ([], [PostureTask(100.0, priority=2)]):
            task = FrameTask("panda_link8")
            task.set_target(target)
            for other in others:
                other.set_target(goal)
            steps.append(DifferentialIK(panda.tree, [*others, task], start=q).step(DT))
        J = (
            pin.computeFrameJacobian(
                panda.model,
                panda.data,
                panda.positions(q),
                panda.model.getFrameId("panda_link8"),
                pin.LOCAL,
            )
            @ panda.velocity_map()
        )
        alone, both = (step.velocity for step in steps)
        np.testing.assert_allclose(J @ both, J @ alone, atol=1e-8)
        wish = (goal - q) / DT
        assert np.linalg.norm(both - wish) <= np.linalg.norm(alone - wish) + 1e-9
        assert np.abs(both - alone).max() > 1e-3


def test_three_priorities_and_joint_velocities():
    """A redundant plane arm: the tip's x first, then its y, then a velocity of the last joint."""
    tree = RigidBodyTree()
    parent = "base"
    for number in range(4):
        joint = Joint(f"j{number}", "revolute", (0, 0, 1), (-3, 3))
        joint.set_fixed_transform(transform((0.5 if number else 0.0, 0, 0)))
        parent = tree.add_body(RigidBody(f"b{number}", joint), parent).name
    q = np.array([0.3, 0.4, -0.5, 0.6])
    first = FrameTask(
        "b3", (1.0, 0.0, 0.0), 0.0, offset=transform(rotation=rpy_matrix(0, 0, -0.8))
    )
    second = FrameTask(
        "b3", (0.0, 1.0, 0.0), 0.0, offset=transform(rotation=rpy_matrix(0, 0, -0.8)), priority=2
    )
    spin = JointVelocityTask({"j3": 1.0}, priority=3)
    ik = DifferentialIK(tree, [spin, second, first], start=q)
    spin.set_target([0.0, 0.0, 0.0, 0.7])
    T = tree.get_transform(q, "b3")
    step = ik.step(DT)
    assert step.velocity[3] == pytest.approx(0.7, rel=1e-5)
    np.testing.assert_allclose(
        tree.get_transform(step.configuration, "b3")[:3, 3], T[:3, 3], atol=1e-5
    )


def test_locked_joints_do_not_move_and_mimic_joints_follow():
    robot = load_robot("panda_hand")
    q = robot.home_configuration()
    task = FrameTask("panda_link8")
    posture = PostureTask({"panda_finger_joint1": 1.0})
    ik = DifferentialIK(robot, [task, posture], start=q, locked=["panda_joint1", "panda_joint3"])
    target = robot.get_transform(q, "panda_link8")
    target[:3, 3] += 0.03
    task.set_target(target)
    goal = q.copy()
    goal[7] = 0.03
    posture.set_target(goal)
    for _ in range(100):
        step = ik.step(DT)
    assert (step.configuration[[0, 2]] == q[[0, 2]]).all()
    assert step.configuration[7] == pytest.approx(0.03)


def floating_nao():
    nao = load_robot("nao")
    tree = RigidBodyTree("nao", "world")
    root = Joint("root", "floating")
    tree.add_body(RigidBody(nao.base_name, root), "world").inertia = nao.base.inertia
    tree.add_subtree(nao, nao.base_name)
    return tree


def test_feet_stay_while_a_hand_reaches_and_the_center_of_mass_stays_over_them():
    tree = floating_nao()
    feet = [FrameTask(name, priority=0) for name in ("l_sole", "r_sole")]
    balance = ComTask((1.0, 1.0, 0.0))
    hand = FrameTask("LHand" if "LHand" in tree.body_names else "l_gripper", 1.0, 0.0, priority=2)
    posture = PostureTask(priority=3)
    ik = DifferentialIK(tree, [*feet, balance, hand, posture])
    q = ik.configuration
    soles = [tree.get_transform(q, task.frame) for task in feet]
    center = center_of_mass(tree, q)
    target = tree.get_transform(q, hand.frame)
    target[:3, 3] += (0.06, 0.02, 0.05)
    hand.set_target(target)
    for _ in range(200):
        step = ik.step(0.01)
        assert step.status is StepStatus.FOLLOWED
    q = step.configuration
    for task, sole in zip(feet, soles, strict=True):
        np.testing.assert_allclose(tree.get_transform(q, task.frame), sole, atol=1e-5)
    np.testing.assert_allclose(center_of_mass(tree, q)[:2], center[:2], atol=1e-4)
    reached = tree.get_transform(q, hand.frame)[:3, 3]
    np.testing.assert_allclose(reached, target[:3, 3], atol=1e-3)


def test_invalid_tasks_and_targets_are_rejected_by_name(panda):
    task = FrameTask("panda_link8")
    ik = DifferentialIK(panda.tree, [task])
    with pytest.raises(ModelError, match="task of frame 'panda_link8' is already used"):
        DifferentialIK(panda.tree, [task])
    with pytest.raises(ModelError, match="frame 'panda_link8': the target"):
        task.set_target(2.0 * np.eye(4))
    with pytest.raises(UnknownNameError, match="panda_link88"):
        DifferentialIK(panda.tree, [FrameTask("panda_link88")])
    for arguments in ({"position_cost": -1.0}, {"gain": 0.0}, {"gain": 1.5}, {"priority": -1}):
        with pytest.raises(ModelError, match="panda_link8"):
            FrameTask("panda_link8", **arguments)
    with pytest.raises(ModelError, match="not all 0"):
        FrameTask("panda_link8", 0.0, 0.0)
    with pytest.raises(ConfigurationError, match="center of mass"):
        ComTask().set_target([1.0, np.nan, 0.0])
    for dt in (0.0, -1.0, np.nan, np.inf):
        with pytest.raises(ConfigurationError, match="time step"):
            ik.step(dt)
    with pytest.raises(ModelError, match="panda_joint1"):
        DifferentialIK(panda.tree, [], velocity_limits={"panda_joint1": 0.0})
    np.testing.assert_allclose(ik.step(DT).velocity, 0.0, atol=1e-12)
