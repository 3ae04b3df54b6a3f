"""bringup.launch.py robots:=FILE: several robots from one file, in two processes."""

from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np
import pytest
from launch import LaunchDescription
from rigid_tree_interfaces.msg import PlanReply, PlanRequest
from rigid_tree_interfaces.srv import PlanMotion
from sensor_msgs.msg import JointState
from tf2_msgs.msg import TFMessage

from harness.poses import poses_in
from harness.probe import LATCHED_BY_MANY
from harness.start import launching

FLEET = """
left: {scene: panda_pillars}
right: {robot: ur5, planner: false, base_pose: [0, 1.5, 0, 0, 0, 1.57]}
small/pendulum: {robot: double_pendulum, rate: 20, initial_positions: {joint_A: 0.5},
  parent_frame: cell}
"""
# A busy machine does not always plan in time.
NOT_YET = PlanReply.NO_ROBOT, PlanReply.START_BLOCKED, PlanReply.OUT_OF_TIME

_folder = TemporaryDirectory()


@pytest.mark.launch_test
def generate_test_description() -> LaunchDescription:
    path = Path(_folder.name, "fleet.yaml")
    path.write_text(FLEET, encoding="utf-8")
    return launching.description(
        "bringup.launch.py",
        {"robots": str(path), "hosts": "2", "namespace": "hall", "parent_frame": "map"},
    )


class TestRunning(launching.LaunchTestCase):
    def test_each_robot_has_its_own_namespace_and_place(self) -> None:
        states = {
            name: self.probe.record(JointState, f"/hall/{name}/joint_states")
            for name in ("left", "right", "small/pendulum")
        }
        static = self.probe.record(TFMessage, "/tf_static", LATCHED_BY_MANY)
        bases = "right/base_link", "left/panda_link0", "small/pendulum/A"
        self.probe.until(
            lambda: all(states.values()) and set(bases) <= set(poses_in(*static)), "all robots"
        )
        assert "panda_joint1" in states["left"][0].name
        assert "shoulder_pan_joint" in states["right"][0].name
        pendulum = states["small/pendulum"][-1]
        assert pendulum.position[list(pendulum.name).index("joint_A")] == pytest.approx(0.5)
        parents = {t.child_frame_id: t.header.frame_id for m in static for t in m.transforms}
        assert [parents.get(base) for base in bases] == ["map", "map", "cell"]
        frames = poses_in(*static)
        np.testing.assert_allclose(frames["right/base_link"][:3, 3], [0.0, 1.5, 0.0])
        np.testing.assert_allclose(frames["left/panda_link0"], np.eye(4))

    def test_only_the_enabled_planners_serve(self) -> None:
        goal = JointState(name=["panda_joint1"], position=[0.5])
        reply = self.probe.call_until(
            lambda reply: reply.reply.code not in NOT_YET,
            PlanMotion,
            "/hall/left/plan_motion",
            request=PlanRequest(goal_states=[goal]),
        ).reply
        assert reply.success, reply.message
        names = dict(self.probe.node.get_service_names_and_types())
        assert "/hall/right/plan_motion" not in names


class TestAfterwards(launching.ExitCodes):
    pass
