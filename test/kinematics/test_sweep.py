"""A sweep moves every joint within its limits of position and speed."""

import itertools

import numpy as np
import pytest

from rigid_tree_kinematics import load_robot
from rigid_tree_kinematics.kinematics.sweep import Sweep
from rigid_tree_kinematics.model import Joint, RigidBody, RigidBodyTree

SPEEDS = {"revolute": 0.3, "floating": 0.02, "prismatic": 0.05, "planar": 0.1}


@pytest.mark.parametrize("robot", ["panda", "nao", "ur5", "planar_two_link"])
def test_it_is_smooth_starts_at_rest_and_keeps_the_limits(robot: str) -> None:
    compiled = load_robot(robot).compiled()
    sweep = Sweep(compiled, compiled.home)
    np.testing.assert_allclose(sweep.at(0.0), [compiled.home, 0.0 * compiled.home], atol=1e-12)
    times, step = np.linspace(0.0, 60.0, 601), 1e-5
    swept, velocities = np.swapaxes([sweep.at(time) for time in times], 0, 1)
    assert ((compiled.lower - 1e-12 <= swept) & (swept <= compiled.upper + 1e-12)).all()
    assert (np.abs(velocities) <= compiled.velocity_limit).all()
    moved = np.array([sweep.at(time + step)[0] - sweep.at(time - step)[0] for time in times])
    np.testing.assert_allclose(velocities, moved / (2 * step), atol=1e-6)
    limited = np.isfinite(compiled.upper - compiled.lower)
    reach = 0.7 * (compiled.upper - compiled.lower)[limited]
    assert (np.ptp(swept, axis=0)[limited] >= reach).all()


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
    tree.add_body(RigidBody("end", locked), "base")
    compiled = tree.compiled()
    positions, velocities = Sweep(compiled, compiled.home).at(3.0)
    assert (positions.tolist(), velocities.tolist()) == ([0.5], [0.0])
