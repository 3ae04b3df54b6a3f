"""The robot of a node: its description, its joint states, its servers."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rigid_tree_kinematics.lazy_names import lazy_names
from rigid_tree_kinematics.nodes.common.robot.joint_reading import JointReading, joint_reading
from rigid_tree_kinematics.nodes.common.robot.robot_source import (
    DESCRIPTION_TOPIC,
    HOME_TOPIC,
    LATCHED,
    SEMANTICS_TOPIC,
    SOURCE_PARAMETERS,
    DescriptionTopic,
    RobotDescription,
    RobotSource,
    described_robot,
)
from rigid_tree_kinematics.nodes.common.robot.usable_positions import UsablePositions

if TYPE_CHECKING:
    from rigid_tree_kinematics.nodes.common.robot.robot_server import Robot, RobotServer

# Publishers of states have no servers.
__getattr__ = lazy_names(__name__)
