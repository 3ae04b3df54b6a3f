"""frame_watch, joint_state_source and interactive_target."""

from importlib.util import find_spec

import numpy as np
import pytest
from ament_index_python.packages import get_package_prefix
from sensor_msgs.msg import JointState
from std_msgs.msg import String
from visualization_msgs.msg import InteractiveMarkerFeedback
from visualization_msgs.srv import GetInteractiveMarkers

from harness.probe import LATCHED
from harness.processes import run
from rigid_tree_kinematics import load_robot
from rigid_tree_kinematics.description import write_urdf
from rigid_tree_kinematics.launching import PACKAGE
from rigid_tree_kinematics.nodes import rrt_planner
from rigid_tree_kinematics.nodes.common.process.help_text import declared_rows, help_text
from rigid_tree_kinematics.nodes.tf import pose_matrix, pose_message
from rigid_tree_kinematics.nodes.tools import frame_watch

ROBOT = {"robot": "planar_two_link", "frame_prefix": "flat/"}


def watch(network, **parameters):
    tree = load_robot("planar_two_link")
    pairs = [f"flat/{tree.base_name} flat/{tree.body_names[0]}"]
    return network.start(
        "frame_watch", {"frames": pairs, "once": True, "period": 0.1, **parameters}
    )


NODE = "joint_state_source"


def test_frames_that_are_missing_or_rest_are_named(network):
    def ended(code, words, timeout):
        node = watch(network, timeout=timeout)
        assert node.wait() == code, node.output
        assert words in node.output
        assert "Traceback" not in node.output

    ended(1, "not received: flat/", 0.5)
    network.start("tree_state_publisher", ROBOT)
    network.start(NODE, {"robot": "planar_two_link", "mode": "home"})
    network.until(lambda: network.messages, "frames")
    ended(1, "did not move: flat/", 6.0)  # discovery alone may take 3 s
    assert network.set_parameter(NODE, "mode", "sweep").successful
    ended(0, "received and moved", 20.0)


@pytest.fixture
def received(network):
    return network.record(JointState, "joint_states")


def test_home_positions_and_sweep_by_parameter(network, received):
    tree = load_robot("panda")
    network.start(NODE, {"robot": "panda", "mode": "home", "rate": 100})
    network.until(lambda: received)
    assert tuple(received[-1].name) == tree.joint_names
    np.testing.assert_array_equal(received[-1].position, tree.home_configuration())
    np.testing.assert_array_equal(received[-1].velocity, 0.0)
    assert network.set_parameter(NODE, "positions.panda_joint1", 0.5).successful
    assert network.set_parameter(NODE, "mode", "positions").successful
    network.until(lambda: received[-1].position[0] == 0.5, "the slider's position")
    assert network.set_parameter(NODE, "positions.panda_joint2", -1).successful
    network.until(lambda: received[-1].position[1] == -1.0, "a moved slider")
    for name, value in [
        ("positions.panda_joint1", 4.0),
        ("mode", "dance"),
        ("rate", 0.0),
        ("speed", "fast"),
        ("robot", "nao"),
    ]:
        result = network.set_parameter(NODE, name, value)
        assert not result.successful
        assert result.reason
    before = len(received)
    assert network.set_parameter(NODE, "mode", "sweep").successful
    network.until(lambda: abs(received[-1].position[0] - 0.5) > 0.05, "motion")
    swept = np.array([message.position for message in received[before:]])
    assert np.abs(np.diff(swept, axis=0)).max() < 0.05  # rad in 10 ms: no jump


def test_robot_from_the_description_topic(network, received):
    node = network.start(NODE, {"mode": "home"})
    network.until(lambda: "waiting for a robot on topic /robot_description" in node.output)
    publisher = network.publisher(String, "robot_description", LATCHED)
    publisher.publish(String(data=write_urdf(load_robot("planar_two_link"))))
    network.until(lambda: received)
    assert tuple(received[-1].name) == load_robot("planar_two_link").joint_names


HELP = help_text("frame_watch", frame_watch.__name__, frame_watch.PARAMETERS)


def test_a_program_prints_its_help_and_ends() -> None:
    program = f"{get_package_prefix(PACKAGE)}/lib/{PACKAGE}/frame_watch"
    for flag in ("-h", "--help"):
        ended = run(program, flag)
        assert (ended.returncode, ended.stderr) == (0, "")
        assert ended.stdout == HELP + "\n"


def test_parameters_have_their_types_defaults_and_ranges() -> None:
    found = {row.name: row for row in declared_rows(frame_watch.PARAMETERS)}
    assert found["timeout"][1:4] == ("double", "30.0", "0.1 to 3600")
    assert found["frames"][1:4] == ("string[]", '[""]', "")
    assert "timeout (double, default 30.0, 0.1 to 3600)" in HELP
    words = help_text("rrt_planner", rrt_planner.__name__, rrt_planner.PARAMETERS)
    assert "-p robot:=panda" in words
    assert "voxel_size (double, default 0.02, 0.001 to 1)" in words


# -- interactive_target with RViz's messages -----------------------------------------------------


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
