"""PTP, LIN and CIRC of move_group: what pymoveit2 gets, and what is refused in which words."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from moveit_msgs.msg import (
    MotionPlanRequest,
    MoveItErrorCodes,
)
from moveit_msgs.srv import GetMotionPlan

from harness.arm.pilz import PILZ, asked, places, via
from harness.moveit import DOWN, PATIENCE, READY, MoveGroup
from harness.truth import Truth

CODE = MoveItErrorCodes


@pytest.fixture(scope="module")
def moveit(shared: MoveGroup) -> MoveGroup:
    shared.be_ready()
    return shared


@pytest.fixture(scope="module")
def truth(moveit: MoveGroup) -> Truth:
    return Truth(moveit.robot)


def test_pymoveit2_plans_a_line_and_drives_it(moveit, truth):
    client = moveit.client()
    client.pipeline_id, client.planner_id = PILZ, "LIN"
    start = moveit.tip(READY)
    goal = start[:3, 3] + (0.1, -0.2, -0.2)
    line = client.plan(position=goal.tolist(), quat_xyzw=DOWN, timeout_sec=PATIENCE)
    way = places(truth, line)[:, :3, 3] - start[:3, 3]
    along = (goal - start[:3, 3]) / 0.3
    assert np.abs(way - np.outer(way @ along, along)).max() < 1e-4
    np.testing.assert_allclose(way[-1], 0.3 * along, atol=1e-4)
    assert all(len(point.velocities) == len(point.accelerations) == 7 for point in line.points)
    client.execute(line)
    assert client.wait_until_executed()
    np.testing.assert_allclose(moveit.tip(moveit.positions())[:3, 3], goal, atol=1e-3)
    client.planner_id = "PTP"
    client.move_to_configuration(READY)
    assert client.wait_until_executed()
    np.testing.assert_allclose(moveit.positions(), READY, atol=1e-3)


def plan(moveit: MoveGroup, request: MotionPlanRequest) -> Any:
    reply = moveit.network.call(GetMotionPlan, "plan_kinematic_path", motion_plan_request=request)
    return reply.motion_plan_response


@pytest.mark.parametrize("name", ["center", "interim"])
def test_circles_have_their_radius(moveit, truth, name):
    point = (0.0, 0.1, 0.0) if name == "center" else (0.0, 0.2, 0.0)
    request = asked(moveit, "CIRC", (0.1, 0.1, 0.0), path_constraints=via(moveit, name, point))
    answer = plan(moveit, request)
    assert answer.error_code.val == CODE.SUCCESS, answer.error_code
    way = places(truth, answer.trajectory.joint_trajectory)[:, :3, 3]
    start = moveit.tip(READY)[:3, 3]
    center = start + np.array([0.0, 0.1, 0.0])
    np.testing.assert_allclose(np.linalg.norm(way - center, axis=1), 0.1, atol=1e-5)
    np.testing.assert_allclose(way[-1], start + np.array([0.1, 0.1, 0.0]), atol=1e-5)
    longest = max((way - center)[:, 1])
    assert longest == pytest.approx(0.1 if name == "interim" else 0.0, abs=1e-4)


def test_what_cannot_be_is_refused_in_words(moveit):
    moveit.arm.add_collision_box(
        "wall", (0.02, 0.4, 0.4), position=(0.5, 0.0, 0.5), quat_xyzw=(0.0, 0.0, 0.0, 1.0)
    )
    moveit.network.until(lambda: "wall" in moveit.objects()[0], "the wall in the scene")
    circle = {"path_constraints": via(moveit, "center", (0.0, 0.2, 0.0))}
    beyond = {"path_constraints": via(moveit, "interim", (0.0, 0.0, 0.1))}
    two = asked(moveit, "LIN", (0.1, 0.0, 0.0))
    two.goal_constraints = [two.goal_constraints[0]] * 2
    unturned = asked(moveit, "LIN", (0.1, 0.0, 0.0))
    unturned.goal_constraints[0].orientation_constraints = []
    for request, code, words in (
        (asked(moveit, "CIRC", (0.0, 0.3, 0.0), **circle), CODE.INVALID_MOTION_PLAN, "not on"),
        (asked(moveit, "CIRC", (0.0, 0.4, 0.0), **circle), CODE.INVALID_MOTION_PLAN, "one line"),
        (asked(moveit, "CIRC", (0.0, 0.0, 0.2), **beyond), CODE.INVALID_MOTION_PLAN, "one line"),
        (asked(moveit, "CIRC", (0.1, 0.0, 0.0)), CODE.INVALID_MOTION_PLAN, "'interim'"),
        (asked(moveit, "LIN", (0.1, 0.0, 0.0), **circle), CODE.PLANNING_FAILED, "LIN"),
        (asked(moveit, "LIN", (0.0, 0.0, 2.0)), CODE.NO_IK_SOLUTION, "of the way"),
        (asked(moveit, "PTP", (0.0, 0.0, 2.0)), CODE.NO_IK_SOLUTION, "misses"),
        (asked(moveit, "LIN", (0.3, 0.0, 0.0)), CODE.INVALID_MOTION_PLAN, "touches"),
        (asked(moveit, "SPLINE", (0.1, 0.0, 0.0)), CODE.PLANNING_FAILED, "PTP, LIN, CIRC"),
        (two, CODE.INVALID_GOAL_CONSTRAINTS, "one goal"),
        (unturned, CODE.INVALID_GOAL_CONSTRAINTS, "orientation"),
    ):
        answer = plan(moveit, request)
        assert (answer.error_code.val, words in answer.error_code.message) == (code, True), (
            answer.error_code
        )
        assert not answer.trajectory.joint_trajectory.points


def test_scaling_factors_count(moveit):
    durations = []
    for scale in (1.0, 0.1):
        request = asked(moveit, "LIN", (0.1, 0.0, -0.1), max_velocity_scaling_factor=scale)
        point = plan(moveit, request).trajectory.joint_trajectory.points[-1]
        durations.append(point.time_from_start.sec + 1e-9 * point.time_from_start.nanosec)
    # The tool's 0.1 m/s and the joints' tenth of their velocities.
    assert durations[1] >= 0.1414 / 0.1
    assert durations[0] < 0.8
