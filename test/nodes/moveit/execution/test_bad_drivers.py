"""Drivers that reject, abort, hesitate or talk nonsense: nothing moves without a watch."""

from __future__ import annotations

import math
from collections.abc import Iterator

import pytest
from control_msgs.action import FollowJointTrajectory
from moveit_msgs.action import ExecuteTrajectory, MoveGroup
from moveit_msgs.msg import Constraints, JointConstraint, MotionPlanRequest, MoveItErrorCodes
from std_msgs.msg import String
from trajectory_msgs.msg import JointTrajectory, JointTrajectoryPoint

from harness.arm.controller import Controller
from harness.moveit import FINGER, JOINTS, READY, post_in_the_way, start_move_group
from harness.network import Network

CODE = MoveItErrorCodes
Codes = FollowJointTrajectory.Result
STANDING = {**dict(zip(JOINTS, READY, strict=True)), FINGER: 0.0}


@pytest.fixture(scope="module")
def network(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Network]:
    made = Network(tmp_path_factory.mktemp("bad_drivers"))
    start_move_group(made)
    yield made
    made.close()


@pytest.fixture(scope="module")
def shared(network: Network) -> Iterator[Controller]:
    made = Controller(network, dict(STANDING))
    yield made
    made.close()


@pytest.fixture
def driver(shared: Controller) -> Iterator[Controller]:
    """The same for all tests, good unless a test spoils it."""
    shared.be_good()
    yield shared
    shared.finish()


def sent(network: Network, by: float = 0.2, seconds: int = 1):
    """Send a motion of the first joint from where it is; return the goal's handle."""
    points = [JointTrajectoryPoint(positions=[0.0]), JointTrajectoryPoint(positions=[by])]
    points[1].time_from_start.sec = seconds
    goal = ExecuteTrajectory.Goal()
    goal.trajectory.joint_trajectory = JointTrajectory(joint_names=JOINTS[:1], points=points)
    return network.send_goal(ExecuteTrajectory, "execute_trajectory", goal)


def stop(network: Network) -> None:
    network.publisher(String, "trajectory_execution_event").publish(String(data="stop"))


def words(result) -> str:
    """Return the message, which Humble's type has not."""
    return getattr(result.error_code, "message", "")


def test_a_good_driver_is_believed(network, driver):
    driver.told.set()
    assert network.outcome(sent(network)).result.error_code.val == CODE.SUCCESS


@pytest.mark.parametrize(
    ("ending", "code", "told"),
    [
        ("abort", Codes.SUCCESSFUL, CODE.CONTROL_FAILED),
        ("abort", Codes.PATH_TOLERANCE_VIOLATED, CODE.CONTROL_FAILED),
        ("abort", 1, CODE.CONTROL_FAILED),  # with the watch it means: something is in the way
        ("succeed", Codes.GOAL_TOLERANCE_VIOLATED, CODE.CONTROL_FAILED),
        ("canceled", Codes.SUCCESSFUL, CODE.PREEMPTED),
    ],
)
def test_only_status_and_code_together_mean_success(network, driver, ending, code, told):
    driver.ending, driver.result = ending, Codes(error_code=code)
    driver.told.set()
    result = network.outcome(sent(network)).result
    assert result.error_code.val == told, result.error_code


def test_a_driver_that_rejects_is_told(network, driver):
    driver.accepts = False
    result = network.outcome(sent(network)).result
    assert result.error_code.val == CODE.CONTROL_FAILED
    assert "did not accept" in words(result) or not hasattr(result.error_code, "message")


def test_what_is_accepted_too_late_is_given_back(network, driver):
    driver.answers.clear()
    result = network.outcome(sent(network, seconds=100)).result
    assert result.error_code.val == CODE.CONTROL_FAILED
    driver.answers.set()
    network.until(lambda: driver.cancelled, "the end of a motion that nobody watches")
    assert driver.cancelled == [True]


def test_a_stop_counts_while_the_driver_hesitates(network, driver):
    driver.answers.clear()
    handle = sent(network, seconds=100)
    network.live(0.5)
    stop(network)
    network.live(0.5)
    driver.answers.set()
    assert network.outcome(handle).result.error_code.val == CODE.PREEMPTED
    assert driver.cancelled == [True]


def test_nothing_moves_where_joint_states_have_stopped_or_make_no_sense(network, driver):
    driver.publishes = False
    network.live(1.5)
    for _ in range(3):
        driver.publish(JOINTS, [math.nan, *READY[1:]])
        driver.publish(JOINTS[1:], READY[1:])  # of the other joints
    result = network.outcome(sent(network)).result
    assert result.error_code.val == CODE.ROBOT_STATE_STALE
    assert not driver.goals
    if hasattr(result.error_code, "message"):
        assert f"no positions of {JOINTS[0]} on " in words(result)


def wanted(**fields: object) -> MoveGroup.Goal:
    joint = JointConstraint(joint_name=JOINTS[0], position=1.0)
    joint.tolerance_above = joint.tolerance_below = 1e-3
    request = MotionPlanRequest(group_name="panda_arm", **fields)
    request.goal_constraints = [Constraints(joint_constraints=[joint])]
    return MoveGroup.Goal(request=request)


def test_a_stop_ends_a_request_to_move_that_is_still_planned(network, driver):
    long = wanted(planner_id="RRTstarkConfigDefault", allowed_planning_time=100.0)
    long.request.goal_constraints[0].joint_constraints[0].position = 1.5
    long.planning_options.planning_scene_diff = post_in_the_way()
    handle = network.send_goal(MoveGroup, "move_action", long)
    network.live(1.0)
    stop(network)
    result = network.outcome(handle).result
    assert result.error_code.val == CODE.PREEMPTED
    assert not driver.goals
