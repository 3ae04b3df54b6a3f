"""Latency of frames at 100 Hz while the same process plans and serves the browser page.

bringup.launch.py runs a Panda that moves back and forth. One client has the browser page open and
another requests one plan after the other. The latency is the time from the stamp of a joint state,
set when the simulator publishes it, until the frames with this stamp arrive here.
"""

import socket
import threading
import time
from typing import Any

import numpy as np
import viser
from rigid_tree_interfaces.msg import PlanRequest
from rigid_tree_interfaces.srv import PlanMotion
from sensor_msgs.msg import JointState
from trajectory_msgs.msg import JointTrajectory, JointTrajectoryPoint
from websockets.sync.client import connect
from websockets.typing import Subprotocol

from benchmarks.frame import Report, main, spread
from benchmarks.nodes.network import Asker, launched, network
from benchmarks.nodes.state_publisher import Arrivals
from rigid_tree_kinematics.description import load_robot

PORT = 18080
SETTLE = 5.0  # s
BRINGUP = ["rigid_tree_kinematics", "bringup.launch.py"]
ARGUMENTS = [*BRINGUP, "robot:=panda", "web:=true", f"web_port:={PORT}"]
SWING, AMPLITUDE = 2.0, 0.3  # s, rad
LONGEST_PLAN = 20.0  # s


class Worker(threading.Thread):
    """A thread with a count, which runs until it is stopped."""

    def __init__(self) -> None:
        super().__init__(daemon=True)
        self.stopped = threading.Event()
        self.count = 0


class Viewer(Worker):
    """Keeps the page open like a browser, without drawing; counts the received bytes."""

    def run(self) -> None:
        """Receive until stopped."""
        protocol = Subprotocol(f"viser-v{viser.__version__}")
        address = f"ws://127.0.0.1:{PORT}"
        while True:  # the page is available after the first frame
            try:
                socket.create_connection(("127.0.0.1", PORT)).close()
                break
            except ConnectionRefusedError:
                time.sleep(0.1)
        with connect(address, subprotocols=[protocol], max_size=None) as line:
            while not self.stopped.is_set():
                self.count += len(line.recv())


class Planning(Worker):
    """Requests one plan after the other between random configurations; counts the responses."""

    def __init__(self) -> None:
        super().__init__()
        self._asker = Asker("tf_latency_planning")
        self._tree = load_robot("panda")

    def run(self) -> None:
        """Request plans until stopped."""
        generator = np.random.default_rng(1)
        while not self.stopped.is_set():
            start, goal = (
                JointState(
                    name=list(self._tree.position_names),
                    position=self._tree.random_configuration(generator).tolist(),
                )
                for _ in range(2)
            )
            request = PlanRequest(start=start, goal_states=[goal])
            self._asker.call(PlanMotion, "plan_motion", request=request)
            self.count += 1


def back_and_forth(seconds: float) -> JointTrajectory:
    """Return a motion of all joints around home."""
    robot = load_robot("panda")
    compiled, points = robot.compiled(), []
    for swing in range(int(seconds / SWING)):
        positions = compiled.home + (AMPLITUDE if swing % 2 else -AMPLITUDE)
        positions = np.clip(positions, compiled.lower, compiled.upper)
        point = JointTrajectoryPoint(positions=positions.tolist())
        point.time_from_start.sec = round(SWING * (swing + 1))
        points.append(point)
    return JointTrajectory(joint_names=list(robot.position_names), points=points)


def run(options: Any, report: Report) -> None:
    """Measure during planning and with an open page."""
    with network("tf_latency") as asker, launched(asker, ARGUMENTS, options.processes):
        driver = asker.node.create_publisher(JointTrajectory, "joint_trajectory", 1)
        viewer, planning = Viewer(), Planning()
        viewer.start()
        planning.start()
        time.sleep(SETTLE)
        driver.publish(back_and_forth(options.seconds + SETTLE))
        frames = Arrivals(asker.node)
        plans, received = planning.count, viewer.count
        time.sleep(options.seconds)
        frames.close()
        plans, received = planning.count - plans, viewer.count - received
        viewer.stopped.set()
        planning.stopped.set()
        planning.join(LONGEST_PLAN)
    latencies = [1e-6 * (at - stamp) for stamp, at in frames.times.items()]
    rates = {
        "frames per second": len(latencies) / options.seconds,
        "plans per second": plans / options.seconds,
        "page kB per second": 1e-3 * received / options.seconds,
    }
    report.row("latency", "/tf at 100 Hz", spread(latencies, (50, 99, 100)) | rates)


if __name__ == "__main__":
    main(run, seconds=20.0, processes=("one", "each"))
