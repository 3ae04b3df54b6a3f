"""Starts outside the joint limits, after test_check_start_state_bounds.cpp and moveit2#3383."""

from __future__ import annotations

import pytest
from geometry_msgs.msg import Pose
from moveit_msgs.action import MoveGroup
from moveit_msgs.msg import (
    Constraints,
    JointConstraint,
    MotionPlanRequest,
    MotionSequenceItem,
    MotionSequenceRequest,
    MoveItErrorCodes,
)
from moveit_msgs.srv import GetCartesianPath, GetMotionSequence

from harness.arm.controller import Controller
from harness.moveit import FINGER, JOINTS, READY

CODE = MoveItErrorCodes
LIMIT = 2.8973  # of the first joint
BARELY = [2.8974, *READY[1:]]
WORDS = "the start is moved to the joint limits: panda_joint1 = 2.8974, allowed -2.8973 to 2.8973"


def first(trajectory):
    """Return the first point's positions by name, and its time."""
    way = trajectory.joint_trajectory
    point = way.points[0]
    at = dict(zip(way.joint_names, point.positions, strict=True))
    return at, point.time_from_start.sec + 1e-9 * point.time_from_start.nanosec


def goal(position=2.5):
    joint = JointConstraint(joint_name=JOINTS[0], position=position)
    joint.tolerance_above = joint.tolerance_below = 1e-3
    return Constraints(joint_constraints=[joint])


@pytest.mark.parametrize(
    "fields",
    [
        {},
        {"group_name": "panda_arm_hand"},
        {"pipeline_id": "pilz_industrial_motion_planner", "planner_id": "PTP"},
    ],
)
def test_moveit2_3383(cell, fields):
    """A start barely outside a limit is planned from the limit, and the answer says so."""
    start = cell.state(BARELY, **{FINGER: -0.0002})
    answer = cell.plan(goal(), start_state=start, **fields)
    assert answer.error_code.val == CODE.SUCCESS, answer.error_code
    assert answer.error_code.message.startswith(WORDS)
    told = dict(
        zip(
            answer.trajectory_start.joint_state.name,
            answer.trajectory_start.joint_state.position,
            strict=True,
        )
    )
    assert told[JOINTS[0]] == 2.8974
    at, begin = first(answer.trajectory)
    assert at[JOINTS[0]] == pytest.approx(LIMIT, abs=1e-9)
    assert at.get(FINGER, 0.0) >= 0.0
    assert 0.0 < begin < 0.2


def test_lines_and_sequences_start_there_too(cell):
    request = GetCartesianPath.Request(group_name="panda_arm", max_step=0.01)
    request.start_state = cell.state(BARELY)
    request.link_name = request.header.frame_id = "panda_hand_tcp"
    request.waypoints = [Pose()]
    request.waypoints[0].position.z = -0.05
    reply = cell.network.call(GetCartesianPath, "compute_cartesian_path", request)
    assert (reply.error_code.val, reply.fraction) == (CODE.SUCCESS, 1.0), reply.error_code
    assert WORDS in reply.error_code.message
    assert first(reply.solution)[0][JOINTS[0]] == pytest.approx(LIMIT, abs=1e-9)
    item = MotionSequenceItem()
    item.req = MotionPlanRequest(group_name="panda_arm", goal_constraints=[goal()])
    item.req.start_state = cell.state(BARELY)
    sequence = MotionSequenceRequest(items=[item])
    reply = cell.network.call(GetMotionSequence, "plan_sequence_path", request=sequence).response
    assert reply.error_code.val == CODE.SUCCESS, reply.error_code
    at, begin = first(reply.planned_trajectories[0])
    assert at[JOINTS[0]] == pytest.approx(LIMIT, abs=1e-9)
    assert begin > 0.0


def test_check_start_state_bounds_cpp(cell):
    """A start far outside is refused, and so is any other with the parameter at 0."""

    def code(position):
        start = cell.state([position, *READY[1:]])
        return cell.plan(goal(), start_state=start).error_code.val

    assert (code(2.99), code(3.1)) == (CODE.SUCCESS, CODE.START_STATE_INVALID)
    name = "start_state_max_bounds_error"
    assert cell.network.set_parameter("/move_group", name, 0.0).successful
    try:
        assert code(2.8974) == CODE.START_STATE_INVALID
    finally:
        assert cell.network.set_parameter("/move_group", name, 0.1).successful


def test_the_robot_moves_in_from_there(cell):
    """A driver gets time for the way to the first point."""
    standing = {**dict(zip(JOINTS, [2.95, *READY[1:]], strict=True)), FINGER: 0.0}
    driver = Controller(cell.network, standing)
    try:
        driver.told.set()
        cell.network.until(
            lambda: 2.95 in cell.scene().robot_state.joint_state.position, "the robot's state"
        )
        request = MotionPlanRequest(group_name="panda_arm", goal_constraints=[goal()])
        handle = cell.network.send_goal(MoveGroup, "move_action", MoveGroup.Goal(request=request))
        result = cell.network.outcome(handle).result
        assert result.error_code.val == CODE.SUCCESS, result.error_code
        point = driver.goals[0].trajectory.points[0]
        assert point.positions[0] == pytest.approx(LIMIT, abs=1e-9)
        assert point.time_from_start.nanosec > 1e8
    finally:
        driver.close()
