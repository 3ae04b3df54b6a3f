"""nao.launch.py: a simulated NAO, with its bridge, frames, inverse kinematics and planner."""

import os
import socket
import time
import unittest
from importlib.util import find_spec
from pathlib import Path

import launch_testing
import launch_testing.actions
import launch_testing.asserts
import pytest
import rclpy
from launch import LaunchDescription
from launch.actions import IncludeLaunchDescription, SetEnvironmentVariable
from launch.launch_description_sources import PythonLaunchDescriptionSource
from nao_motion_interfaces.srv import Call, GetTransform
from rclpy.time import Time
from rigid_tree_interfaces.msg import PlanReply, PlanRequest
from rigid_tree_interfaces.srv import PlanMotion, SolveIK
from sensor_msgs.msg import JointState
from tf2_ros import Buffer, TransformListener
from trajectory_msgs.msg import JointTrajectory

if find_spec("qi") is None:  # not imported: it crashes beside coal
    pytest.skip("libqi: pip install qi (Python 3.8 to 3.12)", allow_module_level=True)

LAUNCH = Path(__file__).parents[2] / "launch"
DOMAIN = str(74 + os.getpid() % 8)
TIMEOUT = 30.0  # s


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


@pytest.mark.launch_test
def generate_test_description():
    os.environ["ROS_DOMAIN_ID"] = DOMAIN
    return LaunchDescription(
        [
            SetEnvironmentVariable("ROS_DOMAIN_ID", DOMAIN),
            IncludeLaunchDescription(
                PythonLaunchDescriptionSource(str(LAUNCH / "nao.launch.py")),
                launch_arguments={
                    "nao_port": str(free_port()),
                    "version": "V5",
                    "namespace": "nao_left",
                    "frame_prefix": "left/",
                    "ik": "true",
                    "planner": "true",
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

    def call(self, kind, service, until, /, **fields):
        """Ask until the reply is as it has to be; nodes find each other in their own time."""
        client = self.node.create_client(kind, f"/nao_left/{service}")
        assert client.wait_for_service(TIMEOUT), service
        deadline = time.monotonic() + TIMEOUT
        while time.monotonic() < deadline:
            future = client.call_async(kind.Request(**fields))
            rclpy.spin_until_future_complete(self.node, future, timeout_sec=5.0)
            if future.done() and until(future.result()):
                return future.result()
            time.sleep(0.1)
        raise AssertionError(f"{service}: {future.result()}")

    def test_the_robot_moves_along_a_plan(self):
        self.call(Call, "wake_up", lambda reply: reply.success)
        buffer = Buffer()
        TransformListener(buffer, self.node)
        names = ["LShoulderPitch", "LShoulderRoll", "LElbowYaw", "LElbowRoll"]
        goal = [0.4, 0.6, -1.0, -0.8]
        request = PlanRequest(
            goal_states=[JointState(name=names, position=goal)], moving_joints=names
        )
        reply = self.call(
            PlanMotion,
            "plan_motion",
            lambda reply: reply.reply.code != PlanReply.NO_ROBOT,
            request=request,
        ).reply
        assert reply.success, reply.message
        publisher = self.node.create_publisher(JointTrajectory, "/nao_left/joint_trajectory", 10)
        deadline = time.monotonic() + TIMEOUT
        while not publisher.get_subscription_count():
            assert time.monotonic() < deadline
            time.sleep(0.05)
        publisher.publish(reply.trajectory)
        states = []
        self.node.create_subscription(JointState, "/nao_left/joint_states", states.append, 10)

        def arrived():
            if not states:
                return False
            now = dict(zip(states[-1].name, states[-1].position, strict=True))
            return all(abs(now[n] - g) < 1e-9 for n, g in zip(names, goal, strict=True))

        while not arrived():
            assert time.monotonic() < deadline, states[-1:]
            rclpy.spin_once(self.node, timeout_sec=0.1)
        # TF and the robot agree on where the hand is, under the prefix.
        said = self.call(
            GetTransform,
            "get_transform",
            lambda reply: reply.success,
            name="LArm",
            space=1,
            use_sensors=True,
        ).transform
        # At rest, what was heard before the answer is as good as what comes after it.
        while not buffer.can_transform("left/odom", "left/LArm", Time()):
            assert time.monotonic() < deadline + TIMEOUT, "no frames"
            rclpy.spin_once(self.node, timeout_sec=0.05)
        for _ in range(20):
            rclpy.spin_once(self.node, timeout_sec=0.05)
        hand = buffer.lookup_transform("left/odom", "left/LArm", Time()).transform.translation
        assert max(abs(hand.x - said[3]), abs(hand.y - said[7]), abs(hand.z - said[11])) < 1e-6

    def test_inverse_kinematics_knows_the_chains(self):
        request = SolveIK.Request(body="LArm", weights=[0.0, 0.0, 0.0, 1.0, 1.0, 1.0])
        request.target.pose.position.x = 0.15
        request.target.pose.position.y = 0.15
        request.target.pose.orientation.w = 1.0
        fields = {name: getattr(request, name) for name in ("body", "weights", "target")}
        reply = self.call(SolveIK, "inverse_kinematics", lambda r: r.code != r.NO_ROBOT, **fields)
        assert reply.success, reply.message


@launch_testing.post_shutdown_test()
class TestAfterwards(unittest.TestCase):
    def test_exit_codes(self, proc_info):
        launch_testing.asserts.assertExitCodes(proc_info)
        assert len(proc_info.process_names()) == 3
