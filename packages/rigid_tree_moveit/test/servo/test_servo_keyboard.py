"""servo_keyboard in a pseudo-terminal."""

import os
import pty
import subprocess
import sys
import termios

import pytest
from control_msgs.msg import JointJog
from geometry_msgs.msg import TwistStamped
from sensor_msgs.msg import JointState

from harness.probe import Probe
from harness.processes import run
from harness.start.domains import Domain

COMMAND = [sys.executable, "-m", "rigid_tree_moveit.nodes.servo_keyboard"]


@pytest.fixture
def domain():
    made = Domain()
    yield made
    made.close()


def test_keys_become_commands_and_the_terminal_is_as_before(domain):
    probe = Probe(domain.number)
    ours, its = pty.openpty()
    before = termios.tcgetattr(its)
    twists = probe.record(TwistStamped, "servo_node/delta_twist_cmds")
    jogs = probe.record(JointJog, "servo_node/delta_joint_cmds")
    process = subprocess.Popen(
        COMMAND, stdin=its, stdout=its, stderr=its, env=os.environ | domain.environment
    )
    try:
        states = probe.publisher(JointState, "joint_states")
        probe.until(lambda: not termios.tcgetattr(its)[3] & termios.ECHO, "no echo")

        def pressed(key: bytes) -> None:
            states.publish(JointState(name=["first", "second"]))
            os.write(ours, key)
            probe.spin_for(0.1)

        probe.until(lambda: pressed(b"\x1b[A") or twists, "a twist")
        assert twists[-1].twist.linear.x == 0.5
        assert twists[-1].twist.angular.z == 0.0
        probe.until(lambda: pressed(b"2") or jogs, "a joint jog")
        assert (list(jogs[-1].joint_names), list(jogs[-1].velocities)) == (["second"], [0.5])
        jogs.clear()
        os.write(ours, b"r")
        probe.until(
            lambda: pressed(b"2") or [j for j in jogs if j.velocities[0] == -0.5], "the other way"
        )
        os.write(ours, b"q")
        probe.until(lambda: process.poll() is not None, "the end")
        assert process.returncode == 0
        assert termios.tcgetattr(its) == before
    finally:
        process.kill()
        process.wait()
        os.close(ours)
        os.close(its)
        probe.close()


def test_missing_terminal_is_reported(domain):
    done = run(*COMMAND, stdin=subprocess.DEVNULL, env=os.environ | domain.environment)
    assert done.returncode == 1
    assert "start it in a terminal" in done.stderr + done.stdout
