"""The URDF files of the Python package example-robot-data, and random robots."""

import functools
import sysconfig
import warnings
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import trimesh

from rigid_tree_kinematics.description import (
    load_mesh,
    load_robot,
    read_urdf,
    read_urdf_file,
    write_urdf,
)
from rigid_tree_kinematics.model import (
    Box,
    Cylinder,
    Inertia,
    Joint,
    JointDynamics,
    Mesh,
    Mimic,
    RigidBody,
    RigidBodyTree,
)
from rigid_tree_kinematics.model.transforms import quaternion_matrix, transform

ROBOTS = Path(sysconfig.get_path("purelib"), "cmeel.prefix/share/example-robot-data/robots")
URDFS = sorted(ROBOTS.rglob("*.urdf"))
# The urdfdom under Pinocchio refuses it: its <robot> has no name.
NOT_LOADED_BY_PINOCCHIO = {"ur3"}
SIDES = "left", "right"  # of two_arms
LOADED_BY_PINOCCHIO = [path for path in URDFS if path.stem not in NOT_LOADED_BY_PINOCCHIO]


def read(path: Path) -> RigidBodyTree:
    """Read a file without its warnings."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return read_urdf_file(path)


def robot_of(name: str) -> RigidBodyTree:
    """Return a bundled robot by its name, or one of the package by its file."""
    return read(ROBOTS / name) if name.endswith(".urdf") else load_robot(name)


TYPES = ("revolute", "continuous", "prismatic", "planar", "floating", "fixed") * 2


def random_robot(
    seed: int, types: Sequence[str] = TYPES, *, mimics: float = 0.5, chain: float = 0.0
) -> RigidBodyTree:
    """Return a tree with joints of these types, mimics, and bodies off their joints' frames.

    ``mimics`` is the share of followers among the joints that can be one, ``chain`` that of the
    bodies that hang on the one before.
    """
    rng = np.random.default_rng(seed)
    tree = RigidBodyTree("random", "base")
    tree.gravity = rng.normal(size=3)
    for number, kind in enumerate(rng.permutation(types)):
        joint = Joint(f"joint {number}", str(kind), rng.normal(size=3))
        joint.set_transforms(*(random_transform(rng) for _ in range(2)))
        body = RigidBody(f"body {number}", joint)
        half = rng.normal(size=(3, 3))
        spread = half @ half.T
        matrix = np.trace(spread) * np.eye(3) - spread
        body.inertia = Inertia(rng.uniform(0.1, 5), rng.normal(size=3), matrix)
        single = [j.name for j in tree.joints if j.position_count == 1 and j.mimic is None]
        if joint.position_count == 1 and single and rng.random() < mimics:
            body.joint.mimic = Mimic(str(rng.choice(single)), 2.0 * rng.normal(), rng.normal())
        names = [tree.base_name, *tree.body_names]
        tree.add_body(body, names[-1] if chain and rng.random() < chain else rng.choice(names))
    return tree


def random_transform(rng: np.random.Generator) -> np.ndarray:
    return transform(rng.normal(size=3), quaternion_matrix(rng.normal(size=4)))


def random_pose(rng: np.random.Generator, reach: float) -> np.ndarray:
    """Return any rotation at a place within a cube of twice the reach."""
    return transform(rng.uniform(-reach, reach, 3), quaternion_matrix(rng.normal(size=4)))


def mesh_of(shape: Any) -> trimesh.Trimesh:
    """Return a shape of a body as trimesh draws it."""
    if isinstance(shape, Mesh):
        return load_mesh(shape)
    if isinstance(shape, Box):
        return trimesh.creation.box(shape.size)
    if isinstance(shape, Cylinder):
        return trimesh.creation.cylinder(shape.radius, shape.length)
    return trimesh.creation.icosphere(radius=shape.radius)


def assert_same_robot(
    tree: RigidBodyTree, other: RigidBodyTree, tolerance: float = 0.0, *, without: str = ""
) -> None:
    """Compare what URDF says of a robot, numbers to the bit if the tolerance is zero.

    Names of materials, an attribute of the joints, the order of bodies and additional bodies of
    the other robot may differ, also dynamics that are not given and dynamics of zero.
    """
    close = functools.partial(np.testing.assert_allclose, rtol=tolerance, atol=tolerance)
    assert (other.name, other.base_name) == (tree.name, tree.base_name)
    assert other.loops == tree.loops
    assert {*tree.position_names} == {*other.position_names}
    q = tree.configuration_by_name(tree.random_configuration(0))
    for a in (tree.base, *tree.bodies):
        b = other.get_body(a.name)
        T = tree.get_transform(q, a.name)
        np.testing.assert_allclose(other.get_transform(q, b.name), T, tolerance, 100 * tolerance)
        assert (a.inertia is None) == (b.inertia is None)
        if a.inertia is not None:
            for key in ("mass", "center_of_mass", "matrix"):
                close(getattr(b.inertia, key), getattr(a.inertia, key))
        for key in ("visuals", "collisions"):
            for x, y in zip(getattr(a, key), getattr(b, key), strict=True):
                assert (form(x), x.name) == (form(y), y.name)
                close(y.origin, x.origin)
        assert [colors(visual) for visual in a.visuals] == [colors(visual) for visual in b.visuals]
    for joint in tree.joints:
        same = other.get_joint(joint.name)
        if joint.type not in ("fixed", "floating"):
            close(same.axis, joint.axis)
        np.testing.assert_array_equal(same.position_limits, joint.position_limits)
        assert (same.dynamics or JointDynamics()) == (joint.dynamics or JointDynamics())
        keys = {"type", "mimic", "velocity_limit", "effort_limit", "armature", "calibration"}
        keys |= {"acceleration_limit", "deceleration_limit", "jerk_limit"}
        for key in (keys | {"safety_controller"}) - {without}:
            assert getattr(same, key) == getattr(joint, key), joint.name


def form(shape: Any) -> Any:
    """Return the geometry but for the folder of a mesh, which a document does not hold."""
    mesh = shape.geometry
    return (mesh.filename, mesh.scale) if isinstance(mesh, Mesh) else mesh


def colors(visual: Any) -> Any:
    return visual.material and (visual.material.color, visual.material.texture)


def two_arms(lift: str | None = None) -> RigidBodyTree:
    """Two Pandas on one base, which a planar or prismatic joint may carry."""
    tree, base = RigidBodyTree("two arms", "world"), "world"
    if lift:
        base = tree.add_body(RigidBody("base", Joint("lift", lift, (0, 0, 1))), "world").name
    text = write_urdf(load_robot("panda"))
    for side, y in zip(SIDES, (0.4, -0.4), strict=True):
        mount = Joint(f"{side}_mount", "fixed")
        mount.set_fixed_transform(transform((0.0, y, 0.0)))
        tree.add_body(RigidBody(f"{side}_base", mount), base)
        tree.add_subtree(read_urdf(text.replace("panda_", f"{side}_")), f"{side}_base")
    return tree


def two_hands() -> RigidBodyTree:
    """Return two Pandas with hands, 0.6 m apart."""
    tree = RigidBodyTree("two_pandas", "world")
    for side, y in (("left", 0.3), ("right", -0.3)):
        arm = load_robot("panda_hand")
        mount = Joint(f"{side}_mount")
        mount.set_fixed_transform(transform((0.0, y, 0.0)))
        tree.add_body(RigidBody(f"{side}_{arm.base_name}", mount), "world")
        for body in arm.bodies:
            joint = body.joint.copy(f"{side}_{body.joint.name}")
            if joint.mimic:
                joint.mimic = type(joint.mimic)(
                    f"{side}_{joint.mimic.joint}", joint.mimic.multiplier, joint.mimic.offset
                )
            tree.add_body(body.copy(f"{side}_{body.name}", joint), f"{side}_{body.parent.name}")
    return tree
