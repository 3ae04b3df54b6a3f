"""Moving pose targets, followed by ik_server in joint positions."""

import numpy as np
import pytest
from geometry_msgs.msg import PoseStamped
from rclpy.qos import qos_profile_sensor_data
from rigid_tree_interfaces.srv import ComputeFK
from sensor_msgs.msg import JointState
from tf2_msgs.msg import TFMessage

from harness.ik_server import IkServer, JointStates
from harness.poses import pose_stamped, transform_stamped
from harness.truth import difference

TIP = "panda_link8"
RATE = 50.0  # Hz


@pytest.fixture(scope="module")
def panda():
    return JointStates("panda")


class Stream:
    """Publishes targets, and keeps the joint states that come back."""

    def __init__(self, network, kind=PoseStamped, topic="ik_target"):
        self.network = network
        self.states = network.record(JointState, "ik_joint_states")
        network.until(
            lambda: network.node.count_publishers("ik_joint_states"), "the server's joint states"
        )
        self._publisher = network.publisher(kind, topic, 1)

    def send_until(self, T, condition, what, frame=""):
        """Publish a target, again and again, until something holds."""
        self.publish_until(pose_stamped(T, frame), condition, what)

    def publish_until(self, message, condition, what):
        def sent_and_met():
            self._publisher.publish(message)
            return condition()

        self.network.until(sent_and_met, what)


def positions(states):
    return np.array([list(state.position) for state in states])


@pytest.mark.parametrize("prefix", ["", "panda/"])
def test_the_body_arrives_at_targets_in_any_frame_within_speed_limits(network, panda, prefix):
    tracking = {"tracked_body": TIP, "tracking_rate": RATE, "frame_prefix": prefix}
    server = IkServer(network, robot="panda", **tracking)
    stream = Stream(network)
    T_root_marker = np.eye(4)
    T_root_marker[:3, 3] = 0.1, 0.2, 0.3
    server.send_transform(f"{prefix}panda_link0", "marker", T_root_marker)
    limits = panda.tree.compiled().velocity_limit
    T = panda.pose(panda.home(), TIP).copy()
    for frame, x in (("", 0.1), (f"{prefix}panda_link0", -0.1), ("marker", 0.1)):
        T[:3, 3] += x, -0.05, -0.05
        T_frame = np.linalg.inv(T_root_marker) @ T if frame == "marker" else T

        def there():
            # Messages may have been lost before both sides knew each other: look at the last.
            states = stream.states
            return states and max(difference(panda.pose(states[-1], TIP), T)) < 1.1e-6

        stream.states.clear()
        stream.send_until(T_frame, there, f"the arm at its target in '{frame}'", frame)
        states = list(stream.states)
        assert list(states[0].name) == list(panda.tree.position_names)
        steps = np.abs(np.diff(positions(states), axis=0))
        assert (steps <= limits / RATE * (1 + 1e-9)).all()
        assert len(states) >= 5


def test_it_starts_where_the_robot_is_and_stops_when_the_targets_stop(network, panda):
    state = panda.random(1, seed=1)[0]
    server = IkServer(
        network, robot="panda", tracked_body=TIP, tracking_rate=RATE, tracking_timeout=0.3
    )
    stream = Stream(network)
    current = network.publisher(JointState, "joint_states", qos_profile_sensor_data)
    there = panda.pose(state, TIP)[:3, 3]

    def received():
        current.publish(state)
        at = server.call(ComputeFK.Request(bodies=[TIP])).poses[0].pose.position
        return np.abs([at.x, at.y, at.z] - there).max() < 1e-9

    network.until(received, "the robot's state")
    stream.send_until(panda.pose(state, TIP), lambda: len(stream.states) > 5, "joint states")
    assert np.abs(positions(stream.states[:1])[0] - state.position).max() < 1e-5
    network.spin_for(0.6)
    count = len(stream.states)
    network.spin_for(0.5)
    assert len(stream.states) == count


@pytest.mark.parametrize(
    ("x", "frame", "second", "words"),
    [
        (np.nan, "", 0, "rejected a target"),
        (0.5, "atlantis", 0, "atlantis"),
        (0.5, "", -1, "is before zero"),
    ],
)
def test_invalid_target_is_rejected_and_tracking_continues(
    network, panda, x, frame, second, words
):
    """On a server each: a warning comes only every few seconds."""
    server = IkServer(network, robot="panda", tracked_body=TIP, tracking_rate=RATE)
    stream = Stream(network)
    T = panda.pose(panda.home(), TIP)
    bad = pose_stamped(T, frame)
    bad.pose.position.x, bad.header.stamp.sec = x, second
    stream.publish_until(bad, lambda: words in server.process.output, "the rejection")
    assert not stream.states
    stream.send_until(T, lambda: stream.states, "joint states")


def test_a_target_out_of_reach_is_approached_and_reported(network, panda):
    server = IkServer(network, robot="panda", tracked_body=TIP, tracking_rate=RATE)
    stream = Stream(network)
    T = panda.pose(panda.home(), TIP).copy()
    T[0, 3] = 3.0
    stream.send_until(T, lambda: "behind the target" in server.process.output, "the report")
    before, after = (panda.pose(stream.states[i], TIP).copy() for i in (0, -1))
    assert after[0, 3] > before[0, 3] + 0.1
    panda.assert_within_limits(stream.states[-1])


def test_several_bodies_follow_targets_by_name(network):
    nao = JointStates("nao")
    server = IkServer(network, robot="nao", tracking_rate=RATE)
    stream = Stream(network, TFMessage, "ik_targets")
    goal = nao.home()
    for joint, turn in (("LShoulderPitch", 0.3), ("RElbowYaw", -0.4)):
        goal.position[list(goal.name).index(joint)] += turn
    poses = {hand: nao.pose(goal, hand).copy() for hand in ("l_gripper", "r_gripper")}
    root = nao.tree.base_name
    named = [transform_stamped(root, hand, T) for hand, T in poses.items()]
    stray = [*named[:1], transform_stamped(root, "l_grip", np.eye(4))]
    stream.publish_until(
        TFMessage(transforms=stray), lambda: "l_grip'" in server.process.output, "the rejection"
    )
    assert not stream.states

    def there():
        found = stream.states[-1:]
        errors = [difference(nao.pose(q, hand), T) for q in found for hand, T in poses.items()]
        return found and np.max(errors) < 1.1e-6

    stream.publish_until(TFMessage(transforms=named), there, "both hands at their targets")


def test_the_tracked_body_can_be_changed_and_is_checked(network, panda):
    server = IkServer(network, robot="panda")
    stream = Stream(network)
    T = panda.pose(panda.home(), TIP)
    stream.send_until(T, lambda: "nothing is tracked" in server.process.output, "the word on it")
    rejected = server.set_parameter("tracked_body", "panda_link88")
    assert not rejected.successful
    assert "did you mean 'panda_link8'" in rejected.reason
    assert server.set_parameter("tracked_body", TIP).successful
    stream.send_until(T, lambda: stream.states, "joint states")
