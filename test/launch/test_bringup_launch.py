"""bringup.launch.py: the simulated robot executes a planned path."""

from typing import Any

import pytest
from control_msgs.action import FollowJointTrajectory
from launch import LaunchDescription
from rcl_interfaces.srv import GetParameters
from rigid_tree_interfaces.msg import PlanReply, PlanRequest
from rigid_tree_interfaces.srv import PlanMotion
from sensor_msgs.msg import JointState

from harness.start import launching

START = {"panda_joint1": 1.0, "panda_joint2": 0.3, "panda_joint4": -1.8, "panda_joint6": 2.1}
GOAL = {**START, "panda_joint1": -1.0}


@pytest.mark.launch_test
def generate_test_description() -> LaunchDescription:
    arguments = {
        "robot": "panda",
        "namespace": "arm",
        "frame_prefix": "arm/",
        "scene": "panda_pillars",
        "mode": "dynamic",
        "initial_positions": str(START),
    }
    return launching.description("bringup.launch.py", arguments)


class TestRunning(launching.LaunchTestCase):
    def setUp(self) -> None:
        super().setUp()
        self.states = self.probe.record(JointState, "/arm/joint_states")

    def where(self) -> Any:
        """Return the joints' positions by name, as they are after this call."""
        begin = self.probe.node.get_clock().now().nanoseconds

        def is_fresh() -> Any:
            stamp = self.states[-1].header.stamp if self.states else None
            return stamp and stamp.sec * 10**9 + stamp.nanosec > begin

        self.probe.until(is_fresh, "joint states")
        return dict(zip(self.states[-1].name, self.states[-1].position, strict=True))

    def planned(self, goal: Any) -> Any:
        state = JointState(name=list(goal), position=list(goal.values()))
        reply = self.probe.call_until(
            # Blocked: until the planner has heard where the joints are, they are at zero.
            lambda reply: reply.reply.code not in (PlanReply.NO_ROBOT, PlanReply.START_BLOCKED),
            PlanMotion,
            "/arm/plan_motion",
            request=PlanRequest(goal_states=[state]),
        ).reply
        assert reply.success, reply.message
        return reply.trajectory

    def test_a_plan_is_executed(self) -> None:
        self.where()
        trajectory = self.planned(GOAL)
        goal = FollowJointTrajectory.Goal(trajectory=trajectory)
        handle = self.probe.send_goal(FollowJointTrajectory, "/arm/follow_joint_trajectory", goal)
        assert handle.accepted
        result = self.probe.outcome(handle).result
        assert result.error_code == FollowJointTrajectory.Result.SUCCESSFUL, result.error_string
        end = dict(zip(trajectory.joint_names, trajectory.points[-1].positions, strict=True))
        now = self.where()
        for joint, position in GOAL.items():
            assert abs(end[joint] - position) < 1e-9
        assert all(abs(now[joint] - end[joint]) < 0.01 for joint in end), (now, end)

        # Frames wait for the simulator.
        service = "/arm/tree_state_publisher/get_parameters"
        reply = self.probe.call(GetParameters, service, names=["await_joint_states"])
        assert reply.values[0].bool_value


class TestAfterwards(launching.ExitCodes):
    processes = 1
