"""Pinocchio's model of a tree: poses, Jacobians and masses at random configurations."""

import warnings
from functools import partial

import numpy as np
import pinocchio as pin
import pytest

from harness.example_robots import (
    LOADED_BY_PINOCCHIO,
    NOT_LOADED_BY_PINOCCHIO,
    URDFS,
    random_robot,
    read,
)
from rigid_tree_kinematics import list_robots, load_robot
from rigid_tree_kinematics.conversions import to_pinocchio
from rigid_tree_kinematics.dynamics import coriolis_matrix, gravity_torque, mass_matrix
from rigid_tree_kinematics.errors import ConfigurationError
from rigid_tree_kinematics.kinematics import (
    body_transform,
    body_transforms,
    body_velocity,
    center_of_mass,
    center_of_mass_jacobian,
    chain_jacobian,
    geometric_jacobian,
    jacobian_time_derivative,
    poses_in_parents,
)
from rigid_tree_kinematics.model.transforms import inverse, quaternion_matrix, transform

pytestmark = pytest.mark.filterwarnings("ignore::rigid_tree_kinematics.errors.DescriptionWarning")


def test_pinocchio_loads_all_but_the_one_that_is_named_here():
    refused = set()
    for path in URDFS:
        try:
            pin.buildModelFromUrdf(str(path))
        except ValueError:
            refused.add(path.stem)
    assert refused == NOT_LOADED_BY_PINOCCHIO
    assert len(URDFS) > 60


def robots():
    yield from (pytest.param(load_robot, name, id=name) for name in list_robots())
    yield from (pytest.param(read, path, id=path.stem) for path in LOADED_BY_PINOCCHIO)
    yield from (pytest.param(random_robot, seed, id=f"random {seed}") for seed in range(25))


@pytest.mark.parametrize(("make", "what"), robots())
def test_places_jacobians_and_masses_agree(make, what):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        tree = make(what)
        robot = to_pinocchio(tree)
    model, data = robot.model, robot.model.createData()
    names = tree.compiled().body_names
    rows = [model.getFrameId(name, pin.FrameType.BODY) for name in names]
    for seed in range(4):
        q = tree.random_configuration(seed)
        theirs = robot.configuration(q)
        M = robot.velocity_matrix(q)
        v = np.random.default_rng(seed).normal(size=M.shape[1])
        pin.computeAllTerms(model, data, theirs, np.zeros(model.nv))
        pin.updateFramePlacements(model, data)
        frames = body_transforms(tree, q)
        poses = poses_in_parents(tree, q)
        for row, (frame, T) in enumerate(zip(rows, frames, strict=True)):
            np.testing.assert_allclose(data.oMf[frame].homogeneous, T, atol=1e-12)
            parent = frames[tree.compiled().parents[row]] if row else np.eye(4)
            pose = transform(poses[row, :3], quaternion_matrix(poses[row, 3:]))
            np.testing.assert_allclose(parent @ pose, T, atol=1e-12)
        T_last = inverse(frames[0]) @ frames[-1]
        for found in (tree.get_transform, partial(body_transform, tree)):
            last = found(q, names[-1])
            np.testing.assert_allclose(last, T_last, atol=1e-12)
            np.testing.assert_allclose(found(q, names[0], names[-1]), inverse(last), atol=1e-12)
        if not model.nv:
            continue  # Pinocchio crashes over Jacobians without columns
        for body in names[:: max(1, len(names) // 8)]:
            index = model.getFrameId(body, pin.FrameType.BODY)
            for axes, reference in (("base", pin.LOCAL_WORLD_ALIGNED), ("body", pin.LOCAL)):
                J = pin.getFrameJacobian(model, data, index, reference) @ M
                np.testing.assert_allclose(J, geometric_jacobian(tree, q, body, axes), atol=1e-11)
                J_chain, joints = chain_jacobian(tree, q, body, axes)
                columns = columns_of(tree, joints)
                np.testing.assert_allclose(J[:, columns], J_chain, atol=1e-11)
                assert np.abs(np.delete(J, columns, axis=1)).max(initial=0.0) < 1e-11
                assert (np.abs(J_chain).max(axis=0) > 1e-9).all()
                twist = body_velocity(tree, q, v, body, axes)
                np.testing.assert_allclose(J @ v, twist, atol=1e-10)
        H = np.triu(data.M) + np.triu(data.M, 1).T
        np.testing.assert_allclose(M.T @ H @ M, mass_matrix(tree, q), rtol=1e-9, atol=1e-9)
        np.testing.assert_allclose(M.T @ data.g, gravity_torque(tree, q), rtol=1e-9, atol=1e-9)
        if tree.compiled().mass.sum():
            com = whole_center_of_mass(model, data)
            np.testing.assert_allclose(com, center_of_mass(tree, q), atol=1e-9)
            moving = data.mass[0] / (data.mass[0] + model.inertias[0].mass)
            J = moving * pin.jacobianCenterOfMass(model, data, theirs) @ M
            np.testing.assert_allclose(J, center_of_mass_jacobian(tree, q), atol=1e-9)


@pytest.mark.parametrize(("make", "what"), robots())
def test_derivatives_of_jacobians_and_coriolis_matrices_agree(make, what):
    """Without planar joints, whose velocities are along moving axes in Pinocchio."""
    tree = make(what)
    robot = to_pinocchio(tree)
    model, data = robot.model, robot.model.createData()
    if not model.nv or any(joint.type == "planar" for joint in tree.joints):
        return
    names = tree.compiled().body_names
    for seed in range(3):
        q = tree.random_configuration(seed)
        theirs, M = robot.configuration(q), robot.velocity_matrix(q)
        v = np.random.default_rng(seed).normal(size=M.shape[1])
        C = M.T @ pin.computeCoriolisMatrix(model, data, theirs, M @ v) @ M
        scale = max(1.0, np.abs(C).max())
        np.testing.assert_allclose(coriolis_matrix(tree, q, v), C, rtol=0, atol=1e-11 * scale)
        pin.computeJointJacobiansTimeVariation(model, data, theirs, M @ v)
        pin.updateFramePlacements(model, data)
        for body in names[:: max(1, len(names) // 8)]:
            index = model.getFrameId(body, pin.FrameType.BODY)
            for axes, reference in (("base", pin.LOCAL_WORLD_ALIGNED), ("body", pin.LOCAL)):
                dJ = pin.getFrameJacobianTimeVariation(model, data, index, reference) @ M
                found = jacobian_time_derivative(tree, q, v, body, axes)
                np.testing.assert_allclose(found, dJ, atol=1e-10 * max(1.0, np.abs(dJ).max()))


@pytest.mark.parametrize("seed", range(5))
def test_armatures_are_pinocchios(seed):
    tree = random_robot(seed)
    rng = np.random.default_rng(seed)
    for joint in tree.joints:
        joint.armature = rng.uniform(0.0, 2.0)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        robot = to_pinocchio(tree)
    model, data = robot.model, robot.model.createData()
    copied = tree.copy()
    for _ in range(3):
        q = tree.random_configuration(rng)
        theirs, M = robot.configuration(q), robot.velocity_matrix(q)
        pin.crba(model, data, theirs)
        H = np.triu(data.M) + np.triu(data.M, 1).T
        np.testing.assert_allclose(M.T @ H @ M, mass_matrix(copied, q), rtol=1e-9, atol=1e-9)


def columns_of(tree, joints):
    """Return the velocities of these joints, each named once for each of its velocities."""
    slots = tree.compiled().velocity_slots
    return [slots[name][0] + joints[:k].count(name) for k, name in enumerate(joints)]


def whole_center_of_mass(model, data):
    """Add what Pinocchio leaves out: all that does not move."""
    still = model.inertias[0]
    moments = data.mass[0] * data.com[0] + still.mass * still.lever
    return moments / (data.mass[0] + still.mass)


@pytest.mark.parametrize("seed", range(10))
def test_configurations_come_back(seed):
    tree = random_robot(seed)
    robot = to_pinocchio(tree)
    batch = np.array([tree.random_configuration(k) for k in range(20)])
    theirs = robot.configuration(batch)
    np.testing.assert_array_equal(theirs, [robot.configuration(q) for q in batch])
    np.testing.assert_array_equal(
        robot.velocity_matrix(batch), [robot.velocity_matrix(q) for q in batch]
    )
    assert theirs.shape == (20, robot.model.nq)
    assert all(pin.isNormalized(robot.model, q) for q in theirs)
    back = robot.tree_configuration(theirs)
    # Angles within a turn, for two circles' worth of angles are one place.
    assert all(
        np.allclose(body_transforms(tree, a), body_transforms(tree, b), atol=1e-9)
        for a, b in zip(back, batch, strict=True)
        if not any(joint.mimic for joint in tree.joints)
    )
    np.testing.assert_allclose(robot.configuration(back), theirs, atol=1e-12)


def test_home_gravity_and_wrong_lengths():
    tree = load_robot("panda")
    tree.gravity = (1.0, 2.0, 3.0)
    robot = to_pinocchio(tree)
    np.testing.assert_array_equal(robot.model.gravity.linear, [1.0, 2.0, 3.0])
    home = robot.model.referenceConfigurations["home"]
    np.testing.assert_array_equal(robot.tree_configuration(home), tree.home_configuration())
    with pytest.raises(ConfigurationError, match="7 numbers"):
        robot.configuration(np.zeros(6))
    with pytest.raises(ConfigurationError, match="of Pinocchio has 7 numbers"):
        robot.tree_configuration(0.0)
