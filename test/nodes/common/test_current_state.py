"""The current joint positions and past ones, interpolated between received states."""

import time

import numpy as np
import pytest
import rclpy
from rclpy.serialization import serialize_message
from sensor_msgs.msg import JointState

from harness.processes import wait_until
from rigid_tree_kinematics import load_robot
from rigid_tree_kinematics.nodes.common.process import PlainNode
from rigid_tree_kinematics.nodes.common.robot import UsablePositions
from rigid_tree_kinematics.nodes.common.robot.current_state import (
    HISTORY,
    CurrentState,
    NamedPositions,
)
from rigid_tree_kinematics.nodes.common.robot.state_listener import StateListener

PANDA = load_robot("panda")
NAMES = list(PANDA.joint_names)


def test_it_is_interpolated_between_states_and_constant_outside():
    rng = np.random.default_rng(0)
    kept = CurrentState(PANDA, NamedPositions(PANDA))
    assert kept.latest is None
    times = 100.0 + np.cumsum(rng.uniform(0.005, 0.1, 50))
    positions = np.array([PANDA.random_configuration(rng) for _ in times])
    for at, position in zip(times, positions, strict=True):
        kept.update(NAMES, position, at, arrival=at)
    assert kept.latest == times[-1]
    for at in rng.uniform(times[0], times[-1], 30):
        expected = [np.interp(at, times, column) for column in positions.T]
        found, gap = kept.at(at)
        np.testing.assert_allclose(found, expected, atol=1e-9)
        assert gap == 0.0
    for at, k in ((0.0, 0), (1e4, -1)):
        found, gap = kept.at(at)
        np.testing.assert_array_equal(found, positions[k])
        assert gap == pytest.approx(abs(at - times[k]))


def test_old_states_are_removed_and_time_may_jump_back():
    kept = CurrentState(PANDA, NamedPositions(PANDA))
    for stamp in np.arange(0.0, 3.0 * HISTORY, 0.1):
        kept.update(NAMES[:1], [0.01 * stamp], stamp, arrival=stamp)
    assert kept.at(0.0)[1] == pytest.approx(2.0 * HISTORY - 0.1, abs=0.11)
    kept.update(NAMES[:1], [0.5], 1.0, arrival=3.0 * HISTORY)  # a simulation begins again
    assert kept.latest == 1.0
    found, gap = kept.at(1.2)
    assert found[0] == 0.5
    assert gap == pytest.approx(0.2)


def test_a_message_about_other_robots_is_no_state():
    kept = CurrentState(PANDA, NamedPositions(PANDA))
    for names in ([], ["gripper_of_another_robot"]):
        kept.update(names, np.zeros(len(names)), 1.0, arrival=1.0)
    assert not kept.is_known
    assert kept.latest is None
    kept.update(NAMES[:1], [0.5], 2.0, arrival=2.0)
    assert kept.is_known


@pytest.fixture
def listened(ros):
    """A node's state, a function that publishes joint states, and one that reads them."""
    node, sender = PlainNode("listening"), rclpy.create_node("sending")
    listener = StateListener(node)
    kept = CurrentState(PANDA, NamedPositions(PANDA))
    listener.update(kept, UsablePositions(node, PANDA))
    publisher = sender.create_publisher(JointState, "joint_states", 10)
    wait_until(publisher.get_subscription_count, "the subscription")

    def read(*messages) -> None:
        for message in messages:
            publisher.publish(message)
        time.sleep(0.2)
        listener.read()

    yield kept, read
    node.destroy_node()
    sender.destroy_node()


def state(names, *positions) -> JointState:
    return JointState(name=names, position=positions)


def test_the_newest_message_of_each_set_of_joints_is_used(listened):
    kept, read = listened
    read(state(NAMES[:1], 0.1), state(NAMES[1:2], 0.2), state(NAMES[:1], 0.3))
    assert kept.configuration[:3].tolist() == [0.3, 0.2, PANDA.home_configuration()[2]]


def test_invalid_messages_do_not_replace_valid_ones(listened):
    kept, read = listened
    ahead = state(NAMES[:1], 0.4)
    ahead.header.stamp.sec = 2**31 - 1
    invalid = state(NAMES[:1]), state(NAMES[:1], 0.5, 0.6), state(NAMES[:1], np.nan), ahead
    read(state(NAMES[:2], 0.1, 0.2), state(NAMES[:1], 0.3), *invalid)
    assert kept.configuration[:2].tolist() == [0.3, 0.2]
    read(serialize_message(state(NAMES[:1], 0.7))[:20], state(NAMES[1:2], 0.8))
    assert kept.configuration[:2].tolist() == [0.3, 0.8]


def test_one_message_of_many_is_used(listened, monkeypatch):
    kept, read = listened
    updates: list[float] = []
    monkeypatch.setattr(kept, "update", lambda *given: updates.append(given[1][0]))
    read(*(state(NAMES[:1], 0.01 * k) for k in range(10)))
    assert updates == [0.09]
