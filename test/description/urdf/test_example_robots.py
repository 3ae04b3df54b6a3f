"""Every URDF of example-robot-data is read like by Pinocchio (urdfdom)."""

import numpy as np
import pinocchio
import pytest

from rigid_tree_kinematics.description import read_urdf_file
from rigid_tree_kinematics.errors import DescriptionError

pytestmark = pytest.mark.filterwarnings("ignore::rigid_tree_kinematics.errors.DescriptionWarning")


def test_a_file_without_links_is_rejected(empty_urdf):
    with pytest.raises(DescriptionError, match="no links"):
        read_urdf_file(empty_urdf)


def carriers(tree):
    """Return {moving joint or None: [(body, its frame in the frame of that joint)]}."""
    frames = {tree.base_name: (None, np.eye(4))}
    carried = {None: [(tree.base, np.eye(4))]}
    for body in tree.bodies:
        if body.joint.type == "fixed":
            joint, T = frames[body.parent.name]
            frames[body.name] = joint, T @ body.joint.joint_to_parent
        else:
            frames[body.name] = body.joint.name, np.eye(4)
        carried.setdefault(frames[body.name][0], []).append((body, frames[body.name][1]))
    return carried


def lumped_inertia(bodies):
    """Return mass, first moment and the inertia about the origin of rigidly joined bodies."""
    mass, first, second = 0.0, np.zeros(3), np.zeros((3, 3))
    for body, T in bodies:
        if body.inertia is None:
            continue
        m = body.inertia.mass
        c = T[:3, :3] @ body.inertia.center_of_mass + T[:3, 3]
        mass += m
        first += m * c
        second += T[:3, :3] @ body.inertia.matrix @ T[:3, :3].T
        second += m * (c @ c * np.eye(3) - np.outer(c, c))
    return mass, first, second


def test_tree_limits_and_inertias_are_pinocchios(example_urdf):
    tree = read_urdf_file(example_urdf)
    model = pinocchio.buildModelFromUrdf(str(example_urdf))
    carried = carriers(tree)
    moving = {body.joint.name: body for body in tree.bodies if body.joint.type != "fixed"}
    assert set(model.names) - {"universe"} == set(moving)
    for name, body in moving.items():
        index = model.getJointId(name)
        assert model.names[model.parents[index]] == (mover(body) or "universe")
        compare_limits(model, index, body.joint)
    for name, bodies in carried.items():
        index = 0 if name is None else model.getJointId(name)
        theirs = model.inertias[index]
        mass, first, second = lumped_inertia(bodies)
        c = theirs.lever
        about_origin = theirs.inertia + theirs.mass * (c @ c * np.eye(3) - np.outer(c, c))
        np.testing.assert_allclose(mass, theirs.mass, rtol=1e-13, atol=1e-14)
        np.testing.assert_allclose(first, theirs.mass * c, rtol=1e-12, atol=1e-12)
        np.testing.assert_allclose(second, about_origin, rtol=1e-11, atol=1e-12)


def mover(body):
    """Return the name of the nearest moving joint above the body's own, or None."""
    above = body.parent
    while above.parent is not None and above.joint.type == "fixed":
        above = above.parent
    return above.joint.name if above.parent is not None else None


def compare_limits(model, index, joint):
    start, velocity = model.joints[index].idx_q, model.joints[index].idx_v
    if joint.type in ("revolute", "prismatic"):
        assert joint.position_limits == (
            model.lowerPositionLimit[start],
            model.upperPositionLimit[start],
        )
    if np.isfinite(joint.effort_limit):
        assert joint.effort_limit == model.upperEffortLimit[velocity]
        assert joint.velocity_limit == model.upperVelocityLimit[velocity]
    if joint.dynamics is not None and joint.type != "floating":
        assert joint.dynamics.damping == model.damping[velocity]
        assert joint.dynamics.friction == model.upperDryFrictionLimit[velocity]
