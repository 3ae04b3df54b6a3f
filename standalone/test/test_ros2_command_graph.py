"""The ros2 command, in its own processes, against a running node."""

import contextlib
import os
import re
import signal
import subprocess
import threading
from concurrent.futures import ThreadPoolExecutor

import pytest
import rclpy
import yaml
from rcl_interfaces.msg import FloatingPointRange, ParameterDescriptor, SetParametersResult
from rclpy.action import ActionServer
from rclpy.executors import ExternalShutdownException, SingleThreadedExecutor
from rclpy.qos import DurabilityPolicy, QoSProfile
from sensor_msgs.msg import JointState
from std_msgs.msg import Int64, String, UInt8, UInt8MultiArray
from std_srvs.srv import SetBool
from tf2_msgs.action import LookupTransform

from harness.processes import run, wait_until

# generous, for a busy machine
TIMEOUT = 180.0
SPIN = ("--spin-time", "2")
LATCHED = QoSProfile(depth=1, durability=DurabilityPolicy.TRANSIENT_LOCAL)


def ros2(*words, check=True):
    done = run("ros2", *words)
    if check:
        assert done.returncode == 0, done.stderr
    return done


def together(*commands):
    """Return the outputs of commands that run in parallel."""
    with ThreadPoolExecutor() as pool:
        return [done.stdout for done in pool.map(lambda words: ros2(*words), commands)]


@pytest.fixture(scope="module")
def received():
    """Run a node with topics, services, actions and parameters; yield its received strings."""
    rclpy.init()
    node = rclpy.create_node("subject", namespace="/area")
    node.create_publisher(String, "/description", LATCHED).publish(String(data='text: "ü"'))
    node.create_publisher(String, "/long", LATCHED).publish(String(data="x" * 129))
    joints = node.create_publisher(JointState, "joint_states", 10)
    state = JointState(name=["one", "two"], position=[0.5, 1.5])
    node.create_timer(0.02, lambda: joints.publish(state))
    messages = []
    node.create_subscription(String, "/talk", lambda message: messages.append(message.data), 10)

    def switch(request, response):
        response.success, response.message = request.data, "switched"
        return response

    node.create_service(SetBool, "switch", switch)

    def look(goal):
        goal.publish_feedback(LookupTransform.Feedback())
        goal.succeed()
        result = LookupTransform.Result()
        result.transform.child_frame_id = goal.request.source_frame
        return result

    server = ActionServer(node, LookupTransform, "look", look)
    speed = ParameterDescriptor(
        description="how fast", floating_point_range=[FloatingPointRange(to_value=9.0)]
    )
    node.declare_parameter("motor.speed", 1.5, speed)
    node.declare_parameter("names", ["a", "b"])
    node.add_on_set_parameters_callback(
        lambda changes: SetParametersResult(
            successful=all(change.value != ["bad"] for change in changes), reason="why"
        )
    )
    executor = SingleThreadedExecutor()
    executor.add_node(node)

    def spin():
        with contextlib.suppress(ExternalShutdownException):
            executor.spin()

    thread = threading.Thread(target=spin)
    thread.start()
    yield messages
    executor.shutdown()
    thread.join()
    server.destroy()
    node.destroy_node()
    rclpy.try_shutdown()


def test_lists(received):
    """The real command starts a daemon, which knows nothing at first: ask until it does."""
    lines = {
        ("topic", "list", "-t", *SPIN): "/area/joint_states [sensor_msgs/msg/JointState]",
        ("node", "list", *SPIN): "/area/subject",
        ("service", "list", "-t", *SPIN): "/area/switch [std_srvs/srv/SetBool]",
        ("service", "type", "/area/switch"): "std_srvs/srv/SetBool",
        ("topic", "type", "/talk"): "std_msgs/msg/String",
    }
    for words, line in lines.items():
        wait_until(lambda: line in ros2(*words, check=False).stdout.splitlines(), line)  # noqa: B023


def test_topic_and_node_info(received):
    info, node = together(
        ("topic", "info", "/description", *SPIN), ("node", "info", "/area/subject")
    )
    assert info == "Type: std_msgs/msg/String\nPublisher count: 1\nSubscription count: 0\n"
    assert node.startswith("/area/subject\n  Subscribers:\n")
    assert "    /area/switch: std_srvs/srv/SetBool\n" in node


def test_echo_prints_yaml_and_adapts_to_latched_topics(received):
    once = ("topic", "echo", "--once")
    latched, awaited, state, long, whole, field = together(
        (*once, "/description"),
        (*once, "--spin-time", "0", "/description", "std_msgs/msg/String"),
        (*once, "/area/joint_states"),
        (*once, "/long"),
        (*once, "--full-length", "/long"),
        (*once, "--field", "header.stamp", "/area/joint_states"),
    )
    assert latched == awaited
    text, end, _ = latched.partition("---\n")
    assert end
    assert yaml.safe_load(text) == {"data": 'text: "ü"'}
    assert state == (
        "header:\n  stamp:\n    sec: 0\n    nanosec: 0\n  frame_id: ''\n"
        "name:\n- one\n- two\nposition:\n- 0.5\n- 1.5\nvelocity: []\neffort: []\n---\n"
    )
    assert long == f"data: {'x' * 128}...\n---\n"
    assert whole == f"data: {'x' * 129}\n---\n"
    assert field == "sec: 0\nnanosec: 0\n---\n"


def test_echo_exits_with_its_reader_and_when_interrupted(received):
    piped = subprocess.run(
        ["bash", "-c", "ros2 topic echo /area/joint_states | head -n 3"],
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,  # the real command reports its broken pipe
        text=True,
        timeout=TIMEOUT,
    )
    assert piped.stdout == "header:\n  stamp:\n    sec: 0\n"
    echo = subprocess.Popen(
        ["ros2", "topic", "echo", "/area/joint_states"],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    assert echo.stdout.readline() == "header:\n"
    echo.send_signal(signal.SIGINT)
    _, errors = echo.communicate(timeout=TIMEOUT)
    assert errors == ""
    assert echo.returncode == signal.SIGINT


def test_hz_prints_the_same_format_as_ros2(received):
    meter = subprocess.Popen(
        ["ros2", "topic", "hz", "/area/joint_states"], stdout=subprocess.PIPE, text=True
    )
    first, second = meter.stdout.readline(), meter.stdout.readline()
    meter.send_signal(signal.SIGINT)
    meter.communicate(timeout=TIMEOUT)
    rate = float(re.fullmatch(r"average rate: (\d+\.\d{3})\n", first).group(1))
    assert 1.0 < rate < 80.0  # 50 Hz; wide bounds for a busy machine
    assert re.fullmatch(
        r"\tmin: \d\.\d{3}s max: \d\.\d{3}s std dev: \d\.\d{5}s window: \d+\n", second
    )


def test_pub(received):
    received.clear()
    done = ros2("topic", "pub", "--once", "/talk", "std_msgs/String", "{data: 'yes'}")
    assert "publisher: beginning loop\n" in done.stdout
    assert "publishing #1: std_msgs.msg.String(data='yes')\n" in done.stdout
    wait_until(lambda: received == ["yes"], "the message")
    talk = subprocess.Popen(
        ["ros2", "topic", "pub", "-r", "50", "/talk", "std_msgs/msg/String", "data: hi"],
        stdout=subprocess.PIPE,
        text=True,
    )
    while "publishing #20:" not in talk.stdout.readline():
        pass
    wait_until(lambda: "hi" in received or not talk.stdout.readline(), "discovery")
    talk.send_signal(signal.SIGINT)
    talk.communicate(timeout=TIMEOUT)
    assert "hi" in received
    wrong = ros2("topic", "pub", "-1", "/talk", "std_msgs/String", "{text: 1}", check=False)
    assert wrong.returncode == 1
    assert "'String' object has no attribute" in wrong.stderr


@pytest.mark.skipif("ROS_DISTRO" in os.environ, reason="the installed ros2cli lacks this module")
def test_values_that_do_not_fit_are_named():
    from ros2cli.messages import fill

    for message, values in (
        (UInt8(), "{data: 300}"),
        (UInt8(), "{data: -1}"),
        (UInt8(), "{data: .inf}"),
        (UInt8(), "{SLOT_TYPES: 3}"),
        (UInt8MultiArray(), "{data: [300]}"),
        (Int64(), "{data: 99999999999999999999}"),
    ):
        name = type(message).__name__
        with pytest.raises(RuntimeError, match=f"^These values do not fit {name}: "):
            fill(message, values)
    assert fill(Int64(), "{data: -9223372036854775808}").data == -(2**63)
    assert list(fill(UInt8MultiArray(), "{data: [0, 255]}").data) == [0, 255]


def test_service_call(received):
    call = ros2("service", "call", "/area/switch", "std_srvs/srv/SetBool", "{data: true}").stdout
    request = "requester: making request: std_srvs.srv.SetBool_Request(data=True)\n\n"
    answer = "std_srvs.srv.SetBool_Response(success=True, message='switched')"
    assert request in call
    assert call.endswith(f"response:\n{answer}\n\n")


def test_action_goal(received):
    listed = ros2("action", "list", "-t").stdout
    assert listed == "/area/look [tf2_msgs/action/LookupTransform]\n"
    goal = ("/area/look", "tf2_msgs/action/LookupTransform", "{source_frame: tool}")
    done = ros2("action", "send_goal", *goal, "--feedback").stdout
    assert "Goal accepted with ID: " in done
    assert "  child_frame_id: tool\n" in done
    assert done.endswith("Goal finished with status: SUCCEEDED\n")


def test_parameters(received):
    node = "/area/subject"
    listed, speed, names, description = together(
        ("param", "list", node),
        ("param", "get", node, "motor.speed"),
        ("param", "get", node, "names"),
        ("param", "describe", node, "motor.speed"),
    )
    assert "  motor.speed\n" in listed
    assert speed == "Double value is: 1.5\n"
    assert names == "String values are: ['a', 'b']\n"
    done = ros2("param", "set", node, "motor.speed", "2.5")
    assert done.stdout == "Set parameter successful\n"
    refused = ros2("param", "set", node, "names", "[bad]")
    assert refused.stderr == "Setting parameter failed: why\n"
    assert ros2("param", "get", node, "motor.speed").stdout == "Double value is: 2.5\n"
    assert "  Type: double\n  Description: how fast\n" in description
    assert "    Max value: 9.0\n" in description


UNKNOWN = {
    ("topic", "info", "/nowhere"): "'/nowhere'",
    ("topic", "echo", "/nowhere"): " type ",
    ("topic", "echo", "/talk", "no/Type"): "message type",
    ("service", "call", "/x", "no/Type"): "service type",
    ("node", "info", "/nobody"): "'/nobody'",
    ("param", "get", "/nobody", "x"): "Node",
}


def test_missing_names_give_one_line_errors(received):
    with ThreadPoolExecutor() as pool:
        ended = pool.map(lambda words: ros2(*words, check=False), UNKNOWN)
        for done, what in zip(ended, UNKNOWN.values(), strict=True):
            assert done.returncode == 1
            assert what in done.stderr
            assert done.stderr.count("\n") == 1
