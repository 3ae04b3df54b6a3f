"""Where a node gets its robot from: a text, a file, a bundled name, or the latched topic."""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass

from rclpy.qos import DurabilityPolicy, QoSProfile

from rigid_tree_kinematics.description import load_robot, read_urdf, write_urdf
from rigid_tree_kinematics.errors import ConfigurationError, DescriptionError, DescriptionWarning
from rigid_tree_kinematics.model import RigidBodyTree

DESCRIPTION_TOPIC = "robot_description"

# The last description waits for whoever comes later, as with robot_state_publisher.
LATCHED = QoSProfile(depth=1, durability=DurabilityPolicy.TRANSIENT_LOCAL)

ROBOT_DESCRIPTION_HELP = "The robot as URDF text. Empty: parameter robot says which."
ROBOT_HELP = (
    "The robot as path of a .urdf, .xacro or .yaml ((m)DH table) file, or as a bundled name. "
    "Empty, with robot_description empty too: wait for the topic robot_description."
)


@dataclass(frozen=True, eq=False)
class RobotDescription:
    """A robot, with the URDF text that describes it to others, and where it came from."""

    tree: RigidBodyTree
    urdf: str
    origin: str
    warnings: tuple[str, ...] = ()  # what is suspicious in the description


def described_robot(text: str, origin: str) -> RobotDescription:
    """Read URDF text; DescriptionError if it is broken."""
    if not text.strip():
        raise DescriptionError("an empty description", origin)
    with _warnings_kept() as suspicious:
        tree = read_urdf(text, source=origin)
    return RobotDescription(tree, text, origin, tuple(suspicious))


def chosen_robot(robot_description: str, robot: str) -> RobotDescription | None:
    """Return the robot that two parameters name, or None if both are empty.

    Raises ConfigurationError if both are given, and what reading the robot raises.
    """
    if robot_description and robot:
        raise ConfigurationError(
            f"parameters robot_description and robot ('{robot}') are both given; leave one empty"
        )
    if robot_description:
        return described_robot(robot_description, "parameter robot_description")
    if robot:
        with _warnings_kept() as suspicious:
            tree = load_robot(robot)
        origin = f"parameter robot '{robot}'"
        return RobotDescription(tree, write_urdf(tree), origin, tuple(suspicious))
    return None


@contextmanager
def _warnings_kept() -> Iterator[list[str]]:
    """Collect DescriptionWarnings, for the node's log instead of the terminal."""
    texts: list[str] = []
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always", DescriptionWarning)
        yield texts
    texts += [str(item.message) for item in caught]
