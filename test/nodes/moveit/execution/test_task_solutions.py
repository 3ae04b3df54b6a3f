"""Tasks planned elsewhere, as MoveIt Task Constructor's execute_task_solution_capability.cpp."""

from __future__ import annotations

import math

import pytest
from action_msgs.msg import GoalStatus
from moveit_msgs.msg import AttachedCollisionObject, MoveItErrorCodes, PlanningScene
from moveit_task_constructor_msgs.action import ExecuteTaskSolution
from moveit_task_constructor_msgs.msg import Solution, SubTrajectory
from rclpy.action import ActionClient
from rigid_tree_interfaces.srv import SetState
from sensor_msgs.msg import JointState
from trajectory_msgs.msg import JointTrajectory, JointTrajectoryPoint

from harness.moveit import FINGER, JOINTS, READY, box
from nodes.moveit.cell import Cell

CODE = MoveItErrorCodes


@pytest.fixture(scope="module")
def own_cell(tmp_path_factory):
    """A cell with a simulated robot, which other tests must not have."""
    made = Cell(tmp_path_factory.mktemp("tasks"))
    made.network.start("robot_simulator", {"robot": "panda_hand"})
    yield made
    made.network.close()


@pytest.fixture
def cell(own_cell):
    own_cell.clear()
    return own_cell


@pytest.fixture
def states(cell):
    """Messages of the simulated robot, at READY."""
    network = cell.network
    heard = network.hear(JointState, "joint_states")
    ready = JointState(name=[*JOINTS, FINGER], position=[*READY, 0.04])
    assert network.call(SetState, "robot_simulator/set_state", state=ready).success
    network.until(lambda: heard and at(heard) == pytest.approx(0.0, abs=1e-6), "READY")
    # As move_group knows it.
    network.until(lambda: known(cell)[JOINTS[0]] == pytest.approx(0.0, abs=1e-6), "READY there")
    return heard


def known(cell):
    state = cell.scene().robot_state.joint_state
    return dict(zip(state.name, state.position, strict=True))


def at(states, joint=JOINTS[0]):
    return dict(zip(states[-1].name, states[-1].position, strict=True))[joint]


def moving(joint, *positions, seconds=1):
    """Return a sub-trajectory through positions, which changes nothing else."""
    points = [JointTrajectoryPoint(positions=[position]) for position in positions]
    for number, point in enumerate(points):
        point.time_from_start.sec = number * seconds
    part = SubTrajectory()
    part.trajectory.joint_trajectory = JointTrajectory(joint_names=[joint], points=points)
    return part


def grasping():
    """Return a sub-trajectory without motion that attaches the box, as ModifyPlanningScene's."""
    part = SubTrajectory(scene_diff=PlanningScene(is_diff=True, robot_model_name="panda"))
    held = AttachedCollisionObject(link_name="panda_hand", touch_links=["panda_hand"])
    held.object.id = "box"
    state = part.scene_diff.robot_state
    state.attached_collision_objects = [held]
    state.joint_state = JointState(name=JOINTS[:1], position=[-2.0])  # planned, not measured
    return part


def executed(cell, *parts):
    """Return the result of a task, and the feedback."""
    told = []
    client = ActionClient(cell.network.node, ExecuteTaskSolution, "execute_task_solution")
    cell.network.until(client.server_is_ready, "the action")
    goal = ExecuteTaskSolution.Goal(solution=Solution(task_id="pick", sub_trajectory=parts))
    future = client.send_goal_async(goal, lambda message: told.append(message.feedback))
    outcome = cell.network.outcome(cell.network.result(future, "the answer"))
    client.destroy()
    return outcome, [(one.sub_id, one.sub_no) for one in told]


def test_a_task_moves_grasps_and_moves_on(cell, states):
    """Each effect is applied after its motion; planned joint positions are not."""
    assert cell.apply([box("box", "panda_link0", (0.6, 0.4, 0.1), (0.05, 0.05, 0.05))])
    outcome, told = executed(
        cell,
        moving(JOINTS[0], 0.0, 0.2),
        grasping(),
        moving(FINGER, 0.04, 0.03),
        moving(JOINTS[0], 0.2, -0.1),
    )
    assert outcome.status == GoalStatus.STATUS_SUCCEEDED, outcome.result.error_code
    assert outcome.result.error_code.val == CODE.SUCCESS
    assert told == [(0, 4), (1, 4), (2, 4), (3, 4)]
    cell.network.until(lambda: at(states) == pytest.approx(-0.1, abs=1e-3), "the end")
    assert at(states, FINGER) == pytest.approx(0.03, abs=1e-3)
    scene = cell.scene()
    assert [item.object.id for item in scene.robot_state.attached_collision_objects] == ["box"]
    assert not scene.world.collision_objects


def test_nothing_moves_for_an_invalid_part(cell, states):
    several = SubTrajectory()
    several.trajectory.multi_dof_joint_trajectory.joint_names = ["base"]
    for part, words in (
        (moving("panda_joint9", 0.0), "panda_joint9"),
        (moving(JOINTS[0], 0.2, math.nan), "finite"),
        (several, "multi_dof_joint_trajectory is not supported"),
    ):
        outcome, told = executed(cell, moving(JOINTS[0], 0.0, 0.2), part)
        assert outcome.status == GoalStatus.STATUS_ABORTED
        error = outcome.result.error_code
        assert (error.val, told) == (CODE.INVALID_MOTION_PLAN, [])
        assert error.message.startswith("sub-trajectory 2 of 2: ")
        assert words in error.message
    assert at(states) == pytest.approx(0.0, abs=1e-6)


def test_the_first_failure_ends_a_task(cell, states):
    """The part that fails is named, and those behind it change nothing."""
    elsewhere, effect = moving(JOINTS[0], 1.0, 1.2), grasping()
    outcome, told = executed(cell, moving(JOINTS[0], 0.0, 0.1), elsewhere, effect)
    error = outcome.result.error_code
    assert (error.val, told) == (CODE.CONTROL_FAILED, [(0, 3)])
    assert f"sub-trajectory 2 of 3: the trajectory starts at {JOINTS[0]}" in error.message
    # There is no box to attach.
    outcome, told = executed(cell, effect, moving(JOINTS[0], 0.1, 0.2))
    error = outcome.result.error_code
    assert (error.val, told) == (CODE.INVALID_MOTION_PLAN, [(0, 2)])
    assert "sub-trajectory 1 of 2: change of the scene: " in error.message
    assert at(states) == pytest.approx(0.1, abs=1e-3)


def test_a_cancelled_task_stops(cell, states):
    network = cell.network
    parts = [moving(JOINTS[0], 0.0, 0.5, seconds=20), moving(JOINTS[0], 0.5, 0.0)]
    goal = ExecuteTaskSolution.Goal(solution=Solution(sub_trajectory=parts))
    handle = network.send_goal(ExecuteTaskSolution, "execute_task_solution", goal)
    network.until(lambda: at(states) > 0.01, "motion")
    network.result(handle.cancel_goal_async(), "the cancellation")
    outcome = network.outcome(handle)
    assert outcome.status == GoalStatus.STATUS_CANCELED
    assert outcome.result.error_code.val == CODE.PREEMPTED
    assert at(states) < 0.4
