"""How nodes end: whatever Ctrl-C does, with code 0 and without a complaint."""

from __future__ import annotations

import subprocess
import sys
import time

import pytest

from harness.processes import TIMEOUT

READY = {
    "tree_state_publisher": "listening on",
    "robot_simulator": "mode kinematic",
    "ik_server": "independent joints",
    "rrt_planner": "independent joints",
    "web_viewer": "the page is at",
}


@pytest.mark.parametrize("pause", [0.0, 0.02, 0.1])
@pytest.mark.parametrize("node", READY)
def test_ctrl_c_in_a_terminal_comes_twice(network, node, pause):
    parameters = {"port": 0} if node == "web_viewer" else {"robot": "panda"}
    process = network.start(node, parameters)
    network.until(lambda: READY[node] in process.output, "a node that is ready")
    time.sleep(0.5)  # the line above comes a moment before the end of the start
    process.interrupt()
    time.sleep(pause)
    assert process.end() == 0, process.output
    assert "Traceback" not in process.output


def test_a_node_runs_while_the_next_one_is_made():
    code = """
import os
import signal
import threading
from rclpy.node import Node
from rigid_tree_kinematics.errors import RigidTreeError
from rigid_tree_kinematics.nodes.common.process import run_nodes

ticked = threading.Event()

class First(Node):
    def __init__(self):
        super().__init__("first")
        self.create_timer(0.01, ticked.set)

def second():
    raise RigidTreeError(f"the first node ticked: {ticked.wait(10.0)}")

def third():
    os.kill(os.getpid(), signal.SIGINT)

run_nodes({"first": First, "second": second, "third": third})
"""
    ended = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, timeout=TIMEOUT
    )
    assert "the first node ticked: True" in ended.stdout + ended.stderr
