"""Position and velocity limits of MoveIt's joint_limits.yaml, applied to a robot."""

from collections.abc import Mapping

import numpy as np

from rigid_tree_kinematics.errors import ConfigurationError
from rigid_tree_kinematics.model import RigidBodyTree

Bounds = tuple[float | None, float | None]  # low and high; None: as in the description


def with_joint_limits(
    tree: RigidBodyTree, positions: Mapping[str, Bounds], velocities: Mapping[str, float]
) -> RigidBodyTree:
    """Return a copy of a tree with other limits, as in MoveIt's RobotModelLoader.

    Args:
        tree: the robot.
        positions: rad or m, by position name. They replace those of the description, soft limits
            included, also with a wider range; the home position is clamped.
        velocities: rad/s or m/s, by position name; those of joints with several positions are
            ignored.

    Raises ConfigurationError for bounds that leave no position.
    """
    limited = tree.copy()
    for joint in limited.joints:
        names = joint.position_names
        if joint.name in velocities:
            joint.velocity_limit = velocities[joint.name]
        if positions.keys().isdisjoint(names):
            continue
        low, high = (np.atleast_1d(np.array(side)) for side in limited.joint_limits(joint.name))
        for index, name in enumerate(names):
            least, most = positions.get(name, (None, None))
            low[index] = low[index] if least is None else least
            high[index] = high[index] if most is None else most
            if low[index] > high[index]:
                found = f"min_position {low[index]:g} above max_position {high[index]:g}"
                raise ConfigurationError(f"the joint limits of MoveIt give '{name}' a {found}")
        home = np.atleast_1d(joint.home_position)
        joint.home_position = joint.safety_controller = None
        joint.position_limits = low, high
        joint.home_position = np.clip(home, low, high)
    return limited
