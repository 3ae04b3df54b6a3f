"""PTP, LIN and CIRC of move_group: what pymoveit2 gets, and what is refused in which words."""

import numpy as np
import pytest

from harness.moveit import DOWN, PATIENCE, READY, MoveGroup, box
from nodes.moveit.cell import BASE, CODE, Cell, says, solved, times
from nodes.moveit.plan.pilz import PILZ, asked, places, via


@pytest.fixture(scope="module")
def moveit(shared: MoveGroup) -> MoveGroup:
    shared.be_ready()
    return shared


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


@pytest.mark.parametrize("name", ["center", "interim"])
def test_circles_have_their_radius(moveit, truth, plan, name):
    point = (0.0, 0.1, 0.0) if name == "center" else (0.0, 0.2, 0.0)
    answer = plan("CIRC", (0.1, 0.1, 0.0), path_constraints=via(moveit, name, point))
    way = places(truth, solved(answer))[:, :3, 3]
    start = moveit.tip(READY)[:3, 3]
    center = start + np.array([0.0, 0.1, 0.0])
    np.testing.assert_allclose(np.linalg.norm(way - center, axis=1), 0.1, atol=1e-5)
    np.testing.assert_allclose(way[-1], start + np.array([0.1, 0.1, 0.0]), atol=1e-5)
    longest = max((way - center)[:, 1])
    assert longest == pytest.approx(0.1 if name == "interim" else 0.0, abs=1e-4)


def test_what_cannot_be_is_refused_in_words(moveit, plan):
    assert Cell(moveit.network).apply([box("wall", BASE, (0.5, 0.0, 0.5), (0.02, 0.4, 0.4))])
    circle = {"path_constraints": via(moveit, "center", (0.0, 0.2, 0.0))}
    beyond = {"path_constraints": via(moveit, "interim", (0.0, 0.0, 0.1))}
    (goal,) = asked(moveit, "LIN", (0.1, 0.0, 0.0)).goal_constraints
    (unturned,) = asked(moveit, "LIN", (0.1, 0.0, 0.0)).goal_constraints
    unturned.orientation_constraints = []
    for planner, shift, fields, code, words in (
        ("CIRC", (0.0, 0.3, 0.0), circle, CODE.INVALID_MOTION_PLAN, "not on"),
        ("CIRC", (0.0, 0.4, 0.0), circle, CODE.INVALID_MOTION_PLAN, "one line"),
        ("CIRC", (0.0, 0.0, 0.2), beyond, CODE.INVALID_MOTION_PLAN, "one line"),
        ("CIRC", (0.1, 0.0, 0.0), {}, CODE.INVALID_MOTION_PLAN, "'interim'"),
        ("LIN", (0.1, 0.0, 0.0), circle, CODE.PLANNING_FAILED, "LIN"),
        ("LIN", (0.0, 0.0, 2.0), {}, CODE.NO_IK_SOLUTION, "of the path"),
        ("PTP", (0.0, 0.0, 2.0), {}, CODE.NO_IK_SOLUTION, "misses"),
        ("LIN", (0.3, 0.0, 0.0), {}, CODE.INVALID_MOTION_PLAN, "touches"),
        ("SPLINE", (0.1, 0.0, 0.0), {}, CODE.PLANNING_FAILED, "PTP, LIN, CIRC"),
        ("LIN", (), {"goal_constraints": [goal] * 2}, CODE.INVALID_GOAL_CONSTRAINTS, "one goal"),
        ("LIN", (), {"goal_constraints": [unturned]}, CODE.INVALID_GOAL_CONSTRAINTS, "orientat"),
    ):
        answer = plan(planner, shift or (0.1, 0.0, 0.0), **fields)
        assert says(answer.error_code, code, words)
        assert not answer.trajectory.joint_trajectory.points


def test_scaling_factors_count(plan):
    fast, slow = (
        times(solved(plan("LIN", (0.1, 0.0, -0.1), max_velocity_scaling_factor=scale)))[-1]
        for scale in (1.0, 0.1)
    )
    # The tool's 0.1 m/s and the joints' tenth of their velocities.
    assert slow >= 0.1414 / 0.1
    assert fast < 0.8
