"""The simulated robot's walks, cycle by cycle, against ALMotion's documentation."""

import math

import numpy as np
import pytest
from nao_harness.clockless import ClocklessNao

from rigid_tree_nao.errors import NaoError
from rigid_tree_nao.simulated.robot.walk import HIGHEST


@pytest.mark.parametrize("goal", [(0.3, 0.0, 0.0), (0.1, -0.05, 0.6), (0.0, 0.0, -math.pi / 2)])
def test_a_walk_ends_exactly_where_it_was_sent(nao, goal):
    nao.model.place_robot(0.5, 0.2, 0.7)
    task = nao.moveTo(*goal)
    nao.advance(0.3)
    assert nao.moveIsActive()
    x, y, theta = goal
    wanted = [
        0.5 + x * math.cos(0.7) - y * math.sin(0.7),
        0.2 + x * math.sin(0.7) + y * math.cos(0.7),
        0.7 + theta,
    ]
    assert nao.getNextRobotPosition() == pytest.approx(wanted)
    nao.finish(task)
    assert nao.getRobotPosition(True) == pytest.approx(wanted, abs=1e-9)
    assert not nao.moveIsActive()
    assert nao.getRobotVelocity() == [0.0, 0.0, 0.0]


def test_velocities_are_integrated_until_the_robot_is_stopped(nao):
    nao.move(0.05, 0.0, 0.0)
    nao.advance(1.0)
    assert nao.getRobotVelocity() == pytest.approx([0.05, 0.0, 0.0])
    before = nao.getRobotPosition(True)
    nao.advance(2.0)
    assert nao.getRobotPosition(True)[0] - before[0] == pytest.approx(0.1, abs=1e-9)
    nao.stopMove()
    nao.advance(1.0)
    there = nao.getRobotPosition(True)
    nao.advance(1.0)
    assert nao.getRobotPosition(True) == there
    assert not nao.moveIsActive()


def test_an_arc_is_an_arc_and_no_velocity_is_above_the_highest(nao):
    nao.move(0.05, 0.0, 0.25)
    nao.advance(1.0)
    x, y, theta = nao.getRobotPosition(True)
    center = (x - 0.2 * math.sin(theta), y + 0.2 * math.cos(theta))  # radius = v / omega
    nao.advance(5.0)
    assert math.dist(nao.getRobotPosition(True)[:2], center) == pytest.approx(0.2, abs=1e-9)
    for move, highest in (
        (lambda: nao.moveToward(1.0, 1.0, -1.0), [HIGHEST[0], HIGHEST[1], -HIGHEST[2]]),
        (lambda: nao.move(5.0, 0.0, 0.0), [HIGHEST[0], 0.0, 0.0]),
    ):
        move()
        nao.advance(2.0)
        assert nao.getRobotVelocity() == pytest.approx(highest)


def test_who_sits_stands_up_before_walking_and_limp_legs_do_not_walk():
    for stiffness, x in ((0.0, 0.0), (1.0, 0.1)):
        nao = ClocklessNao()
        nao.setStiffnesses("Body", stiffness)
        task = nao.moveTo(0.1, 0.0, 0.0)
        nao.finish(task)
        assert task.result() is (stiffness > 0.0)
        assert nao.posture["getPosture"]() == ("StandInit" if stiffness else "Crouch")
        assert nao.getRobotPosition(True) == pytest.approx([x, 0.0, 0.0], abs=1e-9)


def test_foot_steps_lead_where_they_are_set(nao):
    # Two steps of 4 cm: each foot ends 4 cm ahead of where the other one was.
    steps = [[0.04, 0.1, 0.0], [0.0, -0.1, 0.0]]
    task = nao.setFootStepsWithSpeed(["LLeg", "RLeg"], steps, [0.5, 0.5], True)
    nao.advance(0.2)
    feet, _, changeable = nao.getFootSteps()
    places = nao.feet()[:, [0, 1, 5]]
    np.testing.assert_allclose(feet, places, atol=1e-9)  # left, right: x, y, theta in the world
    assert [step[0] for step in changeable] == ["LLeg", "RLeg"]
    assert nao.finish(task) + 0.2 == pytest.approx(2 * 0.42 / 0.5, abs=0.05)
    assert nao.getRobotPosition(True) == pytest.approx([0.04, 0.0, 0.0], abs=1e-9)
    assert nao.getFootSteps()[2] == []


def test_foot_steps_are_appended_to_those_to_come(nao):
    legs, steps, times = ["LLeg", "RLeg"], [[0.06, 0.1, 0.0], [0.06, -0.1, 0.0]], [0.6, 1.2]
    for _ in range(2):
        nao.setFootSteps(legs, steps, times, False)
    nao.advance(0.5)
    assert len(nao.getFootSteps()[2]) == 4
    nao.advance(1.2)  # the first two have ended
    assert [step[0] for step in nao.getFootSteps()[2]] == legs
    nao.advance(1.2)
    assert nao.getFootSteps()[2] == []
    appended = nao.getRobotPosition(True)[0]
    nao.setFootSteps(legs * 2, steps * 2, [*times, 1.8, 2.4], False)
    nao.advance(3.0)
    assert nao.getRobotPosition(True)[0] == pytest.approx(2.0 * appended)
    assert appended == pytest.approx(0.21)


def test_several_places_each_relative_to_the_one_before_are_passed(nao):
    # "moveTo With control Points use relative commands" (motion_moveToDubinsCurve.py).
    passed = []
    task = nao.moveTo([[0.1, 0.0, math.pi / 2], [0.2, 0.0, 0.5], [0.0, 0.0, 2.0]])
    while not task.done():
        nao.robot.step()
        passed.append(nao.getRobotPosition(True))
    assert task.result() is True
    for place in ([0.1, 0.0, math.pi / 2], [0.1, 0.2, math.pi / 2 + 0.5]):
        assert min(np.abs(np.array(passed) - place).max(axis=1)) < 0.02
    turned = np.unwrap([theta for _, _, theta in passed])
    np.testing.assert_allclose(passed[-1][:2], [0.1, 0.2], atol=1e-6)
    assert turned[-1] == pytest.approx(math.pi / 2 + 2.5)


@pytest.mark.parametrize("sits", [False, True])
def test_a_walk_moves_neither_the_head_nor_the_arms_that_it_does_not_control(nao, sits):
    if sits:
        nao.finish(nao.posture["goToPosture"]("Sit", 0.8))
        nao.setMoveArmsEnabled(False, False)
    kept = {"HeadYaw": 0.8, "HeadPitch": -0.3, "LShoulderPitch": 0.2, "RElbowRoll": 1.3}
    nao.setAngles(list(kept), list(kept.values()), 0.5)
    nao.advance(2.0)
    assert nao.posture["getPostureFamily"]() == ("Sitting" if sits else "Standing")
    before = nao.getAngles(["Head", "Arms"], True)
    task = nao.moveTo(0.1, 0.0, 0.0)
    nao.finish(task)
    nao.advance(0.2)
    assert task.result() is True
    assert nao.getAngles(["Head", "Arms"], True) == pytest.approx(before)
    assert nao.posture["getPostureFamily"]() == "Standing"
    nao.finish(nao.moveInit())
    assert nao.getAngles("Head", True) == pytest.approx(before[:2])


def test_a_gait_with_shorter_or_rarer_steps_is_slower(nao):
    def seconds(*config):
        return nao.finish(nao.moveTo(0.4, 0.0, 0.0, *config))

    plain = seconds()
    assert seconds([["MaxStepX", 0.02]]) == pytest.approx(2.0 * plain, rel=0.02)
    one_foot = seconds([["LeftMaxStepX", 0.02], ["RightMaxStepX", 0.04]])
    assert one_foot == pytest.approx(4.0 / 3.0 * plain, rel=0.02)
    assert seconds(20.0) == pytest.approx(20.0, abs=0.05)
    assert seconds(0.1, [["MaxStepX", 0.02]]) == pytest.approx(2.0 * plain, rel=0.02)
    assert seconds([["MaxStepFrequency", 0.0]]) == pytest.approx(plain * 0.6 / 0.42, rel=0.02)


def documented_velocity(x, frequency, left, right):
    """Return m/s, by the program in NAOqi 1.14's "Locomotion control", "Velocity control"."""
    feet = [{"MaxStepX": 0.04, "MaxStepFrequency": 1.0} | gait for gait in (left, right)]
    periods = [0.6 + frequency * gait["MaxStepFrequency"] * (0.42 - 0.6) for gait in feet]
    return sum(x * gait["MaxStepX"] for gait in feet) / sum(periods)


@pytest.mark.parametrize(
    ("method", "arguments", "wanted"),
    [
        ("moveToward", (1.0, 0, 0, [["Frequency", 0.5]]), (1.0, 0.5, {}, {})),
        ("moveToward", (-0.5, 0.0, 0.0, [("Frequency", 0)]), (-0.5, 0.0, {}, {})),
        ("moveToward", (0.8, 0.0, 0.0, []), (0.8, 1.0, {}, {})),
        (
            "moveToward",
            (1, 0, 0, [["Frequency", 0.5], ["MaxStepX", 0.06], ["StepHeight", 0.02]]),
            (1.0, 0.5, {"MaxStepX": 0.06}, {"MaxStepX": 0.06}),
        ),
        (
            "moveToward",
            (1, 0, 0, [["LeftStepHeight", 0.02], ["RightMaxStepX", 0.02], ["TorsoWy", 0.08]]),
            (1.0, 1.0, {}, {"MaxStepX": 0.02}),
        ),
        ("move", (9.0, 0.0, 0.0, [["Frequency", 0.2]]), (1.0, 0.2, {}, {})),
        ("setWalkTargetVelocity", (-0.5, 0.0, 0.0, 0.0), (-0.5, 0.0, {}, {})),
        ("setWalkTargetVelocity", (0.9, 0.0, 0.0, 1.0), (0.9, 1.0, {}, {})),
        (
            "setWalkTargetVelocity",
            (0.5, 0, 0, 0.8, [["MaxStepX", 0.06], ["MaxStepFrequency", 0.5]]),
            (0.5, 0.8, *[{"MaxStepX": 0.06, "MaxStepFrequency": 0.5}] * 2),
        ),
        # The limping walk of motion_walkCustomization.py: -7 degrees are beyond the rounded limit.
        (
            "setWalkTargetVelocity",
            (
                *(1.0, 0.0, 0.0, 1.0),
                [["StepHeight", 0.02], ["TorsoWy", math.radians(5.0)]],
                [["MaxStepX", 0.001], ["MaxStepFrequency", 0.0], ["TorsoWx", math.radians(-7.0)]],
            ),
            (1.0, 1.0, {}, {"MaxStepX": 0.001, "MaxStepFrequency": 0.0}),
        ),
    ],
)
def test_the_velocity_is_that_of_the_documentation(nao, method, arguments, wanted):
    getattr(nao, method)(*arguments)
    nao.advance(2.0)
    assert nao.getRobotVelocity() == pytest.approx([documented_velocity(*wanted), 0.0, 0.0])


def test_the_names_of_older_releases_do_the_same(nao):
    nao.finish(nao.walkInit())
    for config in ("Default", "Min", "Max"):
        assert nao.getFootGaitConfig(config) == nao.getMoveConfig(config)
    nao.setWalkTargetVelocity(1, 0, 0, 1, nao.getMoveConfig("Default"), nao.getMoveConfig("Min"))
    nao.setWalkArmsEnabled(False, True)
    assert nao.getWalkArmsEnabled() == [False, True]
    assert nao.getMoveArmsEnabled("RArm")
    nao.advance(1.0)
    assert nao.walkIsActive()
    nao.stopWalk()
    nao.finish(nao.waitUntilWalkIsFinished())
    assert not nao.walkIsActive()
    task = nao.walkTo([[0.05, 0.0, 0.0]], [["MaxStepX", 0.06]])
    nao.finish(task)
    assert task.result() is True


@pytest.mark.parametrize(
    ("config", "words"),
    [
        (["Frequency", 0.5], r"list of \[name, value\]"),
        ("Frequency", "list of"),
        (0.5, "list of"),
        ([["Frequency"]], "list of"),
        ([["Frequency", 1.2]], r"Frequency must be in \[0, 1\]"),
        ([["Frequenc", 0.5]], "did you mean 'Frequency'"),
        ([["MaxStepx", 0.02]], "did you mean 'MaxStepX'"),
        ([["MaxStepX", "0.02"]], "MaxStepX must be in"),
        ([["StepHeight", math.nan]], "StepHeight must be in"),
    ],
)
def test_a_wrong_move_configuration_is_named(nao, config, words):
    for call in (
        lambda: nao.moveToward(1.0, 0.0, 0.0, config),
        lambda: nao.move(0.1, 0.0, 0.0, config),
        lambda: nao.setWalkTargetVelocity(1.0, 0.0, 0.0, 1.0, config),
        lambda: nao.setWalkTargetVelocity(1.0, 0.0, 0.0, 1.0, [], config),
    ):
        with pytest.raises(NaoError, match=words):
            call()
        assert not nao.moveIsActive()
