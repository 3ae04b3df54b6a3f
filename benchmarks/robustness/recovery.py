"""How soon the nodes of a robot work together again after one of them was killed.

    python -m benchmarks.robustness.recovery [--rounds 5] [--json FILE]

A simulated Panda: each of its nodes is ended by SIGKILL and started again. The clock starts when
the new process answers for its parameters, and stops when all of these have happened once more:
frames of a later joint state, a pose from ik_server, a plan from where the robot is, and a motion
that the planner watches and the robot has ended.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import rclpy
from control_msgs.action import FollowJointTrajectory
from rcl_interfaces.srv import ListParameters
from rclpy.action import ActionClient
from rclpy.executors import SingleThreadedExecutor
from rclpy.task import Future
from rigid_tree_interfaces.msg import PlanRequest
from rigid_tree_interfaces.srv import ComputeFK, PlanMotion
from sensor_msgs.msg import JointState
from tf2_msgs.msg import TFMessage

from benchmarks.nodes.footprint import be_alone
from benchmarks.robustness.endurance import NODES, ended, started
from rigid_tree_kinematics.description import load_robot

ROBOT = ("-p", "robot:=panda")
OPTIONS = {
    "tree_state_publisher": ROBOT,
    "robot_simulator": ROBOT,
    "ik_server": (),
    "rrt_planner": ("-p", "scene:=panda_pillars"),
}
GOAL = [0.4, -0.785, 0.0, -2.356, 0.0, 1.571, 0.785]  # beside the robot's home
AGAIN = 0.2  # s, after which what was not answered is asked once more
PATIENCE = 60.0  # s


class Client:
    """Asks all nodes for their work."""

    def __init__(self) -> None:
        self.node = rclpy.create_node("recovery")
        self._executor = SingleThreadedExecutor()
        self._executor.add_node(self.node)
        self._heard = 0
        self.node.create_subscription(TFMessage, "/tf", self._on_frames, 100)
        self._services: dict[str, Any] = {}
        self._motions: Any = ActionClient(
            self.node, FollowJointTrajectory, "follow_watched_trajectory"
        )
        joints = load_robot("panda").joint_names
        goal = JointState(name=list(joints), position=GOAL)
        self._request = PlanRequest(goal_states=[goal])

    def _on_frames(self, message: TFMessage) -> None:
        self._heard += len(message.transforms) > 1

    def until(self, done: Callable[[], bool], seconds: float) -> bool:
        """Let the network live until something is done or the time is over."""
        end = time.monotonic() + seconds
        while not done():
            if time.monotonic() > end:
                return False
            self._executor.spin_once(timeout_sec=0.01)
        return True

    def reply(self, kind: Any, service: str, accepts: Callable[[Any], bool], **fields: Any) -> Any:
        """Ask again and again; return the first reply that is accepted."""
        if service not in self._services:
            self._services[service] = self.node.create_client(kind, service)
        end = time.monotonic() + PATIENCE
        asked: list[Future] = []
        while time.monotonic() < end:
            asked.append(self._services[service].call_async(kind.Request(**fields)))
            self.until(lambda: any(future.done() for future in asked), AGAIN)
            for future in [future for future in asked if future.done()]:
                asked.remove(future)
                if accepts(future.result()):
                    return future.result()
        raise SystemExit(f"no reply of {service} within {PATIENCE:g} s")

    def returned(self, name: str) -> None:
        """Wait until a node answers for its parameters."""
        self.reply(ListParameters, f"{name}/list_parameters", lambda reply: True)

    def all_work(self) -> None:
        """Have every node do its work once."""
        self._heard = 0
        self.reply(
            ComputeFK, "forward_kinematics", lambda reply: reply.success, bodies=["panda_link8"]
        )
        if not self.until(lambda: self._heard > 0, PATIENCE):
            raise SystemExit(f"no frames within {PATIENCE:g} s")
        while not self._moved():
            pass

    def _moved(self) -> bool:
        """Plan and move there; return whether that was done."""
        plan = self.reply(
            PlanMotion, "plan_motion", lambda reply: reply.reply.success, request=self._request
        )
        # To stay where it is: the next plan begins there, too.
        way = plan.reply.trajectory
        way.points = way.points[:1]
        sent = self._motions.send_goal_async(FollowJointTrajectory.Goal(trajectory=way))
        if not self.until(sent.done, 1.0) or not sent.result().accepted:
            return False
        ended = sent.result().get_result_async()
        return self.until(ended.done, 5.0) and ended.result().result.error_code == 0


def start(name: str) -> subprocess.Popen[bytes]:
    """Start one of the nodes."""
    return started(f"{NODES}.{name}", "--ros-args", *OPTIONS[name])


def measure(rounds: int) -> dict[str, list[float]]:
    """Return the seconds after each return of each node."""
    rclpy.init()
    client = Client()
    running = {name: start(name) for name in OPTIONS}
    seconds: dict[str, list[float]] = {name: [] for name in OPTIONS}
    try:
        client.all_work()
        for _ in range(rounds):
            for name in OPTIONS:
                running[name].kill()
                running[name].wait()
                running[name] = start(name)
                client.returned(name)
                begin = time.monotonic()
                client.all_work()
                seconds[name].append(time.monotonic() - begin)
        return seconds
    finally:
        ended(list(running.values()))
        rclpy.try_shutdown()


def main() -> None:
    """Measure and print a line for each node."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--rounds", type=int, default=5, help="how often each node is killed")
    parser.add_argument("--json", type=Path, help="write the figures there, too")
    chosen = parser.parse_args()
    be_alone()
    seconds = measure(chosen.rounds)
    for name, own in seconds.items():
        print(f"{name:22} median {np.median(own):.2f} s, longest {max(own):.2f} s")
    if chosen.json:
        chosen.json.write_text(json.dumps(seconds, indent=2) + "\n")


if __name__ == "__main__":
    main()
