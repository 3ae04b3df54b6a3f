"""nao.launch.py: a simulated NAO, with its bridge, frames, inverse kinematics and planner."""

from collections.abc import Callable
from importlib.util import find_spec
from typing import Any

import pytest
from geometry_msgs.msg import PoseStamped
from launch import LaunchDescription
from nao_motion_interfaces.srv import Call
from rigid_tree_interfaces.msg import PlanReply, PlanRequest
from rigid_tree_interfaces.srv import PlanMotion, SolveIK
from sensor_msgs.msg import JointState
from tf2_msgs.msg import TFMessage
from trajectory_msgs.msg import JointTrajectory

from harness.processes import free_port
from harness.start import launching

if find_spec("qi") is None:  # not imported: it crashes beside coal
    pytest.skip("libqi: pip install qi (Python 3.8 to 3.12)", allow_module_level=True)


@pytest.mark.launch_test
def generate_test_description() -> LaunchDescription:
    arguments = {
        "nao_port": str(free_port()),
        "version": "V5",
        "namespace": "nao_left",
        "frame_prefix": "left/",
        "ik": "true",
        "planner": "true",
    }
    return launching.description("nao.launch.py", arguments)


class TestRunning(launching.LaunchTestCase):
    def call(
        self, condition: Callable[[Any], bool], kind: type, service: str, **fields: Any
    ) -> Any:
        """Ask until the reply is as it has to be."""
        return self.probe.call_until(condition, kind, f"/nao_left/{service}", **fields)

    def test_the_robot_moves_along_a_plan(self) -> None:
        self.call(lambda reply: reply.success, Call, "wake_up")

        names = ["LShoulderPitch", "LShoulderRoll", "LElbowYaw", "LElbowRoll"]
        goal = [0.4, 0.6, -1.0, -0.8]
        request = PlanRequest(
            goal_states=[JointState(name=names, position=goal)], moving_joints=names
        )
        reply = self.call(
            lambda reply: reply.reply.code != PlanReply.NO_ROBOT,
            PlanMotion,
            "plan_motion",
            request=request,
        ).reply
        assert reply.success, reply.message
        states = self.probe.record(JointState, "/nao_left/joint_states")
        publisher = self.probe.publisher(JointTrajectory, "/nao_left/joint_trajectory")
        publisher.publish(reply.trajectory)

        def arrived() -> Any:
            now = dict(zip(states[-1].name, states[-1].position, strict=True)) if states else {}
            return now and all(abs(now[n] - g) < 1e-9 for n, g in zip(names, goal, strict=True))

        self.probe.until(arrived, "the arm at its goal")
        frames = self.probe.record(TFMessage, "/tf")
        wanted = {"left/base_link", "left/LForeArm"}  # of the bridge and of the publisher

        def came() -> Any:
            return {t.child_frame_id for message in frames for t in message.transforms}

        self.probe.until(lambda: wanted <= came(), "frames with the prefix")

    def test_inverse_kinematics_knows_the_chains(self) -> None:
        target = PoseStamped()
        target.pose.position.x = target.pose.position.y = 0.15
        target.pose.orientation.w = 1.0
        reply = self.call(
            lambda reply: reply.code != reply.NO_ROBOT,
            SolveIK,
            "inverse_kinematics",
            body="LArm",
            weights=[0.0, 0.0, 0.0, 1.0, 1.0, 1.0],
            target=target,
        )
        assert reply.success, reply.message


class TestAfterwards(launching.ExitCodes):
    processes = 3
