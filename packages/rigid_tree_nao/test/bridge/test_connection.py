"""nao_bridge when its robot dies, hangs or is replaced, and when the bridge dies."""

import contextlib
import os
import signal
from pathlib import Path

import pytest
from diagnostic_msgs.msg import DiagnosticStatus
from geometry_msgs.msg import Pose2D, PoseStamped, Twist
from nao_harness.bridge import Bridge, slow_turn
from nao_motion_interfaces.msg import FootStep

from harness.cases import case
from harness.poses import pose_stamped
from rigid_tree_kinematics.model.transforms import transform


@pytest.fixture(scope="module")
def witness(tmp_path_factory):
    """A robot, and a bridge that sees what other bridges make of it."""
    made = Bridge(tmp_path_factory.mktemp("witness"), "witness")
    yield made
    made.close()


@pytest.fixture
def mortal(witness):
    """A bridge of the test's own to the robot of ``witness``, awake and standing still."""
    made = witness.another()
    made.wake_up()
    yield made
    if made.process.is_running:
        assert made.process.end() == 0


def test_robot_killed_in_motion_is_found_again(lonely_bridge):
    nao = lonely_bridge()
    nao.wake_up()
    moving = nao.start("angle_interpolation", **slow_turn(5.0))
    handle = nao.send_goal("move_to", x=1.0)
    nao.until(nao.walks, "the walk")
    nao.robot.kill()
    nao.until(moving.done, "a reply")
    assert not moving.result().success
    assert "connection to the robot lost" in moving.result().message
    assert nao.result_of(handle).status == 6  # ABORTED
    reply = nao.call("get_summary")
    assert not reply.success
    assert "no connection" in reply.message
    assert nao.level("connection")[0] == DiagnosticStatus.ERROR
    nao.start_robot()
    nao.wake_up()
    assert nao.level("connection") == (DiagnosticStatus.OK, "connected")
    assert nao.angle("HeadYaw") == pytest.approx(0.0, abs=1e-6)
    assert "connected again" in nao.process.output


def test_a_robot_that_is_unplugged_is_given_up_and_found_again(lonely_bridge):
    nao = lonely_bridge()
    nao.wake_up()
    nao.walk_by_topic()
    nao.robot.send_signal(signal.SIGSTOP)
    waiting = nao.start("get_summary")
    nao.until(waiting.done, "a reply")
    assert not waiting.result().success
    nao.until(lambda: nao.level("connection")[0] == DiagnosticStatus.ERROR, "a report")
    nao.robot.send_signal(signal.SIGCONT)
    # The walk that nobody asks for any more ends as soon as the robot is back.
    nao.until(lambda: nao.call("get_summary").success, "the robot")
    nao.until(lambda: not nao.walks(), "a stop")


def steps():
    """Foot steps, the second of which takes minutes."""
    left, right = (
        FootStep(leg_name=leg, x=0.02, y=y) for leg, y in (("LLeg", 0.1), ("RLeg", -0.1))
    )
    left.time, right.time = 0.5, 200.0
    return [left, right]


def replaced(nao):
    """Have a walk to a place replaced by one without end."""
    first = nao.start("move_to", x=10.0)
    nao.until(nao.walks, "the first walk")
    nao.value("move", x=0.05)
    nao.until(first.done, "the end of the walk that was replaced")


# Walks that last longer than any test waits, by every way in which they can be asked for.
WALKS = {
    "move": lambda nao: nao.value("move", x=0.05),
    "move_toward": lambda nao: nao.value("move_toward", x=0.5),
    "set_walk_target_velocity": lambda nao: nao.value(
        "set_walk_target_velocity", x=0.5, frequency=1.0
    ),
    "move_to": lambda nao: nao.start("move_to", x=10.0),
    "walk_to": lambda nao: nao.start("walk_to", x=10.0),
    "move_to action": lambda nao: nao.send_goal("move_to", x=10.0),
    "set_foot_steps": lambda nao: nao.value("set_foot_steps", foot_steps=steps()),
    "set_foot_steps_with_speed": lambda nao: nao.start(
        "set_foot_steps_with_speed", foot_steps=steps(), fraction_max_speed=[1.0, 0.002]
    ),
    "cmd_pose": lambda nao: nao.publisher(Pose2D, "cmd_pose").publish(Pose2D(x=10.0)),
    "goal": lambda nao: nao.publisher(PoseStamped, "move_base_simple/goal").publish(
        pose_stamped(transform((10.0, 0.0, 0.0)), "base_footprint")
    ),
    "move after move_to": replaced,
}


def until_walking(nao, begin):
    """Begin a walk, again if the guards end it because the machine stalled for 0.25 s."""
    for _ in range(5):
        begin(nao)
        with contextlib.suppress(AssertionError):
            nao.network.until(nao.walks, "the walk", 3.0)
            return
    raise AssertionError("no walk lasted")


def test_a_suspended_bridge_leaves_no_walking_robot(mortal, witness):
    nao = mortal
    for walk, begin in WALKS.items():
        with case(walk):
            until_walking(nao, begin)
            nao.process.send_signal(signal.SIGSTOP)
            witness.until(lambda: not witness.walks(), "a stop")
            nao.process.send_signal(signal.SIGCONT)
            nao.until(lambda: nao.call("get_summary").success, "the bridge")
            assert not nao.walks()


def guards_of(process):
    """Return the process numbers of a bridge's guards."""
    found = []
    for folder in Path("/proc").glob("[0-9]*"):
        with contextlib.suppress(OSError):  # processes end meanwhile
            if f"guard_process\0{process.pid}\0".encode() in (folder / "cmdline").read_bytes():
                found.append(int(folder.name))
    return found


def test_guards_that_are_killed_are_replaced_before_the_bridge_is(mortal, witness):
    nao = mortal
    until_walking(nao, WALKS["move"])
    for _ in range(2):
        dead = guards_of(nao.process)
        for guard in dead:
            os.kill(guard, signal.SIGKILL)
        nao.until(lambda dead=dead: len({*guards_of(nao.process)} - {*dead}) == 2, "new guards")
    assert nao.walks()
    nao.process.kill()
    witness.until(lambda: not witness.walks(), "a stop")


@pytest.mark.parametrize(("walk", "guards"), [("move", 0), ("set_foot_steps", 1), ("move", 2)])
def test_a_bridge_that_is_killed_with_guards_leaves_no_walking_robot(
    mortal, witness, walk, guards
):
    nao = mortal
    until_walking(nao, WALKS[walk])
    found = guards_of(nao.process)
    assert len(found) == 2
    nao.process.send_signal(signal.SIGKILL)
    for number in found[:guards]:
        os.kill(number, signal.SIGKILL)
    witness.until(lambda: not witness.walks(), "a stop")


def test_a_walk_that_has_ended_by_itself_is_guarded_no_longer(mortal, witness):
    nao = mortal
    few = [FootStep(leg_name="LLeg", x=0.02, y=0.1, time=2.0)]
    nao.value("set_foot_steps", foot_steps=few)
    nao.until(nao.walks, "the walk")
    nao.until(lambda: not nao.walks(), "its end")
    nao.network.spin_for(2.5)  # so long the walk may be guarded
    # Another client's walk is not this bridge's to stop.
    witness.value("move", x=0.05)
    assert nao.process.end() == 0
    witness.network.spin_for(1.5)
    assert witness.walks()
    witness.value("stop_move")


@pytest.mark.parametrize("walk", ["move_toward", "move_to"])
def test_a_bridge_that_ends_stops_the_walk_and_ends_cleanly(mortal, witness, walk):
    nao = mortal
    until_walking(nao, WALKS[walk])
    assert nao.process.end() == 0
    assert "Traceback" not in nao.process.output
    witness.until(lambda: not witness.walks(), "a stop")


def test_another_version_is_reported_and_without_a_robot_everything_is_answered(lonely_bridge):
    nao = lonely_bridge(version="V5", body_type="H21")
    nao.until(lambda: "the robot has 26 joints" in nao.process.output, "a word")
    assert nao.level("connection")[0] == DiagnosticStatus.WARN
    nao.robot.kill()
    nao.until(lambda: not nao.call("get_summary").success, "no robot")
    reply = nao.call("set_angles", names=["HeadYaw"], angles=[0.1])
    assert "no connection" in reply.message
    nao.publisher(Twist, "cmd_vel").publish(Twist())
    nao.until(lambda: "cmd_vel: dropped" in nao.process.output, "a word")


def test_joints_that_the_robot_lacks_are_left_out(lonely_bridge):
    short = ("--version", "V4", "--body-type", "H21")
    nao = lonely_bridge(robot=short, version="V5", body_type="H25")
    nao.until(lambda: "the robot is a V4" in nao.process.output, "a word")
    assert "LWristYaw, LHand, RWristYaw, RHand" in nao.process.output
    nao.until(lambda: nao.states, "joint states")
    assert len(nao.states[-1].name) == len(nao.states[-1].position) == 22
    assert not {"LWristYaw", "LHand", "RWristYaw", "RHand"} & set(nao.states[-1].name)
    nao.wake_up()
    nao.value("set_angles", names=["RAnkleRoll"], angles=[0.2], fraction_max_speed=1.0)
    nao.until(lambda: abs(nao.angle("RAnkleRoll") - 0.2) < 1e-3, "the joint")
    assert abs(nao.angle("RHipRoll")) < 1e-6
