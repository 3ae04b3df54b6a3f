"""Dynamics against Pinocchio on every URDF of example-robot-data, and against identities."""

import numpy as np
import pinocchio as pin
import pytest

from harness.example_robots import LOADED_BY_PINOCCHIO, random_robot, read
from harness.truth import Truth
from rigid_tree_kinematics import Joint, RigidBody, RigidBodyTree, load_robot
from rigid_tree_kinematics.conversions import to_pinocchio
from rigid_tree_kinematics.description import write_urdf
from rigid_tree_kinematics.dynamics import (
    coriolis_matrix,
    external_torque,
    forward_dynamics,
    friction_torque,
    gravity_torque,
    inverse_dynamics,
    kinetic_energy,
    mass_matrix,
    potential_energy,
    velocity_product,
)
from rigid_tree_kinematics.errors import ConfigurationError, ModelError, UnknownNameError
from rigid_tree_kinematics.kinematics import geometric_jacobian, jacobian_time_derivative
from rigid_tree_kinematics.kinematics.topology import integrated
from rigid_tree_kinematics.model import Inertia, JointDynamics, Mimic

TOLERANCE = 1e-10  # relative to the largest number


def close(found, expected):
    scale = max(1.0, float(np.abs(expected).max(initial=0.0)))
    np.testing.assert_allclose(found, expected, rtol=0, atol=TOLERANCE * scale)


def full(matrix):
    return np.triu(matrix) + np.triu(matrix, 1).T


@pytest.mark.parametrize("urdf", LOADED_BY_PINOCCHIO, ids=lambda path: path.stem)
def test_dynamics_are_pinocchios(urdf):
    tree = read(urdf)
    truth = Truth(tree, urdf.read_text())
    model, data = truth.model, truth.data
    count = tree.compiled().velocity_count
    if count == 0 or sum(inertia.mass for inertia in model.inertias) <= 0.0:
        assert (
            inverse_dynamics(tree, tree.home_configuration(), *[np.zeros(count)] * 2).size == count
        )
        return
    G = truth.velocity_map()
    rng = np.random.default_rng(2)
    for _ in range(3):
        q = tree.random_configuration(rng)
        v, a, torque = rng.normal(size=(3, count))
        pin_q = truth.positions(q)
        M = G.T @ full(pin.crba(model, data, pin_q)) @ G
        close(mass_matrix(tree, q), M)
        bias = G.T @ pin.rnea(model, data, pin_q, G @ v, np.zeros(model.nv))
        close(inverse_dynamics(tree, q, v, a), G.T @ pin.rnea(model, data, pin_q, G @ v, G @ a))
        gravity = G.T @ pin.computeGeneralizedGravity(model, data, pin_q)
        close(gravity_torque(tree, q), gravity)
        close(inverse_dynamics(tree, q), gravity)
        close(velocity_product(tree, q, v), bias - gravity)
        pin.computeKineticEnergy(model, data, pin_q, G @ v)
        close(kinetic_energy(tree, q, v), data.kinetic_energy)
        # Accelerations are as exact as M lets itself be solved.
        condition = np.linalg.cond(M)
        if condition < 1e8:
            found = forward_dynamics(tree, q, v, torque)
            expected = np.linalg.solve(M, torque - bias)
            scale = np.abs(expected).max()
            np.testing.assert_allclose(found, expected, rtol=0, atol=1e-14 * condition * scale)
            still = forward_dynamics(tree, q, 0.0 * v, 0.0 * v)
            np.testing.assert_array_equal(forward_dynamics(tree, q), still)


MIXED = [*2 * ["floating", "planar"], "revolute", "fixed", "prismatic", "continuous"]


@pytest.mark.parametrize("seed", range(5))
def test_planar_joints_obey_lagrange(seed):
    """Rates of planar joints are derivatives of positions: d/dt (M v) - dT/dq = torque - g."""
    rng = np.random.default_rng(seed)
    tree = random_robot(seed, ["planar", "revolute", "planar", "prismatic"])
    q = tree.random_configuration(rng)
    v, a = rng.normal(size=(2, tree.compiled().velocity_count))
    h = 1e-5

    def derivative(function, along):
        return (function(q + h * along) - function(q - h * along)) / (2.0 * h)

    momentum_rate = derivative(lambda x: mass_matrix(tree, x) @ v, v) + mass_matrix(tree, q) @ a
    unit = np.eye(len(q))
    slope = [derivative(lambda x: kinetic_energy(tree, x, v), along) for along in unit]
    hill = [derivative(lambda x: potential_energy(tree, x), along) for along in unit]
    expected = momentum_rate - slope + hill
    np.testing.assert_allclose(inverse_dynamics(tree, q, v, a), expected, rtol=1e-6, atol=1e-5)


@pytest.mark.parametrize("seed", range(3))
def test_a_floating_base_is_pinocchios_free_flyer(seed):
    panda = load_robot("panda")
    for body in panda.bodies:
        if body.inertia is None:
            body.inertia = Inertia(1.0, (0.01, 0.02, 0.03), 0.01 * np.eye(3))
    tree = RigidBodyTree("flying", "world")
    trunk = RigidBody("trunk", Joint("float", "floating"))
    # A subtree comes without its base, which the trunk stands for.
    trunk.inertia = panda.base.inertia = Inertia(3.0, (0.1, 0.0, 0.05), 0.02 * np.eye(3))
    tree.add_body(trunk, "world")
    tree.add_subtree(panda, "trunk")
    model = pin.buildModelFromXML(write_urdf(panda), pin.JointModelFreeFlyer())
    data = model.createData()
    rng = np.random.default_rng(seed)
    q = tree.random_configuration(rng)
    v, a = rng.normal(size=(2, tree.compiled().velocity_count))
    close(inverse_dynamics(tree, q, v, a), pin.rnea(model, data, q, v, a))
    close(mass_matrix(tree, q), full(pin.crba(model, data, q)))
    close(forward_dynamics(tree, q, v, a), pin.aba(model, data, q, v, a))


@pytest.mark.parametrize("seed", range(5))
def test_forward_and_inverse_invert_each_other_and_are_the_sum_of_their_parts(seed):
    rng = np.random.default_rng(seed)
    for kinds in (MIXED, ["revolute"] * 6, ["revolute", "prismatic", "continuous"] * 3):
        tree = random_robot(seed, kinds)
        q = tree.random_configuration(rng)
        v, a = rng.normal(size=(2, tree.compiled().velocity_count))
        torque, M = inverse_dynamics(tree, q, v, a), mass_matrix(tree, q)
        found = forward_dynamics(tree, q, v, torque)
        np.testing.assert_allclose(found, a, rtol=0, atol=1e-13 * np.linalg.cond(M))
        np.testing.assert_allclose(M, M.T, atol=1e-12 * np.abs(M).max())
        assert np.linalg.eigvalsh(M).min() > 0.0
        close(torque, M @ a + velocity_product(tree, q, v) + gravity_torque(tree, q))
        assert kinetic_energy(tree, q, v) == pytest.approx(0.5 * v @ M @ v)


@pytest.mark.parametrize("seed", range(5))
def test_the_coriolis_matrix_leaves_the_energy_to_torques(seed):
    """dM/dt - 2 C is skew-symmetric, and C v is the bias; also with planar joints and motors."""
    rng = np.random.default_rng(seed)
    tree = random_robot(seed, MIXED)
    for joint in tree.joints:
        joint.armature = rng.uniform(0.0, 1.0)
    q, h = tree.random_configuration(rng), 1e-6
    v, a = rng.normal(size=(2, tree.compiled().velocity_count))
    ahead, behind = (integrated(tree.compiled(), q, v, step) for step in (h, -h))
    rate = (mass_matrix(tree, ahead) - mass_matrix(tree, behind)) / (2.0 * h)
    C = coriolis_matrix(tree, q, v)
    np.testing.assert_allclose(rate, C + C.T, atol=1e-7 * np.abs(rate).max())
    close(C @ v, velocity_product(tree, q, v))
    torque = mass_matrix(tree, q) @ a + C @ v + gravity_torque(tree, q)
    close(inverse_dynamics(tree, q, v, a), torque)
    for body in tree.body_names[-3:]:
        for axes in ("base", "body"):
            J = [geometric_jacobian(tree, place, body, axes) for place in (ahead, behind)]
            found = jacobian_time_derivative(tree, q, v, body, axes)
            expected = (J[0] - J[1]) / (2.0 * h)
            np.testing.assert_allclose(found, expected, atol=1e-7 * max(1.0, np.abs(J[0]).max()))


@pytest.mark.parametrize("name", ["panda", "nao"])
def test_motors_accelerate_with_their_joints(name):
    """Pinocchio's forward and inverse dynamics with its model.armature."""
    tree = load_robot(name)
    rng = np.random.default_rng(3)
    for joint in tree.joints:
        joint.armature = rng.uniform(0.1, 2.0)
    robot = to_pinocchio(tree)
    model, data = robot.model, robot.model.createData()
    q = tree.random_configuration(rng)
    v, a = rng.normal(size=(2, tree.compiled().velocity_count))
    theirs, G = robot.configuration(q), robot.velocity_matrix(q)
    torque = G.T @ pin.rnea(model, data, theirs, G @ v, G @ a)
    close(inverse_dynamics(tree, q, v, a), torque)
    close(forward_dynamics(tree, q, v, torque), a)
    pin.computeKineticEnergy(model, data, theirs, G @ v)
    rotors = 0.5 * model.armature @ (G @ v) ** 2
    assert kinetic_energy(tree, q, v) == pytest.approx(
        0.5 * (G @ v) @ full(pin.crba(model, data, theirs)) @ (G @ v)
    )
    assert kinetic_energy(tree, q, v) > rotors
    with pytest.raises(ModelError, match="armature"):
        tree.joints[0].armature = -1.0


def test_mimic_joints_add_up():
    """A geared arm is the free one on the line where its joints are coupled."""
    rng = np.random.default_rng(4)
    free = random_robot(4, ["revolute"] * 3 + ["prismatic"], mimics=0.0, chain=1.0)
    geared = free.copy()
    geared.get_joint("joint 2").mimic = Mimic("joint 0", -0.5, 0.2)
    geared.get_joint("joint 3").mimic = Mimic("joint 1", 2.0, 0.0)
    G = np.array([[1.0, 0.0], [0.0, 1.0], [-0.5, 0.0], [0.0, 2.0]])
    q = np.array([0.3, -0.2])
    q_free = G @ q + [0.0, 0.0, 0.2, 0.0]
    v, a = rng.normal(size=(2, 2))
    close(mass_matrix(geared, q), G.T @ mass_matrix(free, q_free) @ G)
    torque = inverse_dynamics(geared, q, v, a)
    close(torque, G.T @ inverse_dynamics(free, q_free, G @ v, G @ a))
    close(forward_dynamics(geared, q, v, torque), a)


def test_outside_wrenches_are_pinocchios():
    tree = load_robot("nao_v4_h21")
    truth = Truth(tree)
    model, data = truth.model, truth.data
    rng = np.random.default_rng(0)
    q = tree.random_configuration(rng)
    v, a = rng.normal(size=(2, len(q)))
    G = truth.velocity_map()
    pin_q = truth.positions(q)
    pin.framesForwardKinematics(model, data, pin_q)
    wrenches = {name: rng.normal(size=6) for name in ("l_gripper", "r_sole", "Head")}
    forces = [pin.Force.Zero() for _ in range(model.njoints)]
    for name, wrench in wrenches.items():
        frame = model.frames[model.getFrameId(name, pin.FrameType.BODY)]
        placed = pin.SE3(
            np.eye(3), data.oMf[model.getFrameId(name, pin.FrameType.BODY)].translation
        )
        force = placed.act(pin.Force(wrench[:3], wrench[3:]))
        joint = frame.parentJoint
        forces[joint] += data.oMi[joint].actInv(force)
    expected = G.T @ pin.rnea(model, data, pin_q, G @ v, G @ a, forces)
    close(inverse_dynamics(tree, q, v, a, wrenches), expected)
    torque = inverse_dynamics(tree, q, v, a, wrenches)
    np.testing.assert_allclose(forward_dynamics(tree, q, v, torque, wrenches), a, atol=1e-8)
    close(external_torque(tree, q, wrenches), inverse_dynamics(tree, q, v, a) - torque)


def test_gravity_is_the_models():
    tree = load_robot("double_pendulum")
    q = np.array([0.4, 0.2])
    down = gravity_torque(tree, q)
    tree.gravity = (0.0, 0.0, -1.62)
    np.testing.assert_allclose(gravity_torque(tree, q), down * 1.62 / 9.81)
    assert tree.copy().gravity.tolist() == [0.0, 0.0, -1.62]
    with pytest.raises(ModelError, match="gravity"):
        tree.gravity = (0.0, 9.81)


def test_friction_and_damping_are_the_joints():
    tree = load_robot("double_pendulum")
    tree.get_joint("joint_A").dynamics = JointDynamics(damping=0.5, friction=0.1)
    v = np.array([2.0, -1.0])
    rest = friction_torque(load_robot("double_pendulum"), v)
    assert friction_torque(tree, v)[0] == pytest.approx(1.1)
    assert friction_torque(tree, v)[1] == rest[1]
    assert friction_torque(tree, -v)[0] == pytest.approx(-1.1)


def test_invalid_input_is_rejected():
    tree, still = load_robot("double_pendulum"), [0.0, 0.0]
    for error, words, call in (
        (ConfigurationError, "shape", lambda: inverse_dynamics(tree, [0.0], still, still)),
        (ConfigurationError, "v must", lambda: inverse_dynamics(tree, still, [0.0], still)),
        (ConfigurationError, "torque", lambda: forward_dynamics(tree, still, still, ["x", 1])),
        (ConfigurationError, "v has", lambda: forward_dynamics(tree, still, [np.nan, 0.0], still)),
        (ConfigurationError, "joint_A", lambda: mass_matrix(tree, [np.inf, 0.0])),
        (UnknownNameError, "Z", lambda: external_torque(tree, still, {"Z": np.zeros(6)})),
        (ConfigurationError, "'B'", lambda: external_torque(tree, still, {"B": np.zeros(3)})),
    ):
        with pytest.raises(error, match=words):
            call()


@pytest.mark.parametrize("kind", ["revolute", "planar"])
def test_a_joint_without_mass_is_named(kind):
    tree = RigidBodyTree("ghost")
    tree.add_body(RigidBody("tip", Joint("idle", kind)), "base")
    count = tree.compiled().velocity_count
    with pytest.raises(ModelError, match="idle"):
        forward_dynamics(tree, np.zeros(count), np.zeros(count), np.ones(count))
