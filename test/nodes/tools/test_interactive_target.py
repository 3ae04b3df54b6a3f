"""interactive_target with RViz's messages: the robot follows the dragged target."""

from importlib.util import find_spec

import numpy as np
import pytest
from sensor_msgs.msg import JointState
from visualization_msgs.msg import InteractiveMarkerFeedback
from visualization_msgs.srv import GetInteractiveMarkers

from rigid_tree_kinematics import load_robot
from rigid_tree_kinematics.nodes.tf.target_frames import pose_matrix, pose_message

needs_markers = pytest.mark.skipif(
    find_spec("interactive_markers") is None, reason="interactive_markers comes with RViz"
)
BEGIN = {"panda_joint1": 0.3, "panda_joint2": -0.4, "panda_joint4": -1.9, "panda_joint6": 1.9}
TIP = "panda_link8"


@needs_markers
def test_the_robot_follows_and_plans(network):
    tree = load_robot("panda")
    states = network.record(JointState, "joint_states")
    initial = {f"initial_positions.{joint}": q for joint, q in BEGIN.items()}
    network.start("robot_simulator", {"robot": "panda", **initial})
    network.start("ik_server", {"robot": "panda"})
    network.start("rrt_planner", {"robot": "panda"})
    process = network.start("interactive_target", {"robot": "panda"})
    network.until(lambda: states, "joint states")
    begin = tree.get_transform(states[-1].position, TIP)

    def marker():
        service = "interactive_target/get_interactive_markers"
        return network.call(GetInteractiveMarkers, service).markers[0]

    network.until(
        lambda: np.abs(pose_matrix(marker().pose) - begin).max() < 1e-6, "the target at the flange"
    )
    found = marker()
    assert found.header.frame_id == "panda_link0"
    names = {control.name for control in found.controls}
    assert {"move_x", "move_y", "move_z", "turn_x", "turn_y", "turn_z", "menu"} <= names
    titles = {entry.title: entry.id for entry in found.menu_entries}
    assert set(titles) == {"Plan and execute", "Back to the robot", "Stop"}

    publisher = network.publisher(InteractiveMarkerFeedback, "interactive_target/feedback", 10)

    def feedback(event, T, entry=0):
        message = InteractiveMarkerFeedback(marker_name="target", client_id="rviz")
        message.event_type, message.menu_entry_id = event, entry
        message.header.frame_id = "panda_link0"
        message.pose = pose_message(T, "").pose
        publisher.publish(message)

    dragged = begin.copy()
    dragged[2, 3] -= 0.1

    def off(goal):
        return np.abs(tree.get_transform(states[-1].position, TIP) - goal).max()

    def arrived():
        # A user drags on; and the nodes may not have found each other yet.
        feedback(InteractiveMarkerFeedback.POSE_UPDATE, dragged)
        return off(dragged) < 1e-5

    network.until(arrived, "the flange at the target")
    feedback(InteractiveMarkerFeedback.MENU_SELECT, dragged, titles["Plan and execute"])
    network.until(lambda: "arrived after" in process.output, "the plan's end")
    assert off(dragged) < 1e-4


@pytest.mark.skipif(find_spec("interactive_markers") is not None, reason="it is installed")
def test_a_missing_interactive_markers_is_reported(network):
    process = network.start("interactive_target", {"robot": "panda"})
    assert process.wait() == 1
    assert "needs interactive_markers, which is not installed" in process.output
    assert "Traceback" not in process.output
