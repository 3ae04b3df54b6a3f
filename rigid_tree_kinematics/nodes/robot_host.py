"""Program: runs several of this package's nodes in one process.

    ros2 run rigid_tree_kinematics robot_host tree_state_publisher ik_server rrt_planner \\
        --ros-args --params-file robot.yaml

Each node has the same name, topics, services and parameters as in a process of its own. ROS
arguments apply to all nodes; parameter files, ``-p node:name:=value`` and ``-r node:from:=to``
address one by name. Nodes of several robots get a namespace each, which replaces ``__ns``:

    ros2 run rigid_tree_kinematics robot_host left/robot_simulator right/robot_simulator
"""

from __future__ import annotations

import argparse
import importlib
import sys
from collections.abc import Sequence
from functools import partial

from rclpy.exceptions import InvalidNamespaceException
from rclpy.node import Node
from rclpy.utilities import remove_ros_args
from rclpy.validate_namespace import validate_namespace

from rigid_tree_kinematics.nodes import module_of
from rigid_tree_kinematics.nodes.common.process import leave, made_in, run_nodes

NAME = "robot_host"
# What can run together: module of this folder -> what makes the node.
NODES = {
    "ik_server": "IkServer",
    "interactive_target": "InteractiveTarget",
    "joint_state_source": "JointStateSource",
    "move_group": "make_node",
    "nao_bridge": "NaoBridge",
    "robot_simulator": "RobotSimulator",
    "rrt_planner": "RrtPlanner",
    "servo_node": "make_node",
    "tour": "Tour",
    "tree_state_publisher": "TreeStatePublisher",
    "web_viewer": "WebViewer",
}
# libqi and coal each bring a Boost of their own, which end a process that loads both.
APART = (("nao_bridge", "rrt_planner"), ("nao_bridge", "move_group"), ("nao_bridge", "servo_node"))
SWITCH_INTERVAL = 1e-3  # s, after which a thread lets others go on; Python's 5 ms delay frames


def make_node(place: str) -> Node:
    """Return the node of ``[namespace/]name``; its module is imported now."""
    namespace, _, name = place.rpartition("/")
    module = importlib.import_module(module_of(name))
    with made_in(namespace):
        node: Node = getattr(module, NODES[name])()
    return node


def read_arguments(arguments: Sequence[str]) -> list[str]:
    """Return the nodes to run, each as ``name`` or ``namespace/name``."""
    parser = argparse.ArgumentParser(
        prog=NAME, description="Run several nodes of this package in one process."
    )
    parser.add_argument("nodes", nargs="+", type=_place, metavar="[namespace/]node")
    places = list(dict.fromkeys(parser.parse_args(arguments).nodes))
    names = {place.rpartition("/")[2] for place in places}
    for pair in APART:
        if set(pair) <= names:
            parser.error(f"{' and '.join(pair)} cannot share a process: run two hosts")
    return places


def _place(text: str) -> str:
    """Return ``[namespace/]name`` without a leading slash."""
    namespace, _, name = text.strip("/").rpartition("/")
    if name not in NODES:
        known = ", ".join(sorted(NODES))
        raise argparse.ArgumentTypeError(f"invalid choice: '{name}' (choose from {known})")
    try:
        validate_namespace(f"/{namespace}")
    except InvalidNamespaceException as error:
        raise argparse.ArgumentTypeError(" ".join(str(error).split())) from None
    return f"{namespace}/{name}" if namespace else name


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the nodes; return the exit code of the process."""
    given = list(sys.argv if arguments is None else [NAME, *arguments])
    places = read_arguments(remove_ros_args(given)[1:])
    sys.setswitchinterval(SWITCH_INTERVAL)
    makers = {place.replace("/", "."): partial(make_node, place) for place in places}
    return run_nodes(makers, arguments)


def run() -> None:
    """Run the nodes as a separate process; threads of libqi can outlive the interpreter."""
    leave(main())


if __name__ == "__main__":
    run()
