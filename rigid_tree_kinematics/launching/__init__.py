"""Shared parts of the launch files: arguments, nodes in one process, fleets, RViz.

Only launch files import this package. It needs launch and launch_ros.
"""

from rigid_tree_kinematics.launching.arguments import (
    DESCRIPTION_ARGUMENTS,
    IK_ARGUMENTS,
    PACKAGE,
    PAGE_ARGUMENTS,
    PROCESSES,
    SOURCE_ARGUMENTS,
    Table,
    declared,
    number,
    robot_argument,
    setting,
    settings,
    without_globals,
    yaml_argument,
)
from rigid_tree_kinematics.launching.fleet import FLEET_ARGUMENTS, robot_or_fleet
from rigid_tree_kinematics.launching.nodes import (
    PYTHON,
    RobotNode,
    demo,
    described,
    exit_handler,
    ik_server,
    in_one_process,
    included,
    nodes_have,
    opaque,
    page,
    page_parameters,
    robot_launch,
    robot_nodes,
    robot_rviz,
    rviz,
    temporary_file,
    tree_state_publisher,
)
