"""The simulated robot's walks, cycle by cycle, against ALMotion's documentation."""

import math

import numpy as np
import pytest

from harness.nao.clockless import ClocklessNao
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
    assert [leg for leg, _ in feet] == ["LLeg", "RLeg"]
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


def test_several_places_are_passed_on_the_way_to_the_last(nao):
    passed = []
    task = nao.moveTo([[0.1, 0.0, 0.0], [0.1, 0.1, 1.0]])
    while not task.done():
        nao.robot.step()
        passed.append(nao.getRobotPosition(True))
    assert task.result() is True
    assert min(np.abs(np.array(passed) - [0.1, 0.0, 0.0]).max(axis=1)) < 5e-3
    np.testing.assert_allclose(passed[-1], [0.1, 0.1, 1.0], atol=1e-6)


def test_a_gait_with_shorter_or_rarer_steps_is_slower(nao):
    def seconds(*config):
        return nao.finish(nao.moveTo(0.4, 0.0, 0.0, *config))

    plain = seconds()
    assert seconds([["MaxStepX", 0.02]]) == pytest.approx(2.0 * plain, rel=0.02)
    assert seconds([["LeftMaxStepX", 0.02], ["RightMaxStepX", 0.04]]) > 1.9 * plain
    assert seconds([["MaxStepFrequency", 0.0]]) == pytest.approx(plain * 0.6 / 0.42, rel=0.02)
