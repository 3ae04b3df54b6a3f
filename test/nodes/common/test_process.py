"""How nodes end: whatever Ctrl-C does, with code 0 and without a complaint."""

from __future__ import annotations

import time

import pytest

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
