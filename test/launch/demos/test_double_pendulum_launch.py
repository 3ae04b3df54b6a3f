"""double_pendulum.launch.py: it starts at 30 degrees, and its frames fall."""

import math
from typing import Any

import numpy as np
import pytest
from builtin_interfaces.msg import Duration
from launch import LaunchDescription
from rclpy.time import Time
from rigid_tree_interfaces.srv import StepSimulation
from tf2_ros import Buffer, TransformListener

from harness.start import launching
from rigid_tree_kinematics import load_robot
from rigid_tree_kinematics.dynamics import simulate

START = [math.radians(30.0), 0.0]


@pytest.mark.launch_test
def generate_test_description() -> LaunchDescription:
    return launching.description("double_pendulum.launch.py", {"paused": "true"})


class TestRunning(launching.LaunchTestCase):
    def setUp(self) -> None:
        super().setUp()
        self.buffer = Buffer()
        self.listener = TransformListener(self.buffer, self.probe.node)

    def rod_is_at(self, positions: Any) -> None:
        """Wait until rod C is in TF where these joint positions bring it."""
        expected = load_robot("double_pendulum").get_transform(positions, "C")[:3, 3]

        def is_there() -> Any:
            if not self.buffer.can_transform("A", "C", Time()):
                return False
            at = self.buffer.lookup_transform("A", "C", Time()).transform.translation
            return np.abs([at.x, at.y, at.z] - expected).max() < 1e-6

        self.probe.until(is_there, f"rod C at {expected}")

    def test_it_falls_from_thirty_degrees(self) -> None:
        self.rod_is_at(START)
        step = StepSimulation.Request(duration=Duration(sec=3))
        reply = self.probe.call(StepSimulation, "/robot_simulator/step", step)
        assert reply.success, reply.message
        motion = simulate(load_robot("double_pendulum"), START, [0.0, 0.0], None, 3.0)
        self.rod_is_at(motion.positions[-1])


class TestAfterwards(launching.ExitCodes):
    processes = 1
