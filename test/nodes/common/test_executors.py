"""Exceptions in callbacks are logged and answered, and do not affect other callbacks."""

import pytest
from rcl_interfaces.msg import Parameter, ParameterValue
from rcl_interfaces.srv import SetParameters, SetParametersAtomically
from rclpy.serialization import serialize_message
from sensor_msgs.msg import JointState
from std_msgs.msg import String
from std_srvs.srv import Empty, Trigger

# A node whose callbacks all raise, but for one service; run as this package's nodes are.
PROGRAM = """
import sys
from rclpy.callback_groups import MutuallyExclusiveCallbackGroup
from sensor_msgs.msg import JointState
from std_msgs.msg import String
from std_srvs.srv import Empty, Trigger
from rigid_tree_kinematics.nodes.common.process.executors import ThreadsFirstExecutor
from rigid_tree_kinematics.nodes.common.process.plain_node import PlainNode
from rigid_tree_kinematics.nodes.common.process import run_node

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


FORGED = "x\n[INFO] [1.0] [fragile]: all is well\u202e\x1b[2K" + "y" * 100_000


@pytest.mark.parametrize("threads", ["one thread", "threads"])
def test_a_node_survives_what_its_callbacks_raise_and_receive(network, threads):
    """It answers, logs each place of an error once, and nothing forges a line of its log."""
    fragile = network.start_program(["-c", PROGRAM, threads])
    for text in (FORGED, "number 1", "number 2"):
        network.publisher(String, "texts").publish(String(data=text))
    for words in ("ZeroDivisionError", "all is well"):
        network.log_line(fragile, words)
    for service, words in (("fail", "KeyError"), ("fail_later", "OSError: there")):
        reply = network.call(Trigger, service)
        assert (reply.success, words in reply.message) == (False, True), reply
    # Bytes that are no message.
    good = serialize_message(JointState(name=["a", "b"], position=[1.0, 2.0]))
    states = network.publisher(JointState, "states")
    for end in (0, 3, 4, 13, len(good) - 9):
        states.publish(good[:end])
    states.publish(good[:20] + b"\xff" * 8 + good[28:])
    # A parameter of no type, and one that is set all the same.
    right = Parameter(name="use_sim_time", value=ParameterValue(type=1, bool_value=False))
    wrong = Parameter(name="use_sim_time", value=ParameterValue(type=200))
    call = SetParameters, "fragile/set_parameters"
    results = network.call(*call, parameters=[wrong, right]).results
    assert [result.successful for result in results] == [False, True]
    call = SetParametersAtomically, "fragile/set_parameters_atomically"
    result = network.call(*call, parameters=[right, wrong]).result
    assert not result.successful
    assert "200" in result.reason
    assert "200" in results[0].reason
    for _ in range(3):
        assert isinstance(network.call(Empty, "live"), Empty.Response)
    lines = fragile.output.splitlines()
    for place in ("in fail_at", "in tick"):
        assert sum(place in line for line in lines) == 1
    assert not any(line.startswith("[INFO] [1.0]") for line in lines)
    assert max(map(len, lines)) < 3000
    assert "\u202e" not in fragile.output
    assert "\\u202e\\x1b[2K" in fragile.output
