"""planning.launch.py: plans in a namespace, several clients, cancel; and the pillars demo."""

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
from launch import LaunchDescription
from launch.actions import IncludeLaunchDescription, SetEnvironmentVariable
from launch.launch_description_sources import PythonLaunchDescriptionSource
from rclpy.action import ActionClient
from rigid_tree_interfaces.action import PlanMotion as PlanMotionAction
from rigid_tree_interfaces.msg import Obstacle, PlanReply, PlanRequest, SceneChange
from rigid_tree_interfaces.srv import PlanMotion, SolveIK, UpdateScene
from sensor_msgs.msg import JointState
from shape_msgs.msg import SolidPrimitive

LAUNCH = Path(__file__).parents[2] / "launch"
DOMAIN = str(50 + os.getpid() % 4)
TIMEOUT = 30.0  # s
JOINTS = [f"panda_joint{number}" for number in range(1, 8)]
START = [1.0, 0.3, 0.0, -1.8, 0.0, 2.1, 0.785]
GOAL = [-1.0, *START[1:]]
ONCE = """
import sys
from launch import LaunchDescription, LaunchService
from launch.actions import IncludeLaunchDescription
from launch.launch_description_sources import PythonLaunchDescriptionSource

demo = IncludeLaunchDescription(
    PythonLaunchDescriptionSource(sys.argv[1]), launch_arguments={"once": "true"}.items()
)
service = LaunchService()
service.include_launch_description(LaunchDescription([demo]))
sys.exit(service.run())
"""


@pytest.mark.launch_test
def generate_test_description():
    os.environ["ROS_DOMAIN_ID"] = DOMAIN
    return LaunchDescription(
        [
            SetEnvironmentVariable("ROS_DOMAIN_ID", DOMAIN),
            IncludeLaunchDescription(
                PythonLaunchDescriptionSource(str(LAUNCH / "planning.launch.py")),
                launch_arguments={
                    "robot": "panda",
                    "scene": "panda_pillars",
                    "namespace": "arm",
                    "frame_prefix": "arm/",
                }.items(),
            ),
            launch_testing.actions.ReadyToTest(),
        ]
    )


def state(positions):
    return JointState(name=JOINTS, position=positions)


class TestRunning(unittest.TestCase):
    def setUp(self):
        rclpy.init()
        self.node = rclpy.create_node("launch_test")
        self.plan = self.node.create_client(PlanMotion, "/arm/plan_motion")
        self.update = self.node.create_client(UpdateScene, "/arm/update_scene")
        assert self.plan.wait_for_service(TIMEOUT)
        assert self.update.wait_for_service(TIMEOUT)

    def tearDown(self):
        self.node.destroy_node()
        rclpy.shutdown()

    def wait(self, future):
        rclpy.spin_until_future_complete(self.node, future, timeout_sec=TIMEOUT)
        assert future.done(), "no reply"
        return future.result()

    def planned(self, **fields):
        """Plan as soon as the planner has got its robot from the topic."""
        fields = {"start": state(START), "goal_states": [state(GOAL)], **fields}
        request = PlanMotion.Request(request=PlanRequest(**fields))
        deadline = time.monotonic() + TIMEOUT
        while time.monotonic() < deadline:
            reply = self.wait(self.plan.call_async(request)).reply
            if reply.code != PlanReply.NO_ROBOT:
                return reply
            time.sleep(0.1)
        raise AssertionError("the planner never got a robot")

    def test_a_plan_between_the_pillars(self):
        reply = self.planned()
        assert reply.success, reply.message
        assert reply.trajectory.header.frame_id == "arm/panda_link0"
        assert list(reply.trajectory.points[0].positions) == START
        assert list(reply.trajectory.points[-1].positions) == GOAL

    def test_an_obstacle_in_a_moving_frame_is_found_through_tf_and_blocks(self):
        self.planned()
        crate = Obstacle(name="crate")
        crate.header.frame_id = "arm/panda_link8"
        crate.primitives = [SolidPrimitive(type=SolidPrimitive.SPHERE, dimensions=[0.3])]
        add = SceneChange(operation=SceneChange.ADD, obstacle=crate)
        reply = self.wait(self.update.call_async(UpdateScene.Request(changes=[add])))
        assert reply.success, reply.message
        # The robot stands at home, and the crate around its flange.
        home = self.planned(start=JointState())
        assert home.code == PlanReply.START_BLOCKED
        assert "crate" in home.message
        ik = self.node.create_client(SolveIK, "/arm/inverse_kinematics")
        assert ik.wait_for_service(TIMEOUT)
        request = SolveIK.Request(body="panda_link8", avoid_collisions=True)
        request.target.header.frame_id = "arm/panda_link8"
        request.target.pose.orientation.w = 1.0
        request.timeout.sec = 5
        answer = self.wait(ik.call_async(request))
        assert answer.code == SolveIK.Response.ALL_BLOCKED, answer.message
        assert "crate" in answer.message
        remove = SceneChange(operation=SceneChange.REMOVE, obstacle=Obstacle(name="crate"))
        reply = self.wait(self.update.call_async(UpdateScene.Request(changes=[remove])))
        assert reply.success, reply.message

    def test_a_request_without_sense_is_answered(self):
        reply = self.planned(moving_joints=["panda_joint11"])
        assert reply.code == PlanReply.INVALID_REQUEST
        assert "panda_joint11" in reply.message

    def test_several_clients_at_once(self):
        self.planned()
        nodes = [rclpy.create_node(f"client_{number}") for number in range(4)]
        clients = [node.create_client(PlanMotion, "/arm/plan_motion") for node in nodes]
        futures = []
        for seed, client in enumerate(clients):
            assert client.wait_for_service(TIMEOUT)
            request = PlanRequest(start=state(START), goal_states=[state(GOAL)], seed=seed)
            futures.append(client.call_async(PlanMotion.Request(request=request)))
        for node, future in zip(nodes, futures, strict=True):
            rclpy.spin_until_future_complete(node, future, timeout_sec=TIMEOUT)
            assert future.result().reply.success
            node.destroy_node()

    def test_an_action_is_cancelled(self):
        self.planned()
        client = ActionClient(self.node, PlanMotionAction, "/arm/plan_motion_action")
        assert client.wait_for_server(TIMEOUT)
        goal = PlanMotionAction.Goal(
            request=PlanRequest(planner="rrt_star", start=state(START), goal_states=[state(GOAL)])
        )
        goal.request.time_limit.sec = 300
        handle = self.wait(client.send_goal_async(goal))
        assert handle.accepted
        self.wait(handle.cancel_goal_async())
        self.wait(handle.get_result_async())

    def test_the_pillars_demo_ends_by_itself_at_the_goal(self):
        run = subprocess.run(
            [sys.executable, "-c", ONCE, str(LAUNCH / "panda_pillars.launch.py")],
            env={**os.environ, "ROS_DOMAIN_ID": str(int(DOMAIN) + 4)},
            capture_output=True,
            text=True,
            timeout=2 * TIMEOUT,
            check=False,
        )
        assert run.returncode == 0, run.stdout + run.stderr
        assert "the robot reached its goal" in run.stdout + run.stderr


@launch_testing.post_shutdown_test()
class TestAfterwards(unittest.TestCase):
    def test_exit_codes(self, proc_info):
        launch_testing.asserts.assertExitCodes(proc_info)
