"""The robot over the real protocol: its errors, its modules, and hung or abandoned guards.

../bridge/test_connection.py has its start, loss and reconnection, with the bridge.
"""

import os
import signal
import time
from typing import Any

import pytest
from nao_harness.simulated import SimulatedNao

from harness.processes import TIMEOUT, free_port, wait_until
from rigid_tree_nao.errors import NaoError, NoRobotConnectionError
from rigid_tree_nao.guard.walk_guard import WalkEffect, WalkGuard, WalkState
from rigid_tree_nao.robot.connection import NaoConnection

pytest.importorskip("qi", reason="libqi: pip install qi (Python 3.8 to 3.12)")


@pytest.fixture(scope="module")
def port():
    return free_port()


@pytest.fixture(scope="module")
def robot(port, tmp_path_factory):
    made = SimulatedNao(port, tmp_path_factory.mktemp("robot"))
    yield made
    assert made.end() == 0


@pytest.fixture(scope="module")
def shared(robot, port):
    made: Any = NaoConnection("127.0.0.1", port)
    made.start()
    wait_until(lambda: made.state.is_connected, "connection")
    yield made
    made.close()


@pytest.fixture
def connected(shared):
    """A connection to a stiff robot that does nothing."""
    request(shared, "killAll")
    request(shared, "setStiffnesses", "Body", 1.0)
    return shared


@pytest.fixture
def walking(connected):
    """The same connection, to a robot that walks."""
    request(connected, "move", 0.05, 0.0, 0.0)
    return connected


def ended(line):
    """Wait for the end of the walk."""
    wait_until(lambda: not request(line, "moveIsActive"), "the end of the walk")


def request(line, method, *arguments, service="ALMotion"):
    return line.ask(service, method, *arguments, timeout=TIMEOUT)


def test_invalid_calls_are_answered_and_have_no_effect(robot, connected):
    assert len(request(connected, "getAngles", "Body", True)) == 26
    motion = "ALMotion"
    for call, words in (
        ((motion, "getAngles", "Tail", True), "ALMotion::getAngles unknown joint or chain"),
        ((motion, "fly"), "no method fly"),
        ((motion, "getAngles"), "cannot be called"),
        (("ALRobotPosture", "goToPosture", ["Sit"], 1.0), ""),
        ((motion, "angleInterpolationBezier", "HeadYaw", [1.0], [["0.1"]]), ""),
        ((motion, "positionInterpolation", "LArm", 0, [[0.1] * 6], 0, [1.0], True), ""),
        ((motion, "moveTo", {"x": 1.0}), ""),
        ((motion, "setAngles", None, 1e308, 1.0), ""),
    ):
        with pytest.raises(NaoError, match=words) as caught:
            connected.ask(*call, timeout=TIMEOUT)
        assert not isinstance(caught.value, NoRobotConnectionError)
        for mark in ("\n", "Traceback", "At:"):
            assert mark not in str(caught.value)
    assert connected.state.is_connected
    request(connected, "angleInterpolation", "HeadYaw", 0.3, 0.3, True)
    assert "Traceback" not in robot.output


def test_either_guard_is_enough_and_a_hung_one_is_replaced(walking, port):
    guard = WalkGuard("127.0.0.1", port)
    guard.watch(1)
    hung, killed = guard._guards
    os.killpg(hung._process.pid, signal.SIGSTOP)
    wait_until(lambda: not hung.runs, "the end of the hung guard")
    wait_until(lambda: all(one.is_ready for one in guard._guards), "another guard")
    assert request(walking, "moveIsActive")
    killed.kill()
    guard.close()
    ended(walking)


def test_guard_stops_a_robot_that_its_owner_cannot_reach_and_reports_it(walking, port):
    walk = WalkState(WalkGuard("127.0.0.1", port))
    walk.sent(WalkEffect.STARTS)
    walk.abandon()
    ended(walking)
    wait_until(lambda: not walk.is_walking, "the word about it")
    walk.close()


def test_every_module_has_what_naoqis_modules_have(connected):
    for service in ("ALMotion", "ALMemory", "ALTextToSpeech"):
        assert request(connected, "ping", service=service) is True
        assert request(connected, "version", service=service)
    assert {"moveTo", "post", "ping"} <= set(request(connected, "getMethodList"))
    request(connected, "wakeUp")
    number = request(connected, "post", "angleInterpolation", "HeadYaw", 0.5, 1.0, True)
    assert request(connected, "isRunning", number)
    assert request(connected, "wait", number, 100) is True  # it still runs
    assert request(connected, "wait", number, 0) is False
    assert abs(request(connected, "getAngles", "HeadYaw", True)[0] - 0.5) < 1e-3
    number = request(connected, "post", "angleInterpolation", "HeadYaw", -0.5, 5.0, True)
    request(connected, "stop", number)
    assert not request(connected, "isRunning", number)
    with pytest.raises(NaoError, match="no call has the id 99"):
        request(connected, "wait", 99, 0)


def test_the_robot_talks_in_turn(robot, connected):
    first = connected.call("ALTextToSpeech", "say", "one two three")
    second = connected.call("ALTextToSpeech", "say", "four")
    second.result(TIMEOUT)
    first.result(1.0)  # its answer came before, or at the same time
    sentences = [text for text in robot.output.splitlines() if "NAO says" in text]
    assert sentences == ["NAO says: one two three", "NAO says: four"]


def test_a_walk_that_is_sent_while_a_guard_stops_the_last_one_goes_on(walking, port):
    """The guards stop a robot several times; a bridge that was suspended may walk again then."""
    guard = WalkGuard("127.0.0.1", port)
    for number in range(1, 6):
        guard.watch(number)
        guard.abandon()
        wait_until(lambda: not any(request(walking, "getRobotVelocity")), "the first stop")
        guard.watch(number + 1)
        request(walking, "move", 0.05, 0.0, 0.0)
        wait_until(lambda: any(request(walking, "getRobotVelocity")), "the next walk")
        end = time.monotonic() + 0.5
        while time.monotonic() < end:
            assert any(request(walking, "getRobotVelocity")), number
    guard.close()
    ended(walking)
