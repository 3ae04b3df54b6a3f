"""Sequences of move_group: planned by the service, driven by the action, Pilz' rules kept."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from moveit_msgs.action import MoveGroupSequence
from moveit_msgs.msg import (
    Constraints,
    JointConstraint,
    MotionSequenceItem,
    MotionSequenceRequest,
    MoveItErrorCodes,
    RobotState,
)
from moveit_msgs.srv import GetMotionSequence
from rclpy.action import ActionClient

from harness.arm.pilz import asked, places
from harness.moveit import JOINTS, READY, MoveGroup
from harness.truth import Truth

CODE = MoveItErrorCodes
ASIDE, BELOW = (0.0, 0.2, 0.0), (0.0, 0.2, -0.2)


@pytest.fixture(scope="module")
def moveit(shared: MoveGroup) -> MoveGroup:
    shared.be_ready()
    return shared


def item(moveit: MoveGroup, shift: tuple[float, ...], radius: float = 0.0, **fields: Any) -> Any:
    request = asked(moveit, fields.pop("planner", "LIN"), shift, **fields)
    if "start_state" not in fields:
        request.start_state = RobotState()
    return MotionSequenceItem(req=request, blend_radius=radius)


def fingers(position: float) -> MotionSequenceItem:
    one = JointConstraint(joint_name="panda_finger_joint1", position=position)
    one.tolerance_above = one.tolerance_below = 1e-4
    made = MotionSequenceItem()
    made.req.group_name, made.req.planner_id = "hand", "PTP"
    made.req.goal_constraints = [Constraints(joint_constraints=[one])]
    return made


def answer(moveit: MoveGroup, *items: MotionSequenceItem) -> Any:
    request = MotionSequenceRequest(items=list(items))
    reply = moveit.network.call(GetMotionSequence, "plan_sequence_path", request=request)
    return reply.response


def seconds(point: Any) -> float:
    return point.time_from_start.sec + 1e-9 * point.time_from_start.nanosec


def test_two_lines_are_one_trajectory_around_their_corner(moveit):
    truth = Truth(moveit.robot)
    stopped = answer(moveit, item(moveit, ASIDE), item(moveit, BELOW))
    blended = answer(moveit, item(moveit, ASIDE, 0.05), item(moveit, BELOW))
    corner = moveit.tip(READY)[:3, 3] + np.array(ASIDE)
    for reply, nearest in ((stopped, 0.0), (blended, 0.003)):
        assert reply.error_code.val == CODE.SUCCESS, reply.error_code
        (trajectory,) = reply.planned_trajectories
        way = places(truth, trajectory.joint_trajectory)[:, :3, 3]
        np.testing.assert_allclose(way[-1], corner + np.array([0.0, 0.0, -0.2]), atol=1e-5)
        apart = np.linalg.norm(way - corner, axis=1).min()
        assert apart == pytest.approx(nearest, abs=0.002)
        times = [seconds(point) for point in trajectory.joint_trajectory.points]
        assert (np.diff(times) > 0.0).all()
    start = dict(
        zip(
            blended.sequence_start.joint_state.name,
            blended.sequence_start.joint_state.position,
            strict=True,
        )
    )
    np.testing.assert_allclose([start[name] for name in JOINTS], READY, atol=1e-3)


def test_an_item_may_be_searched_for_and_another_group_gets_its_own_trajectory(moveit):
    searched = item(moveit, ASIDE, planner="RRTConnectkConfigDefault", pipeline_id="ompl")
    reply = answer(moveit, searched, fingers(0.01), item(moveit, BELOW))
    assert reply.error_code.val == CODE.SUCCESS, reply.error_code
    groups = [len(part.joint_trajectory.joint_names) for part in reply.planned_trajectories]
    assert groups == [7, 1, 7]
    first, _, last = (part.joint_trajectory for part in reply.planned_trajectories)
    np.testing.assert_allclose(first.points[-1].positions, last.points[0].positions, atol=1e-9)


def test_rules_are_kept_in_words(moveit):
    state = asked(moveit, "LIN", ASIDE).start_state
    for items, code, words in (
        ([item(moveit, ASIDE, -0.1), item(moveit, BELOW)], CODE.INVALID_MOTION_PLAN, "item 0"),
        ([item(moveit, ASIDE), item(moveit, BELOW, 0.1)], CODE.INVALID_MOTION_PLAN, "last item"),
        (
            [item(moveit, ASIDE, 0.15), item(moveit, BELOW, 0.1), item(moveit, ASIDE)],
            CODE.INVALID_MOTION_PLAN,
            "overlap",
        ),
        (
            [item(moveit, ASIDE), item(moveit, BELOW, start_state=state)],
            CODE.INVALID_ROBOT_STATE,
            "item 1",
        ),
        ([item(moveit, ASIDE, 0.25), item(moveit, BELOW)], CODE.FAILURE, "too large"),
        ([item(moveit, ASIDE), item(moveit, (0.0, 0.0, 2.0))], CODE.NO_IK_SOLUTION, "item 1"),
    ):
        reply = answer(moveit, *items)
        got = reply.error_code
        assert (got.val, words in got.message) == (code, True), got
        assert not reply.planned_trajectories
    assert answer(moveit).error_code.val == CODE.SUCCESS
    # Radii between groups do not count.
    reply = answer(moveit, item(moveit, ASIDE, 0.1), fingers(0.02))
    assert reply.error_code.val == CODE.SUCCESS


def test_the_action_drives_all_of_it(moveit):
    client = ActionClient(moveit.network.node, MoveGroupSequence, "sequence_move_group")
    try:
        moveit.network.until(client.server_is_ready, "the action")
        goal = MoveGroupSequence.Goal()
        goal.request.items = [item(moveit, ASIDE, 0.05), item(moveit, BELOW), fingers(0.01)]
        states: list[str] = []
        sent = client.send_goal_async(
            goal, feedback_callback=lambda message: states.append(message.feedback.state)
        )
        moveit.network.until(sent.done, "an accepted goal")
        over = sent.result().get_result_async()
        moveit.network.until(over.done, "the end of the motion")
        assert over.result().result.response.error_code.val == CODE.SUCCESS
        there = moveit.tip(moveit.positions())[:3, 3]
        np.testing.assert_allclose(there, moveit.tip(READY)[:3, 3] + np.array(BELOW), atol=2e-3)
        assert states[:2] == ["PLANNING", "MONITOR"]
    finally:
        client.destroy()
        moveit.be_ready()
