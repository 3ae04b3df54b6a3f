"""move_group's actions: where motions begin, and whom a cancelled goal stops."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from action_msgs.msg import GoalStatus
from moveit_msgs.action import ExecuteTrajectory, MoveGroup
from moveit_msgs.msg import (
    Constraints,
    JointConstraint,
    MotionPlanRequest,
    MoveItErrorCodes,
    PlanningSceneComponents,
)
from moveit_msgs.srv import GetPlanningScene
from rigid_tree_interfaces.srv import SetState
from sensor_msgs.msg import JointState
from trajectory_msgs.msg import JointTrajectory, JointTrajectoryPoint

from harness.moveit import JOINTS, READY, post_in_the_way, start_move_group
from harness.network import Network

CODE = MoveItErrorCodes


@pytest.fixture(scope="module")
def shared(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Network]:
    made = Network(tmp_path_factory.mktemp("network"))
    ready = {f"initial_positions.{name}": q for name, q in zip(JOINTS, READY, strict=True)}
    made.start("robot_simulator", {"robot": "panda_hand", **ready})
    start_move_group(made)
    yield made
    made.close()


@pytest.fixture
def network(shared: Network) -> Network:
    """The same for all tests: the arm ready, and move_group knows it."""
    ready = JointState(name=JOINTS, position=READY)
    assert shared.call(SetState, "robot_simulator/set_state", state=ready).success
    components = PlanningSceneComponents(components=PlanningSceneComponents.ROBOT_STATE)

    def knows(reply: GetPlanningScene.Response) -> bool:
        state = reply.scene.robot_state.joint_state
        positions = dict(zip(state.name, state.position, strict=True))
        return [positions[joint] for joint in JOINTS] == pytest.approx(READY)

    shared.call_until(knows, GetPlanningScene, "get_planning_scene", components=components)
    return shared


def wanted(at: float, **fields: object) -> MoveGroup.Goal:
    """Return the goal to turn the arm's first joint, from elsewhere than where it is."""
    joint = JointConstraint(joint_name=JOINTS[0], position=at)
    joint.tolerance_above = joint.tolerance_below = 1e-3
    request = MotionPlanRequest(group_name="panda_arm", **fields)
    request.goal_constraints = [Constraints(joint_constraints=[joint])]
    request.start_state.joint_state = JointState(name=JOINTS, position=[-1.5, *READY[1:]])
    return MoveGroup.Goal(request=request)


def test_a_motion_begins_where_the_robot_is_whatever_start_is_given(network):
    handle = network.send_goal(MoveGroup, "move_action", wanted(0.3))
    result = network.outcome(handle).result
    assert result.error_code.val == CODE.SUCCESS, result.error_code
    driven = result.executed_trajectory.joint_trajectory
    first = dict(zip(driven.joint_names, driven.points[0].positions, strict=True))
    assert first[JOINTS[0]] == pytest.approx(0.0, abs=1e-6)
    only = wanted(0.3)
    only.planning_options.plan_only = True
    planned = network.outcome(network.send_goal(MoveGroup, "move_action", only)).result
    assert planned.planned_trajectory.joint_trajectory.points[0].positions[0] == -1.5


def test_a_trajectory_that_begins_elsewhere_is_refused(network):
    states = network.hear(JointState, "joint_states")
    network.until(lambda: states, "a joint state")
    now = dict(zip(states[-1].name, states[-1].position, strict=True))
    points = [JointTrajectoryPoint(positions=[now[JOINTS[0]] + by]) for by in (0.5, 0.6)]
    points[1].time_from_start.sec = 1
    goal = ExecuteTrajectory.Goal()
    goal.trajectory.joint_trajectory = JointTrajectory(joint_names=JOINTS[:1], points=points)
    refused = network.outcome(network.send_goal(ExecuteTrajectory, "execute_trajectory", goal))
    assert refused.result.error_code.val == CODE.CONTROL_FAILED
    assert f"starts at {JOINTS[0]}" in refused.result.error_code.message
    # With time to go there, it goes there.
    points[0].time_from_start.sec, points[1].time_from_start.sec = 1, 2
    driven = network.outcome(network.send_goal(ExecuteTrajectory, "execute_trajectory", goal))
    assert driven.result.error_code.val == CODE.SUCCESS, driven.result.error_code


def test_a_cancelled_goal_stops_nobody_elses_motion(network):
    states = network.hear(JointState, "joint_states")
    slowly = wanted(-0.6, max_velocity_scaling_factor=0.2)
    moving = network.send_goal(MoveGroup, "move_action", slowly)
    network.until(lambda: states and min(states[-1].velocity) < -0.1, "a motion")
    long = wanted(1.5, planner_id="RRTstarkConfigDefault", allowed_planning_time=30.0)
    long.planning_options.plan_only = True
    long.planning_options.planning_scene_diff = post_in_the_way()
    planning = network.send_goal(MoveGroup, "move_action", long)
    network.result(planning.cancel_goal_async(), "the cancellation")
    cancelled = network.outcome(planning)
    assert cancelled.status == GoalStatus.STATUS_CANCELED
    assert cancelled.result.error_code.val == CODE.PREEMPTED
    assert not cancelled.result.planned_trajectory.joint_trajectory.points
    assert network.outcome(moving).result.error_code.val == CODE.SUCCESS
