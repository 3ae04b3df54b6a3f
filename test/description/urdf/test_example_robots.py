"""Every URDF of example-robot-data is read like by Pinocchio (urdfdom)."""

import numpy as np
import pinocchio as pin
import pytest

from harness.example_robots import LOADED_BY_PINOCCHIO, ROBOTS, read
from harness.truth import Truth
from rigid_tree_kinematics.description import read_urdf_file
from rigid_tree_kinematics.errors import DescriptionError


def test_a_file_without_links_is_rejected():
    """What is left of a xacro file that defined macros only."""
    with pytest.raises(DescriptionError, match="no links"):
        read_urdf_file(ROBOTS / "ur_description/urdf/ur3.urdf")


@pytest.mark.parametrize("file", LOADED_BY_PINOCCHIO, ids=lambda file: file.stem)
def test_tree_limits_and_inertias_are_pinocchios(file):
    tree = read(file)
    truth = Truth(tree, file.read_text())
    model, data = truth.model, truth.data
    moving = [joint for joint in tree.joints if joint.type != "fixed"]
    assert set(model.names) - {"universe"} == {joint.name for joint in moving}
    q = tree.random_configuration(0)
    pin.framesForwardKinematics(model, data, truth.positions(q))
    inertias = [pin.Inertia.Zero() for _ in model.inertias]
    for body in (tree.base, *tree.bodies):
        index = model.getFrameId(body.name, pin.FrameType.BODY)
        frame, T = model.frames[index], tree.get_transform(q, body.name)
        np.testing.assert_allclose(T, data.oMf[index].homogeneous, atol=1e-11)
        if body.inertia is not None:
            inertia = pin.Inertia(body.inertia.mass, body.inertia.center_of_mass, np.eye(3))
            inertia.inertia = body.inertia.matrix  # unchecked: some are impossible
            inertias[frame.parentJoint] += frame.placement.act(inertia)
    for ours, theirs in zip(inertias, model.inertias, strict=True):
        # Mass, first moment and inertia about the joint.
        ours, theirs = ours.toDynamicParameters(), theirs.toDynamicParameters()
        np.testing.assert_allclose(ours, theirs, rtol=1e-11, atol=1e-12)
    for joint in moving:
        compare_limits(model, model.getJointId(joint.name), joint)


def compare_limits(model, index, joint):
    start, velocity = model.joints[index].idx_q, model.joints[index].idx_v
    if joint.type in ("revolute", "prismatic"):
        limits = model.lowerPositionLimit[start], model.upperPositionLimit[start]
        assert joint.position_limits == limits
    if np.isfinite(joint.effort_limit):
        assert joint.effort_limit == model.upperEffortLimit[velocity]
        assert joint.velocity_limit == model.upperVelocityLimit[velocity]
    if joint.dynamics is not None and joint.type != "floating":
        assert joint.dynamics.damping == model.damping[velocity]
        assert joint.dynamics.friction == model.upperDryFrictionLimit[velocity]
