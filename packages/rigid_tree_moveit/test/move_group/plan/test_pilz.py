"""PTP, LIN, CIRC and sequences of move_group: plans, execution and rejections."""

from typing import Any

import numpy as np
import pytest
from moveit_harness.move_group import DOWN, FINGER, PATIENCE, READY, MoveGroup, box
from moveit_msgs.action import MoveGroupSequence
from moveit_msgs.msg import Constraints, MotionSequenceItem, MotionSequenceRequest, RobotState
from moveit_msgs.srv import GetMotionSequence

from move_group.cell import (
    BASE,
    CODE,
    Cell,
    at_pose,
    has_error,
    joints,
    motion,
    of_arm,
    solved,
    state,
    times,
)
from move_group.plan.pilz import PILZ, asked, places, shifted, via


@pytest.fixture
def plan(moveit):
    """Return a function that plans a request of ``asked``."""
    return lambda *words, **fields: Cell(moveit.network).planned(asked(moveit, *words, **fields))


def test_pymoveit2_plans_a_line_and_drives_it(moveit, truth):
    client = moveit.client()
    client.pipeline_id, client.planner_id = PILZ, "LIN"
    start = moveit.tip(READY)
    goal = start[:3, 3] + (0.1, -0.2, -0.2)
    line = client.plan(position=goal.tolist(), quat_xyzw=DOWN, timeout_sec=PATIENCE)
    positions = places(truth, line)[:, :3, 3] - start[:3, 3]
    along = (goal - start[:3, 3]) / 0.3
    assert np.abs(positions - np.outer(positions @ along, along)).max() < 1e-4
    np.testing.assert_allclose(positions[-1], 0.3 * along, atol=1e-4)
    assert all(len(point.velocities) == len(point.accelerations) == 7 for point in line.points)
    client.execute(line)
    assert client.wait_until_executed()
    np.testing.assert_allclose(moveit.tip(moveit.positions())[:3, 3], goal, atol=1e-3)
    client.planner_id = "PTP"
    client.move_to_configuration(READY)
    assert client.wait_until_executed()
    np.testing.assert_allclose(moveit.positions(), READY, atol=1e-3)


def test_circles_have_their_radius(moveit, truth, plan):
    start = moveit.tip(READY)[:3, 3]
    center = start + np.array([0.0, 0.1, 0.0])
    for name, y, longest in (("center", 0.1, 0.0), ("interim", 0.2, 0.1)):
        circle = via(moveit, name, (0.0, y, 0.0))
        answer = plan("CIRC", (0.1, 0.1, 0.0), path_constraints=circle)
        positions = places(truth, solved(answer))[:, :3, 3]
        np.testing.assert_allclose(np.linalg.norm(positions - center, axis=1), 0.1, atol=1e-5)
        np.testing.assert_allclose(positions[-1], start + np.array([0.1, 0.1, 0.0]), atol=1e-5)
        assert max((positions - center)[:, 1]) == pytest.approx(longest, abs=1e-4)


def test_impossible_values_are_rejected_with_a_message(moveit, plan):
    assert Cell(moveit.network).apply([box("wall", BASE, (0.5, 0.0, 0.5), (0.02, 0.4, 0.4))])
    circle = {"path_constraints": via(moveit, "center", (0.0, 0.2, 0.0))}
    beyond = {"path_constraints": via(moveit, "interim", (0.0, 0.0, 0.1))}
    (goal,) = asked(moveit, "LIN", (0.1, 0.0, 0.0)).goal_constraints
    (unturned,) = asked(moveit, "LIN", (0.1, 0.0, 0.0)).goal_constraints
    unturned.orientation_constraints = []
    for planner, shift, fields, code, words in (
        ("CIRC", (0.0, 0.3, 0.0), circle, CODE.INVALID_MOTION_PLAN, "not on"),
        ("CIRC", (0.0, 0.4, 0.0), circle, CODE.INVALID_MOTION_PLAN, "collinear"),
        ("CIRC", (0.0, 0.0, 0.2), beyond, CODE.INVALID_MOTION_PLAN, "collinear"),
        ("CIRC", (0.1, 0.0, 0.0), {}, CODE.INVALID_MOTION_PLAN, "'interim'"),
        ("LIN", (0.0, 0.0, 2.0), {}, CODE.NO_IK_SOLUTION, "of the path"),
        ("PTP", (0.0, 0.0, 2.0), {}, CODE.NO_IK_SOLUTION, "misses"),
        ("LIN", (0.3, 0.0, 0.0), {}, CODE.INVALID_MOTION_PLAN, "touches"),
        ("SPLINE", (0.1, 0.0, 0.0), {}, CODE.PLANNING_FAILED, "PTP, LIN, CIRC"),
        ("LIN", (), {"goal_constraints": [goal] * 2}, CODE.INVALID_GOAL_CONSTRAINTS, "one goal"),
        ("LIN", (), {"goal_constraints": [unturned]}, CODE.INVALID_GOAL_CONSTRAINTS, "orientat"),
    ):
        answer = plan(planner, shift or (0.1, 0.0, 0.0), **fields)
        assert has_error(answer.error_code, code, words)
        assert not answer.trajectory.joint_trajectory.points

    # Scaling factors are used.
    fast, slow = (
        times(solved(plan("LIN", (0.1, 0.0, -0.1), max_velocity_scaling_factor=scale)))[-1]
        for scale in (1.0, 0.1)
    )
    # The tool's 0.1 m/s and the joints' tenth of their velocities.
    assert slow >= 0.1414 / 0.1
    assert fast < 0.8


@pytest.mark.parametrize("planner", ["PTP", "LIN"])
def test_path_constraints_are_not_used_but_checked(moveit, plan, planner):
    """As in Pilz and MoveIt's ValidateSolution (validate_path.cpp); pilz_move_group.cpp."""

    def planned(**constraints: Any) -> Any:
        return plan(planner, (0.1, 0.0, 0.0), path_constraints=Constraints(**constraints))

    left = via(moveit, "interim", (0.05, 0.05, 0.0))
    answer = planned(name=left.name, position_constraints=left.position_constraints)
    assert has_error(answer.error_code, CODE.SUCCESS, f"not used by {planner}")
    assert planned().error_code.message == ""
    turn = at_pose(shifted(moveit, (0.0, 0.0, 0.0)), tolerance=0.3).orientation_constraints
    assert has_error(planned(orientation_constraints=turn).error_code, CODE.SUCCESS, "is checked")
    turn[0].orientation.x, turn[0].orientation.y = 0.0, 1.0
    answer = planned(orientation_constraints=turn)
    assert has_error(answer.error_code, CODE.INVALID_MOTION_PLAN, "violates the path constraints")
    assert not answer.trajectory.joint_trajectory.points
    fixed = joints({FINGER: 0.001}, 1e-4).joint_constraints
    answer = planned(joint_constraints=fixed)
    assert has_error(answer.error_code, CODE.INVALID_MOTION_PLAN, FINGER)


ASIDE, BELOW = (0.0, 0.2, 0.0), (0.0, 0.2, -0.2)


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
        positions = places(truth, trajectory.joint_trajectory)[:, :3, 3]
        np.testing.assert_allclose(positions[-1], corner + np.array([0.0, 0.0, -0.2]), atol=1e-5)
        apart = np.linalg.norm(positions - corner, axis=1).min()
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


def test_project_rules_are_satisfied_in_text(moveit):
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
        assert has_error(reply.error_code, code, words)
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
