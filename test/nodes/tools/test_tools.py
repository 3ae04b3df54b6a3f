"""frame_watch, joint_state_source, reachability_display, and the help of all programs."""

import numpy as np
import pytest
from ament_index_python.packages import get_package_prefix
from sensor_msgs.msg import JointState
from std_msgs.msg import String
from visualization_msgs.msg import Marker, MarkerArray

from harness.probe import LATCHED
from harness.processes import run
from rigid_tree_kinematics import load_robot
from rigid_tree_kinematics.batch import ReachMap, reachability_map
from rigid_tree_kinematics.description import write_urdf
from rigid_tree_kinematics.launching import PACKAGE
from rigid_tree_kinematics.node_help import help_of, parameters_of

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


def test_reached_voxels_are_balls(network, tmp_path):
    folder = tmp_path / "ur5.zarr"
    reachability_map("ur5", folder, resolution=0.3, directions=6, progress=False)
    network.start("reachability_display", {"map": str(folder), "frame_prefix": "left/"})
    received = network.record(MarkerArray, "reachability", LATCHED)
    network.until(lambda: received, "markers")
    first, *markers = received[-1].markers
    assert first.action == Marker.DELETEALL
    centers, index = ReachMap.open(folder).centers()
    points = [[p.x, p.y, p.z] for marker in markers for p in marker.points]
    assert len(centers) > 50
    np.testing.assert_allclose(np.sort(points, axis=0), np.sort(centers, axis=0), atol=1e-6)
    assert {marker.header.frame_id for marker in markers} == {"left/base_link"}
    assert {marker.type for marker in markers} == {Marker.SPHERE_LIST}
    colors = {(marker.color.r, marker.color.g, marker.color.b) for marker in markers}
    assert len(colors) == len(markers) == len(np.unique(np.minimum(index // 10, 9)))


def test_a_program_prints_its_help_and_ends() -> None:
    program = f"{get_package_prefix(PACKAGE)}/lib/{PACKAGE}/frame_watch"
    for flag in ("-h", "--help"):
        ended = run(program, flag)
        assert (ended.returncode, ended.stderr) == (0, "")
        assert ended.stdout == help_of("frame_watch") + "\n"


def test_parameters_have_their_types_defaults_and_ranges() -> None:
    found = {parameter.name: parameter for parameter in parameters_of("frame_watch")}
    assert found["timeout"][1:4] == ("double", "30.0", "0.1 to 3600")
    assert found["frames"][1:4] == ("string[]", '[""]', "")
    assert "timeout (double, default 30.0, 0.1 to 3600)" in help_of("frame_watch")
    assert "-p robot:=panda" in help_of("ik_server")
    for planner in ("rrt_planner", "move_group"):
        assert "voxel_size (double, default 0.02, 0.001 to 1)" in help_of(planner)
