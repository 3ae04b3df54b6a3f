"""planar_rrt.launch.py: map, tree, path and obstacles are published, and the arm arrives."""

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
from nav_msgs.msg import OccupancyGrid
from rclpy.qos import DurabilityPolicy, QoSProfile
from sensor_msgs.msg import JointState
from tf2_msgs.msg import TFMessage
from visualization_msgs.msg import MarkerArray

LAUNCH = Path(__file__).parents[2] / "launch" / "planar_rrt.launch.py"
DOMAIN = str(82 + os.getpid() % 4)
TIMEOUT = 60.0  # s
LATCHED = QoSProfile(depth=10, durability=DurabilityPolicy.TRANSIENT_LOCAL)


@pytest.mark.launch_test
def generate_test_description():
    os.environ["ROS_DOMAIN_ID"] = DOMAIN
    return LaunchDescription(
        [
            SetEnvironmentVariable("ROS_DOMAIN_ID", DOMAIN),
            IncludeLaunchDescription(
                PythonLaunchDescriptionSource(str(LAUNCH)),
                launch_arguments={"growth_time": "1.0"}.items(),
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

    def hear(self, kind, topic, qos=LATCHED):
        heard = []
        self.node.create_subscription(kind, topic, heard.append, qos)
        return heard

    def until(self, condition, what):
        deadline = time.monotonic() + TIMEOUT
        while not condition():
            assert time.monotonic() < deadline, f"never came: {what}"
            rclpy.spin_once(self.node, timeout_sec=0.05)

    def test_what_is_shown_and_where_the_arm_goes(self):
        grids = self.hear(OccupancyGrid, "configuration_map")
        scenes = self.hear(MarkerArray, "scene_markers")
        trees = self.hear(MarkerArray, "planning_tree")
        paths = self.hear(MarkerArray, "planned_path")
        static = self.hear(TFMessage, "/tf_static")
        frames = self.hear(TFMessage, "/tf", 100)
        states = self.hear(JointState, "joint_states", 100)

        self.until(lambda: grids and scenes, "map and obstacles")
        grid = grids[0]
        assert (grid.info.width, grid.info.height) == (501, 501)
        cells = np.array(grid.data).reshape(501, 501)
        assert (int((cells == 0).sum()), int((cells == 100).sum())) == (132685, 118316)
        # The arm stretched along +x is free, up along +y it is not: rows are joint 2.
        assert cells[0, 0] == 0
        assert cells[0, 125] == 100
        assert len(scenes[0].markers) == 3
        self.until(
            lambda: any(
                t.child_frame_id == grid.header.frame_id for m in static for t in m.transforms
            ),
            "the map's frame",
        )
        self.until(lambda: len(trees) > 2 and paths, "tree and path")
        sizes = [len(message.markers[0].points) for message in trees]
        assert sizes == sorted(sizes)
        assert sizes[-1] > sizes[0]

        # The end of the path, and the end of the arm at the goal point in TF.
        def at_the_goal():
            return states and np.allclose(
                np.mod(states[-1].position, 2 * np.pi), [0.2000111296, 1.9438561541], atol=1e-9
            )

        self.until(at_the_goal, "the arm at the goal")
        self.until(lambda: frames, "frames")


@launch_testing.post_shutdown_test()
class TestAfterwards(unittest.TestCase):
    def test_exit_codes(self, proc_info):
        launch_testing.asserts.assertExitCodes(proc_info)
