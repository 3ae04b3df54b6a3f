"""robot_host: several nodes in one process, each as it is alone."""

from __future__ import annotations

import subprocess
import sys
import time

from control_msgs.action import FollowJointTrajectory
from rclpy.action import ActionClient
from rigid_tree_interfaces.srv import ComputeFK
from sensor_msgs.msg import JointState
from trajectory_msgs.msg import JointTrajectory, JointTrajectoryPoint

NODES = ("tree_state_publisher", "robot_simulator", "ik_server")
READY = "robot 'panda' from topic /arm/robot_description"


def host(network, *extra: str, nodes=NODES):
    parameters = {
        "/arm/tree_state_publisher": {"ros__parameters": {"robot": "panda"}},
        "/arm/robot_simulator": {"ros__parameters": {"initial_positions.panda_joint2": 0.25}},
    }
    return network.start_process("robot_host", parameters, "arm", *nodes, *extra)


def test_the_nodes_are_those_that_run_alone(network):
    process = host(network)
    network.until(lambda: process.output.count(READY) == 2, "both have their robot")
    network.until(
        lambda: (
            {(name, "/arm") for name in NODES} <= set(network.node.get_node_names_and_namespaces())
        ),
        "all nodes on the network",
    )
    # Each has its own parameters, and they speak through topics.
    states: list[JointState] = []
    network.node.create_subscription(JointState, "/arm/joint_states", states.append, 10)
    network.until(lambda: states and states[-1].position[1] == 0.25, "where joint 2 begins")
    frames = [lambda m: m.transforms]
    network.until(lambda: network.messages, "frames")
    assert frames
    reply = network.call(
        ComputeFK, "/arm/forward_kinematics", ComputeFK.Request(bodies=["panda_link8"])
    )
    assert reply.success, reply.message
    assert network.set_parameter("/arm/robot_simulator", "rate", 50).successful


def test_an_action_comes_to_its_end(network):
    process = host(network)
    network.until(lambda: process.output.count(READY) == 2, "both have their robot")
    client = ActionClient(network.node, FollowJointTrajectory, "/arm/follow_joint_trajectory")
    network.until(client.server_is_ready, "the action")
    point = JointTrajectoryPoint(positions=[0.3])
    point.time_from_start.nanosec = 300_000_000
    goal = FollowJointTrajectory.Goal(
        trajectory=JointTrajectory(joint_names=["panda_joint1"], points=[point])
    )
    sent = client.send_goal_async(goal)
    network.until(sent.done, "acceptance")
    result = sent.result().get_result_async()
    network.until(result.done, "the result")
    assert result.result().result.error_code == FollowJointTrajectory.Result.SUCCESSFUL
    client.destroy()


def test_what_cannot_start_is_said_and_the_others_run(network):
    parameters = {
        "/tree_state_publisher": {"ros__parameters": {"robot": "pandora"}},
        "/ik_server": {"ros__parameters": {"robot": "panda"}},
    }
    nodes = ("tree_state_publisher", "ik_server")
    process = network.start_process("robot_host", parameters, "", *nodes)
    network.until(lambda: "robot 'panda' from parameter" in process.output, "the one that runs")
    assert "did you mean 'panda'" in process.output
    reply = network.call(ComputeFK, "/forward_kinematics", ComputeFK.Request())
    assert reply.success
    assert process.end() == 1
    assert "Traceback" not in process.output


def test_ctrl_c_twice_ends_all_quietly(network):
    process = host(network, nodes=(*NODES, "rrt_planner"))
    network.until(lambda: process.output.count(READY) == 3, "all have their robot")
    time.sleep(0.5)
    process.interrupt()
    time.sleep(0.02)
    assert process.end() == 0, process.output
    assert "Traceback" not in process.output


def test_unknown_nodes_and_those_that_cannot_share_are_refused():
    for nodes, word in ((["tour"], "invalid choice"), (["nao_bridge", "rrt_planner"], "share")):
        command = [sys.executable, "-m", "rigid_tree_kinematics.nodes.robot_host", *nodes]
        ended = subprocess.run(command, capture_output=True, text=True, timeout=60)
        assert ended.returncode == 2
        assert word in ended.stderr
