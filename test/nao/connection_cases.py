"""The connection to a robot over the real protocol: start, loss, hang, reconnection."""

import os
import signal
import sys
from pathlib import Path
from typing import Any

import pytest

from harness.nao.simulated import MODULE, SimulatedNao
from harness.processes import TIMEOUT, free_port, run, wait_until
from rigid_tree_kinematics.nao.errors import NaoError, NoRobotConnectionError
from rigid_tree_kinematics.nao.guard.walk_guard import WalkEffect, WalkGuard, WalkState
from rigid_tree_kinematics.nao.robot.connection import RobotConnection, message_of

pytest.importorskip("qi", reason="libqi: pip install qi (Python 3.8 to 3.12)")


@pytest.fixture
def port():
    return free_port()


@pytest.fixture
def line(port):
    """A connection, and all the states it has told of."""
    states = []
    made: Any = RobotConnection("127.0.0.1", port, on_change=states.append)
    made.states = states
    yield made
    made.close()


@pytest.fixture
def robot(port, tmp_path):
    made = SimulatedNao(port, tmp_path)
    yield made
    assert made.end() == 0


@pytest.fixture
def connected(robot, line):
    """The same connection, established to the robot."""
    line.start()
    wait_until(lambda: line.state.is_connected, "connection")
    return line


@pytest.fixture
def walking(connected):
    """The same connection, to a robot that walks."""
    ask(connected, "setStiffnesses", "Body", 1.0)
    ask(connected, "move", 0.05, 0.0, 0.0)
    return connected


def ended(line):
    """Wait for the end of the walk."""
    wait_until(lambda: not ask(line, "moveIsActive"), "the end of the walk")


def ask(line, method, *arguments, service="ALMotion"):
    return line.ask(service, method, *arguments, timeout=TIMEOUT)


def test_call_reaches_the_robot_and_returns_its_errors(connected):
    assert len(ask(connected, "getAngles", "Body", True)) == 26
    for arguments, words in (
        (("getAngles", "Tail", True), "ALMotion::getAngles unknown joint or chain name 'Tail'"),
        (("fly",), "no method fly"),
        (("getAngles",), "cannot be called"),
    ):
        with pytest.raises(NaoError, match=words) as caught:
            ask(connected, *arguments)
        assert not isinstance(caught.value, NoRobotConnectionError)
        assert "\n" not in str(caught.value)
    assert connected.state.is_connected


def test_without_a_robot_calls_fail_at_once_and_it_is_found_when_it_comes(port, line, tmp_path):
    line.start()
    with pytest.raises(NoRobotConnectionError, match="no connection"):
        ask(line, "getSummary")
    wait_until(lambda: line.states, "a word about its absence")
    assert "refused" in line.states[0].last_error
    robot = SimulatedNao(port, tmp_path)
    wait_until(lambda: line.state.is_connected, "connection")
    assert robot.end() == 0


def test_a_blocking_call_keeps_no_other_one_waiting(connected):
    ask(connected, "setStiffnesses", "Body", 1.0)
    # More of them than libqi has threads.
    blocked = [
        connected.call("ALMotion", "angleInterpolation", "HeadYaw", 0.1, 5.0, True)
        for _ in range(20)
    ]
    assert ask(connected, "getMotionCycleTime") == 20
    assert not any(answer.done() for answer in blocked)
    ask(connected, "killAll")
    assert [answer.result(TIMEOUT) for answer in blocked] == [None] * 20


def test_a_robot_that_hangs_is_given_up_and_found_again(robot, connected):
    answer = connected.call("ALMotion", "wakeUp")
    robot.send_signal(signal.SIGSTOP)
    status = Path(f"/proc/{robot.pid}/status")
    wait_until(lambda: "State:\tT" in status.read_text(), "the robot to be suspended")
    with pytest.raises(NoRobotConnectionError, match="did not respond"):
        connected.ask("ALMotion", "getSummary", timeout=0.3)
    connected.give_up("it hangs")
    with pytest.raises(NoRobotConnectionError, match="it hangs"):
        answer.result(TIMEOUT)
    wait_until(lambda: not connected.state.is_connected, "the end of the connection")
    robot.send_signal(signal.SIGCONT)
    wait_until(lambda: connected.state.connections == 2, "a second connection")
    assert "ALMotion" not in ask(connected, "getSummary")


def test_words_without_a_traceback():
    text = "RuntimeError: ALMotion::x\n\tno joint\n\nAt:\n  /robot/motion.py(11): x\n"
    assert message_of(text) == "ALMotion::x no joint"


def test_the_guard_leaves_a_robot_alone_that_was_stopped(connected, port):
    guard = WalkGuard("127.0.0.1", port)
    guard.watch(1)
    guard.release()
    ask(connected, "setStiffnesses", "Body", 1.0)
    ask(connected, "move", 0.05, 0.0, 0.0)  # by somebody else
    guards = list(guard._guards)
    guard.close()
    wait_until(lambda: not any(one.runs for one in guards), "the guards' end")
    assert ask(connected, "moveIsActive")


def test_either_guard_is_enough_and_a_hung_one_is_replaced(walking, port):
    guard = WalkGuard("127.0.0.1", port)
    guard.watch(1)
    hung, killed = guard._guards
    os.killpg(hung._process.pid, signal.SIGSTOP)
    wait_until(lambda: not hung.runs, "the end of the hung guard")
    wait_until(lambda: all(one.is_ready for one in guard._guards), "another guard")
    assert ask(walking, "moveIsActive")
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


def test_occupied_port_is_reported_in_one_line(robot, port):
    ended = run(sys.executable, "-m", MODULE, "--port", port)
    assert ended.returncode == 1
    assert ended.stderr.count("\n") == 1
    assert "simulated_nao:" in ended.stderr


def test_every_module_has_what_naoqis_modules_have(connected):
    for service in ("ALMotion", "ALMemory", "ALTextToSpeech"):
        assert ask(connected, "ping", service=service) is True
        assert ask(connected, "version", service=service)
    assert {"moveTo", "post", "ping"} <= set(ask(connected, "getMethodList"))
    ask(connected, "wakeUp")
    number = ask(connected, "post", "angleInterpolation", "HeadYaw", 0.5, 1.0, True)
    assert ask(connected, "isRunning", number)
    assert ask(connected, "wait", number, 100) is True  # it still runs
    assert ask(connected, "wait", number, 0) is False
    assert abs(ask(connected, "getAngles", "HeadYaw", True)[0] - 0.5) < 1e-3
    number = ask(connected, "post", "angleInterpolation", "HeadYaw", -0.5, 5.0, True)
    ask(connected, "stop", number)
    assert not ask(connected, "isRunning", number)
    with pytest.raises(NaoError, match="no call has the id 99"):
        ask(connected, "wait", 99, 0)


def test_invalid_calls_are_answered_and_have_no_effect(robot, connected):
    ask(connected, "setStiffnesses", "Body", 1.0)
    for call in (
        ("ALRobotPosture", "goToPosture", ["Sit"], 1.0),
        ("ALMotion", "angleInterpolationBezier", "HeadYaw", [1.0], [[0.1]]),
        ("ALMotion", "positionInterpolation", "LArm", 0, [[0.1] * 6], 0, [1.0], True),
        ("ALMotion", "moveTo", {"x": 1.0}),
        ("ALMotion", "setAngles", None, 1e308, 1.0),
    ):
        with pytest.raises(NaoError) as caught:
            connected.ask(*call, timeout=TIMEOUT)
        assert "Traceback" not in str(caught.value)
        assert "At:" not in str(caught.value)
    ask(connected, "angleInterpolation", "HeadYaw", 0.3, 0.3, True)
    assert "Traceback" not in robot.output


def test_the_robot_talks_in_turn(robot, connected):
    first = connected.call("ALTextToSpeech", "say", "one two three")
    second = connected.call("ALTextToSpeech", "say", "four")
    second.result(TIMEOUT)
    first.result(1.0)  # its answer came before, or at the same time
    said = [text for text in robot.output.splitlines() if "NAO says" in text]
    assert said == ["NAO says: one two three", "NAO says: four"]
