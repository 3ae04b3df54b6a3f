"""ik.launch.py: the services work in a namespace and with a frame prefix."""

from typing import Any

import pytest
from launch import LaunchDescription
from launch_ros.actions import Node
from rigid_tree_interfaces.srv import ComputeFK, SolveIK
from sensor_msgs.msg import JointState

from harness.processes import TIMEOUT
from harness.start import launching

TIP = "panda_link8"
ARGUMENTS = {
    "robot": "panda",
    "namespace": "arm",
    "frame_prefix": "arm/",
    "timeout": "0.5",
    "processes": "each",
}


@pytest.mark.launch_test
def generate_test_description() -> tuple[LaunchDescription, dict[str, Any]]:
    demo = Node(
        package="rigid_tree_demos",
        executable="ik_demo",
        namespace="arm",
        parameters=[{"duration": 0.5}],
        output="screen",
    )
    return launching.description("ik.launch.py", ARGUMENTS, demo), {"demo": demo}


class TestRunning(launching.LaunchTestCase):
    def call_async(self, kind: Any, service: str, fields: dict[str, Any]) -> Any:
        """Return the reply of the server, once it has received its robot."""
        return self.probe.call_until(
            lambda reply: reply.code != reply.NO_ROBOT, kind, f"/arm/{service}", **fields
        )

    def solve(self, **fields: Any) -> Any:
        return self.call_async(SolveIK, "inverse_kinematics", fields)

    def poses(self, **fields: Any) -> Any:
        reply = self.call_async(ComputeFK, "forward_kinematics", fields)
        assert reply.success, reply.message
        return reply.poses

    def test_a_pose_computed_by_one_service_is_solved_by_the_other(self) -> None:
        names = [f"panda_joint{number}" for number in range(1, 8)]
        positions = [0.3, -0.6, 0.2, -2.0, 0.1, 1.7, 0.5]
        state = JointState(name=names, position=positions)
        target = self.poses(joint_state=state, bodies=[TIP], base="panda_link2")[0]
        assert target.header.frame_id == "arm/panda_link2"
        # Given in a frame that moves, so that TF has to say where it is.
        reply = self.solve(body=TIP, target=target)
        assert reply.success, reply.message

        target.header.frame_id = ""
        seed = JointState(name=names[:2], position=positions[:2])
        reply = self.solve(body=TIP, base="panda_link2", target=target, seed=seed)
        assert reply.success, reply.message
        again = self.poses(joint_state=reply.solutions[0], bodies=[TIP], base="panda_link2")[0]
        for part in ("position", "orientation"):
            found, wanted = (getattr(p.pose, part) for p in (again, target))
            for field in wanted.get_fields_and_field_types():
                assert abs(getattr(found, field) - getattr(wanted, field)) < 2e-6

    def test_the_demo_moves_the_robot_to_the_solution(
        self, proc_output: Any, proc_info: Any, demo: Any
    ) -> None:
        proc_output.assertWaitFor("the robot moved to", process=demo, timeout=TIMEOUT)
        proc_info.assertWaitForShutdown(process=demo, timeout=TIMEOUT)


class TestAfterwards(launching.ExitCodes):
    processes = 4
