"""The robot of a node: its description, its joint states, its servers."""

from rigid_tree_kinematics.nodes.common.robot.current_state import Robot
from rigid_tree_kinematics.nodes.common.robot.robot_server import SERVICE_QOS, RobotServer
from rigid_tree_kinematics.nodes.common.robot.robot_source import (
    DESCRIPTION_TOPIC,
    LATCHED,
    PARAMETERS,
    DescriptionTopic,
    RobotDescription,
    RobotSource,
)

__all__ = [
    "DESCRIPTION_TOPIC",
    "LATCHED",
    "PARAMETERS",
    "SERVICE_QOS",
    "DescriptionTopic",
    "Robot",
    "RobotDescription",
    "RobotServer",
    "RobotSource",
]
