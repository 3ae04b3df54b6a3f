"""Layout of positions and velocities: every joint has its own entries in any order."""

import itertools

import numpy as np
import pytest

from rigid_tree_kinematics.model import Joint, Mimic, RigidBody, RigidBodyTree


def tree_of(types: tuple[str, ...]) -> RigidBodyTree:
    tree = RigidBodyTree()
    for joint_type in types:
        joint = Joint(joint_type, joint_type)
        tree.add_body(RigidBody(f"{joint_type}_body", joint), "base")
    return tree


@pytest.mark.parametrize(
    "order", itertools.permutations(["floating", "revolute", "planar", "fixed", "prismatic"])
)
def test_positions_and_velocities_follow_the_joints(order: tuple[str, ...]) -> None:
    tree = tree_of(order)
    follower = Joint("follower", "revolute")
    follower.mimic = Mimic("revolute", 2.0)
    tree.add_body(RigidBody("follower_body", follower), "base")
    compiled = tree.compiled()
    at = velocity = 0
    for name in order:
        if name == "fixed":
            continue
        count, rates = {"floating": (7, 6), "planar": (3, 3)}.get(name, (1, 1))
        window, velocities = compiled.windows(name)
        assert (window, velocities) == (
            slice(at, at + count),
            slice(velocity, velocity + rates),
        )
        assert compiled.joint_of_position[window] == (name,) * count
        expected = [*range(velocity, velocity + rates), -1][:count]
        assert compiled.velocity_of_position[window].tolist() == expected
        assert compiled.position_of_velocity[velocities].tolist() == [*range(at, at + rates)]
        assert (compiled.is_scalar[window] == (name != "floating")).all()
        at += count
        velocity += rates
    assert (compiled.position_count, compiled.velocity_count) == (at, velocity)
    first = compiled.position_names.index("floating/rot_x")
    assert compiled.quaternions == (slice(first, first + 4),)
    assert compiled.position_names[first + 3] == "floating/rot_w"


def test_values_of_velocities_by_position() -> None:
    compiled = tree_of(("revolute", "floating", "planar")).compiled()
    spread = compiled.by_position(np.arange(10.0), missing=np.inf)
    assert spread.tolist() == [0, 1, 2, 3, 4, 5, 6, np.inf, 7, 8, 9]
    assert compiled.by_position(np.ones(10)).tolist() == [1] * 7 + [0] + [1] * 3
