"""Program: runs several of this package's nodes in one process.

    ros2 run rigid_tree_kinematics robot_host tree_state_publisher ik_server rrt_planner \\
        --ros-args --params-file robot.yaml

Each node has the same name, topics, services and parameters as in a process of its own. ROS
arguments apply to all nodes; parameter files, ``-p node:name:=value`` and ``-r node:from:=to``
address one by name.
"""

from __future__ import annotations

import argparse
import importlib
import os
import sys
from collections.abc import Sequence
from functools import partial

from rclpy.node import Node
from rclpy.utilities import remove_ros_args

from rigid_tree_kinematics.nodes import module_of
from rigid_tree_kinematics.nodes.common.process import run_nodes

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
    "tree_state_publisher": "TreeStatePublisher",
    "web_viewer": "WebViewer",
}
# libqi and coal each bring a Boost of their own, which end a process that loads both.
APART = (("nao_bridge", "rrt_planner"), ("nao_bridge", "move_group"), ("nao_bridge", "servo_node"))
SWITCH_INTERVAL = 1e-3  # s, after which a thread lets others go on; Python's 5 ms delay frames


def make_node(name: str) -> Node:
    """Return a node by name; its module, and what it needs, is loaded only now."""
    module = importlib.import_module(module_of(name))
    node: Node = getattr(module, NODES[name])()
    return node


def read_arguments(arguments: Sequence[str]) -> list[str]:
    """Return the names of the nodes to run."""
    parser = argparse.ArgumentParser(
        prog=NAME, description="Run several nodes of this package in one process."
    )
    parser.add_argument("nodes", nargs="+", choices=sorted(NODES), metavar="node")
    names = list(dict.fromkeys(parser.parse_args(arguments).nodes))
    for pair in APART:
        if set(pair) <= set(names):
            parser.error(f"{' and '.join(pair)} cannot share a process: run two hosts")
    return names


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the nodes; return the exit code of the process."""
    given = list(sys.argv if arguments is None else [NAME, *arguments])
    names = read_arguments(remove_ros_args(given)[1:])
    sys.setswitchinterval(SWITCH_INTERVAL)
    return run_nodes({name: partial(make_node, name) for name in names}, arguments)


def run() -> None:
    """Run the nodes as a process of its own; threads of libqi may outlive the interpreter."""
    code = main()
    sys.stdout.flush()
    sys.stderr.flush()
    os._exit(code)


if __name__ == "__main__":
    run()
