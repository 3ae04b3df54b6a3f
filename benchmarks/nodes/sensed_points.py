"""A depth camera's clouds into rrt_planner: processor share, and how long requests take meanwhile.

python -m benchmarks.nodes.sensed_points [--points 100000] [--rate 10] [--seconds 20] [--json FILE]

The planner runs in a process of its own and has a Panda before a wall over a table, both seen by
the camera with 2 mm of noise, and a quarter of the points on the robot itself. Points take 32
bytes, as depth cameras send them. Joint states come at 100 Hz. While the clouds come, the state
is checked ten times a second.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

import numpy as np
import rclpy
import yaml
from numpy.typing import NDArray
from rclpy.client import Client
from rclpy.node import Node
from rigid_tree_interfaces.srv import CheckState
from sensor_msgs.msg import JointState, PointCloud2

from benchmarks.nodes.state_publisher import processor_seconds
from rigid_tree_kinematics import load_robot
from rigid_tree_kinematics.nodes.scene.cloud_messages import cloud_message

START_TIMEOUT = 60.0  # s
WARM_UP = 2.0  # s
POINT_STEP = 32  # bytes
NOISE = 0.002  # m
CLOUDS = 5  # that differ
BEGIN = np.array([1.0, 0.3, 0.0, -1.8, 0.0, 2.1, 0.785])


def scenery(count: int, rng: np.random.Generator) -> NDArray[np.float64]:
    """Return points (count, 3) on a table, on a wall and at the robot's joints."""
    half, quarter = count // 2, count // 4
    table = [rng.uniform(0.2, 1.0, half), rng.uniform(-1.0, 1.0, half), np.zeros(half)]
    wall = [np.ones(quarter), rng.uniform(-1.0, 1.0, quarter), rng.uniform(0.0, 1.5, quarter)]
    robot = load_robot("panda")
    joints = [robot.get_transform(BEGIN, f"panda_link{k}")[:3, 3] for k in (3, 4, 5, 6)]
    own = np.array(joints)[rng.integers(4, size=count - half - quarter)]
    return np.vstack([np.column_stack(table), np.column_stack(wall), own])


def messages(count: int) -> list[PointCloud2]:
    """Return some clouds of one scenery."""
    rng = np.random.default_rng(0)
    points = scenery(count, rng)
    made = []
    for _ in range(CLOUDS):
        message = cloud_message(points + rng.normal(0.0, NOISE, points.shape))
        rows = np.zeros((count, POINT_STEP // 4), dtype=np.float32)
        rows[:, :3] = np.frombuffer(message.data, dtype=np.float32).reshape(-1, 3)
        message.point_step, message.row_step = POINT_STEP, POINT_STEP * count
        message.data = rows.tobytes()
        message.header.frame_id = "panda_link0"
        made.append(message)
    return made


class Camera:
    """A node that publishes clouds and joint states, and asks for states."""

    def __init__(self, node: Node, count: int, rate: float) -> None:
        self._node = node
        self._clouds = node.create_publisher(PointCloud2, "points", 5)
        self._states = node.create_publisher(JointState, "joint_states", 10)
        self._check: Client = node.create_client(CheckState, "check_state")
        self._messages = messages(count)
        self._rate = rate
        self.shown: list[PointCloud2] = []
        node.create_subscription(PointCloud2, "seen_points", self.shown.append, 10)

    def wait(self) -> None:
        """Return when the planner is there and has a robot."""
        deadline = time.monotonic() + START_TIMEOUT
        while not (self._check.wait_for_service(1.0) and self.check() >= 0.0):
            if time.monotonic() > deadline:
                raise SystemExit("rrt_planner did not start")

    def check(self) -> float:
        """Ask for a state; return how long the reply took (s), -1 if there is no robot yet."""
        request = CheckState.Request(joint_state=self._state())
        begin = time.monotonic()
        future = self._check.call_async(request)
        rclpy.spin_until_future_complete(self._node, future)
        took = time.monotonic() - begin
        reply = future.result()
        return took if reply is not None and reply.success else -1.0

    def _state(self) -> JointState:
        names = [f"panda_joint{k}" for k in range(1, 8)]
        state = JointState(name=names, position=BEGIN.tolist())
        state.header.stamp = self._node.get_clock().now().to_msg()
        return state

    def work(self, pid: int, seconds: float, with_clouds: bool) -> dict[str, Any]:
        """Publish for a while; return what that cost the planner."""
        begin, before = time.monotonic(), processor_seconds(pid)
        clouds, took, seen = 0, [], len(self.shown)
        for tick in range(int(100 * seconds)):
            self._states.publish(self._state())
            if with_clouds and tick * self._rate >= 100 * clouds:
                message = self._messages[clouds % CLOUDS]
                message.header.stamp = self._node.get_clock().now().to_msg()
                self._clouds.publish(message)
                clouds += 1
            if tick % 10 == 5:
                took.append(self.check())
            time.sleep(max(0.0, begin + 0.01 * (tick + 1) - time.monotonic()))
        share = (processor_seconds(pid) - before) / (time.monotonic() - begin)
        return {
            "clouds": clouds,
            "shown": len(self.shown) - seen,
            "processor_percent": 100.0 * share,
            "check_state_ms": {
                "median": 1e3 * float(np.median(took)),
                "max": 1e3 * max(took),
            },
        }


def measure(count: int, rate: float, seconds: float) -> dict[str, Any]:
    """Return what the planner needs without clouds and with them."""
    node = rclpy.create_node("camera")
    camera = Camera(node, count, rate)
    # Without loss, also where the network's buffers are small.
    reliable = {"/points": {"subscription": {"reliability": "reliable"}}}
    parameters = {"robot": "panda", "qos_overrides": reliable}
    with tempfile.NamedTemporaryFile("w", suffix=".yaml") as file:
        yaml.safe_dump({"rrt_planner": {"ros__parameters": parameters}}, file)
        file.flush()
        command = [sys.executable, "-m", "rigid_tree_kinematics.nodes.rrt_planner"]
        process = subprocess.Popen([*command, "--ros-args", "--params-file", file.name])
        try:
            camera.wait()
            camera.work(process.pid, WARM_UP, with_clouds=True)
            return {
                "without": camera.work(process.pid, seconds, with_clouds=False),
                "with": camera.work(process.pid, seconds, with_clouds=True),
                "cells": camera.shown[-1].width if camera.shown else 0,
            }
        finally:
            process.terminate()
            process.wait(10)
            node.destroy_node()


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n", 1)[0])
    parser.add_argument("--points", type=int, default=100_000)
    parser.add_argument("--rate", type=float, default=10.0)
    parser.add_argument("--seconds", type=float, default=20.0)
    parser.add_argument("--json", type=Path)
    chosen = parser.parse_args()
    rclpy.init()
    result = measure(chosen.points, chosen.rate, chosen.seconds)
    rclpy.shutdown()
    for name in ("without", "with"):
        part = result[name]
        print(
            f"{name} clouds: {part['processor_percent']:.0f} % of a core, check_state "
            f"{part['check_state_ms']['median']:.1f} ms (median), "
            f"{part['check_state_ms']['max']:.1f} ms (largest); {part['clouds']} clouds sent, "
            f"{part['shown']} times shown"
        )
    print(f"{result['cells']} cells seen")
    if chosen.json:
        chosen.json.write_text(json.dumps(result, indent=2))


if __name__ == "__main__":
    main()
