"""A written tree reads back as the same robot."""

import io
import itertools
import math
import warnings

import mujoco
import numpy as np
import pinocchio
import pytest
import trimesh
import yourdfpy

from harness.cases import case
from harness.example_robots import (
    LOADED_BY_PINOCCHIO,
    assert_same_robot,
    random_robot,
    random_transform,
    read,
)
from rigid_tree_kinematics.description import (
    list_robots,
    load_mesh,
    load_robot,
    read_urdf,
    write_urdf,
)
from rigid_tree_kinematics.errors import DescriptionError, DescriptionWarning
from rigid_tree_kinematics.model import (
    Box,
    Calibration,
    Collision,
    Cylinder,
    Inertia,
    Joint,
    JointDynamics,
    Loop,
    Material,
    Mesh,
    RigidBody,
    RigidBodyTree,
    SafetyController,
    Sphere,
    Visual,
)
from rigid_tree_kinematics.model.loops import LOOP_TYPES
from rigid_tree_kinematics.model.transforms import inverse, quaternion_matrix, transform


def random_geometry(rng):
    sizes = rng.uniform(0.01, 2, size=3)
    return (
        Box(tuple(sizes)),
        Cylinder(sizes[0], sizes[1]),
        Sphere(sizes[0]),
        Mesh('package://a/b & "c".stl', tuple(sizes * rng.choice([-1, 1], size=3)), None),
    )[rng.integers(4)]


def furnish(rng, body):
    for i in range(rng.integers(3)):
        material = Material("m", tuple(rng.uniform(size=4)), "t.png" if i else None)
        body.visuals.append(
            Visual(random_geometry(rng), random_transform(rng), f"v{i}", (None, material)[i])
        )
        body.collisions.append(Collision(random_geometry(rng), random_transform(rng)))
    if rng.random() < 0.2:
        body.inertia = None


def fit_out(rng, joint):
    if joint.mimic is not None:
        joint.position_limits = (-math.inf, math.inf)
    elif joint.type in ("revolute", "prismatic"):
        low = rng.uniform(-3, 0)
        high = math.inf if rng.random() < 0.2 else rng.uniform(0.1, 3)
        joint.position_limits = (low, high)
        if rng.random() < 0.5:
            ends = rng.choice([-math.inf, 0.5 * low]), rng.choice([math.inf, 0.05])
            joint.safety_controller = SafetyController(*ends, *rng.uniform(size=2))
    if joint.type != "fixed" and rng.random() < 0.7:
        joint.effort_limit, joint.velocity_limit = rng.uniform(0, 100, size=2)
        joint.acceleration_limit, joint.jerk_limit = rng.uniform(0, 100, size=2)
        if rng.random() < 0.5:
            joint.deceleration_limit = rng.uniform(0, 100)
    if joint.type != "fixed" and rng.random() < 0.5:
        joint.armature = rng.uniform()
    if rng.random() < 0.5:
        joint.dynamics = JointDynamics(*rng.uniform(size=2))
        joint.calibration = Calibration(rising=rng.normal())


def random_tree(seed, off_frame):
    rng, tree = np.random.default_rng(seed), random_robot(seed)
    tree.name, tree.base_name = "räñdom <&>", "root link"
    tree.gravity = RigidBodyTree().gravity
    names = tree.base_name, *tree.body_names
    ends = [rng.choice(names, 2).tolist() for _ in LOOP_TYPES]
    tree.loops = [Loop(f"<{t}>", a, b, t) for t, (a, b) in zip(LOOP_TYPES, ends, strict=True)]
    for body in (tree.base, *tree.bodies):
        furnish(rng, body)
    for joint in tree.joints:
        fit_out(rng, joint)
        if not (off_frame and rng.random() < 0.5):
            joint.set_transforms(joint.joint_to_parent, np.eye(4))
    return tree


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
            assert_same_robot(tree, again, 1e-13)


@pytest.mark.filterwarnings("ignore::rigid_tree_kinematics.errors.DescriptionWarning")
@pytest.mark.parametrize("file", LOADED_BY_PINOCCHIO, ids=lambda file: file.stem)
def test_example_robots_come_back(file):
    tree = read(file)
    again = read_urdf(write_urdf(tree))
    assert again.body_names == tree.body_names
    assert_same_robot(tree, again, 1e-14)


def test_a_taken_name_is_not_used_twice():
    tree = RigidBodyTree("r", "a_joint_frame")
    joint = Joint("j", "revolute")
    joint.set_fixed_transform((0.1, 0.2, 0.3, 0.4), "dh")
    tree.add_body(RigidBody("a", joint), "a_joint_frame")
    again = read_urdf(write_urdf(tree))
    assert again.body_names == ("a_joint_frame_2", "a")
    assert_same_robot(tree, again, 1e-14)


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


@pytest.mark.filterwarnings("ignore::rigid_tree_kinematics.errors.DescriptionWarning")
@pytest.mark.parametrize("name", list_robots())
def test_bundled_robots_come_back(name):
    tree = load_robot(name)
    assert_same_robot(tree, read_urdf(write_urdf(tree)), 1e-14)


def test_other_readers_ignore_armatures_and_loops():
    tree = RigidBodyTree("r", "a")
    body = tree.add_body(RigidBody("b", Joint("j", "continuous")), "a")
    body.inertia, body.joint.armature = Inertia(1.0, np.zeros(3), np.eye(3)), 0.1
    tree.loops = [Loop("l", "b", "a", kind) for kind in LOOP_TYPES]
    text = write_urdf(tree)
    assert pinocchio.buildModelFromXML(text).nv == 1
    assert mujoco.MjModel.from_xml_string(text).nv == 1
    assert yourdfpy.URDF.load(io.StringIO(text)).num_dofs == 1


def test_a_gravity_that_urdf_cannot_represent_is_reported():
    tree = RigidBodyTree("r", "a")
    tree.gravity = (0, 0, -1.62)
    with pytest.warns(DescriptionWarning, match=r"no gravity; set 0 0 -1.62 m/s\^2 after"):
        write_urdf(tree)


def test_limits_that_urdf_cannot_represent_are_reported():
    tree = RigidBodyTree("r", "a")
    joint = Joint("slide", "planar")
    joint.position_limits = ((-1, -1, -3), (1, 1, 3))
    tree.add_body(RigidBody("b", joint), "a")
    with pytest.warns(DescriptionWarning, match="limits of planar.*'slide'"):
        write_urdf(tree)


def test_the_folder_of_a_relative_mesh_is_kept(tmp_path):
    tree = RigidBodyTree()
    tree.base.visuals.append(Visual(Mesh("a b/part.stl", directory=str(tmp_path))))
    (tmp_path / "a b").mkdir()
    trimesh.creation.box().export(tmp_path / "a b/part.stl")
    (visual,) = read_urdf(write_urdf(tree)).base.visuals
    assert len(load_mesh(visual.geometry).faces) == 12


def test_a_name_that_xml_cannot_hold_is_rejected():
    with pytest.raises(DescriptionError, match="character"):
        write_urdf(RigidBodyTree("r", "a\x00b"))
