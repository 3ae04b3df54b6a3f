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
    argument,
    declared,
    named,
    number,
    robot_argument,
    setting,
    settings,
    yaml_argument,
)
from rigid_tree_kinematics.launching.fleet import FLEET_ARGUMENTS, start_fleet
from rigid_tree_kinematics.launching.nodes import (
    PYTHON,
    RobotNode,
    described,
    exit_handler,
    ik_server,
    in_one_process,
    included,
    nodes_have,
    page,
    page_of_robot,
    robot_nodes,
    rviz,
    temporary_file,
    tree_state_publisher,
)
