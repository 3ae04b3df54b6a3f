"""Joints of every type, with both fixed transforms: against their definition and differences."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

from rigid_tree_kinematics.errors import ConfigurationError, UnknownNameError
from rigid_tree_kinematics.kinematics import (
    body_transform,
    body_transforms,
    body_velocity,
    center_of_mass,
    center_of_mass_jacobian,
    geometric_jacobian,
)
from rigid_tree_kinematics.model import Inertia, Joint, Mimic, RigidBody, RigidBodyTree
from rigid_tree_kinematics.model.transforms import inverse, rotation_taking_z_to, transform
from rigid_tree_kinematics.model.tree_frames import TreeFrames

TYPES = ("fixed", "revolute", "continuous", "prismatic", "planar", "floating")


def random_transform(rng: np.random.Generator) -> np.ndarray:
    return transform(rng.normal(size=3), Rotation.random(random_state=rng).as_matrix())


def random_tree(seed: int, bodies: int = 14) -> RigidBodyTree:
    """Return a tree with joints of all types, general transforms, mimics, and mass everywhere."""
    rng = np.random.default_rng(seed)
    tree = RigidBodyTree("random", "ground")
    names = ["ground"]
    sources: list[str] = []
    for number in range(bodies):
        joint_type = TYPES[number % len(TYPES)]
        axis = rng.normal(size=3)
        if rng.random() < 0.5:
            axis = np.eye(3)[rng.integers(3)] * rng.choice((-1.0, 1.0))
        joint = Joint(f"j{number}", joint_type, axis)
        child = random_transform(rng) if rng.random() < 0.5 else np.eye(4)
        joint.set_transforms(random_transform(rng), child)
        if joint.position_count == 1:
            if sources and rng.random() < 0.3:
                joint.mimic = Mimic(str(rng.choice(sources)), rng.normal(), rng.normal())
            sources.append(joint.name)
        body = RigidBody(f"b{number}", joint)
        body.inertia = Inertia(rng.uniform(0.1, 2.0), rng.normal(size=3), np.eye(3))
        tree.add_body(body, str(rng.choice(names)))
        names.append(body.name)
    return tree


def motion(joint: Joint, position: np.ndarray) -> np.ndarray:
    """Return a joint's motion by its definition, with SciPy's rotations."""
    if joint.type in ("revolute", "continuous"):
        return transform(rotation=Rotation.from_rotvec(joint.axis * position[0]).as_matrix())
    if joint.type == "prismatic":
        return transform(joint.axis * position[0])
    if joint.type == "planar":
        turn = transform(rotation=rotation_taking_z_to(joint.axis))
        x, y, theta = position
        plane = transform((x, y, 0.0), Rotation.from_rotvec((0, 0, theta)).as_matrix())
        return turn @ plane @ inverse(turn)
    if joint.type == "floating":
        return transform(position[:3], Rotation.from_quat(position[3:]).as_matrix())
    return np.eye(4)


def expected_frame(tree: RigidBodyTree, q: np.ndarray, name: str) -> np.ndarray:
    body = tree.get_body(name)
    if body is tree.base:
        return np.eye(4)
    joint = body.joint
    value = position_of(tree, q, joint)
    local = joint.joint_to_parent @ motion(joint, value) @ joint.child_to_joint
    assert body.parent is not None
    return expected_frame(tree, q, body.parent.name) @ local


def position_of(tree: RigidBodyTree, q: np.ndarray, joint: Joint) -> np.ndarray:
    if joint.mimic is not None:
        source = position_of(tree, q, tree.get_joint(joint.mimic.joint))
        return joint.mimic.multiplier * source + joint.mimic.offset
    start, count = tree.compiled().joint_slots.get(joint.name, (0, 0))
    return q[start : start + count]


def moved(tree: RigidBodyTree, q: np.ndarray, v: np.ndarray, dt: float) -> np.ndarray:
    """Return the configuration after moving with velocity v for dt."""
    result = q.copy()
    at = 0
    for name in tree.joint_names:
        joint = tree.get_joint(name)
        start, count = tree.compiled().joint_slots[name]
        step = v[at : at + joint.velocity_count] * dt
        if joint.type == "floating":
            rotation = Rotation.from_quat(q[start + 3 : start + 7])
            result[start : start + 3] += rotation.apply(step[:3])
            turned = rotation * Rotation.from_rotvec(step[3:])
            result[start + 3 : start + 7] = turned.as_quat()
        else:
            result[start : start + count] += step
        at += joint.velocity_count
    return result


@pytest.mark.parametrize("seed", range(8))
def test_frames_follow_the_definition(seed: int) -> None:
    tree = random_tree(seed)
    batch = np.array([tree.random_configuration(k) for k in range(4)])
    frames = body_transforms(tree, batch)
    light = TreeFrames(tree.compiled())
    for q, all_frames in zip(batch, frames, strict=True):
        poses = light.in_parents(q)
        np.testing.assert_allclose(light.in_base(q), all_frames, atol=1e-12)
        for row, name in enumerate(tree.compiled().body_names):
            expected = expected_frame(tree, q, name)
            np.testing.assert_allclose(all_frames[row], expected, atol=1e-12)
            np.testing.assert_allclose(body_transform(tree, q, name), expected, atol=1e-12)
            np.testing.assert_allclose(tree.get_transform(q, name), expected, atol=1e-12)
            parent = tree.get_body(name).parent
            local = expected
            if parent is not None:
                local = inverse(expected_frame(tree, q, parent.name)) @ expected
            np.testing.assert_allclose(poses[row, :3], local[:3, 3], atol=1e-12)
            turned = Rotation.from_quat(poses[row, 3:]).as_matrix()
            np.testing.assert_allclose(turned, local[:3, :3], atol=1e-12)
    for body, other in (("b5", "b9"), ("b13", "b1"), ("ground", "b7")):
        expected = inverse(expected_frame(tree, batch[0], other)) @ expected_frame(
            tree, batch[0], body
        )
        np.testing.assert_allclose(tree.get_transform(batch[0], body, other), expected, atol=1e-12)
        np.testing.assert_allclose(
            body_transform(tree, batch, body, other)[0], expected, atol=1e-12
        )


@pytest.mark.parametrize("seed", range(8))
def test_velocities_are_the_derivatives_of_positions(seed: int) -> None:
    tree = random_tree(seed)
    rng = np.random.default_rng(seed)
    q = tree.random_configuration(rng)
    v = rng.normal(size=tree.compiled().velocity_count)
    dt = 1e-6
    before, after = moved(tree, q, v, -dt), moved(tree, q, v, dt)
    for name in tree.body_names:
        T, A, B = (tree.get_transform(at, name) for at in (q, before, after))
        linear = (B[:3, 3] - A[:3, 3]) / (2 * dt)
        angular = Rotation.from_matrix(B[:3, :3] @ A[:3, :3].T).as_rotvec() / (2 * dt)
        twist = body_velocity(tree, q, v, name)
        np.testing.assert_allclose(twist, [*linear, *angular], atol=1e-7)
        in_body = body_velocity(tree, q, v, name, "body")
        np.testing.assert_allclose(in_body[:3], T[:3, :3].T @ twist[:3], atol=1e-12)
        np.testing.assert_allclose(in_body[3:], T[:3, :3].T @ twist[3:], atol=1e-12)
    batch = np.stack([q, after])
    J = geometric_jacobian(tree, batch, "b13")
    np.testing.assert_array_equal(J[0], geometric_jacobian(tree, q, "b13"))
    difference = (center_of_mass(tree, after) - center_of_mass(tree, before)) / (2 * dt)
    np.testing.assert_allclose(center_of_mass_jacobian(tree, q) @ v, difference, atol=1e-7)


def test_large_angles_keep_their_accuracy() -> None:
    tree = RigidBodyTree()
    tree.add_body(RigidBody("wheel", Joint("axle", "continuous")), "base")
    for angle in (0.0, 1e-300, 3.0, 1e4, 99_999.0, 1e5, 1e9, -7e8):
        T = tree.get_transform([angle], "wheel")
        np.testing.assert_allclose(T[:2, 0], (np.cos(angle), np.sin(angle)), atol=3e-16)


def test_bad_positions_are_refused_by_name() -> None:
    tree = random_tree(0)
    q = tree.home_configuration()
    q[4] = np.nan
    for call in (
        lambda: body_transforms(tree, q),
        lambda: body_transform(tree, q, "b13"),
        lambda: geometric_jacobian(tree, np.stack([q, q]), "b13"),
        lambda: center_of_mass(tree, q),
    ):
        with pytest.raises(ConfigurationError, match=tree.position_names[4]):
            call()
    with pytest.raises(ConfigurationError, match="shape"):
        body_transforms(tree, q[:-1])
    with pytest.raises(UnknownNameError, match="did you mean 'b13'"):
        body_transform(tree, tree.home_configuration(), "b133")


def test_any_array_of_numbers_is_taken() -> None:
    tree = random_tree(1)
    q = tree.random_configuration(0)
    expected = body_transforms(tree, q)
    frozen = q.copy()
    frozen.flags.writeable = False
    for same in (frozen, list(q), np.repeat(q, 2)[::2], q.astype(">f8")):
        np.testing.assert_array_equal(body_transforms(tree, same), expected)
    out = np.empty_like(expected)
    assert body_transforms(tree, q, out) is out
    with pytest.raises(ConfigurationError, match="out"):
        body_transforms(tree, q, np.empty((2, 4, 4)))


def test_a_batch_over_threads_equals_the_rows() -> None:
    tree = random_tree(2)
    rng = np.random.default_rng(3)
    batch = np.array([tree.random_configuration(rng) for _ in range(5000)])
    frames = body_transforms(tree, batch)
    for k in (0, 1234, 2499, 2500, 4999):
        np.testing.assert_allclose(frames[k], body_transforms(tree, batch[k]), atol=1e-13)


@pytest.mark.parametrize("rows", [1, 3, 4, 9])
def test_a_batch_of_any_size_with_any_angles_equals_the_rows(rows: int) -> None:
    for seed in range(4):
        tree = random_tree(seed)
        batch = np.array([tree.random_configuration(k) for k in range(rows)])
        batch[rows // 2] *= 1e6  # too large for the quick sine
        frames = body_transforms(tree, batch)
        for q, from_batch in zip(batch, frames, strict=True):
            alone = body_transforms(tree, q)
            np.testing.assert_allclose(from_batch, alone, rtol=1e-12, atol=1e-13)


@pytest.mark.parametrize("row", range(6))
def test_one_row_of_a_batch_that_is_no_number_is_found(row: int) -> None:
    tree = random_tree(1)
    batch = np.array([tree.random_configuration(k) for k in range(6)])
    batch[row, 2] = np.nan
    with pytest.raises(
        ConfigurationError, match=f"not finite: {tree.compiled().position_names[2]}"
    ):
        body_transforms(tree, batch)
