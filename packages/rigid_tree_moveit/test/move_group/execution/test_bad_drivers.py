"""Drivers that reject, abort, delay or send invalid messages: every motion is monitored."""

import math
from collections.abc import Iterator

import pytest
from action_msgs.msg import GoalStatus
from control_msgs.action import FollowJointTrajectory
from moveit_harness.move_group import FINGER, JOINTS, MARGIN, PATIENCE, READY, post_in_the_way

from harness.arm.controller import FakeController
from move_group.cell import CODE, Cell, has_error, single_joint, turned

Codes = FollowJointTrajectory.Result
LONG = 100.0  # s
# A plan that takes as long as it may; others wait for their turn.
SLOW = {"planner_id": "RRTstarkConfigDefault", "allowed_planning_time": LONG}


@pytest.fixture(scope="module")
def cell(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Cell]:
    made = Cell.started(tmp_path_factory.mktemp("cell"), **{MARGIN: PATIENCE})
    yield made
    made.network.close()


@pytest.fixture(scope="module")
def shared(cell: Cell) -> Iterator[FakeController]:
    standing = {**dict(zip(JOINTS, READY, strict=True)), FINGER: 0.0}
    made = FakeController(cell.network, standing)
    yield made
    made.close()


@pytest.fixture
def driver(shared: FakeController) -> Iterator[FakeController]:
    """The same for all tests, good unless a test spoils it."""
    shared.reset()
    yield shared
    shared.finish()


def sent(cell: Cell, seconds: int = 1):
    """Send a motion of the first joint from where it is; return the goal's handle."""
    return cell.execute(single_joint(JOINTS[0], 0.0, 0.2, seconds=seconds))


def test_only_status_and_code_together_mean_success(cell, driver):
    driver.finishing.set()
    for ending, code, expected in (
        ("succeed", Codes.SUCCESSFUL, CODE.SUCCESS),
        ("abort", Codes.SUCCESSFUL, CODE.CONTROL_FAILED),
        ("abort", Codes.PATH_TOLERANCE_VIOLATED, CODE.CONTROL_FAILED),
        ("abort", 1, CODE.CONTROL_FAILED),  # with the watch it means: something is in the way
        ("succeed", Codes.GOAL_TOLERANCE_VIOLATED, CODE.CONTROL_FAILED),
        ("canceled", Codes.SUCCESSFUL, CODE.PREEMPTED),
    ):
        driver.ending, driver.result = ending, Codes(error_code=code)
        assert cell.outcome(sent(cell)).val == expected, (ending, code)
    driver.accepts = False
    assert has_error(cell.outcome(sent(cell)), CODE.CONTROL_FAILED, "did not accept")


def test_a_goal_that_is_accepted_too_late_is_cancelled(cell, driver):
    driver.answers.clear()
    assert cell.outcome(sent(cell, 100)).val == CODE.CONTROL_FAILED
    driver.answers.set()
    cell.network.until(lambda: driver.cancelled, "the end of an unwatched motion")
    assert driver.cancelled == [True]


def test_stop_is_effective_while_the_driver_hesitates(cell, driver):
    driver.answers.clear()
    handle = sent(cell, 100)
    cell.network.until(driver.goal_received.is_set, "the goal at the driver")
    cell.stop()
    cell.network.spin_for(0.5)  # whatever the stop does
    driver.answers.set()
    assert cell.outcome(handle).val == CODE.PREEMPTED
    assert driver.cancelled == [True]


def test_nothing_moves_without_valid_joint_states(cell, driver):
    driver.publishes = False
    cell.network.spin_for(1.5)  # until they are too old
    for _ in range(3):
        driver.publish(JOINTS, [math.nan, *READY[1:]])
        driver.publish(JOINTS[1:], READY[1:])  # of the other joints
    words = f"no positions of {JOINTS[0]} on "
    assert has_error(cell.outcome(sent(cell)), CODE.ROBOT_STATE_STALE, words)
    assert not driver.goals


def test_a_stop_ends_a_request_to_move_that_is_still_planned(cell, driver):
    cell.states.clear()
    handle = cell.move(turned(1.5), post_in_the_way(), **SLOW)
    cell.network.until(lambda: cell.states, "the plan")
    cell.stop()
    assert cell.outcome(handle).val == CODE.PREEMPTED
    assert not driver.goals


def test_short_requests_and_cancellations_do_not_wait_for_long_plans(cell):
    """More plans than there are threads."""
    cell.states.clear()
    plans = [cell.move(turned(1.5), post_in_the_way(), True, **SLOW) for _ in range(8)]
    results = [handle.get_result_async() for handle in plans]
    cell.network.until(lambda: len(cell.states) == 8, "the plans")
    for _ in range(20):
        assert cell.validity().valid
    assert not any(result.done() for result in results)
    # The last ones wait for their turn, the first ones are under way.
    for handle, result in reversed(list(zip(plans, results, strict=True))):
        cell.network.result(handle.cancel_goal_async(), "a cancellation", LONG / 2.0)
        answer = cell.network.result(result, "a result", LONG / 2.0)
        assert answer.status == GoalStatus.STATUS_CANCELED
        assert answer.result.error_code.val == CODE.PREEMPTED
