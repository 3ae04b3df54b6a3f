"""From a joint state to its frames on /tf, at 100 Hz, while the same process plans and is viewed.

    python -m benchmarks.nodes.tf_latency [--json FILE] [--seconds 20] [--processes one|each]

bringup.launch.py runs the Panda, which moves to and fro, with its page, which one client has open;
another client asks for one plan after the other. The latency is the time from the stamp of a joint
state, which the simulator takes when it publishes, to the arrival of the frames with this stamp
here.
"""

from __future__ import annotations

import argparse
import json
import os
import socket
import struct
import threading
import time
from pathlib import Path

import numpy as np
import rclpy
import viser
from rclpy.client import Client
from rclpy.executors import SingleThreadedExecutor
from rclpy.node import Node
from rclpy.qos import QoSProfile
from rigid_tree_interfaces.msg import PlanRequest
from rigid_tree_interfaces.srv import PlanMotion
from sensor_msgs.msg import JointState
from tf2_msgs.msg import TFMessage
from trajectory_msgs.msg import JointTrajectory, JointTrajectoryPoint
from websockets.sync.client import connect
from websockets.typing import Subprotocol

from benchmarks.nodes.footprint import be_alone, launched
from rigid_tree_kinematics.description import load_robot
from rigid_tree_kinematics.nodes.common.raw_subscription import RawSubscription

PORT = 18080
SETTLE = 5.0  # s
SWING, AMPLITUDE = 2.0, 0.3  # s, rad
LONGEST_PLAN = 20.0  # s
STAMP = struct.Struct("=iI")
FIRST_STAMP = 8  # in the bytes of a TFMessage: CDR header, number of transforms, stamp


class Viewer(threading.Thread):
    """Has the page open, as a browser does that draws nothing."""

    def __init__(self) -> None:
        super().__init__(daemon=True)
        self.ended = threading.Event()
        self.received = 0  # bytes

    def run(self) -> None:
        """Receive until the end."""
        protocol = Subprotocol(f"viser-v{viser.__version__}")
        address = f"ws://127.0.0.1:{PORT}"
        while True:  # the page comes later than the first frame
            try:
                socket.create_connection(("127.0.0.1", PORT)).close()
                break
            except ConnectionRefusedError:
                time.sleep(0.1)
        with connect(address, subprotocols=[protocol], max_size=None) as line:
            while not self.ended.is_set():
                self.received += len(line.recv())


class Planning(threading.Thread):
    """Asks for one plan after the other, from anywhere to anywhere."""

    def __init__(self, node: Node) -> None:
        super().__init__(daemon=True)
        self.ended = threading.Event()
        self.answers = 0
        self._client: Client = node.create_client(PlanMotion, "plan_motion")
        self._executor = SingleThreadedExecutor()
        self._executor.add_node(node)
        self._tree = load_robot("panda")

    def run(self) -> None:
        """Ask until the end."""
        self._client.wait_for_service(LONGEST_PLAN)
        generator = np.random.default_rng(1)
        while not self.ended.is_set():
            start, goal = (
                JointState(
                    name=list(self._tree.position_names),
                    position=self._tree.random_configuration(generator).tolist(),
                )
                for _ in range(2)
            )
            request = PlanMotion.Request(request=PlanRequest(start=start, goal_states=[goal]))
            future = self._client.call_async(request)
            self._executor.spin_until_future_complete(future, LONGEST_PLAN)
            self.answers += 1


def to_and_fro(seconds: float) -> JointTrajectory:
    """Return a motion of all joints about home that lasts for so long."""
    robot = load_robot("panda")
    compiled, points = robot.compiled(), []
    for swing in range(int(seconds / SWING)):
        positions = compiled.home + (AMPLITUDE if swing % 2 else -AMPLITUDE)
        positions = np.clip(positions, compiled.lower, compiled.upper)
        point = JointTrajectoryPoint(positions=positions.tolist())
        point.time_from_start.sec = round(SWING * (swing + 1))
        points.append(point)
    return JointTrajectory(joint_names=list(robot.position_names), points=points)


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--json", type=Path, help="write the figures there, too")
    parser.add_argument("--seconds", type=float, default=20.0, help="how long to measure")
    parser.add_argument("--processes", choices=("one", "each"), default="one")
    chosen = parser.parse_args()
    be_alone()
    rclpy.init()
    arguments = ["bringup.launch.py", "robot:=panda", "web:=true", f"web_port:={PORT}"]
    latencies: list[float] = []

    def take(data: bytes) -> None:
        seconds, nanoseconds = STAMP.unpack_from(data, FIRST_STAMP)
        latencies.append(1e3 * (time.time() - (seconds + 1e-9 * nanoseconds)))

    node = rclpy.create_node("tf_latency")
    driver = node.create_publisher(JointTrajectory, "joint_trajectory", 1)
    viewer, planning = Viewer(), Planning(rclpy.create_node("tf_latency_planning"))
    with launched(arguments, chosen.processes):
        viewer.start()
        planning.start()
        time.sleep(SETTLE)
        driver.publish(to_and_fro(chosen.seconds + SETTLE))
        frames = RawSubscription(node, TFMessage, "/tf", take, QoSProfile(depth=1000))
        plans, received = planning.answers, viewer.received
        frames.start()
        time.sleep(chosen.seconds)
        frames.stop()
        plans, received = planning.answers - plans, viewer.received - received
        viewer.ended.set()
        planning.ended.set()
        planning.join(LONGEST_PLAN)
    median, most, worst = (float(np.percentile(latencies, part)) for part in (50, 99, 100))
    print(f"{os.cpu_count()} cores, load {os.getloadavg()[0]:.1f}, processes:={chosen.processes}")
    print(f"{len(latencies) / chosen.seconds:.1f} frames a second beside ", end="")
    print(f"{plans / chosen.seconds:.1f} plans and {received / chosen.seconds / 1e3:.0f} kB")
    print(f"latency, ms: median {median:.2f}, p99 {most:.2f}, longest {worst:.2f}")
    node.destroy_node()
    rclpy.try_shutdown()
    if chosen.json:
        figures = {"median": median, "p99": most, "longest": worst, "plans": plans}
        chosen.json.write_text(json.dumps(figures, indent=2))


if __name__ == "__main__":
    main()
