"""Starts outside the joint limits, and ends of executions, like MoveIt's C++ tests."""

import time
from collections.abc import Iterator

import pytest
from action_msgs.msg import GoalStatus
from geometry_msgs.msg import Pose
from moveit_harness.move_group import FINGER, JOINTS, READY, TIP
from moveit_msgs.msg import MotionSequenceItem, MotionSequenceRequest
from moveit_msgs.srv import GetMotionSequence
from std_msgs.msg import Header
from trajectory_msgs.msg import JointTrajectory

from harness.arm.controller import FakeController
from move_group.cell import (
    CODE,
    by_name,
    has_error,
    motion,
    rows,
    single_joint,
    solved,
    state,
    times,
    turned,
)

PILZ = "pilz_industrial_motion_planner"
LIMIT = 2.8973  # of the first joint
BARELY = [2.8974, *READY[1:]]
WORDS = (
    "the start is clamped to the joint limits: panda_joint1 = 2.8974, allowed -2.8973 to 2.8973"
)


def test_moveit2_3383(cell):
    """A start barely outside a limit is planned from the limit, and the answer says so."""
    start, ptp = state(BARELY, **{FINGER: -0.0002}), {"pipeline_id": PILZ, "planner_id": "PTP"}
    for fields in ({}, {"group_name": "panda_arm_hand"}, ptp):
        answer = cell.plan(turned(2.5), start_state=start, **fields)
        planned = solved(answer)
        assert answer.error_code.message.startswith(WORDS)
        assert by_name(answer.trajectory_start.joint_state)[JOINTS[0]] == 2.8974
        assert rows(planned)[0, 0] == pytest.approx(LIMIT, abs=1e-9)
        at = dict(zip(planned.joint_names, planned.points[0].positions, strict=True))
        assert at.get(FINGER, 0.0) >= 0.0
        assert 0.0 < times(planned)[0] < 0.2
    # Lines and sequences start there, too.
    below = Pose()
    below.position.z = -0.05
    reply = cell.line(below, start_state=state(BARELY), header=Header(frame_id=TIP))
    assert (reply.error_code.val, reply.fraction) == (CODE.SUCCESS, 1.0), reply.error_code
    assert WORDS in reply.error_code.message
    assert rows(reply.solution.joint_trajectory)[0, 0] == pytest.approx(LIMIT, abs=1e-9)
    item = MotionSequenceItem(req=motion(turned(2.5), start_state=state(BARELY)))
    sequence = MotionSequenceRequest(items=[item])
    reply = cell.network.call(GetMotionSequence, "plan_sequence_path", request=sequence).response
    assert reply.error_code.val == CODE.SUCCESS, reply.error_code
    planned = reply.planned_trajectories[0].joint_trajectory
    assert rows(planned)[0, 0] == pytest.approx(LIMIT, abs=1e-9)
    assert times(planned)[0] > 0.0


def test_check_start_state_bounds_cpp(cell):
    """A start far outside is rejected, and so is any other with the parameter at 0."""

    def code(position):
        start = state([position, *READY[1:]])
        return cell.plan(turned(2.5), start_state=start).error_code.val

    assert (code(2.99), code(3.1)) == (CODE.SUCCESS, CODE.START_STATE_INVALID)
    with cell.parameter("start_state_max_bounds_error", 0.0, 0.1):
        assert code(2.8974) == CODE.START_STATE_INVALID


def test_the_robot_moves_in_from_there(cell):
    """A driver gets time for the way to the first point."""
    standing = {**dict(zip(JOINTS, [2.95, *READY[1:]], strict=True)), FINGER: 0.0}
    driver = FakeController(cell.network, standing)
    try:
        driver.finishing.set()

        def known():
            return cell.scene().robot_state.joint_state.position

        cell.network.until(lambda: 2.95 in known(), "the robot's state")
        assert cell.outcome(cell.move(turned(2.5))).val == CODE.SUCCESS
        point = driver.goals[0].trajectory.points[0]
        assert point.positions[0] == pytest.approx(LIMIT, abs=1e-9)
        assert point.time_from_start.nanosec > 1e8
    finally:
        driver.close()


@pytest.fixture
def driver(cell) -> Iterator[FakeController]:
    """A driver that sends feedback, and never settles unless it is told to."""
    made = FakeController(cell.network, {**dict(zip(JOINTS, READY, strict=True)), FINGER: 0.0})
    made.sends_feedback = True
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
    answer = cell.network.outcome(cell.execute(single_joint(JOINTS[0], 0.0, 0.2)))
    assert answer.status == GoalStatus.STATUS_ABORTED
    assert has_error(answer.result.error_code, CODE.TIMED_OUT, "took longer than 1.7 s")
    assert driver.cancelled == [True]
    assert time.monotonic() - begin >= 1.7


def test_trajectory_execution_manager_line_101(cell, driver):
    """The parameters have MoveIt's names."""
    name = "trajectory_execution.execution_duration_monitoring"
    with cell.parameter(name, False, True):
        handle = cell.execute(single_joint(JOINTS[0], 0.0, 0.2))
        cell.network.until(lambda: driver.goals, "the goal")
        cell.network.spin_for(3.0)  # longer than it may take
        assert not driver.cancelled
        driver.finishing.set()
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
