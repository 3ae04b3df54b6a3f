"""double_pendulum.launch.py: it begins at 30 degrees, and its frames fall as they should."""

import math
import os
import time
import unittest
from pathlib import Path

import launch_testing
import launch_testing.actions
import launch_testing.asserts
import numpy as np
import pytest
import rclpy
from launch import LaunchDescription
from launch.actions import IncludeLaunchDescription, SetEnvironmentVariable
from launch.launch_description_sources import PythonLaunchDescriptionSource
from rclpy.time import Time
from rigid_tree_interfaces.srv import StepSimulation
from tf2_ros import Buffer, TransformListener

from rigid_tree_kinematics import load_robot
from rigid_tree_kinematics.dynamics import simulate

LAUNCH = Path(__file__).parents[2] / "launch"
DOMAIN = str(94 + os.getpid() % 8)
TIMEOUT = 30.0  # s
START = [math.radians(30.0), 0.0]


@pytest.mark.launch_test
def generate_test_description():
    os.environ["ROS_DOMAIN_ID"] = DOMAIN
    return LaunchDescription(
        [
            SetEnvironmentVariable("ROS_DOMAIN_ID", DOMAIN),
            IncludeLaunchDescription(
                PythonLaunchDescriptionSource(str(LAUNCH / "double_pendulum.launch.py")),
                launch_arguments={"paused": "true"}.items(),
            ),
            launch_testing.actions.ReadyToTest(),
        ]
    )


class TestRunning(unittest.TestCase):
    def setUp(self):
        rclpy.init()
        self.node = rclpy.create_node("launch_test")
        self.buffer = Buffer()
        self.listener = TransformListener(self.buffer, self.node)

    def tearDown(self):
        self.node.destroy_node()
        rclpy.shutdown()

    def rod_is_at(self, positions):
        """Spin until rod C is in TF where these joint positions bring it."""
        expected = load_robot("double_pendulum").get_transform(positions, "C")[:3, 3]
        deadline = time.monotonic() + TIMEOUT
        found = None
        while time.monotonic() < deadline:
            rclpy.spin_once(self.node, timeout_sec=0.1)
            if self.buffer.can_transform("A", "C", Time()):
                at = self.buffer.lookup_transform("A", "C", Time()).transform.translation
                found = np.array([at.x, at.y, at.z])
                if np.abs(found - expected).max() < 1e-6:
                    return
        raise AssertionError(f"{found} instead of {expected}")

    def test_it_falls_from_thirty_degrees(self):
        self.rod_is_at(START)
        client = self.node.create_client(StepSimulation, "/robot_simulator/step")
        assert client.wait_for_service(TIMEOUT)
        request = StepSimulation.Request()
        request.duration.sec = 3
        future = client.call_async(request)
        rclpy.spin_until_future_complete(self.node, future, timeout_sec=TIMEOUT)
        assert future.result().success, future.result().message
        motion = simulate(load_robot("double_pendulum"), START, [0.0, 0.0], None, 3.0)
        self.rod_is_at(motion.positions[-1])


@launch_testing.post_shutdown_test()
class TestAfterwards(unittest.TestCase):
    def test_exit_codes(self, proc_info):
        launch_testing.asserts.assertExitCodes(proc_info)
        assert len(proc_info.process_names()) == 1
