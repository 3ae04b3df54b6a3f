"""Program: runs several nodes in one process, also those of other packages (entry points).

    ros2 run rigid_tree_kinematics robot_host tree_state_publisher ik_server rrt_planner \\
        --ros-args --params-file robot.yaml

Each node has the same name, topics, services and parameters as in a process of its own. ROS
arguments apply to all nodes; parameter files, ``-p node:name:=value`` and ``-r node:from:=to``
address one by name. Nodes of several robots get a namespace each, which replaces ``__ns``:

    ros2 run rigid_tree_kinematics robot_host left/robot_simulator right/robot_simulator
"""

import argparse
import sys
from collections.abc import Sequence
from functools import partial

from rclpy.exceptions import InvalidNamespaceException
from rclpy.node import Node
from rclpy.utilities import remove_ros_args
from rclpy.validate_namespace import validate_namespace

from rigid_tree_kinematics.nodes import maker_of, programs
from rigid_tree_kinematics.nodes.common.process import made_in, run_nodes

NAME = "robot_host"
# libqi and coal contain different versions of Boost, which crash a process that loads both.
WITH_LIBQI = "nao_bridge"
WITH_COAL = ("ik_server", "move_group", "robot_simulator", "rrt_planner", "servo_node")
SWITCH_INTERVAL = 1e-3  # s between thread switches; Python's default of 5 ms delays frames


def make_node(full_name: str) -> Node:
    """Return the node of ``[namespace/]name``; its module is imported now."""
    namespace, _, name = full_name.rpartition("/")
    make = maker_of(name)
    with made_in(namespace):
        node: Node = make()
    return node


def read_arguments(arguments: Sequence[str]) -> list[str]:
    """Return the nodes to run, each as ``name`` or ``namespace/name``."""
    parser = argparse.ArgumentParser(prog=NAME, description="Run several nodes in one process.")
    parser.add_argument("nodes", nargs="+", type=_full_name, metavar="[namespace/]node")
    full_names = list(dict.fromkeys(parser.parse_args(arguments).nodes))
    names = {name.rpartition("/")[2] for name in full_names}
    if WITH_LIBQI in names and (others := names.intersection(WITH_COAL)):
        parser.error(f"{WITH_LIBQI} and {min(others)} cannot share a process: run two hosts")
    return full_names


def _full_name(text: str) -> str:
    """Return ``[namespace/]name`` without a leading slash."""
    namespace, _, name = text.strip("/").rpartition("/")
    if name not in programs():
        known = ", ".join(sorted(programs()))
        raise argparse.ArgumentTypeError(
            f"no installed package has a node '{name}' (choose from {known})"
        )
    try:
        validate_namespace(f"/{namespace}")
    except InvalidNamespaceException as error:
        raise argparse.ArgumentTypeError(" ".join(str(error).split())) from None
    return f"{namespace}/{name}" if namespace else name


def main() -> int:
    """Run the nodes; return the exit code of the process."""
    full_names = read_arguments(remove_ros_args(sys.argv)[1:])
    sys.setswitchinterval(SWITCH_INTERVAL)
    makers = {name.replace("/", "."): partial(make_node, name) for name in full_names}
    return run_nodes(makers)


if __name__ == "__main__":
    sys.exit(main())
