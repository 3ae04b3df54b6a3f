"""A sweep moves every joint, within its own limits of position and speed."""

import itertools

import numpy as np
import pytest

from rigid_tree_kinematics.kinematics.sweep import Sweep
from rigid_tree_kinematics.model import Joint, RigidBody, RigidBodyTree

SPEEDS = {"revolute": 0.3, "floating": 0.02, "prismatic": 0.05, "planar": 0.1}


@pytest.mark.parametrize("order", itertools.permutations(SPEEDS))
def test_every_joint_keeps_its_own_speed(order: tuple[str, ...]) -> None:
    tree = RigidBodyTree()
    for joint_type in order:
        joint = Joint(joint_type, joint_type)
        joint.velocity_limit = SPEEDS[joint_type]
        tree.add_body(RigidBody(f"{joint_type}_body", joint), "base")
    compiled = tree.compiled()
    sweep = Sweep(compiled, compiled.home, speed=100.0)
    velocities = np.array([sweep.at(time)[1] for time in np.arange(0.0, 60.0, 0.05)])
    fastest = np.abs(velocities).max(axis=0)
    for joint_type, limit in SPEEDS.items():
        window, _ = compiled.windows(joint_type)
        scalar = fastest[window][:3]
        # Half the limit is what a sweep takes of it, at the middle of its way.
        assert ((0.9 * 0.5 * limit < scalar) & (scalar <= 0.5 * limit)).all()
        np.testing.assert_array_equal(fastest[window][3:], 0.0)


def test_a_joint_that_cannot_move_stays() -> None:
    tree = RigidBodyTree()
    locked = Joint("locked", "revolute", limits=(0.5, 0.5))
    locked.velocity_limit = 0.0
    tree.add_body(RigidBody("end", locked), "base")
    compiled = tree.compiled()
    positions, velocities = Sweep(compiled, compiled.home).at(3.0)
    assert (positions.tolist(), velocities.tolist()) == ([0.5], [0.0])
