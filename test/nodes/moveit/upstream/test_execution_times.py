"""How executions end: in time, by a stop, of nothing; after trajectory_execution_manager.cpp."""

import time
from collections.abc import Iterator

import pytest
from action_msgs.msg import GoalStatus
from trajectory_msgs.msg import JointTrajectory

from harness.arm.controller import Controller
from harness.moveit import FINGER, JOINTS, READY
from nodes.moveit.cell import CODE, by_name, says, turned, way


@pytest.fixture
def driver(cell) -> Iterator[Controller]:
    """A driver that sends feedback, and never settles unless it is told to."""
    made = Controller(cell.network, {**dict(zip(JOINTS, READY, strict=True)), FINGER: 0.0})
    made.tells = True
    # An earlier driver may have left the robot elsewhere.

    def at():
        return by_name(cell.scene().robot_state.joint_state)

    cell.network.until(lambda: at()[JOINTS[0]] == READY[0], "its joint states")
    yield made
    made.finish()
    made.close()


def test_trajectory_execution_manager_line_1540(cell, driver):
    """A motion of 1 s may take 1.7 s; then it is stopped, and has timed out."""
    begin = time.monotonic()
    answer = cell.network.outcome(cell.execute(way(JOINTS[0], 0.0, 0.2)))
    assert answer.status == GoalStatus.STATUS_ABORTED
    assert says(answer.result.error_code, CODE.TIMED_OUT, "taken longer than 1.7 s")
    assert driver.cancelled == [True]
    assert time.monotonic() - begin >= 1.7


def test_trajectory_execution_manager_line_101(cell, driver):
    """The parameters have MoveIt's names."""
    name = "trajectory_execution.execution_duration_monitoring"
    with cell.parameter(name, False, True):
        handle = cell.execute(way(JOINTS[0], 0.0, 0.2))
        cell.network.until(lambda: driver.goals, "the goal")
        cell.network.live(3.0)  # longer than it may take
        assert not driver.cancelled
        driver.told.set()
        assert cell.outcome(handle).val == CODE.SUCCESS


def test_move_action_line_117(cell, driver):
    """A stop ends the action as canceled."""
    handle = cell.move(turned(1.0), max_velocity_scaling_factor=0.01)
    cell.network.until(lambda: driver.goals, "the motion")
    cell.stop()
    answer = cell.network.outcome(handle)
    assert answer.result.error_code.val == CODE.PREEMPTED
    assert answer.status == GoalStatus.STATUS_CANCELED


def test_an_empty_trajectory_is_executed(cell, driver):
    answer = cell.network.outcome(cell.execute(JointTrajectory()))
    assert answer.status == GoalStatus.STATUS_SUCCEEDED
    assert answer.result.error_code.val == CODE.SUCCESS
    assert not driver.goals
