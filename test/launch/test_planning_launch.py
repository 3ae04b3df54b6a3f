"""planning.launch.py: plans in a namespace, obstacles through TF; and the pillars demo."""

import tempfile
from pathlib import Path
from typing import Any

import pytest
from builtin_interfaces.msg import Duration
from launch import LaunchDescription
from rigid_tree_interfaces.msg import Obstacle, PlanReply, PlanRequest, SceneChange
from rigid_tree_interfaces.srv import PlanMotion, SolveIK, UpdateScene
from sensor_msgs.msg import JointState
from shape_msgs.msg import SolidPrimitive

from harness.planner import GOAL, START, state
from harness.processes import TIMEOUT
from harness.start import launching

ARGUMENTS = {
    "robot": "panda",
    "scene": "panda_pillars",
    "namespace": "arm",
    "frame_prefix": "arm/",
}


@pytest.mark.launch_test
def generate_test_description() -> LaunchDescription:
    return launching.description("planning.launch.py", ARGUMENTS)


class TestRunning(launching.LaunchTestCase):
    def planned(self, **fields: Any) -> Any:
        """Plan as soon as the planner has received its robot."""
        fields = {"start": state(START), "goal_states": [state(GOAL)], **fields}
        return self.probe.call_until(
            lambda reply: reply.reply.code != PlanReply.NO_ROBOT,
            PlanMotion,
            "/arm/plan_motion",
            request=PlanRequest(**fields),
        ).reply

    def change_scene(self, operation: Any, obstacle: Any) -> None:
        change = SceneChange(operation=operation, obstacle=obstacle)
        reply = self.probe.call(UpdateScene, "/arm/update_scene", changes=[change])
        assert reply.success, reply.message

    def test_a_plan_between_the_pillars(self) -> None:
        reply = self.planned()
        assert reply.success, reply.message
        assert reply.trajectory.header.frame_id == "arm/panda_link0"
        assert list(reply.trajectory.points[0].positions) == START
        assert list(reply.trajectory.points[-1].positions) == GOAL

    def test_an_obstacle_in_a_moving_frame_is_found_through_tf_and_blocks(self) -> None:
        self.planned()
        crate = Obstacle(name="crate")
        crate.header.frame_id = "arm/panda_link8"
        crate.primitives = [SolidPrimitive(type=SolidPrimitive.SPHERE, dimensions=[0.3])]
        self.change_scene(SceneChange.ADD, crate)
        # The robot stands at home, and the crate around its flange.
        home = self.planned(start=JointState())
        assert home.code == PlanReply.START_BLOCKED
        assert "crate" in home.message
        request = SolveIK.Request(body="panda_link8", avoid_collisions=True)
        request.target.header.frame_id = "arm/panda_link8"
        request.target.pose.orientation.w = 1.0
        request.timeout = Duration(sec=5)
        answer = self.probe.call(SolveIK, "/arm/inverse_kinematics", request)
        assert answer.code == SolveIK.Response.ALL_BLOCKED, answer.message
        assert "crate" in answer.message
        self.change_scene(SceneChange.REMOVE, Obstacle(name="crate"))

    def test_the_pillars_demo_ends_by_itself_at_the_goal(self) -> None:
        with tempfile.TemporaryDirectory() as directory:
            log = Path(directory, "log")
            with launching.launched("panda_pillars.launch.py", log, once="true") as demo:
                assert demo.wait(2 * TIMEOUT) == 0, demo.output
                assert "the robot reached its goal" in demo.output


class TestAfterwards(launching.ExitCodes):
    processes = 1
