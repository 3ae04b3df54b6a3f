"""description.launch.py, alone and included: each robot keeps its namespace and frames."""

from typing import Any

import pytest
from launch import LaunchDescription
from launch.actions import GroupAction, IncludeLaunchDescription
from launch.launch_description_sources import PythonLaunchDescriptionSource
from launch_ros.actions import PushRosNamespace
from tf2_msgs.msg import TFMessage

from harness.probe import LATCHED_BY_MANY
from harness.processes import TIMEOUT
from harness.start import launching
from rigid_tree_kinematics import load_robot

# Namespace as the graph has it -> its robot.
ROBOTS = {"/alone": "panda", "/cell/left": "ur5", "/right": "nao"}
STATIC = ("/tf_static", LATCHED_BY_MANY)
NODES = ("tree_state_publisher", "joint_state_source")


def robot(name: str, namespace: str) -> IncludeLaunchDescription:
    source = PythonLaunchDescriptionSource(launching.path_of("description.launch.py"))
    arguments = {"robot": name, "namespace": namespace, "frame_prefix": f"{name}/"}
    return IncludeLaunchDescription(source, launch_arguments=arguments.items())


@pytest.mark.launch_test
def generate_test_description() -> LaunchDescription:
    pushed = GroupAction([PushRosNamespace("cell"), robot("ur5", "left")])
    alone = {"namespace": "alone", "frame_prefix": "panda/"}
    others = [pushed, GroupAction([robot("nao", "right")])]
    return launching.description("description.launch.py", alone, *others)


class TestRunning(launching.LaunchTestCase):
    def test_all_robots_move_in_their_namespaces(self, proc_output: Any) -> None:
        received = [*(self.probe.record(TFMessage, *topic) for topic in (("/tf", 1000), STATIC))]
        names = self.probe.node.get_node_names_and_namespaces
        nodes = {(name, namespace) for name in NODES for namespace in ROBOTS}
        self.probe.until(lambda: nodes <= set(names()), "all nodes")
        frames = {
            f"{name}/{body}" for name in ROBOTS.values() for body in load_robot(name).body_names
        }

        def came() -> Any:
            return {
                t.child_frame_id for messages in received for m in messages for t in m.transforms
            }

        self.probe.until(lambda: came() >= frames, "frames of all robots")
        assert came() == frames
        for namespace in ROBOTS:
            proc_output.assertWaitFor(f"listening on {namespace}/joint_states", timeout=TIMEOUT)


class TestAfterwards(launching.ExitCodes):
    processes = 3
