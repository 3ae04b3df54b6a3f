"""How executions end: in time, by a stop, of nothing; after trajectory_execution_manager.cpp."""

from __future__ import annotations

import time
from collections.abc import Iterator

import pytest
from action_msgs.msg import GoalStatus
from moveit_msgs.action import ExecuteTrajectory, MoveGroup
from moveit_msgs.msg import Constraints, JointConstraint, MotionPlanRequest, MoveItErrorCodes
from std_msgs.msg import String
from trajectory_msgs.msg import JointTrajectory, JointTrajectoryPoint

from harness.arm.controller import Controller
from harness.moveit import FINGER, JOINTS, READY

CODE = MoveItErrorCodes
PARAMETERS = "trajectory_execution."


@pytest.fixture
def driver(cell) -> Iterator[Controller]:
    """A driver that sends feedback, and never settles unless it is told to."""
    made = Controller(cell.network, {**dict(zip(JOINTS, READY, strict=True)), FINGER: 0.0})
    made.tells = True
    cell.network.live(1.0)  # joint states of an earlier driver are too old
    yield made
    made.finish()
    made.close()


def sent(cell, seconds=1):
    points = [JointTrajectoryPoint(positions=[0.0]), JointTrajectoryPoint(positions=[0.2])]
    points[1].time_from_start.sec = seconds
    goal = ExecuteTrajectory.Goal()
    goal.trajectory.joint_trajectory = JointTrajectory(joint_names=JOINTS[:1], points=points)
    return cell.network.send_goal(ExecuteTrajectory, "execute_trajectory", goal)


def test_trajectory_execution_manager_line_1540(cell, driver):
    """A motion of 1 s may take 1.7 s; then it is stopped, and has timed out."""
    begin = time.monotonic()
    handle = sent(cell)
    answer = cell.network.outcome(handle)
    assert answer.status == GoalStatus.STATUS_ABORTED
    assert answer.result.error_code.val == CODE.TIMED_OUT, answer.result.error_code
    assert "taken longer than 1.7 s" in answer.result.error_code.message
    assert driver.cancelled == [True]
    assert time.monotonic() - begin >= 1.7


def test_trajectory_execution_manager_line_101(cell, driver):
    """The parameters have MoveIt's names."""
    name = PARAMETERS + "execution_duration_monitoring"
    assert cell.network.set_parameter("/move_group", name, False).successful
    try:
        handle = sent(cell)
        cell.network.until(lambda: driver.goals, "the goal")
        cell.network.live(3.0)
        assert not driver.cancelled
        driver.told.set()
        assert cell.network.outcome(handle).result.error_code.val == CODE.SUCCESS
    finally:
        assert cell.network.set_parameter("/move_group", name, True).successful


def test_move_action_line_117(cell, driver):
    """A stop ends the action as canceled."""
    joint = JointConstraint(joint_name=JOINTS[0], position=1.0)
    joint.tolerance_above = joint.tolerance_below = 1e-3
    request = MotionPlanRequest(group_name="panda_arm", max_velocity_scaling_factor=0.01)
    request.goal_constraints = [Constraints(joint_constraints=[joint])]
    handle = cell.network.send_goal(MoveGroup, "move_action", MoveGroup.Goal(request=request))
    cell.network.until(lambda: driver.goals, "the motion")
    cell.network.publisher(String, "trajectory_execution_event").publish(String(data="stop"))
    answer = cell.network.outcome(handle)
    assert answer.result.error_code.val == CODE.PREEMPTED
    assert answer.status == GoalStatus.STATUS_CANCELED


def test_an_empty_trajectory_is_executed(cell, driver):
    goal = ExecuteTrajectory.Goal()
    handle = cell.network.send_goal(ExecuteTrajectory, "execute_trajectory", goal)
    answer = cell.network.outcome(handle)
    assert answer.status == GoalStatus.STATUS_SUCCEEDED
    assert answer.result.error_code.val == CODE.SUCCESS
    assert not driver.goals
