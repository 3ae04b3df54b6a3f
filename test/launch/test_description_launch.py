"""Launch files in one process: each robot's nodes keep their namespaces and parameters."""

from typing import Any

import pytest
from launch import LaunchDescription
from launch.actions import GroupAction, IncludeLaunchDescription
from launch.launch_description_sources import PythonLaunchDescriptionSource
from launch_ros.actions import PushRosNamespace
from tf2_msgs.msg import TFMessage

from harness.start import launching
from rigid_tree_kinematics.launching import in_one_process

# Namespace as the graph has it -> a moving frame of the robot in it.
ROBOTS = {"/alone": "panda_link1", "/cell/left": "ur5/shoulder_link", "/right": "nao/LForeArm"}
NODES = ("tree_state_publisher", "joint_state_source")


def robot(name: str, namespace: str) -> IncludeLaunchDescription:
    source = PythonLaunchDescriptionSource(str(launching.LAUNCH / "description.launch.py"))
    arguments = {"robot": name, "namespace": namespace, "frame_prefix": f"{name}/"}
    return IncludeLaunchDescription(source, launch_arguments=arguments.items())


@pytest.mark.launch_test
def generate_test_description() -> LaunchDescription:
    pushed = GroupAction([PushRosNamespace("cell"), robot("ur5", "left")])
    together = in_one_process([pushed, GroupAction([robot("nao", "right")])])
    return launching.description("description.launch.py", {"namespace": "alone"}, *together)


class TestRunning(launching.LaunchTestCase):
    def test_all_robots_move_in_their_namespaces(self) -> None:
        heard = self.probe.hear(TFMessage, "/tf", 1000)
        names = self.probe.node.get_node_names_and_namespaces
        wanted = {(name, namespace) for name in NODES for namespace in ROBOTS}
        self.probe.until(lambda: wanted <= set(names()), "all nodes")

        def moving() -> Any:
            return {t.child_frame_id for message in heard for t in message.transforms}

        self.probe.until(lambda: moving() >= set(ROBOTS.values()), "frames of all robots")


class TestAfterwards(launching.ExitCodes):
    processes = 2
