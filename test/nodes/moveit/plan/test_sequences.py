"""Sequences of move_group: planned by the service, driven by the action, Pilz' rules kept."""

from typing import Any

import numpy as np
import pytest
from moveit_msgs.action import MoveGroupSequence
from moveit_msgs.msg import MotionSequenceItem, MotionSequenceRequest, RobotState
from moveit_msgs.srv import GetMotionSequence

from harness.moveit import FINGER, READY, MoveGroup
from nodes.moveit.cell import CODE, joints, motion, of_arm, says, state, times
from nodes.moveit.plan.pilz import asked, places

ASIDE, BELOW = (0.0, 0.2, 0.0), (0.0, 0.2, -0.2)


@pytest.fixture(scope="module")
def moveit(shared: MoveGroup) -> MoveGroup:
    shared.be_ready()
    return shared


def item(moveit: MoveGroup, shift: tuple[float, ...], radius: float = 0.0, **fields: Any) -> Any:
    fields = {"start_state": RobotState(), **fields}
    request = asked(moveit, fields.pop("planner", "LIN"), shift, **fields)
    return MotionSequenceItem(req=request, blend_radius=radius)


def fingers(position: float) -> MotionSequenceItem:
    goal, hand = joints({FINGER: position}, 1e-4), {"group_name": "hand", "planner_id": "PTP"}
    return MotionSequenceItem(req=motion(goal, start_state=RobotState(), **hand))


def answer(moveit: MoveGroup, *items: MotionSequenceItem) -> Any:
    request = MotionSequenceRequest(items=list(items))
    reply = moveit.network.call(GetMotionSequence, "plan_sequence_path", request=request)
    return reply.response


def test_two_lines_are_one_trajectory_around_their_corner(moveit, truth):
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
        assert (np.diff(times(trajectory.joint_trajectory)) > 0.0).all()
    np.testing.assert_allclose(of_arm(blended.sequence_start.joint_state), READY, atol=1e-3)


def test_an_item_may_be_searched_for_and_another_group_gets_its_own_trajectory(moveit):
    searched = item(moveit, ASIDE, planner="RRTConnectkConfigDefault", pipeline_id="ompl")
    reply = answer(moveit, searched, fingers(0.01), item(moveit, BELOW))
    assert reply.error_code.val == CODE.SUCCESS, reply.error_code
    first, hand, last = (part.joint_trajectory for part in reply.planned_trajectories)
    assert [len(part.joint_names) for part in (first, hand, last)] == [7, 1, 7]
    np.testing.assert_allclose(first.points[-1].positions, last.points[0].positions, atol=1e-9)


def test_rules_are_kept_in_words(moveit):
    def two(radius: float = 0.0, end: float = 0.0, **fields: Any) -> list[MotionSequenceItem]:
        return [item(moveit, ASIDE, radius), item(moveit, BELOW, end, **fields)]

    out_of_reach = item(moveit, (0.0, 0.0, 2.0))
    for items, code, words in (
        (two(-0.1), CODE.INVALID_MOTION_PLAN, "item 0"),
        (two(end=0.1), CODE.INVALID_MOTION_PLAN, "last item"),
        ([*two(0.15, 0.1), item(moveit, ASIDE)], CODE.INVALID_MOTION_PLAN, "overlap"),
        (two(start_state=state()), CODE.INVALID_ROBOT_STATE, "item 1"),
        (two(0.25), CODE.FAILURE, "too large"),
        ([item(moveit, ASIDE), out_of_reach], CODE.NO_IK_SOLUTION, "item 1"),
    ):
        reply = answer(moveit, *items)
        assert says(reply.error_code, code, words)
        assert not reply.planned_trajectories
    assert answer(moveit).error_code.val == CODE.SUCCESS
    # Radii between groups do not count.
    reply = answer(moveit, item(moveit, ASIDE, 0.1), fingers(0.02))
    assert reply.error_code.val == CODE.SUCCESS


def test_the_action_drives_all_of_it(moveit):
    network = moveit.network
    goal = MoveGroupSequence.Goal()
    goal.request.items = [item(moveit, ASIDE, 0.05), item(moveit, BELOW), fingers(0.01)]
    states: list[str] = []
    handle = network.send_goal(
        MoveGroupSequence,
        "sequence_move_group",
        goal,
        lambda message: states.append(message.feedback.state),
    )
    assert network.outcome(handle).result.response.error_code.val == CODE.SUCCESS
    there = moveit.tip(moveit.positions())[:3, 3]
    np.testing.assert_allclose(there, moveit.tip(READY)[:3, 3] + np.array(BELOW), atol=2e-3)
    assert states[:2] == ["PLANNING", "MONITOR"]
    moveit.be_ready()
