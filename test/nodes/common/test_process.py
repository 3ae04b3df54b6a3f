"""Nodes exit with code 0 and without errors after Ctrl-C at any time."""

import os
import re
import sys
import time
from pathlib import Path

import pytest
from ament_index_python.packages import get_package_prefix

from harness.processes import compilations, run, wait_until
from harness.start.interrupts import check_ctrl_c_at_start, check_ctrl_c_twice

PACKAGE = "rigid_tree_kinematics"
COMPLAINTS = re.compile("Traceback|Exception ignored|without it")

NODES = ("tree_state_publisher", "robot_simulator", "ik_server", "rrt_planner")
# The arguments of programs, and what their logs have when they are ready.
READY = {
    (
        "robot_host",
        *NODES,
        "--ros-args",
        "-p",
        "robot:=panda",
    ): "[rrt_planner]: robot 'panda' from",
    ("rrt_planner", "--ros-args", "-p", "robot:=panda"): "independent joints",
}


@pytest.mark.parametrize("command", READY, ids=lambda command: command[0])
def test_ctrl_c_in_a_terminal_comes_twice(network, command):
    check_ctrl_c_twice(network, PACKAGE, command, READY[command])


def test_a_finished_node_ends_the_process_with_its_code():
    """A node runs while the next one is made."""
    code = """
import threading
from rclpy.node import Node
from rclpy.task import Future
from rigid_tree_kinematics.nodes.common.process import run_nodes

ticked = threading.Event()

class Ending(Node):
    def __init__(self):
        super().__init__("ending")
        self.finished = Future()
        self.create_timer(0.01, ticked.set)
        self.create_timer(0.2, lambda: other and self.finished.set_result(7))

other = []

def make_other():
    print(ticked.wait(10.0))
    other.append(Node("other"))
    return other[0]

raise SystemExit(run_nodes({"ending": Ending, "other": make_other}))
"""
    ended = run(sys.executable, "-c", code)
    assert ended.returncode == 7, ended.stderr
    assert not COMPLAINTS.search(ended.stderr), ended.stderr
    assert ended.stdout == "True\n"


INTERRUPTED = """
import os
import signal
import threading
import time
from rclpy.node import Node
from rigid_tree_kinematics.nodes.common.process import run_nodes

class Slow(Node):
    busy = threading.Event()

    def __init__(self):
        super().__init__("slow")
        self.create_timer(0.5, self.work)  # when both are made

    def work(self):
        self.busy.set()
        os.kill(os.getpid(), signal.SIGINT)
        time.sleep({seconds})
        self.busy.clear()

    def destroy_node(self):
        print("busy:", self.busy.is_set(), flush=True)
        super().destroy_node()

raise SystemExit(run_nodes({{"slow": Slow, "other": lambda: Node("other")}}))
"""


def test_ctrl_c_waits_for_callbacks():
    ended = run(sys.executable, "-c", INTERRUPTED.format(seconds=0.5))
    assert (ended.returncode, ended.stdout) == (0, "busy: False\n"), ended.stderr
    assert not ended.stderr


def test_a_callback_that_does_not_end_is_left_and_named():
    begin = time.monotonic()
    ended = run(sys.executable, "-c", INTERRUPTED.format(seconds=60.0))
    assert (ended.returncode, ended.stdout) == (0, ""), ended.stderr
    assert "did not end within 3 s: " in ended.stderr
    assert "slow" in ended.stderr
    assert time.monotonic() - begin < 30.0


def test_ctrl_c_while_a_program_starts_is_quiet():
    check_ctrl_c_at_start(PACKAGE, "rrt_planner")
    check_ctrl_c_at_start(PACKAGE, "robot_host", "tree_state_publisher", "rrt_planner")


def test_a_node_starts_where_no_log_can_be_kept():
    path = Path(get_package_prefix(PACKAGE)) / "lib" / PACKAGE / "joint_state_source"
    kept = {name: value for name, value in os.environ.items() if name != "ROS_LOG_DIR"}
    # The robot is the first thing that it reads.
    ended = run(path, "--ros-args", "-p", "robot:=nobody", env=kept | {"ROS_HOME": "/dev/null"})
    assert ended.returncode == 1
    assert "has no robot 'nobody'" in ended.stderr
    assert "set ROS_LOG_DIR to a writable folder" in ended.stderr
    assert "Traceback" not in ended.stderr


def test_ctrl_c_ends_the_compilation_of_kernels(network, tmp_path, monkeypatch):
    monkeypatch.setenv("NUMBA_CACHE_DIR", str(tmp_path / "kernels"))
    path = Path(get_package_prefix(PACKAGE)) / "lib" / PACKAGE / "robot_host"
    for seconds in (0.5, 3.0):
        process = network.start_program([str(path), "tree_state_publisher", "rrt_planner"])
        network.log_line(process, "Compiling kernels")
        network.spin_for(seconds)
        process.interrupt()
        # The launch system has this patience (sigterm_timeout); all kernels take a minute.
        assert process.wait(5.0) == 0, process.output
        assert not COMPLAINTS.search(process.output), process.output
        wait_until(lambda: not compilations(tmp_path), "the end of the compilation")
