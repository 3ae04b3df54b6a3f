"""robot_host: several nodes in one process behave like separate ones."""

import sys

from rigid_tree_interfaces.srv import ComputeFK
from sensor_msgs.msg import JointState

from harness.processes import run

NODES = ("tree_state_publisher", "robot_simulator", "ik_server")
READY = "robot 'panda' from topic /arm/robot_description"


def test_the_nodes_are_those_that_run_alone(network):
    states = network.record(JointState, "/arm/joint_states")
    parameters = {
        "/arm/tree_state_publisher": {"robot": "panda"},
        "/arm/robot_simulator": {"initial_positions.panda_joint2": 0.25},
    }
    process = network.start_process("robot_host", parameters, "arm", *NODES)
    network.until(lambda: process.output.count(READY) == 2, "both with their robot")
    wanted = {(name, "/arm") for name in NODES}
    network.until(lambda: wanted <= set(network.node.get_node_names_and_namespaces()), "all nodes")
    # Each has its own parameters, and they speak through topics.
    network.until(lambda: states and states[-1].position[1] == 0.25, "where joint 2 begins")
    network.until(lambda: network.messages, "frames")
    reply = network.call(ComputeFK, "/arm/forward_kinematics", bodies=["panda_link8"])
    assert reply.success, reply.message
    assert network.set_parameter("/arm/robot_simulator", "rate", 50).successful


def test_a_node_that_cannot_start_ends_all_with_one_line(network):
    parameters = {"/**": {"robot": "panda"}, "/right/rrt_planner": {"scene": "panda_pilars"}}
    process = network.start_process(
        "robot_host", parameters, "", *NODES, "right/rrt_planner", "web_viewer"
    )
    assert process.wait() == 1
    (line,) = [line for line in process.output.splitlines() if "[INFO]" not in line]
    assert "[FATAL]" in line
    assert "[right.rrt_planner]" in line
    assert "did you mean 'panda_pillars'" in line
    assert "the page is at" not in process.output


def test_unknown_nodes_and_those_that_cannot_share_are_rejected():
    for nodes, word in (
        (["ik_servr"], "no installed package has a node 'ik_servr'"),
        (["nao/nao_bridge", "panda/rrt_planner"], "share"),
        (["no name/ik_server"], "namespace"),
    ):
        ended = run(sys.executable, "-m", "rigid_tree_kinematics.nodes.robot_host", *nodes)
        assert ended.returncode == 2
        assert word in ended.stderr
