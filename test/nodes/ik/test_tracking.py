"""A pose target that moves, followed by ik_server in joint positions."""

import threading
import time

import numpy as np
import pytest
from geometry_msgs.msg import PoseStamped
from rcl_interfaces.srv import SetParameters
from rclpy.parameter import Parameter
from rclpy.qos import qos_profile_sensor_data
from sensor_msgs.msg import JointState

from harness.ik_server import (
    PATIENCE,
    Caller,
    Truth,
    difference,
    pose_stamped,
    running,
    wait_until,
)

TIP = "panda_link8"
RATE = 50.0  # Hz


@pytest.fixture(scope="module")
def panda():
    return Truth("panda")


@pytest.fixture
def caller():
    node = Caller("ik_target_source")
    yield node
    node.close()


class Stream:
    """Publishes targets, and keeps the joint states that come back."""

    def __init__(self, caller):
        self.states = []
        self.caller = caller
        self.publisher = caller.node.create_publisher(PoseStamped, "ik_target", 1)
        caller.node.create_subscription(JointState, "ik_joint_states", self.states.append, 100)
        wait_until(self.publisher.get_subscription_count, "the server on ik_target")
        wait_until(
            lambda: caller.node.count_publishers("ik_joint_states"), "the server's joint states"
        )

    def send(self, T, frame=""):
        self.publisher.publish(pose_stamped(T, frame))

    def send_until(self, T, condition, what, frame=""):
        def sent_and_met():
            self.send(T, frame)
            time.sleep(0.01)
            return condition()

        wait_until(sent_and_met, what)


def positions(states):
    return np.array([list(state.position) for state in states])


@pytest.mark.parametrize("frame", ["", "panda_link0", "panda/panda_link0", "marker"])
def test_the_body_arrives_at_a_target_within_speed_limits(caller, panda, frame):
    prefix = {"frame_prefix": "panda/"} if frame.startswith("panda/") else {}
    with running(robot="panda", tracked_body=TIP, tracking_rate=RATE, **prefix):
        stream = Stream(caller)
        T_root_marker = np.eye(4)
        if frame == "marker":
            T_root_marker[:3, 3] = 0.1, 0.2, 0.3
            caller.send_transform("panda_link0", "marker", T_root_marker)
        home = panda.state(panda.tree.home_configuration())
        T = panda.pose(home, TIP).copy()
        T[:3, 3] += 0.1, -0.15, -0.1
        T_frame = np.linalg.inv(T_root_marker) @ T

        def there():
            # Messages may have been lost before both sides knew each other: look at the last.
            states = stream.states
            return states and max(difference(panda.pose(states[-1], TIP), T)) < 1.1e-6

        stream.send_until(T_frame, there, "the arm at its target", frame)
        states = list(stream.states)
        assert list(states[0].name) == list(panda.tree.position_names)
        path = positions(states)
        limits = np.array([panda.tree.get_joint(name).velocity_limit for name in states[0].name])
        stamps = [s.header.stamp.sec + 1e-9 * s.header.stamp.nanosec for s in states]
        assert (np.diff(stamps) > 0).all()
        assert (np.abs(np.diff(path, axis=0)) <= limits / RATE * (1 + 1e-9)).all()
        assert len(states) >= 5
        assert all(panda.is_within_limits(state) for state in states)


def test_it_starts_where_the_robot_is_and_stops_when_the_targets_stop(caller, panda):
    state = panda.random_states(1, seed=1)[0]
    with running(robot="panda", tracked_body=TIP, tracking_rate=RATE, tracking_timeout=0.3):
        stream = Stream(caller)
        current = caller.node.create_publisher(JointState, "joint_states", qos_profile_sensor_data)
        wait_until(current.get_subscription_count, "the server on joint_states")
        for _ in range(5):
            current.publish(state)
            time.sleep(0.05)
        stream.send_until(panda.pose(state, TIP), lambda: len(stream.states) > 5, "joint states")
        assert np.abs(positions(stream.states[:1])[0] - state.position).max() < 1e-5
        time.sleep(0.6)
        count = len(stream.states)
        time.sleep(0.5)
        assert len(stream.states) == count


def test_a_bad_target_is_refused_and_tracking_goes_on(caller, panda):
    with running(robot="panda", tracked_body=TIP, tracking_rate=RATE) as server:
        stream = Stream(caller)
        T = panda.pose(panda.state(panda.tree.home_configuration()), TIP)
        bad = T.copy()
        bad[0, 3] = np.nan
        stream.send_until(bad, lambda: "refused a target" in server.output, "the refusal")
        stream.send_until(T, lambda: "atlantis" in server.output, "the refusal", "atlantis")
        assert not stream.states
        stream.send_until(T, lambda: stream.states, "joint states")


def test_a_target_out_of_reach_is_approached_and_reported(caller, panda):
    with running(robot="panda", tracked_body=TIP, tracking_rate=RATE) as server:
        stream = Stream(caller)
        T = panda.pose(panda.state(panda.tree.home_configuration()), TIP).copy()
        T[0, 3] = 3.0
        stream.send_until(T, lambda: "behind the target" in server.output, "the report")
        before, after = (panda.pose(stream.states[i], TIP).copy() for i in (0, -1))
        assert after[0, 3] > before[0, 3] + 0.1
        assert panda.is_within_limits(stream.states[-1])


def test_what_is_tracked_can_be_changed_and_is_checked(caller, panda):
    with running(robot="panda") as server:
        stream = Stream(caller)
        set_parameters = caller.node.create_client(SetParameters, "ik_server/set_parameters")
        assert set_parameters.wait_for_service(PATIENCE)

        def change(body):
            done = threading.Event()
            message = Parameter("tracked_body", value=body).to_parameter_msg()
            future = set_parameters.call_async(SetParameters.Request(parameters=[message]))
            future.add_done_callback(lambda _: done.set())
            assert done.wait(PATIENCE)
            return future.result().results[0]

        T = panda.pose(panda.state(panda.tree.home_configuration()), TIP)
        stream.send_until(T, lambda: "nothing is tracked" in server.output, "the word on it")
        refused = change("panda_link88")
        assert not refused.successful
        assert "did you mean 'panda_link8'" in refused.reason
        assert change(TIP).successful
        stream.send_until(T, lambda: stream.states, "joint states")
