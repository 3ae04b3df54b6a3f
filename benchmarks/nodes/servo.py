"""servo_node: from a twist to the first command, the period of the commands, processor time.

    python -m benchmarks.nodes.servo [--json FILE] [--seconds 20] [--starts 40]

moveit.launch.py runs the simulated Panda with its hand between two pillars, each node in its own
process. The latency is the time from publishing a twist, to an arm at rest, until the first
command arrives here. Then twists come at 50 Hz, to and fro, for the period and the processor time.
"""

from __future__ import annotations

import argparse
import json
import os
import threading
import time
from pathlib import Path

import numpy as np
import rclpy
from geometry_msgs.msg import TwistStamped
from rclpy.executors import SingleThreadedExecutor
from rclpy.qos import QoSProfile
from trajectory_msgs.msg import JointTrajectory

from benchmarks.nodes.footprint import be_alone, descendants, launched, memory, processor_seconds
from rigid_tree_kinematics.nodes.common.raw_subscription import RawSubscription

SETTLE = 12.0  # s
REST = 0.5  # s, between two starts
SWING = 1.0  # s
ARGUMENTS = ["moveit.launch.py", "robot:=panda_hand", "scene:=panda_pillars"]


class Client:
    """Sends twists, and notes when commands come."""

    def __init__(self) -> None:
        self.node = rclpy.create_node("servo_benchmark")
        self.times: list[float] = []
        self._twists = self.node.create_publisher(TwistStamped, "servo_node/delta_twist_cmds", 10)
        self._commands = RawSubscription(
            self.node,
            JointTrajectory,
            "joint_trajectory",
            lambda _: self.times.append(time.monotonic()),
            QoSProfile(depth=100),
        )
        self._commands.start()

    def send(self, speed: float) -> None:
        """Publish a twist along y."""
        message = TwistStamped()
        message.header.stamp = self.node.get_clock().now().to_msg()
        message.header.frame_id = "panda_link0"
        message.twist.linear.y = speed
        self._twists.publish(message)

    def latency(self) -> float:
        """Return the time (ms) from a twist to the first command."""
        time.sleep(REST + 0.02 * float(np.random.default_rng().random()))
        self.times.clear()
        begin = time.monotonic()
        self.send(0.1)
        while not self.times and time.monotonic() < begin + 1.0:
            time.sleep(1e-4)
        return 1e3 * (self.times[0] - begin) if self.times else float("inf")

    def swing(self, seconds: float) -> None:
        """Send twists at 50 Hz, to and fro."""
        begin = time.monotonic()
        while (now := time.monotonic() - begin) < seconds:
            self.send(0.4 if now % (2.0 * SWING) < SWING else -0.4)
            time.sleep(0.02)


def process_of(launch: int) -> int:
    """Return the process of servo_node."""
    for pid in descendants(launch):
        if b"servo_node" in Path(f"/proc/{pid}/cmdline").read_bytes():
            return pid
    raise SystemExit("servo_node does not run")


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--json", type=Path, help="write the figures there, too")
    parser.add_argument("--seconds", type=float, default=20.0, help="of twists to and fro")
    parser.add_argument("--starts", type=int, default=40, help="from rest")
    chosen = parser.parse_args()
    be_alone()
    rclpy.init()
    client = Client()
    executor = SingleThreadedExecutor()
    executor.add_node(client.node)
    threading.Thread(target=executor.spin, daemon=True).start()
    with launched(ARGUMENTS, "each") as (launch, _):
        time.sleep(SETTLE)
        pid = process_of(launch.pid)
        latencies = [client.latency() for _ in range(chosen.starts)]
        time.sleep(REST)
        client.times.clear()
        before = processor_seconds([pid])
        client.swing(chosen.seconds)
        used = 100.0 * (processor_seconds([pid]) - before) / chosen.seconds
        rss, pss = memory([pid])
        periods = 1e3 * np.diff(client.times)
    figures = {
        "latency median": float(np.median(latencies)),
        "latency longest": float(np.max(latencies)),
        "commands a second": float(1e3 / periods.mean()),
        "period p99": float(np.percentile(periods, 99)),
        "period longest": float(periods.max()),
        "percent of a core": used,
        "RSS MB": rss,
        "PSS MB": pss,
    }
    print(f"{os.cpu_count()} cores, load {os.getloadavg()[0]:.1f}")
    for name, value in figures.items():
        print(f"{name:20}{value:8.2f}")
    executor.shutdown()
    rclpy.try_shutdown()
    if chosen.json:
        chosen.json.write_text(json.dumps(figures, indent=2))


if __name__ == "__main__":
    main()
