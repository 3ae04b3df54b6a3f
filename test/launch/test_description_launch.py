"""description.launch.py: both nodes up, frames of the whole robot, clean ends."""

import os
import time
import unittest
from pathlib import Path

import launch_testing
import launch_testing.actions
import launch_testing.asserts
import pytest
import rclpy
from launch import LaunchDescription
from launch.actions import IncludeLaunchDescription, SetEnvironmentVariable
from launch.launch_description_sources import PythonLaunchDescriptionSource
from rclpy.qos import DurabilityPolicy, QoSProfile
from tf2_msgs.msg import TFMessage

from rigid_tree_kinematics import load_robot

LAUNCH = Path(__file__).parents[2] / "launch" / "description.launch.py"
DOMAIN = str(58 + os.getpid() % 4)
TIMEOUT = 30.0  # s


@pytest.mark.launch_test
def generate_test_description():
    os.environ["ROS_DOMAIN_ID"] = DOMAIN
    return LaunchDescription(
        [
            SetEnvironmentVariable("ROS_DOMAIN_ID", DOMAIN),
            IncludeLaunchDescription(
                PythonLaunchDescriptionSource(str(LAUNCH)),
                launch_arguments={
                    "robot": "ur5",
                    "namespace": "arm",
                    "frame_prefix": "arm/",
                    "rviz": "true",
                }.items(),
            ),
            launch_testing.actions.ReadyToTest(),
        ]
    )


class TestRunning(unittest.TestCase):
    def setUp(self):
        rclpy.init()
        self.node = rclpy.create_node("launch_test")

    def tearDown(self):
        self.node.destroy_node()
        rclpy.shutdown()

    def test_all_frames_come_with_the_prefix(self):
        frames = set()

        def on_transforms(message):
            frames.update(stamped.child_frame_id for stamped in message.transforms)

        latched = QoSProfile(depth=1, durability=DurabilityPolicy.TRANSIENT_LOCAL)
        self.node.create_subscription(TFMessage, "/tf", on_transforms, 100)
        self.node.create_subscription(TFMessage, "/tf_static", on_transforms, latched)
        wanted = {f"arm/{name}" for name in load_robot("ur5").body_names}
        deadline = time.monotonic() + TIMEOUT
        while frames != wanted and time.monotonic() < deadline:
            rclpy.spin_once(self.node, timeout_sec=0.1)
        assert frames == wanted

    def test_nodes_say_which_robot_they_have(self, proc_output):
        proc_output.assertWaitFor("listening on /arm/joint_states", timeout=TIMEOUT)
        proc_output.assertWaitFor("mode sweep", timeout=TIMEOUT)


@launch_testing.post_shutdown_test()
class TestAfterwards(unittest.TestCase):
    def test_exit_codes(self, proc_info):
        launch_testing.asserts.assertExitCodes(proc_info)
