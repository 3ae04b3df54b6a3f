"""double_pendulum.launch.py: it starts at 30 degrees, and its frames fall."""

import math
from typing import Any

import numpy as np
import pytest
from builtin_interfaces.msg import Duration
from launch import LaunchDescription
from rigid_tree_interfaces.srv import StepSimulation
from tf2_msgs.msg import TFMessage

from harness.poses import poses_in
from harness.probe import LATCHED_BY_MANY
from harness.start import launching
from rigid_tree_kinematics import load_robot
from rigid_tree_kinematics.dynamics import simulate

START = [math.radians(30.0), 0.0]


@pytest.mark.launch_test
def generate_test_description() -> LaunchDescription:
    return launching.description("double_pendulum.launch.py", {"paused": "true"})


class TestRunning(launching.LaunchTestCase):
    def test_it_falls_from_thirty_degrees(self) -> None:
        frames = self.probe.record(TFMessage, "/tf")
        static = self.probe.record(TFMessage, "/tf_static", LATCHED_BY_MANY)
        robot = load_robot("double_pendulum")

        def rod_is_at(positions: Any) -> Any:
            found = poses_in(*static[-1:], *frames[-1:]).get("C", np.zeros((4, 4)))
            return np.abs(found - robot.get_transform(positions, "C")).max() < 1e-6

        self.probe.until(lambda: rod_is_at(START), "rod C at the start")
        step = StepSimulation.Request(duration=Duration(sec=3))
        reply = self.probe.call(StepSimulation, "/robot_simulator/step", step)
        assert reply.success, reply.message
        end = simulate(robot, START, [0.0, 0.0], None, 3.0).positions[-1]
        self.probe.until(lambda: rod_is_at(end), "rod C at the end")


class TestAfterwards(launching.ExitCodes):
    processes = 1
