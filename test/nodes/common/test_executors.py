"""Exceptions in callbacks are logged and answered, and do not affect other callbacks."""

from typing import Any

import pytest
from rcl_interfaces.msg import Parameter, ParameterValue
from rcl_interfaces.srv import SetParameters, SetParametersAtomically
from rclpy.serialization import serialize_message
from sensor_msgs.msg import JointState
from std_msgs.msg import String
from std_srvs.srv import Empty, Trigger

from harness.network import Network
from harness.processes import Process

# A node whose callbacks all raise, but for one service; run as this package's nodes are.
PROGRAM = """
import sys
from rclpy.callback_groups import MutuallyExclusiveCallbackGroup
from sensor_msgs.msg import JointState
from std_msgs.msg import String
from std_srvs.srv import Empty, Trigger
from rigid_tree_kinematics.nodes.common.process.executors import ThreadsFirstExecutor
from rigid_tree_kinematics.nodes.common.process.plain_node import PlainNode
from rigid_tree_kinematics.nodes.common.process.process import run_node

class Fragile(PlainNode):
    def __init__(self):
        super().__init__("fragile")
        self.create_subscription(String, "texts", self.fail_at, 10)
        self.create_subscription(JointState, "states", lambda message: None, 10)
        self.create_service(Trigger, "fail", self.fail)
        self.create_service(Trigger, "fail_later", self.fail_later)
        self.create_service(Empty, "live", lambda request, response: response)
        self.create_timer(0.05, self.tick)

    def fail_at(self, message):
        raise ValueError(message.data)

    def fail(self, request, response):
        response.success = True
        raise KeyError("here")

    async def fail_later(self, request, response):
        raise OSError("there")

    def tick(self):
        raise ZeroDivisionError("tick")

if sys.argv[1] == "threads":
    Fragile.make_executor = lambda self: ThreadsFirstExecutor(2)
run_node("fragile", Fragile)
"""


@pytest.fixture(params=["one thread", "threads"])
def fragile(network: Network, request: Any) -> Process:
    return network.start_program(["-c", PROGRAM, request.param])


def lives(network: Network) -> bool:
    return isinstance(network.call(Empty, "live"), Empty.Response)


def test_a_callback_that_raises_ends_nothing_and_is_logged_once(network, fragile):
    for number in range(3):
        network.publisher(String, "texts").publish(String(data=f"number {number}"))
    network.log_line(fragile, "ZeroDivisionError")
    network.log_line(fragile, "number 0")
    assert lives(network)
    assert fragile.output.count("in fail_at") == 1
    assert fragile.output.count("in tick") == 1


@pytest.mark.parametrize("service", ["fail", "fail_later"])
def test_a_service_that_raises_answers(network, fragile, service):
    reply = network.call(Trigger, service)
    assert not reply.success
    assert ("KeyError" if service == "fail" else "OSError: there") in reply.message
    assert lives(network)


def test_bytes_that_are_no_message_do_not_silence_the_node(network, fragile):
    good = serialize_message(JointState(name=["a", "b"], position=[1.0, 2.0]))
    states = network.publisher(JointState, "states")
    for end in (0, 3, 4, 13, len(good) - 9):
        states.publish(good[:end])
    states.publish(good[:20] + b"\xff" * 8 + good[28:])
    for _ in range(3):
        assert lives(network)


def test_a_parameter_of_no_type_is_rejected_and_the_others_are_set(network, fragile):
    good = Parameter(name="use_sim_time", value=ParameterValue(type=1, bool_value=False))
    bad = Parameter(name="use_sim_time", value=ParameterValue(type=200))
    reply = network.call(SetParameters, "fragile/set_parameters", parameters=[bad, good])
    assert [result.successful for result in reply.results] == [False, True]
    assert "200" in reply.results[0].reason
    atomically = "fragile/set_parameters_atomically"
    reply = network.call(SetParametersAtomically, atomically, parameters=[good, bad])
    assert not reply.result.successful
    assert "200" in reply.result.reason
    assert lives(network)


def test_a_name_forges_no_line_of_the_log(network, fragile):
    forged = "x\n[INFO] [1.0] [fragile]: all is well\u202e\x1b[2K" + "y" * 100_000
    network.publisher(String, "texts").publish(String(data=forged))
    network.log_line(fragile, "all is well")
    lines = fragile.output.splitlines()
    assert not any(line.startswith("[INFO] [1.0]") for line in lines)
    assert max(map(len, lines)) < 3000
    assert "\u202e" not in fragile.output
    assert "\\u202e\\x1b[2K" in fragile.output
