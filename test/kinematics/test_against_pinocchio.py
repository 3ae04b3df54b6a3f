"""Every URDF of example-robot-data: our kinematics are Pinocchio's, to rounding."""

from pathlib import Path

import numpy as np
import pinocchio as pin
import pytest

from harness.example_robots import LOADED_BY_PINOCCHIO, NOT_LOADED_BY_PINOCCHIO, URDFS, read
from harness.truth import Truth
from rigid_tree_kinematics.errors import ModelError
from rigid_tree_kinematics.kinematics import (
    body_transforms,
    center_of_mass,
    center_of_mass_jacobian,
    geometric_jacobian,
    poses_in_parents,
)
from rigid_tree_kinematics.model.transforms import inverse, quaternion_matrix, transform

# Chains multiply up to 40 rounded rotations and lengths of some metres.
TOLERANCE = 1e-12


def test_pinocchio_loads_all_but_the_one_that_is_named_here() -> None:
    refused = set()
    for path in URDFS:
        try:
            pin.buildModelFromUrdf(str(path))
        except ValueError:
            refused.add(path.stem)
    assert refused == NOT_LOADED_BY_PINOCCHIO
    assert len(URDFS) > 60


@pytest.fixture(params=LOADED_BY_PINOCCHIO, ids=lambda path: path.stem)
def urdf(request: pytest.FixtureRequest) -> Path:
    path: Path = request.param
    return path


def test_kinematics_agree_with_pinocchio(urdf: Path) -> None:
    tree = read(urdf)
    truth = Truth(tree, urdf.read_text())
    model, data, compiled = truth.model, truth.data, truth.compiled
    M = truth.velocity_map()
    rng = np.random.default_rng(1)
    batch = np.array([tree.random_configuration(rng) for _ in range(5)])
    batch_frames = body_transforms(tree, batch)
    root = pin.SE3(np.eye(4))
    for q, from_batch in zip(batch, batch_frames, strict=True):
        pin_q = truth.positions(q)
        pin.forwardKinematics(model, data, pin_q)
        pin.updateFramePlacements(model, data)
        pin.computeJointJacobians(model, data, pin_q)
        frames = body_transforms(tree, q)
        np.testing.assert_allclose(frames, from_batch, atol=1e-13)
        poses = poses_in_parents(tree, q)
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
    truth = Truth(tree, urdf.read_text(), pin.JointModelFreeFlyer())
    model, data, M = truth.model, truth.data, truth.velocity_map()
    rng = np.random.default_rng(2)
    batch = np.array([tree.random_configuration(rng) for _ in range(3)])
    centers, jacobians = center_of_mass(tree, batch), center_of_mass_jacobian(tree, batch)
    for q, center, J in zip(batch, centers, jacobians, strict=True):
        pin_q = truth.positions(q)
        expected = pin.centerOfMass(model, data, pin_q)
        np.testing.assert_allclose(center, expected, rtol=0, atol=TOLERANCE)
        np.testing.assert_array_equal(center_of_mass(tree, q), center)
        expected_J = pin.jacobianCenterOfMass(model, data, pin_q) @ M
        np.testing.assert_allclose(J, expected_J, rtol=0, atol=TOLERANCE)
