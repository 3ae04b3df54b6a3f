"""joint_state_source: what it publishes, and how parameters move it."""

import numpy as np
import pytest
from sensor_msgs.msg import JointState
from std_msgs.msg import String

from harness.probe import LATCHED
from rigid_tree_kinematics import load_robot
from rigid_tree_kinematics.description import write_urdf

NODE = "joint_state_source"


@pytest.fixture
def heard(network):
    return network.hear(JointState, "joint_states")


def test_home_positions_and_sweep_by_parameter(network, heard):
    tree = load_robot("panda")
    network.start(NODE, {"robot": "panda", "mode": "home", "rate": 100})
    network.until(lambda: heard)
    assert tuple(heard[-1].name) == tree.joint_names
    np.testing.assert_array_equal(heard[-1].position, tree.home_configuration())
    np.testing.assert_array_equal(heard[-1].velocity, 0.0)
    assert network.set_parameter(NODE, "positions.panda_joint1", 0.5).successful
    assert network.set_parameter(NODE, "mode", "positions").successful
    network.until(lambda: heard[-1].position[0] == 0.5, "the slider's position")
    assert network.set_parameter(NODE, "positions.panda_joint2", -1).successful
    network.until(lambda: heard[-1].position[1] == -1.0, "a moved slider")
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
    before = len(heard)
    assert network.set_parameter(NODE, "mode", "sweep").successful
    network.until(lambda: abs(heard[-1].position[0] - 0.5) > 0.05, "motion")
    swept = np.array([message.position for message in heard[before:]])
    assert np.abs(np.diff(swept, axis=0)).max() < 0.05  # rad in 10 ms: no jump


def test_robot_from_the_description_topic(network, heard):
    node = network.start(NODE, {"mode": "home"})
    network.until(lambda: "waiting for a robot on topic /robot_description" in node.output)
    publisher = network.publisher(String, "robot_description", LATCHED)
    publisher.publish(String(data=write_urdf(load_robot("planar_two_link"))))
    network.until(lambda: heard)
    assert tuple(heard[-1].name) == load_robot("planar_two_link").joint_names
