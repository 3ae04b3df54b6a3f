"""bringup.launch.py: the simulated robot executes a planned path, from Python and a shell."""

import os
import subprocess
import sys
import time
import unittest
from pathlib import Path

import launch_testing
import launch_testing.actions
import launch_testing.asserts
import pytest
import rclpy
from control_msgs.action import FollowJointTrajectory
from launch import LaunchDescription
from launch.actions import IncludeLaunchDescription, SetEnvironmentVariable
from launch.launch_description_sources import PythonLaunchDescriptionSource
from rclpy.action import ActionClient
from rigid_tree_interfaces.msg import PlanReply, PlanRequest
from rigid_tree_interfaces.srv import PlanMotion
from sensor_msgs.msg import JointState

LAUNCH = Path(__file__).parents[2] / "launch"
DOMAIN = str(86 + os.getpid() % 8)
TIMEOUT = 30.0  # s
START = {"panda_joint1": 1.0, "panda_joint2": 0.3, "panda_joint4": -1.8, "panda_joint6": 2.1}
GOAL = {**START, "panda_joint1": -1.0}


@pytest.mark.launch_test
def generate_test_description():
    os.environ["ROS_DOMAIN_ID"] = DOMAIN
    return LaunchDescription(
        [
            SetEnvironmentVariable("ROS_DOMAIN_ID", DOMAIN),
            IncludeLaunchDescription(
                PythonLaunchDescriptionSource(str(LAUNCH / "bringup.launch.py")),
                launch_arguments={
                    "robot": "panda",
                    "namespace": "arm",
                    "frame_prefix": "arm/",
                    "scene": "panda_pillars",
                    "mode": "dynamic",
                    "initial_positions": str(START),
                }.items(),
            ),
            launch_testing.actions.ReadyToTest(),
        ]
    )


class TestRunning(unittest.TestCase):
    def setUp(self):
        rclpy.init()
        self.node = rclpy.create_node("launch_test")
        self.states = []
        self.node.create_subscription(
            JointState, "/arm/joint_states", lambda m: self.states.append(m), 10
        )

    def tearDown(self):
        self.node.destroy_node()
        rclpy.shutdown()

    def wait(self, future):
        rclpy.spin_until_future_complete(self.node, future, timeout_sec=TIMEOUT)
        assert future.done(), "no reply"
        return future.result()

    def where(self):
        """Return the joints' positions by name, as they are after this call."""
        begin = self.node.get_clock().now().nanoseconds
        deadline = time.monotonic() + TIMEOUT
        while time.monotonic() < deadline:
            rclpy.spin_once(self.node, timeout_sec=0.1)
            if self.states:
                state = self.states[-1]
                stamp = state.header.stamp
                if stamp.sec * 10**9 + stamp.nanosec > begin:
                    return dict(zip(state.name, state.position, strict=True))
        raise AssertionError("no joint states")

    def planned(self, goal):
        client = self.node.create_client(PlanMotion, "/arm/plan_motion")
        assert client.wait_for_service(TIMEOUT)
        state = JointState(name=list(goal), position=list(goal.values()))
        request = PlanMotion.Request(request=PlanRequest(goal_states=[state]))
        deadline = time.monotonic() + TIMEOUT
        while time.monotonic() < deadline:
            reply = self.wait(client.call_async(request)).reply
            if reply.code != PlanReply.NO_ROBOT:
                assert reply.success, reply.message
                return reply.trajectory
            time.sleep(0.1)
        raise AssertionError("the planner never got a robot")

    def test_a_plan_is_executed(self):
        self.where()
        trajectory = self.planned(GOAL)
        client = ActionClient(self.node, FollowJointTrajectory, "/arm/follow_joint_trajectory")
        assert client.wait_for_server(TIMEOUT)
        sent = client.send_goal_async(FollowJointTrajectory.Goal(trajectory=trajectory))
        handle = self.wait(sent)
        assert handle.accepted
        result = self.wait(handle.get_result_async()).result
        assert result.error_code == FollowJointTrajectory.Result.SUCCESSFUL, result.error_string
        end = dict(zip(trajectory.joint_names, trajectory.points[-1].positions, strict=True))
        now = self.where()
        for joint, position in GOAL.items():
            assert abs(end[joint] - position) < 1e-9
        assert all(abs(now[joint] - end[joint]) < 0.01 for joint in end), (now, end)
        client.destroy()
        self.back_from_a_shell()

    def back_from_a_shell(self):
        """The same by one command, against the pillars' other side."""
        run = self.move("--speed", "0.5", *(f"{joint}={q}" for joint, q in START.items()))
        assert run.returncode == 0, run.stdout + run.stderr
        assert "reached its goal" in run.stdout + run.stderr
        now = self.where()
        assert all(abs(now[joint] - q) < 0.01 for joint, q in START.items()), now
        run = self.move("panda_joint2=99")
        assert run.returncode == 1
        assert "panda_joint2" in run.stdout + run.stderr

    def move(self, *arguments):
        module = "rigid_tree_kinematics.nodes.move_robot"
        remapped = ("--ros-args", "-r", "__ns:=/arm")
        return subprocess.run(
            [sys.executable, "-m", module, *arguments, *remapped],
            env={**os.environ, "ROS_DOMAIN_ID": DOMAIN},
            capture_output=True,
            text=True,
            timeout=2 * TIMEOUT,
            check=False,
        )


@launch_testing.post_shutdown_test()
class TestAfterwards(unittest.TestCase):
    def test_exit_codes(self, proc_info):
        launch_testing.asserts.assertExitCodes(proc_info)
        assert len(proc_info.process_names()) == 1
