"""Readings of the robot's state against the simulated robot."""

import numpy as np
import pytest
from nao_harness.clockless import ClocklessNao

from rigid_tree_nao.robot.nao_state import STILL_READINGS, StateReader


class Line(ClocklessNao):
    """A robot whose methods are called without libqi in between; counts what is asked."""

    calls_received = 0
    between = staticmethod(lambda: None)  # what happens between two calls that were sent together

    def ask_all(self, *calls, timeout):
        self.calls_received += len(calls)
        values = []
        for service, method, *rest in reversed(calls):  # the robot may take them in any order
            values.insert(0, self.services[service][method](*rest))
            self.between()
        return values


@pytest.fixture
def line():
    return Line()


@pytest.fixture
def robot(line):
    return line.robot


@pytest.fixture
def reader(robot, line):
    return StateReader(robot.body, line, 1.0)


def assert_true(state, robot):
    model = robot.model
    for read, true in (
        (state.angles, model.sensors),
        (state.commands, model.commands),
        (state.stiffnesses, model.stiffnesses),
        (state.currents, robot.drives.currents),
        (state.T_odom_torso, model.pose("Torso", 1, True)),
        (state.walk_velocity, model.velocity),
        (state.robot_place, model.get_robot_position(True)),
        (state.acceleration, 9.81 * model.pose("Torso", 1, True)[2, :3]),
    ):
        assert np.allclose(read, true, atol=1e-12)


def test_a_complete_reading_is_the_robots_state(robot, line, reader):
    generator = np.random.default_rng(3)
    robot.model.stiffnesses[:] = 1.0
    for _ in range(20):
        angles = generator.uniform(robot.body.lower, robot.body.upper)
        robot.model.set_angles("Body", angles.tolist())
        robot.model.place_robot(*generator.uniform(-2.0, 2.0, 3))
        line.advance(0.1)
        assert_true(reader.read(complete=True), robot)


def test_while_joints_move_every_reading_is_complete(robot, reader):
    robot.model.stiffnesses[:] = 1.0
    reader.read()
    robot.drives.aim({"LKneePitch": 1.5, "HeadYaw": 0.4}, 0.3)
    for _ in range(20):
        robot.step()
        assert_true(reader.read(complete=False, walks=False), robot)


def test_while_only_arms_move_one_call_is_a_reading(robot, line, reader):
    robot.model.stiffnesses[:] = 1.0
    reader.read()
    robot.drives.aim({"LShoulderPitch": 0.0, "HeadYaw": 0.4}, 0.05)
    robot.step()
    reader.read(complete=False, walks=False)
    before, readings = line.calls_received, 2 * STILL_READINGS
    for _ in range(readings):
        robot.step()
        assert_true(reader.read(complete=False, walks=False), robot)
    assert line.calls_received - before == readings + readings // STILL_READINGS


def test_where_a_walk_ends_is_read(robot, line, reader):
    """The place may be read before the last step, and the velocity after it."""
    line.between = robot.step
    robot.model.stiffnesses[:] = 1.0
    line.moveTo(0.1, 0.05, 0.2)
    walked = False
    for _ in range(400):
        state = reader.read(complete=False, walks=False)
        walked = walked or any(state.walk_velocity)
    assert walked
    assert_true(state, robot)


def test_at_rest_one_call_is_a_reading(robot, line, reader):
    reader.read()
    before, readings = line.calls_received, 10 * STILL_READINGS
    for _ in range(readings):
        assert_true(reader.read(complete=False, walks=False), robot)
    assert line.calls_received - before == readings + readings // STILL_READINGS


@pytest.mark.parametrize("what", ["stiffness", "walk", "command"])
def test_what_another_client_does_is_seen_soon(what, robot, reader):
    for _ in range(7):
        reader.read(complete=False, walks=False)
    if what == "stiffness":
        robot.model.stiffnesses[:] = 0.5
    elif what == "walk":
        robot.model.stiffnesses[:] = 1.0
        robot.walk.go([0.05, 0.0, 0.0])
    else:  # of a limp robot, whose joints stay
        robot.command({"HeadYaw": 0.3})
    for _ in range(STILL_READINGS):
        robot.step()
        state = reader.read(complete=False, walks=False)
    assert_true(state, robot)


def test_values_that_are_no_numbers_are_0(robot, line, reader):
    memory = line.services["ALMemory"]
    for key, value in (
        ("Device/SubDeviceList/HeadYaw/Position/Sensor/Value", "broken"),
        ("Device/SubDeviceList/HeadPitch/Position/Sensor/Value", float("nan")),
    ):
        memory["insertData"](key, value)
    assert reader.read().angles[:2].tolist() == [0.0, 0.0]
    assert reader.read().angles[2] == robot.model.sensors[2]
