"""servo_node: latency of the first command, period of the commands, processor time.

moveit.launch.py runs the simulated Panda with its hand between two pillars, each node in its own
process. The latency is the time from a twist, while the arm is at rest, until the first command
arrives here. The period and the processor time are measured with twists of alternating sign at
50 Hz.
"""

import time
from typing import Any

import numpy as np
from geometry_msgs.msg import TwistStamped
from rclpy.node import Node
from trajectory_msgs.msg import JointTrajectory

from benchmarks.frame import Report, main, spread
from benchmarks.nodes.network import Listener, core_share, launched, memory, network

SETTLE = 3.0  # s
REST = 0.5  # s, at rest between two starts
SWING = 1.0  # s
ARGUMENTS = ["rigid_tree_moveit", "moveit.launch.py", "robot:=panda_hand", "scene:=panda_pillars"]


class Client:
    """Publishes twists and records when commands arrive."""

    def __init__(self, node: Node) -> None:
        self.node = node
        self.times: list[float] = []
        self._twists = self.node.create_publisher(TwistStamped, "servo_node/delta_twist_cmds", 10)
        self._commands = Listener(
            JointTrajectory, {"joint_trajectory": lambda _: self.times.append(time.monotonic())}
        )

    def stop(self) -> None:
        """Stop listening."""
        self._commands.stop()

    def send(self, speed: float) -> None:
        """Publish a twist along y."""
        message = TwistStamped()
        message.header.stamp = self.node.get_clock().now().to_msg()
        message.header.frame_id = "panda_link0"
        message.twist.linear.y = speed
        self._twists.publish(message)

    def is_answered(self) -> bool:
        """Publish a twist; return whether commands have arrived."""
        self.send(0.05)
        time.sleep(0.05)
        return bool(self.times)

    def latency(self) -> float:
        """Return the time from a twist to the first command, ms."""
        time.sleep(REST + 0.02 * float(np.random.default_rng().random()))
        self.times.clear()
        begin = time.monotonic()
        self.send(0.1)
        while not self.times and time.monotonic() < begin + 1.0:
            time.sleep(1e-4)
        return 1e3 * (self.times[0] - begin) if self.times else float("inf")

    def swing(self, seconds: float) -> None:
        """Publish twists of alternating sign at 50 Hz."""
        begin = time.monotonic()
        while (now := time.monotonic() - begin) < seconds:
            self.send(0.4 if now % (2.0 * SWING) < SWING else -0.4)
            time.sleep(0.02)


def run(options: Any, report: Report) -> None:
    """Measure starts from rest, then twists of alternating sign."""
    with network("servo_benchmark") as asker, launched(asker, ARGUMENTS, "each") as (launch, _):
        client = Client(asker.node)
        asker.expect(client.is_answered, "command of servo_node")
        time.sleep(SETTLE)
        servo = [
            p for p in launch.children(recursive=True) if "servo_node" in " ".join(p.cmdline())
        ]
        latencies = [client.latency() for _ in range(options.starts)]
        time.sleep(REST)
        client.times.clear()
        with core_share(servo) as share:
            client.swing(options.seconds)
        taken = memory(servo)
        periods = 1e3 * np.diff(client.times)
        client.stop()
    report.row("from a twist", "first command", spread(latencies, (50, 100)))
    report.row("twists at 50 Hz", "between two commands", spread(periods, (50, 99, 100)))
    rate = {"commands per second": float(1e3 / periods.mean())}
    report.row("servo_node", "twists at 50 Hz", rate | share | taken)


if __name__ == "__main__":
    main(run, seconds=20.0, starts=40)
