"""Execution of planned tasks, like MoveIt Task Constructor's capability."""

import math

import pytest
from action_msgs.msg import GoalStatus
from moveit_harness.move_group import FINGER, JOINTS, box
from moveit_msgs.msg import AttachedCollisionObject, PlanningScene
from moveit_task_constructor_msgs.action import ExecuteTaskSolution
from moveit_task_constructor_msgs.msg import Solution, SubTrajectory
from sensor_msgs.msg import JointState

from move_group.cell import BASE, CODE, FINGERS, Cell, by_name, has_error, single_joint


@pytest.fixture(scope="module")
def own_cell(tmp_path_factory):
    """A cell with a simulated robot, which other tests must not have."""
    made = Cell.started(tmp_path_factory.mktemp("tasks"))
    made.start_robot()
    yield made
    made.network.close()


@pytest.fixture
def cell(own_cell):
    own_cell.clear()
    return own_cell


@pytest.fixture
def states(cell):
    """Messages of the simulated robot, at READY."""
    cell.be_ready()
    received = cell.network.record(JointState, "joint_states")
    cell.network.until(lambda: received and at(received) == pytest.approx(0.0, abs=1e-6), "READY")
    return received


def at(states, joint=JOINTS[0]):
    return by_name(states[-1])[joint]


def moving(joint, *positions, seconds=1):
    """Return a sub-trajectory through positions, which changes nothing else."""
    part = SubTrajectory()
    part.trajectory.joint_trajectory = single_joint(joint, *positions, seconds=seconds)
    return part


def grasping():
    """Return a sub-trajectory without motion that attaches the box, as ModifyPlanningScene's."""
    part = SubTrajectory(scene_diff=PlanningScene(is_diff=True, robot_model_name="panda"))
    cargo = AttachedCollisionObject(link_name=FINGERS[0], touch_links=FINGERS[:1])
    cargo.object.id = "box"
    state = part.scene_diff.robot_state
    state.attached_collision_objects = [cargo]
    state.joint_state = JointState(name=JOINTS[:1], position=[-2.0])  # planned, not measured
    return part


def sent(cell, *parts, progress=None):
    """Send a task; return the goal's handle."""
    goal = ExecuteTaskSolution.Goal(solution=Solution(task_id="pick", sub_trajectory=parts))
    return cell.network.send_goal(ExecuteTaskSolution, "execute_task_solution", goal, progress)


def executed(cell, *parts):
    """Return the outcome of a task, its code, and the feedback."""
    progress = []
    outcome = cell.network.outcome(
        sent(cell, *parts, progress=lambda m: progress.append(m.feedback))
    )
    return (
        outcome.status,
        outcome.result.error_code,
        [(one.sub_id, one.sub_no) for one in progress],
    )


def test_a_task_moves_grasps_and_moves_on(cell, states):
    """Each effect is applied after its motion; planned joint positions are not."""
    assert cell.apply([box("box", BASE, (0.6, 0.4, 0.1), (0.05, 0.05, 0.05))])
    status, error, progress = executed(
        cell,
        moving(JOINTS[0], 0.0, 0.2),
        grasping(),
        moving(FINGER, 0.04, 0.03),
        moving(JOINTS[0], 0.2, -0.1),
    )
    assert (status, error.val) == (GoalStatus.STATUS_SUCCEEDED, CODE.SUCCESS), error
    assert progress == [(0, 4), (1, 4), (2, 4), (3, 4)]
    cell.network.until(lambda: at(states) == pytest.approx(-0.1, abs=1e-3), "the end")
    assert at(states, FINGER) == pytest.approx(0.03, abs=1e-3)
    assert list(cell.attached()) == ["box"]
    assert not cell.objects()


def test_nothing_moves_for_an_invalid_part(cell, states):
    several = SubTrajectory()
    several.trajectory.multi_dof_joint_trajectory.joint_names = ["base"]
    for part, words in (
        (moving("panda_joint9", 0.0), "panda_joint9"),
        (moving(JOINTS[0], 0.2, math.nan), "finite"),
        (several, "multi_dof_joint_trajectory is not supported"),
    ):
        status, error, progress = executed(cell, moving(JOINTS[0], 0.0, 0.2), part)
        assert (status, progress) == (GoalStatus.STATUS_ABORTED, [])
        assert has_error(error, CODE.INVALID_MOTION_PLAN, words)
        assert error.message.startswith("sub-trajectory 2 of 2: ")
    assert at(states) == pytest.approx(0.0, abs=1e-6)


def test_the_first_failure_ends_a_task(cell, states):
    """The part that fails is named, and those behind it change nothing."""
    elsewhere, effect = moving(JOINTS[0], 1.0, 1.2), grasping()
    _, error, progress = executed(cell, moving(JOINTS[0], 0.0, 0.1), elsewhere, effect)
    words = f"sub-trajectory 2 of 3: the trajectory starts at {JOINTS[0]}"
    assert has_error(error, CODE.CONTROL_FAILED, words)
    assert progress == [(0, 3)]
    # There is no box to attach.
    _, error, progress = executed(cell, effect, moving(JOINTS[0], 0.1, 0.2))
    words = "sub-trajectory 1 of 2: change of the scene: "
    assert has_error(error, CODE.INVALID_MOTION_PLAN, words)
    assert progress == [(0, 2)]
    assert at(states) == pytest.approx(0.1, abs=1e-3)


def test_a_cancelled_task_stops(cell, states):
    parts = [moving(JOINTS[0], 0.0, 0.5, seconds=20), moving(JOINTS[0], 0.5, 0.0)]
    handle = sent(cell, *parts)
    cell.network.until(lambda: at(states) > 0.01, "motion")
    cell.network.result(handle.cancel_goal_async(), "the cancellation")
    outcome = cell.network.outcome(handle)
    assert outcome.status == GoalStatus.STATUS_CANCELED
    assert outcome.result.error_code.val == CODE.PREEMPTED
    assert at(states) < 0.4
