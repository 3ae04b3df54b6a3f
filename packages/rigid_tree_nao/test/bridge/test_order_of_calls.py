"""The calls of a robot that answers when the test says so."""

from concurrent.futures import Future

import pytest
from nao_motion_interfaces.srv import Call

from rigid_tree_nao.guard import WalkState
from rigid_tree_nao.model import NaoBody
from rigid_tree_nao.nodes.bridge.trajectories import RELEASES, Trajectories
from rigid_tree_nao.nodes.methods import METHODS
from rigid_tree_nao.nodes.robot import NaoRobot

KILL, FOLLOW = "killTasksUsingResources", "angleInterpolation"


class SilentGuard:
    def start(self):
        pass

    def watch(self, number):
        pass

    def release(self):
        pass


class Calls:
    """A connection that keeps the calls."""

    def __init__(self):
        self.sent = []  # method, first argument, answer

    def call(self, service, method, *arguments):
        self.sent.append((method, *arguments[:1], Future()))
        return self.sent[-1][-1]

    def answer(self, *numbers):
        for number in numbers:
            self.sent[number][-1].set_result(None)

    @property
    def names(self):
        return [sent[0] for sent in self.sent]


@pytest.fixture
def calls():
    return Calls()


@pytest.fixture
def robot(calls):
    return NaoRobot(None, NaoBody(), calls, WalkState(SilentGuard()))


@pytest.fixture
def trajectories(robot):
    return Trajectories(robot)


def slow(*joints):
    return [list(joints), [[1.0]] * len(joints), [[4.0]] * len(joints), True]


def test_a_stop_that_the_robot_may_execute_before_the_walk_is_sent_again(robot, calls):
    METHODS["move"].call(robot, 0.05, 0.0, 0.0)
    METHODS["stop_move"].call(robot)
    calls.answer(0)
    assert calls.names == ["move", "stopMove", "stopMove"]
    calls.answer(1)
    assert robot.walk.is_walking
    calls.answer(2)
    assert not robot.walk.is_walking
    assert len(calls.sent) == 3


def test_waiting_for_the_end_of_a_walk_does_not_stop_it(robot, calls):
    METHODS["move"].call(robot, 0.05, 0.0, 0.0)
    wait = METHODS["wait_until_move_is_finished"]
    wait.call(robot, *wait.arguments(Call.Request()))
    calls.answer(1, 0)
    assert robot.walk.is_walking
    assert len(calls.sent) == 2


def test_trajectory_that_is_stopped_or_replaced_before_it_begins_is_not_followed(
    trajectories, calls
):
    trajectories.follow(slow("HeadYaw"))
    trajectories.stop(["HeadYaw", "HeadPitch"])
    calls.answer(0, 1)
    assert calls.names == [KILL, KILL]
    trajectories.follow(slow("HeadYaw"))
    trajectories.follow(slow("HeadYaw", "HeadPitch"))
    calls.answer(3, 2)
    assert calls.names[4:] == [FOLLOW]
    assert calls.sent[4][1] == ["HeadYaw", "HeadPitch"]


def test_trajectories_of_different_joints_do_not_replace_each_other(trajectories, calls):
    trajectories.follow(slow("HeadYaw"))
    trajectories.follow(slow("HeadPitch"))
    calls.answer(0, 1)
    assert calls.names == [KILL, KILL, FOLLOW, FOLLOW]


def test_a_stop_that_the_robot_may_execute_before_the_trajectory_is_sent_again(
    trajectories, calls
):
    trajectories.follow(slow("HeadYaw"))
    calls.answer(0)
    trajectories.stop(["HeadYaw", "HeadPitch"])
    calls.answer(2)  # while the trajectory has not ended
    assert calls.names == [KILL, FOLLOW, KILL, KILL]
    calls.answer(1, 3)
    assert len(calls.sent) == 4


def test_a_trajectory_is_followed_when_the_one_that_it_replaces_has_ended(trajectories, calls):
    trajectories.follow(slow("HeadYaw"))
    calls.answer(0)
    trajectories.follow(slow("HeadYaw"))
    calls.answer(2)
    assert calls.names == [KILL, FOLLOW, KILL, KILL]
    calls.answer(1, 3)
    assert calls.names[4:] == [FOLLOW]
    # A robot that never answers the first one cannot delay it for ever.
    trajectories.follow(slow("HeadYaw"))
    for number in range(5, 5 + RELEASES):
        calls.answer(number)
    assert calls.names[5:] == [KILL] * RELEASES + [FOLLOW]
