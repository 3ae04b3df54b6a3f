"""A written tree reads back as the same robot."""

import itertools
import math
import warnings

import numpy as np
import pytest

from harness.cases import case
from rigid_tree_kinematics.description import read_urdf, read_urdf_file, write_urdf
from rigid_tree_kinematics.errors import DescriptionError, DescriptionWarning
from rigid_tree_kinematics.model import (
    Box,
    Calibration,
    Collision,
    Cylinder,
    Inertia,
    Joint,
    JointDynamics,
    Material,
    Mesh,
    Mimic,
    RigidBody,
    RigidBodyTree,
    SafetyController,
    Sphere,
    Visual,
)
from rigid_tree_kinematics.model.transforms import inverse, quaternion_matrix, transform

TYPES = ("fixed", "revolute", "continuous", "prismatic", "planar", "floating")


def random_transform(rng):
    return transform(rng.normal(size=3), quaternion_matrix(rng.normal(size=4)))


def random_geometry(rng):
    sizes = rng.uniform(0.01, 2, size=3)
    return (
        Box(tuple(sizes)),
        Cylinder(sizes[0], sizes[1]),
        Sphere(sizes[0]),
        Mesh('package://a/b & "c".stl', tuple(sizes * rng.choice([-1, 1], size=3)), None),
    )[rng.integers(4)]


def random_joint(rng, name, child_transforms):
    kind = TYPES[rng.integers(len(TYPES))]
    joint = Joint(name, kind, rng.normal(size=3))
    if kind in ("revolute", "prismatic"):
        low = rng.uniform(-3, 1)
        joint.position_limits = (low, low + rng.uniform(0.1, 3))
        if rng.random() < 0.2:
            joint.position_limits = (low, math.inf)
    if kind != "fixed" and rng.random() < 0.7:
        joint.effort_limit, joint.velocity_limit = rng.uniform(0, 100, size=2)
    if rng.random() < 0.5:
        joint.dynamics = JointDynamics(*rng.uniform(size=2))
        joint.calibration = Calibration(rising=rng.normal())
        joint.safety_controller = SafetyController(*rng.uniform(size=4))
    moved = child_transforms and rng.random() < 0.5
    joint.set_transforms(random_transform(rng), random_transform(rng) if moved else np.eye(4))
    return joint


def furnish(rng, body):
    if rng.random() < 0.8:
        half = rng.normal(size=(3, 3))
        body.inertia = Inertia(rng.uniform(0.1, 5), rng.normal(size=3), spread(half @ half.T))
    for i in range(rng.integers(3)):
        material = Material("m", tuple(rng.uniform(size=4)), "t.png" if i else None)
        body.visuals.append(
            Visual(random_geometry(rng), random_transform(rng), f"v{i}", (None, material)[i])
        )
        body.collisions.append(Collision(random_geometry(rng), random_transform(rng)))


def spread(covariance):
    """Return the inertia of a mass distribution: of a possible body, so that nothing warns."""
    return np.trace(covariance) * np.eye(3) - covariance


def random_tree(seed, child_transforms):
    rng = np.random.default_rng(seed)
    tree = RigidBodyTree("räñdom <&>", "root link")
    furnish(rng, tree.base)
    for i in range(rng.integers(1, 15)):
        parent = rng.choice([tree.base_name, *tree.body_names])
        body = RigidBody(f"body {i}", random_joint(rng, f"joint {i}", child_transforms))
        furnish(rng, body)
        single = [joint.name for joint in tree.joints if joint.position_count == 1]
        if single and body.joint.position_count == 1 and rng.random() < 0.3:
            body.joint.position_limits = (-math.inf, math.inf)
            body.joint.mimic = Mimic(str(rng.choice(single)), rng.normal(), rng.normal())
        tree.add_body(body, parent)
    return tree


def assert_same_robot(tree, again, atol=1e-14):
    assert (again.name, again.base_name) == (tree.name, tree.base_name)
    q = tree.configuration_by_name(tree.random_configuration(0))
    for name in tree.body_names:
        T = tree.get_transform(q, name)
        np.testing.assert_allclose(again.get_transform(q, name), T, rtol=1e-13, atol=20 * atol)
    for body in (tree.base, *tree.bodies):
        assert_same_contents(body, again.get_body(body.name), atol)
        if body is not tree.base:
            assert_same_joint(body.joint, again.get_joint(body.joint.name))


def assert_same_contents(body, other, atol):
    assert (body.inertia is None) == (other.inertia is None)
    if body.inertia is not None:
        assert body.inertia.mass == other.inertia.mass
        np.testing.assert_array_equal(other.inertia.center_of_mass, body.inertia.center_of_mass)
        np.testing.assert_array_equal(other.inertia.matrix, body.inertia.matrix)
    for mine, theirs in ((body.visuals, other.visuals), (body.collisions, other.collisions)):
        assert len(mine) == len(theirs)
        for a, b in zip(mine, theirs, strict=True):
            assert (a.name, shape(a)) == (b.name, shape(b))
            np.testing.assert_allclose(b.origin, a.origin, atol=atol)
    for a, b in zip(body.visuals, other.visuals, strict=True):
        assert (a.material is None) == (b.material is None)
        if a.material is not None:
            assert (a.material.color, a.material.texture) == (b.material.color, b.material.texture)


def shape(part):
    """Return the geometry but for the folder of a mesh, which a document does not hold."""
    form = part.geometry
    return (form.filename, form.scale) if isinstance(form, Mesh) else form


def assert_same_joint(joint, other):
    assert other.type == joint.type
    if joint.type not in ("fixed", "floating"):
        np.testing.assert_array_equal(other.axis, joint.axis)
    np.testing.assert_array_equal(other.position_limits, joint.position_limits)
    for key in ("effort_limit", "velocity_limit", "dynamics", "calibration", "mimic"):
        assert getattr(other, key) == getattr(joint, key)
    assert other.safety_controller == joint.safety_controller


def test_random_trees_come_back_also_with_bodies_off_their_joint_frame():
    for seed, off_frame in itertools.product(range(60), (False, True)):
        tree = random_tree(seed, off_frame)
        with case(f"seed {seed}, {off_frame=}"), warnings.catch_warnings():
            warnings.simplefilter("error")  # what we write has nothing suspicious
            again = read_urdf(write_urdf(tree))
            moved = [
                b for b in tree.bodies if not np.array_equal(b.joint.child_to_joint, np.eye(4))
            ]
            extra = {f"{b.name}_joint_frame" for b in moved if b.joint.type != "fixed"}
            assert set(again.body_names) == {*tree.body_names, *extra}
            assert_same_robot(tree, again)


@pytest.mark.filterwarnings("ignore::rigid_tree_kinematics.errors.DescriptionWarning")
def test_example_robots_come_back(example_urdf):
    tree = read_urdf_file(example_urdf)
    again = read_urdf(write_urdf(tree))
    assert again.body_names == tree.body_names
    assert_same_robot(tree, again)


def test_a_taken_name_is_not_used_twice():
    tree = RigidBodyTree("r", "a_joint_frame")
    joint = Joint("j", "revolute")
    joint.set_fixed_transform((0.1, 0.2, 0.3, 0.4), "dh")
    tree.add_body(RigidBody("a", joint), "a_joint_frame")
    again = read_urdf(write_urdf(tree))
    assert again.body_names == ("a_joint_frame_2", "a")
    assert_same_robot(tree, again)


def test_rotations_at_the_gimbal_lock_come_back():
    tree = RigidBodyTree("r", "base")
    rng = np.random.default_rng(3)
    for i in range(100):
        near = math.pi / 2 + rng.normal() * 10.0 ** rng.uniform(-17, -3)
        T = transform((0, 0, 0), quaternion_matrix((0, math.sin(near / 2), 0, math.cos(near / 2))))
        turn = quaternion_matrix((rng.normal(), 0, 0, 1))
        joint = Joint(f"j{i}")
        joint.set_fixed_transform(T @ transform(rotation=turn))
        tree.add_body(RigidBody(f"b{i}", joint), "base")
    again = read_urdf(write_urdf(tree))
    for body in tree.bodies:
        theirs = again.get_joint(body.joint.name).joint_to_parent
        np.testing.assert_allclose(
            inverse(theirs) @ body.joint.joint_to_parent, np.eye(4), atol=5e-15
        )


def test_limits_that_urdf_cannot_represent_are_reported():
    tree = RigidBodyTree("r", "a")
    joint = Joint("slide", "planar")
    joint.position_limits = ((-1, -1, -3), (1, 1, 3))
    tree.add_body(RigidBody("b", joint), "a")
    with pytest.warns(DescriptionWarning, match="'slide' loses its"):
        write_urdf(tree)


def test_a_name_that_xml_cannot_hold_is_rejected():
    with pytest.raises(DescriptionError, match="character"):
        write_urdf(RigidBodyTree("r", "a\x00b"))
