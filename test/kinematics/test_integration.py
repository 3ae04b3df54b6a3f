"""Differences and integration of configurations, joint by joint, against Pinocchio.

Pinocchio integrates a floating joint along a screw and a planar one in its moved axes; ours move
straight in the parent's axes. Both do the same where a joint only slides or only turns.
"""

import numpy as np
import pinocchio as pin
import pytest
from scipy.integrate import solve_ivp
from scipy.spatial.transform import Rotation

from rigid_tree_kinematics.conversions import to_pinocchio
from rigid_tree_kinematics.kinematics.topology import (
    between,
    difference,
    integrated,
    position_rates,
)
from rigid_tree_kinematics.model import CompiledTree, Joint, Mimic, RigidBody, RigidBodyTree
from rigid_tree_kinematics.model.transforms import transform

TYPES = ("revolute", "continuous", "prismatic", "planar", "floating")
SEEDS = range(12)


class Pair:
    """A random tree, with joints of many positions anywhere in it, and Pinocchio's model of it."""

    def __init__(self, seed: int) -> None:
        self.rng = rng = np.random.default_rng(seed)
        self.tree = RigidBodyTree("random", "ground")
        names = ["ground"]
        for number, joint_type in enumerate(rng.permutation([*TYPES, *TYPES])):
            joint = Joint(f"j{number}", str(joint_type))
            if joint_type in ("revolute", "prismatic"):
                joint.position_limits = (-10.0, 10.0)
            turn = Rotation.random(random_state=rng).as_matrix()
            joint.set_fixed_transform(transform(rng.normal(size=3), turn))
            self.tree.add_body(RigidBody(f"b{number}", joint), str(rng.choice(names)))
            names.append(f"b{number}")
        self.compiled = self.tree.compiled()
        self.robot = to_pinocchio(self.tree)
        self.model = self.robot.model

    def pin_q(self, q: np.ndarray) -> np.ndarray:
        return self.robot.configuration(q)

    def pin_v(self, q: np.ndarray, v: np.ndarray) -> np.ndarray:
        return self.robot.velocity_matrix(q) @ v

    def slides_or_turns(self) -> np.ndarray:
        """Velocities with which no joint slides and turns at once."""
        v = self.rng.normal(size=self.compiled.velocity_count)
        for name in self.compiled.joint_names:
            entries = v[self.compiled.windows(name)[1]]
            if len(entries) > 1:
                half = 2 if len(entries) == 3 else 3
                entries[slice(half) if self.rng.random() < 0.5 else slice(half, None)] = 0.0
        return v

    def assert_same(self, q: np.ndarray, expected: np.ndarray, tolerance: float) -> None:
        apart = pin.difference(self.model, self.pin_q(q), expected)
        np.testing.assert_allclose(apart, 0.0, atol=tolerance)


def velocity_along(compiled: CompiledTree, q: np.ndarray, displacement: np.ndarray) -> np.ndarray:
    """The velocities (nv,) that lead along a way in a unit of time, by SciPy's rotations."""
    v = displacement[compiled.position_of_velocity]
    for quaternion in compiled.quaternions:
        start = compiled.velocity_of_position[quaternion.start]
        back = Rotation.from_quat(q[quaternion]).inv()
        v[start - 3 : start] = back.apply(v[start - 3 : start])
        v[start : start + 3] = back.apply(v[start : start + 3])
    return v


@pytest.mark.parametrize("seed", SEEDS)
def test_positions_move_as_pinocchio_integrates(seed: int) -> None:
    pair = Pair(seed)
    q, v = pair.tree.random_configuration(pair.rng), pair.slides_or_turns()
    moved = integrated(pair.compiled, q, v, 0.8)
    expected = pin.integrate(pair.model, pair.pin_q(q), 0.8 * pair.pin_v(q, v))
    pair.assert_same(moved, expected, 1e-12)


@pytest.mark.parametrize("seed", SEEDS)
def test_rates_of_positions_lead_along_the_screws_of_floating_joints(seed: int) -> None:
    """With velocities that are constant in the moved axes, also of both kinds at once."""
    pair = Pair(seed)
    q, v = pair.tree.random_configuration(pair.rng), pair.slides_or_turns()
    for name in pair.compiled.joint_names:
        if pair.tree.get_joint(name).type == "floating":
            v[pair.compiled.windows(name)[1]] = pair.rng.normal(size=6)
    solution = solve_ivp(
        lambda _, at: position_rates(pair.compiled, at, v),
        (0.0, 1.5),
        q,
        method="DOP853",
        rtol=1e-12,
        atol=1e-12,
    )
    expected = pin.integrate(pair.model, pair.pin_q(q), 1.5 * pair.pin_v(q, v))
    pair.assert_same(solution.y[:, -1], expected, 1e-10)


@pytest.mark.parametrize("seed", SEEDS)
def test_motions_rotate_like_in_pinocchio(seed: int) -> None:
    pair = Pair(seed)
    a, b = (pair.tree.random_configuration(pair.rng) for _ in range(2))
    displacement = difference(pair.compiled.position_kinds, a, b)
    theirs = pin.difference(pair.model, pair.pin_q(a), pair.pin_q(b))
    velocity = velocity_along(pair.compiled, a, displacement)
    for name in pair.compiled.joint_names:
        at, ours = pair.compiled.windows(name)
        joint = pair.model.joints[pair.model.getJointId(name)]
        other = slice(joint.idx_v, joint.idx_v + joint.nv)
        kind = pair.tree.get_joint(name).type
        if kind == "floating":
            np.testing.assert_allclose(velocity[ours][3:], theirs[other][3:], atol=1e-12)
            np.testing.assert_allclose(displacement[at][:3], b[at][:3] - a[at][:3], atol=1e-15)
        elif kind == "planar":
            assert velocity[ours][2] == pytest.approx(theirs[other][2], abs=1e-12)
            np.testing.assert_allclose(displacement[at][:2], b[at][:2] - a[at][:2], atol=1e-15)
        else:
            np.testing.assert_allclose(velocity[ours], theirs[other], atol=1e-12)
    pair.assert_same(between(pair.compiled.position_kinds, a, displacement), pair.pin_q(b), 1e-12)
    # Part of the way is the same part of each rotation, and of each slide.
    part = between(pair.compiled.position_kinds, a, displacement, 0.3)
    to_part = velocity_along(pair.compiled, a, difference(pair.compiled.position_kinds, a, part))
    np.testing.assert_allclose(to_part, 0.3 * velocity, atol=1e-12)


@pytest.mark.parametrize("seed", SEEDS)
def test_what_is_integrated_is_the_difference(seed: int) -> None:
    pair = Pair(seed)
    follower = Joint("follower", "continuous")
    source = next(joint for joint in pair.tree.joints if joint.position_count == 1)
    follower.mimic = Mimic(source.name, 0.5)
    pair.tree.add_body(RigidBody("end", follower), "ground")
    compiled = pair.tree.compiled()
    q, v = pair.tree.random_configuration(pair.rng), pair.rng.normal(size=compiled.velocity_count)
    duration = 0.7  # s; turns stay below pi
    displacement = difference(compiled.position_kinds, q, integrated(compiled, q, v, duration))
    np.testing.assert_allclose(velocity_along(compiled, q, displacement), v * duration, atol=1e-12)
    np.testing.assert_array_equal(displacement[compiled.velocity_of_position < 0], 0.0)
    rates = (integrated(compiled, q, v, 1e-5) - integrated(compiled, q, v, -1e-5)) / 2e-5
    np.testing.assert_allclose(position_rates(compiled, q, v), rates, atol=1e-9)
