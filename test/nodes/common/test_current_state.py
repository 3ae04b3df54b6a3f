"""Past joint positions, interpolated between received states."""

import numpy as np
import pytest
from rclpy.serialization import serialize_message
from sensor_msgs.msg import JointState

from rigid_tree_kinematics import load_robot
from rigid_tree_kinematics.nodes.common.fast import JointStateReader
from rigid_tree_kinematics.nodes.common.robot.robot_server import (
    KEPT,
    CurrentState,
    NamedPositions,
)

PANDA = load_robot("panda")
NAMES = list(PANDA.joint_names)


def test_it_is_interpolated_between_states_and_constant_outside():
    rng = np.random.default_rng(0)
    kept = CurrentState(PANDA, NamedPositions(PANDA))
    assert kept.latest is None
    times = 100.0 + np.cumsum(rng.uniform(0.005, 0.1, 50))
    positions = np.array([PANDA.random_configuration(rng) for _ in times])
    for time, position in zip(times, positions, strict=True):
        kept.update(NAMES, position, time, arrival=time)
    assert kept.latest == times[-1]
    for time in rng.uniform(times[0], times[-1], 30):
        expected = [np.interp(time, times, column) for column in positions.T]
        found, gap = kept.at(time)
        np.testing.assert_allclose(found, expected, atol=1e-9)
        assert gap == 0.0
    for time, k in ((0.0, 0), (1e4, -1)):
        found, gap = kept.at(time)
        np.testing.assert_array_equal(found, positions[k])
        assert gap == pytest.approx(abs(time - times[k]))


def test_old_states_are_forgotten_and_time_may_jump_back():
    kept = CurrentState(PANDA, NamedPositions(PANDA))
    for stamp in np.arange(0.0, 3.0 * KEPT, 0.1):
        kept.update(NAMES[:1], [0.01 * stamp], stamp, arrival=stamp)
    assert kept.at(0.0)[1] == pytest.approx(2.0 * KEPT - 0.1, abs=0.11)
    kept.update(NAMES[:1], [0.5], 1.0, arrival=3.0 * KEPT)  # a simulation begins again
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


def test_messages_that_must_not_replace_others_have_no_key():
    reader = JointStateReader()

    def key(names: list[str], positions: list[float]) -> bytes | None:
        data = bytes(serialize_message(JointState(name=names, position=positions)))
        reader.read(data)
        return reader.key(data)

    assert key(["a", "b"], [1.0, 2.0]) is not None
    for positions in ([1.0, np.nan], [np.inf, 1.0], [1.0], []):
        assert key(["a", "b"], positions) is None
