"""ik.launch.py: the services answer another process, in a namespace and with a frame prefix."""

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
from launch_ros.actions import Node
from rigid_tree_interfaces.srv import ComputeFK, SolveIK
from sensor_msgs.msg import JointState

LAUNCH = Path(__file__).parents[2] / "launch" / "ik.launch.py"
DOMAIN = str(62 + os.getpid() % 4)
TIMEOUT = 30.0  # s
TIP = "panda_link8"


@pytest.mark.launch_test
def generate_test_description():
    os.environ["ROS_DOMAIN_ID"] = DOMAIN
    demo = Node(
        package="rigid_tree_kinematics",
        executable="ik_demo",
        namespace="arm",
        parameters=[{"duration": 0.5}],
        output="screen",
    )
    description = LaunchDescription(
        [
            SetEnvironmentVariable("ROS_DOMAIN_ID", DOMAIN),
            IncludeLaunchDescription(
                PythonLaunchDescriptionSource(str(LAUNCH)),
                launch_arguments={
                    "robot": "panda",
                    "namespace": "arm",
                    "frame_prefix": "arm/",
                    "timeout": "0.5",
                    "processes": "each",
                }.items(),
            ),
            demo,
            launch_testing.actions.ReadyToTest(),
        ]
    )
    return description, {"demo": demo}


class TestRunning(unittest.TestCase):
    def setUp(self):
        rclpy.init()
        self.node = rclpy.create_node("launch_test")
        self.ik = self.node.create_client(SolveIK, "/arm/inverse_kinematics")
        self.fk = self.node.create_client(ComputeFK, "/arm/forward_kinematics")

    def tearDown(self):
        self.node.destroy_node()
        rclpy.shutdown()

    def call(self, client, request):
        """Call until the server has got its robot from the topic."""
        assert client.wait_for_service(TIMEOUT)
        deadline = time.monotonic() + TIMEOUT
        while time.monotonic() < deadline:
            future = client.call_async(request)
            rclpy.spin_until_future_complete(self.node, future, timeout_sec=TIMEOUT)
            reply = future.result()
            assert reply is not None, "no reply"
            if reply.code != reply.NO_ROBOT:
                return reply
            time.sleep(0.1)
        raise AssertionError("the server never got a robot")

    def test_a_pose_computed_by_one_service_is_solved_by_the_other(self):
        names = [f"panda_joint{number}" for number in range(1, 8)]
        positions = [0.3, -0.6, 0.2, -2.0, 0.1, 1.7, 0.5]
        there = self.call(
            self.fk,
            ComputeFK.Request(
                joint_state=JointState(name=names, position=positions),
                bodies=[TIP],
                base="panda_link2",
            ),
        )
        assert there.success, there.message
        target = there.poses[0]
        assert target.header.frame_id == "arm/panda_link2"
        # Given in a frame that moves, so that TF has to say where it is.
        reply = self.call(self.ik, SolveIK.Request(body=TIP, target=target))
        assert reply.success, reply.message

        target.header.frame_id = ""
        seed = JointState(name=names[:2], position=positions[:2])
        reply = self.call(
            self.ik, SolveIK.Request(body=TIP, base="panda_link2", target=target, seed=seed)
        )
        assert reply.success, reply.message
        again = self.call(
            self.fk,
            ComputeFK.Request(joint_state=reply.solutions[0], bodies=[TIP], base="panda_link2"),
        )
        for part in ("position", "orientation"):
            found, wanted = (getattr(p.pose, part) for p in (again.poses[0], target))
            for field in wanted.get_fields_and_field_types():
                assert abs(getattr(found, field) - getattr(wanted, field)) < 2e-6

    def test_a_request_without_sense_is_answered(self):
        reply = self.call(self.ik, SolveIK.Request(body="panda_link88"))
        assert reply.code == SolveIK.Response.INVALID_REQUEST
        assert "did you mean 'panda_link8'" in reply.message

    def test_the_demo_moves_the_robot_to_the_solution(self, proc_output, proc_info, demo):
        proc_output.assertWaitFor("the robot moved to", process=demo, timeout=TIMEOUT)
        proc_info.assertWaitForShutdown(process=demo, timeout=TIMEOUT)


@launch_testing.post_shutdown_test()
class TestAfterwards(unittest.TestCase):
    def test_exit_codes(self, proc_info):
        launch_testing.asserts.assertExitCodes(proc_info)
