"""rrt_planner with a depth camera: processor time, and response time of requests.

The planner runs in its own process with a Panda above a table and in front of a wall. The clouds
show the table and the wall with 2 mm of noise; a quarter of the points are on the robot. A point
has 32 bytes, as depth cameras publish them. Joint states are published at 100 Hz, and check_state
is called ten times per second.
"""

import tempfile
import time
from typing import Any

import numpy as np
import psutil
import yaml
from numpy.typing import NDArray
from rigid_tree_interfaces.srv import CheckState
from sensor_msgs.msg import JointState, PointCloud2

from benchmarks.frame import Report, main, spread
from benchmarks.nodes.network import Asker, core_share, network, running
from rigid_tree_kinematics import load_robot
from rigid_tree_kinematics.nodes.scene.clouds import cloud_message

WARM_UP = 2.0  # s
POINT_STEP = 32  # bytes
NOISE = 0.002  # m
CLOUDS = 5  # different clouds
BEGIN = np.array([1.0, 0.3, 0.0, -1.8, 0.0, 2.1, 0.785])


def scenery(count: int, rng: np.random.Generator) -> NDArray[np.float64]:
    """Return points (count, 3) on a table, on a wall and near the robot's joints."""
    half, quarter = count // 2, count // 4
    table = [rng.uniform(0.2, 1.0, half), rng.uniform(-1.0, 1.0, half), np.zeros(half)]
    wall = [np.ones(quarter), rng.uniform(-1.0, 1.0, quarter), rng.uniform(0.0, 1.5, quarter)]
    robot = load_robot("panda")
    joints = [robot.get_transform(BEGIN, f"panda_link{k}")[:3, 3] for k in (3, 4, 5, 6)]
    own = np.array(joints)[rng.integers(4, size=count - half - quarter)]
    return np.vstack([np.column_stack(table), np.column_stack(wall), own])


def messages(count: int) -> list[PointCloud2]:
    """Return clouds of the same scene."""
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
    """Publishes clouds and joint states, and calls check_state."""

    def __init__(self, asker: Asker, count: int, rate: float) -> None:
        self._asker = asker
        self._clouds = asker.node.create_publisher(PointCloud2, "points", 5)
        self._states = asker.node.create_publisher(JointState, "joint_states", 10)
        self._messages = messages(count)
        self._rate = rate
        self.shown: list[PointCloud2] = []
        asker.node.create_subscription(PointCloud2, "seen_points", self.shown.append, 10)

    def check(self) -> bool:
        """Call check_state; return whether it responded, which needs a robot."""
        state = self._state()
        return bool(self._asker.call(CheckState, "check_state", joint_state=state).success)

    def _state(self) -> JointState:
        names = [f"panda_joint{k}" for k in range(1, 8)]
        state = JointState(name=names, position=BEGIN.tolist())
        state.header.stamp = self._asker.node.get_clock().now().to_msg()
        return state

    def work(self, planner: psutil.Process, seconds: float, with_clouds: bool) -> dict[str, Any]:
        """Publish for some seconds; return the planner's cost."""
        clouds, took, seen = 0, [], len(self.shown)
        begin = time.monotonic()
        with core_share([planner]) as share:
            for tick in range(int(100 * seconds)):
                self._states.publish(self._state())
                if with_clouds and tick * self._rate >= 100 * clouds:
                    message = self._messages[clouds % CLOUDS]
                    message.header.stamp = self._asker.node.get_clock().now().to_msg()
                    self._clouds.publish(message)
                    clouds += 1
                if tick % 10 == 5:
                    asked = time.monotonic()
                    self.check()
                    took.append(1e3 * (time.monotonic() - asked))
                time.sleep(max(0.0, begin + 0.01 * (tick + 1) - time.monotonic()))
        return {
            **share,
            **spread(took, (50, 100), "check_state ms"),
            "clouds": clouds,
            "shown": len(self.shown) - seen,
            "cells": self.shown[-1].width if with_clouds and self.shown else 0,
        }


def run(options: Any, report: Report) -> None:
    """Measure without and with clouds."""
    # Reliable, because the network's buffers may be too small for a cloud.
    reliable = {"/points": {"subscription": {"reliability": "reliable"}}}
    parameters = {"robot": "panda", "qos_overrides": reliable}
    with network("camera") as asker, tempfile.NamedTemporaryFile("w", suffix=".yaml") as file:
        yaml.safe_dump({"rrt_planner": {"ros__parameters": parameters}}, file)
        file.flush()
        camera = Camera(asker, options.points, options.rate)
        arguments = ["--ros-args", "--params-file", file.name]
        with running("rrt_planner", *arguments) as planner:
            asker.expect(camera.check, "robot in rrt_planner")
            camera.work(planner, WARM_UP, with_clouds=True)
            for name, clouds in (("without clouds", False), ("with clouds", True)):
                report.row("rrt_planner", name, camera.work(planner, options.seconds, clouds))


if __name__ == "__main__":
    main(run, points=100_000, rate=10.0, seconds=20.0)
