"""Every URDF of example-robot-data: our kinematics are Pinocchio's, to rounding."""

from __future__ import annotations

import warnings
from pathlib import Path

import numpy as np
import pinocchio as pin
import pytest

from rigid_tree_kinematics.description.urdf_reader import read_urdf_file
from rigid_tree_kinematics.errors import ModelError
from rigid_tree_kinematics.kinematics import (
    body_transforms,
    center_of_mass,
    center_of_mass_jacobian,
    geometric_jacobian,
    local_poses,
)
from rigid_tree_kinematics.model import RigidBodyTree
from rigid_tree_kinematics.model.mimic import resolve_mimic
from rigid_tree_kinematics.model.transforms import inverse, quaternion_matrix, transform

ROBOTS = Path(pin.__file__).parents[4] / "share/example-robot-data/robots"
URDFS = sorted(path for path in ROBOTS.rglob("*.urdf"))
# Chains multiply up to 40 rounded rotations and lengths of some metres.
TOLERANCE = 1e-12


# The urdfdom under Pinocchio refuses it: its <robot> has no name.
NOT_LOADED_BY_PINOCCHIO = {"ur3"}


def resolved(tree: RigidBodyTree) -> dict[str, tuple[str, float, float]]:
    """Return {moving joint: (independent joint, multiplier, offset)}."""
    joints = {joint.name: joint for joint in tree.joints}
    result = {}
    for joint in joints.values():
        if joint.position_count:
            source, multiplier, offset = resolve_mimic(joint, joints, tree.name)
            result[joint.name] = (source.name, multiplier, offset)
    return result


def pinocchio_positions(model: pin.Model, tree: RigidBodyTree, q: np.ndarray) -> np.ndarray:
    """Return Pinocchio's configuration vector for ours: other order, circles as (cos, sin)."""
    result = pin.neutral(model)
    slots = tree.compiled().joint_slots
    for name, (source, multiplier, offset) in resolved(tree).items():
        joint = model.joints[model.getJointId(name)]
        start, count = slots[source]
        ours = multiplier * q[start : start + count] + offset
        at = joint.idx_q
        if joint.nq == count:
            result[at : at + count] = ours
        elif joint.nq == 2:  # continuous
            result[at : at + 2] = np.cos(ours[0]), np.sin(ours[0])
        else:  # planar
            result[at : at + 4] = ours[0], ours[1], np.cos(ours[2]), np.sin(ours[2])
    return result


def velocity_map(model: pin.Model, tree: RigidBodyTree) -> np.ndarray:
    """Return M with (Pinocchio's velocities) = M @ (ours): a mimic joint follows its source."""
    result = np.zeros((model.nv, tree.compiled().velocity_count))
    first = 0
    columns = {}
    for name in tree.joint_names:
        columns[name] = first
        first += tree.get_joint(name).velocity_count
    for name, (source, multiplier, _) in resolved(tree).items():
        joint = model.joints[model.getJointId(name)]
        for k in range(joint.nv):
            result[joint.idx_v + k, columns[source] + k] = multiplier
    return result


def test_pinocchio_loads_all_but_the_one_that_is_named_here() -> None:
    refused = set()
    for path in URDFS:
        try:
            pin.buildModelFromUrdf(str(path))
        except ValueError:
            refused.add(path.stem)
    assert refused == NOT_LOADED_BY_PINOCCHIO
    assert len(URDFS) > 60


def read(path: Path) -> RigidBodyTree:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return read_urdf_file(path)


@pytest.fixture(
    params=[path for path in URDFS if path.stem not in NOT_LOADED_BY_PINOCCHIO],
    ids=lambda path: path.stem,
)
def urdf(request: pytest.FixtureRequest) -> Path:
    path: Path = request.param
    return path


def test_kinematics_agree_with_pinocchio(urdf: Path) -> None:
    tree = read(urdf)
    model = pin.buildModelFromUrdf(str(urdf))
    data = model.createData()
    compiled = tree.compiled()
    M = velocity_map(model, tree)
    rng = np.random.default_rng(1)
    batch = np.array([tree.random_configuration(rng) for _ in range(5)])
    batch_frames = body_transforms(tree, batch)
    root = pin.SE3(np.eye(4))
    for q, from_batch in zip(batch, batch_frames, strict=True):
        pin_q = pinocchio_positions(model, tree, q)
        pin.forwardKinematics(model, data, pin_q)
        pin.updateFramePlacements(model, data)
        pin.computeJointJacobians(model, data, pin_q)
        frames = body_transforms(tree, q)
        np.testing.assert_array_equal(frames, from_batch)
        poses = local_poses(tree, q)
        for row, name in enumerate(compiled.body_names):
            frame = model.getFrameId(name, pin.FrameType.BODY)
            root = data.oMf[frame] if row == 0 else root
            expected = (root.inverse() * data.oMf[frame]).homogeneous
            np.testing.assert_allclose(frames[row], expected, rtol=0, atol=TOLERANCE)
            if row:
                local = inverse(frames[compiled.parents[row]]) @ frames[row]
                pose = transform(poses[row, :3], quaternion_matrix(poses[row, 3:]))
                np.testing.assert_allclose(pose, local, rtol=0, atol=TOLERANCE)
        # Pinocchio crashes on a Jacobian without columns.
        middle = len(compiled.body_names) // 2
        for name in (compiled.body_names[-1], compiled.body_names[middle]) if model.nv else ():
            frame = model.getFrameId(name, pin.FrameType.BODY)
            for axes, reference in (("base", pin.LOCAL_WORLD_ALIGNED), ("body", pin.LOCAL)):
                expected = pin.getFrameJacobian(model, data, frame, reference) @ M
                ours = geometric_jacobian(tree, q, name, axes)
                np.testing.assert_allclose(ours, expected, rtol=0, atol=TOLERANCE)


def test_center_of_mass_agrees_with_pinocchio(urdf: Path) -> None:
    tree = read(urdf)
    if tree.compiled().mass.sum() <= 0.0:
        with pytest.raises(ModelError, match="no mass"):
            center_of_mass(tree, tree.home_configuration())
        return
    # On a free-flyer, because Pinocchio leaves out what is fixed to its universe.
    model = pin.buildModelFromUrdf(str(urdf), pin.JointModelFreeFlyer())
    data = model.createData()
    M = velocity_map(model, tree)
    rng = np.random.default_rng(2)
    batch = np.array([tree.random_configuration(rng) for _ in range(3)])
    centers, jacobians = center_of_mass(tree, batch), center_of_mass_jacobian(tree, batch)
    for q, center, J in zip(batch, centers, jacobians, strict=True):
        pin_q = pinocchio_positions(model, tree, q)
        expected = pin.centerOfMass(model, data, pin_q)
        np.testing.assert_allclose(center, expected, rtol=0, atol=TOLERANCE)
        np.testing.assert_array_equal(center_of_mass(tree, q), center)
        expected_J = pin.jacobianCenterOfMass(model, data, pin_q) @ M
        np.testing.assert_allclose(J, expected_J, rtol=0, atol=TOLERANCE)
