"""The simulated robot, cycle by cycle, against ALMotion's documentation."""

import math

import numpy as np
import pytest
from nao_harness.clockless import LONGEST, ClocklessNao

from rigid_tree_nao.errors import NaoError
from rigid_tree_nao.model.joint_limits import coupled_limits
from rigid_tree_nao.model.postures import POSTURES, posture_angles, posture_at
from rigid_tree_nao.simulated.robot.robot import CYCLE


def test_it_starts_without_stiffness_in_a_crouch_and_wakes_up_to_stand():
    nao = ClocklessNao()
    assert nao.posture["getPosture"]() == "Crouch"
    assert not nao.robotIsWakeUp()
    nao.finish(nao.wakeUp())
    nao.advance(0.1)
    assert nao.posture["getPosture"]() == "StandInit"
    assert nao.posture["getPostureFamily"]() == "Standing"
    assert nao.robotIsWakeUp()
    nao.finish(nao.rest())
    assert nao.posture["getPosture"]() == "Crouch"
    assert nao.getStiffnesses("Body") == [0.0] * 26


def state(nao):
    model = nao.model
    joints = (model.commands, model.sensors, model.stiffnesses, nao.robot.drives.currents)
    place = nao.getPosition("Torso", 1, True), model.velocity, model.next_position
    return [values.tolist() for values in joints], place


@pytest.mark.parametrize(
    "command",
    [
        lambda nao: nao.setAngles("HeadYaw", 1.0, 0.1),
        lambda nao: nao.angleInterpolation("HeadYaw", 1.0, 1.0, True),
        lambda nao: nao.moveTo(0.1, 0.0, 0.0),
        lambda nao: nao.move(0.05, 0.0, 0.0),
        lambda nao: nao.setStiffnesses("Head", 0.0),
        lambda nao: nao.rest(),
    ],
)
def test_it_is_at_rest_when_further_cycles_change_nothing(nao, command):
    assert nao.robot.is_at_rest
    command(nao)
    for _ in range(200):
        nao.robot.step()
        if nao.robot.is_at_rest:
            before = state(nao)
            nao.robot.step()
            assert state(nao) == before
    assert nao.robot.is_at_rest or nao.model.velocity[0] == pytest.approx(0.05)


def test_joints_move_at_the_speed_that_is_asked_for(nao):
    nao.setAngles("HeadYaw", 1.0, 0.1)
    nao.advance(0.5)
    speed = 0.1 * 8.26797
    assert nao.getAngles("HeadYaw", False)[0] == pytest.approx(0.5 * speed, rel=1e-9)
    assert nao.getAngles("HeadYaw", True)[0] == pytest.approx(0.5 * speed, abs=speed * CYCLE)
    nao.advance(2.0)
    assert nao.getAngles("HeadYaw", True) == [1.0]


def test_joint_without_stiffness_does_not_move(nao):
    nao.setStiffnesses("HeadYaw", 0.0)
    nao.setAngles("Head", [0.5, 0.2], 1.0)
    for stiffness, sensed in ((0.0, [0.0, 0.2]), (1.0, [0.5, 0.2])):
        nao.setStiffnesses("HeadYaw", stiffness)
        nao.advance(1.0)
        assert nao.getAngles("Head", False) == [0.5, 0.2]
        assert nao.getAngles("Head", True) == sensed


def test_commands_end_at_the_limits_the_coupled_ones_too(nao):
    for joint in ("HeadYaw", "HeadPitch"):
        nao.setAngles(joint, 9.0, 1.0)
        nao.advance(1.0)
    assert nao.getAngles("Head", True) == pytest.approx([2.0857, 0.330041], abs=1e-4)
    body = nao.robot.body
    for seed in range(10):
        target = np.random.default_rng(seed).uniform(-2.0, 2.0, 26)
        nao.setAngles("Body", target.tolist(), 1.0)
        nao.advance(0.3)
        lower, upper = coupled_limits(body, nao.model.commands)
        assert (lower - 1e-9 <= nao.model.commands).all()
        assert (nao.model.commands <= upper + 1e-9).all()
        assert nao.getAngles("LHipYawPitch", False) == nao.getAngles("RHipYawPitch", False)


def test_a_target_ends_at_a_coupled_limit(nao):
    nao.setAngles("HeadYaw", 1.5, 1.0)
    nao.advance(1.0)
    nao.setAngles("HeadPitch", 0.5, 1.0)
    nao.advance(1.0)
    limit = nao.getAngles("HeadPitch", False)[0]
    assert limit == pytest.approx(0.2062, abs=1e-3)
    assert nao.robot.is_at_rest
    nao.changeAngles("HeadPitch", -0.1, 1.0)
    nao.setAngles("HeadYaw", 0.0, 1.0)
    nao.advance(1.0)
    assert nao.getAngles("Head", False) == pytest.approx([0.0, limit - 0.1])
    nao.setAngles("Head", [1.5, 0.1], 1.0)
    nao.advance(1.0)
    nao.setAngles("Head", [0.0, 0.5], 0.1)  # the limit moves ahead of the pitch
    nao.advance(3.0)
    assert nao.getAngles("Head", False) == [0.0, 0.5]


def test_one_motor_moves_both_hips(nao):
    left, right = hips = ["LHipYawPitch", "RHipYawPitch"]
    nao.setAngles(left, -0.8, 0.05)
    nao.advance(0.2)
    nao.finish(nao.angleInterpolation(left, 0.3, 1.0, True))
    nao.advance(1.0)
    assert nao.getAngles(hips, True) == pytest.approx([0.3, 0.3])
    nao.setAngles(left, -0.8, 0.05)
    nao.advance(0.2)
    nao.killTasksUsingResources([left])
    there = nao.getAngles(hips, False)
    nao.advance(1.0)
    assert nao.getAngles(hips, False) == there
    first = nao.angleInterpolation(left, 0.0, 1.0, True)
    second = nao.angleInterpolation(right, -0.5, 1.0, True)
    nao.advance(0.5)
    assert [first.is_running, second.is_running] == [True, False]
    assert not nao.areResourcesAvailable([right])
    nao.finish(second)
    assert nao.getAngles(hips, False) == pytest.approx([-0.5, -0.5])


def test_an_interpolation_takes_its_time_and_passes_its_angles(nao):
    task = nao.angleInterpolation(
        ["HeadYaw", "HeadPitch"], [[0.6, -0.4], [0.2]], [[0.5, 1.2], [0.8]], True
    )
    nao.advance(0.52)
    assert nao.getAngles("HeadYaw", False)[0] == pytest.approx(0.6, abs=1e-9)
    assert not task.done()
    assert nao.finish(task) + 0.52 == pytest.approx(1.22, abs=1e-9)
    nao.advance(0.1)
    assert nao.getAngles("Head", True) == pytest.approx([-0.4, 0.2])


def test_changes_add_to_where_the_joint_is_and_one_number_serves_many_joints(nao):
    for _ in range(3):
        nao.changeAngles("HeadYaw", 0.1, 0.5)
    nao.advance(1.0)
    assert nao.getAngles("HeadYaw", True)[0] == pytest.approx(0.3)
    for names, angles, times, absolute, reached in (
        ("HeadYaw", [0.1, 0.2], [0.5, 1.0], False, [0.5]),
        ("Head", [0.3, 0.1], 0.5, True, [0.3, 0.1]),
        (["HeadYaw", "LElbowYaw"], 0.2, [0.5, 0.6], True, [0.2, 0.2]),
    ):
        nao.finish(nao.angleInterpolation(names, angles, times, absolute))
        assert nao.getAngles(names, False) == pytest.approx(reached)


def test_with_speed_all_joints_arrive_together(nao):
    joints = ["HeadYaw", "LElbowYaw"]
    assert nao.getAngles(joints, False) == pytest.approx([0.0, -1.39])
    task = nao.angleInterpolationWithSpeed(joints, [1.0, -1.2], 0.2)
    # A smooth start and end make it one and a half times as fast in the middle as on average.
    assert nao.finish(task) == pytest.approx(1.5 * 1.0 / (0.2 * 8.26797), abs=2 * CYCLE)
    assert nao.getAngles(joints, False) == pytest.approx([1.0, -1.2])


def test_blocking_calls_book_their_joints(nao):
    first = nao.angleInterpolation("HeadYaw", 0.5, 1.0, True)
    second = nao.angleInterpolation("Head", [-0.5, 0.1], 1.0, True)
    other = nao.angleInterpolation("LElbowYaw", -1.0, 1.0, True)
    nao.advance(0.5)
    assert [first.is_running, second.is_running, other.is_running] == [True, False, True]
    assert not nao.areResourcesAvailable(["HeadYaw"])
    assert nao.areResourcesAvailable(["RElbowYaw"])
    assert [name for name, _ in nao.getTaskList()] == ["angleInterpolation"] * 3
    assert nao.finish(second) == pytest.approx(1.54, abs=0.03)
    assert first.done()
    assert nao.getAngles("Head", False) == pytest.approx([-0.5, 0.1])


def test_a_killed_task_ends_where_it_is(nao):
    task = nao.angleInterpolation("HeadYaw", 1.0, 2.0, True)
    nao.advance(1.0)
    nao.killTasksUsingResources(["Head"])
    assert task.result(0) is None
    there = nao.getAngles("HeadYaw", False)
    nao.advance(1.0)
    assert nao.getAngles("HeadYaw", False) == there
    assert 0.2 < there[0] < 0.8
    number = nao.angleInterpolation("HeadYaw", 1.0, 2.0, True).number
    assert nao.killTask(number)
    assert not nao.killTask(number)


def test_stiffness_is_interpolated_and_hands_open_and_close(nao):
    task = nao.stiffnessInterpolation(["Head"], [[0.2], [0.6]], [[1.0], [1.0]])
    nao.advance(0.52)
    assert nao.getStiffnesses("Head") == pytest.approx([0.6, 0.8])
    nao.finish(task)
    assert nao.getStiffnesses("Head") == pytest.approx([0.2, 0.6])
    nao.stiffnessInterpolation("Head", 1.0, 1.0)
    other = nao.stiffnessInterpolation("LArm", 0.5, 1.0)
    nao.advance(0.52)
    assert nao.getStiffnesses("LElbowYaw") == pytest.approx([0.75])
    nao.killTasksUsingResources(["LArm"])
    assert other.done()
    assert [nao.areResourcesAvailable([part]) for part in ("LArm", "Head")] == [True, False]
    nao.killAll()
    for move, angle in ((nao.openHand, 1.0), (nao.closeHand, 0.0)):
        nao.finish(move("LHand"))
        assert nao.getAngles("LHand", False) == [angle]


def test_postures_are_taken_and_recognised(nao):
    body = nao.robot.body
    for name in POSTURES:
        task = nao.posture["goToPosture"](name, 0.8)
        nao.finish(task)
        assert task.result() is True, name
        nao.advance(0.2)
        assert nao.posture["getPosture"]() == name
        angles = np.array([posture_angles(body, name)[joint] for joint in body.joint_names])
        assert (angles >= body.lower - 0.05).all(), name
        assert (angles <= body.upper + 0.05).all(), name
        assert posture_at(body, angles) == name


def test_what_is_set_is_told_and_what_is_optional_may_be_left_out(nao):
    nao.setAngles("HeadYaw", 0.4, 1.0)
    nao.robot.step()
    for ask, arguments in (
        (nao.getAngles, ["Body"]),
        (nao.getPosition, ["LArm", 0]),
        (nao.getRobotPosition, []),
    ):
        assert ask(*arguments) == ask(*arguments, False)
    nao.setBreathEnabled("Body", True)
    nao.setBreathEnabled("Arms", False)
    assert [nao.getBreathEnabled(part) for part in ("RArm", "Head")] == [False, True]
    nao.setBreathConfig([["Bpm", 6.0]])
    assert ["Bpm", 6.0] in nao.getBreathConfig()
    config = dict(zip(*nao.getRobotConfig(), strict=True))
    assert (config["Model Type"], config["Hands"], config["Number of Hands"]) == (
        "naoH25",
        True,
        2,
    )
    nao.setOrthogonalSecurityDistance(0.25)
    assert nao.getOrthogonalSecurityDistance() == 0.25
    assert nao.getTangentialSecurityDistance() == 0.1


def test_colliding_arms_are_reported(nao):
    assert nao.isCollision("LArm").result(LONGEST) == "none"
    # Both hands before the chest, through each other.
    nao.model.set_angles("Arms", [1.0, -0.3, -0.6, -1.4, 0, 0, 1.0, 0.3, 0.6, 1.4, 0, 0])
    assert nao.isCollision("LArm").result(LONGEST) == "collision"
    assert nao.isCollision("Head").result(LONGEST) == "none"


def test_a_command_that_is_not_finite_ends_its_task_only(nao):
    other = nao.angleInterpolation("LElbowYaw", -1.0, 0.5, True)
    task = nao.robot.follow("broken", ["HeadYaw"], lambda: ({"HeadYaw": lambda _: math.nan}, 1.0))
    nao.finish(other)
    assert isinstance(task.exception(0), NaoError)
    assert nao.getAngles(["HeadYaw", "LElbowYaw"], False) == pytest.approx([0.0, -1.0])


def test_invalid_input_is_rejected(nao):
    still = [2, 0.0, 0.0]
    for method, arguments, words in (
        ("setAngles", ("Tail", 0.0, 0.1), "Tail"),
        ("setAngles", ("HeadYaw", [0.0, 1.0], 0.1), "2 angles"),
        ("setAngles", ("HeadYaw", math.nan, 0.1), "finite"),
        ("setAngles", ("HeadYaw", 0.0, 1.5), "fraction"),
        ("angleInterpolation", ("HeadYaw", [0.1, 0.2], [1.0, 0.5], True), "increasing"),
        ("angleInterpolation", ("HeadYaw", [0.1, 0.2], [1.0], True), "2 values for 1 times"),
        ("angleInterpolation", (["HeadYaw"], [[0.1], [0.2]], [[1.0], [1.0]], True), "2 lists"),
        ("angleInterpolation", ("HeadYaw", [0.1, 0.2], [1e-320, 2e-320], True), "increasing"),
        ("angleInterpolationWithSpeed", ("HeadYaw", 0.1, 0.0), "fraction"),
        ("angleInterpolationWithSpeed", ("HeadYaw", 0.1, 1e-320), "fraction"),
        ("angleInterpolationBezier", (["HeadYaw"], [[1.0]], [[[math.nan, still]]]), "finite"),
        (
            "angleInterpolationBezier",
            (["HeadYaw"], [[1.0]], [[[0.5, [2, math.nan, 0]]]]),
            "finite",
        ),
        ("setPosition", ("LArm", 0, [0.0] * 5, 0.5, 7), "6 numbers"),
        ("setPosition", ("Tail", 0, [0.0] * 6, 0.5, 7), "Tail"),
        ("setPosition", ("LArm", 0, [0.0] * 6, 0.5, 64), "mask"),
        ("setPosition", ("Torso", 0, [0.0] * 6, 0.5, 7), "own space"),
        ("setTransform", ("LArm", 0, [1.0] * 12, 0.5, 7), "orthonormal"),
        ("positionInterpolation", ("LArm", 0, [[0.1] * 6], 0, [1.0]), "mask"),
        ("positionInterpolations", ([], 0, [], [], []), "no effector"),
        ("positionInterpolation", ("LArm", 0, [[0.1] * 6], 7, [math.inf]), "finite"),
        ("openHand", ("LFoot",), "LFoot"),
        ("moveToward", (2.0, 0.0, 0.0), "fractions"),
        ("getMoveConfig", ("Fast",), "Fast"),
        ("setFootSteps", (["LArm"], [[0, 0, 0]], [1.0], True), "LLeg"),
        ("setFootSteps", (["LLeg"], [[0.05, 0.1, 0]], [math.nan], False), "finite"),
        ("setFootSteps", (["LLeg"], [[0.05, 0.1, 0]], [1.0, 2.0], False), "2 times for 1"),
        ("setFootStepsWithSpeed", (["LLeg"], [[0.05, 0.1, 0]], [1e-320], False), "finite"),
        ("wbGoToBalance", ("Legs", 1.0), "not enabled"),
        ("moveTo", (0.1, 0.0, 0.0, [["MaxStepX", 0.2]]), "MaxStepX must be in"),
        ("moveTo", (0.1, 0.0, 0.0, [["Speed", 0.2]]), "unknown gait parameter"),
    ):
        before = nao.model.commands.copy()
        with pytest.raises(NaoError, match=words):
            getattr(nao, method)(*arguments)
        nao.advance(0.1)
        np.testing.assert_array_equal(nao.model.commands, before)
        assert nao.getTaskList() == []


@pytest.mark.parametrize(
    ("names", "times", "points", "reached"),
    [
        # almotion_angleInterpolationBezier.py of NAOqi 2.1: angles alone.
        (["HeadYaw"], [[1.0]], [[0.87]], [0.87]),
        ("HeadYaw", [0.5, 1.0], [0.2, 0.3], [0.3]),
        (["HeadYaw"], [[0.5]], [[[0.2]]], [0.2]),
        # A Choregraphe export.
        (["HeadPitch"], [[0.4, 0.8]], [[[-0.3, [3, -0.1, 0], [3, 0.1, 0]], [0.1]]], [0.1]),
    ],
)
def test_bezier_points_with_and_without_handles(nao, names, times, points, reached):
    nao.finish(nao.angleInterpolationBezier(names, times, points))
    assert nao.getAngles(names, False) == pytest.approx(reached)
