"""move_group's actions: start states of motions, and effects of a canceled goal."""

from collections.abc import Iterator

import pytest
from action_msgs.msg import GoalStatus
from moveit_harness.move_group import JOINTS, MARGIN, PATIENCE, READY, post_in_the_way
from sensor_msgs.msg import JointState

from move_group.cell import CODE, Cell, by_name, has_error, single_joint, state, turned

ELSEWHERE = state([-1.5, *READY[1:]])


@pytest.fixture(scope="module")
def shared(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Cell]:
    made = Cell.started(tmp_path_factory.mktemp("cell"), **{MARGIN: PATIENCE})
    made.start_robot()
    yield made
    made.network.close()


@pytest.fixture
def cell(shared: Cell) -> Cell:
    """The same for all tests: the arm ready, and move_group knows it."""
    shared.be_ready()
    return shared


def test_a_motion_starts_at_the_robots_state_and_ignores_the_given_start(cell):
    result = cell.network.outcome(cell.move(start_state=ELSEWHERE)).result
    assert result.error_code.val == CODE.SUCCESS, result.error_code
    driven = result.executed_trajectory.joint_trajectory
    first = dict(zip(driven.joint_names, driven.points[0].positions, strict=True))
    assert first[JOINTS[0]] == pytest.approx(0.0, abs=1e-6)
    planned = cell.network.outcome(cell.move(plan_only=True, start_state=ELSEWHERE)).result
    assert planned.planned_trajectory.joint_trajectory.points[0].positions[0] == -1.5


def test_trajectory_that_starts_elsewhere_is_rejected(cell):
    now = by_name(cell.scene().robot_state.joint_state)[JOINTS[0]]
    trajectory = single_joint(JOINTS[0], now + 0.5, now + 0.6)
    rejected = cell.outcome(cell.execute(trajectory))
    assert has_error(rejected, CODE.CONTROL_FAILED, f"starts at {JOINTS[0]}")
    # With time to go there, it goes there.
    for point in trajectory.points:
        point.time_from_start.sec += 1
    assert cell.outcome(cell.execute(trajectory)).val == CODE.SUCCESS


def test_cancelled_goal_does_not_stop_other_motions(cell):
    states = cell.network.record(JointState, "joint_states")
    moving = cell.move(turned(-0.6), max_velocity_scaling_factor=0.2)
    cell.network.until(lambda: states and min(states[-1].velocity) < -0.1, "a motion")
    long = {"planner_id": "RRTstarkConfigDefault", "allowed_planning_time": 30.0}
    planning = cell.move(turned(1.5), post_in_the_way(), plan_only=True, **long)
    cell.network.result(planning.cancel_goal_async(), "the cancellation")
    cancelled = cell.network.outcome(planning)
    assert cancelled.status == GoalStatus.STATUS_CANCELED
    assert cancelled.result.error_code.val == CODE.PREEMPTED
    assert not cancelled.result.planned_trajectory.joint_trajectory.points
    assert cell.outcome(moving).val == CODE.SUCCESS
