"""Blends: inside and outside the sphere by Pinocchio, no stop, no jump, within limits."""

import itertools

import numpy as np
import pytest

from harness.arm.motions import (
    LIMITS,
    SETTINGS,
    START,
    START_POSE,
    TIP,
    TRUTH,
    check_limits,
    dense,
    planner,
    shifted,
    ten_seconds,
)
from harness.arm.paths import curve_of
from rigid_tree_kinematics.collision import Obstacle
from rigid_tree_kinematics.errors import PlanningError
from rigid_tree_kinematics.model import Sphere
from rigid_tree_kinematics.model.transforms import transform
from rigid_tree_kinematics.planning import (
    ToolLine,
    arc_through,
    blended,
    eased,
    joined,
    joint_excess,
    move_joints,
    move_tool,
    speed_excess,
)
from rigid_tree_kinematics.planning.timing.easing import states_at
from rigid_tree_kinematics.planning.tool.pose_following import exact_solver

PLANNER = planner()
SOLVER = exact_solver(PLANNER.compiled, TIP, PLANNER.locked)
CORNER = shifted((0.0, 0.2, 0.0))
FIRST = move_tool(
    PLANNER, TIP, START, ToolLine(START_POSE, CORNER), LIMITS, SETTINGS, ten_seconds()
).trajectory
FIRST_END = FIRST.positions[-1]
DOWN = shifted((0.0, 0.2, -0.2), (0.0, 0.0, 0.5))
ASIDE = FIRST_END + np.array([0.4, 0.3, -0.2, 0.3, 0.5, -0.5, 1.0, 0.0])
ARC = arc_through(CORNER, shifted((0.2, 0.2, 0.0)), CORNER[:3, 3] + (0.1, 0.1, 0.0))
SECONDS = {
    "line": move_tool(
        PLANNER, TIP, FIRST_END, ToolLine(CORNER, DOWN), LIMITS, SETTINGS, ten_seconds()
    ),
    "joints": move_joints(PLANNER, FIRST_END, ASIDE, SETTINGS, ten_seconds()),
    "arc": move_tool(PLANNER, TIP, FIRST_END, ARC, LIMITS, SETTINGS, ten_seconds()),
}
LIMIT = joint_excess(PLANNER.limits(SETTINGS), PLANNER.space.moving)


def tips(q):
    return np.array([TRUTH.pose(row, TIP)[:3, 3] for row in q])


@pytest.mark.parametrize(("name", "radius"), itertools.product(SECONDS, (0.01, 0.05, 0.12)))
def test_blend_stays_in_its_sphere_and_does_not_stop(name, radius):
    second = SECONDS[name].trajectory
    raw = blended(SOLVER, PLANNER.checker, FIRST, second, radius, ten_seconds())
    assert raw.times[-1] < FIRST.times[-1] + second.times[-1]
    trajectory = eased(raw, LIMIT, deadline=ten_seconds())
    check_limits(trajectory)
    times, q, v, _ = dense(trajectory)
    assert (np.diff(trajectory.times) > 0.0).all()
    # What the points say of velocities is what the positions do: nothing jumps.
    np.testing.assert_allclose(
        np.gradient(q, times, axis=0)[3:-3], v[3:-3], atol=2e-3 * np.abs(v).max()
    )
    places = tips(q)
    apart = np.linalg.norm(places - CORNER[:3, 3], axis=1)
    ball = np.flatnonzero(apart < radius)
    # One passage through the ball, in motion all the time; outside, the ways are as they were.
    assert (np.diff(ball) == 1).all()
    speeds = np.linalg.norm(np.diff(places, axis=0), axis=1) / np.diff(times)
    assert speeds[ball[:-1]].min() > 0.02 * speeds.max()
    first_motion = tips(states_at(FIRST, np.linspace(0.0, FIRST.times[-1], 2000))[0])
    second_motion = tips(states_at(second, np.linspace(0.0, second.times[-1], 2000))[0])
    for rows, motion in (
        (places[: ball[0]], first_motion),
        (places[ball[-1] + 1 :], second_motion),
    ):
        for place in rows[::7]:
            assert np.linalg.norm(motion - place, axis=1).min() < 5e-4
    np.testing.assert_allclose(q[0], START, atol=1e-9)
    np.testing.assert_allclose(q[-1], second.positions[-1], atol=1e-9)


def test_without_a_blend_the_second_motion_begins_where_the_first_one_ends():
    second = SECONDS["line"].trajectory
    both = joined(FIRST, second)
    assert both.times[-1] == pytest.approx(FIRST.times[-1] + second.times[-1])
    check_limits(both)
    np.testing.assert_allclose(states_at(both, FIRST.times[-1:])[1], 0.0, atol=1e-12)


def test_balls_that_contain_a_whole_motion_are_rejected():
    second = SECONDS["line"].trajectory
    for radius, words in ((0.201, "before"), (0.3, "before")):
        with pytest.raises(PlanningError, match=words):
            blended(SOLVER, PLANNER.checker, FIRST, second, radius, ten_seconds())
    short = ToolLine(CORNER, transform((0.0, 0.0, -0.05)) @ CORNER)
    short = move_tool(PLANNER, TIP, FIRST_END, short, LIMITS, SETTINGS, ten_seconds()).trajectory
    with pytest.raises(PlanningError, match="after"):
        blended(SOLVER, PLANNER.checker, FIRST, short, 0.1, ten_seconds())


def test_an_obstacle_beside_the_corner_is_found():
    # Nearer to the shortcut than to the two ways: a peg inside the corner.
    peg = transform(CORNER[:3, 3] + (0.0, -0.04, -0.06))
    second = SECONDS["line"].trajectory
    checker = planner(Obstacle.of("peg", Sphere(0.001), peg)).checker
    with pytest.raises(PlanningError, match="'peg'"):
        blended(SOLVER, checker, FIRST, second, 0.15, ten_seconds())


def test_states_between_points_are_scipys():
    peer, times = curve_of(FIRST), np.random.default_rng(2).uniform(0.0, FIRST.times[-1], 500)
    for order, found in enumerate(states_at(FIRST, times)):
        np.testing.assert_allclose(found, peer(times, order), atol=(1e-12, 1e-9, 1e-5)[order])


@pytest.mark.parametrize("speed", [0.02, 0.1, 0.3])
def test_a_links_speed_is_kept_everywhere_and_nowhere_else_slowed(speed):
    fast = SECONDS["joints"].trajectory
    slow = eased(fast, LIMIT, speed_excess(PLANNER.compiled, TIP, speed), deadline=ten_seconds())
    check_limits(slow)
    times, q, _, _ = dense(slow)
    speeds = np.linalg.norm(np.diff(tips(q), axis=0), axis=1) / np.diff(times)
    assert speeds.max() <= speed * 1.0005
    # Not for nothing: for most of the time the tool is as fast as it may be.
    assert np.median(speeds) > 0.5 * speed
    # The path is the same.
    np.testing.assert_allclose(slow.positions, fast.positions)


def test_what_is_slow_enough_stays_as_it_is():
    same = eased(FIRST, LIMIT, speed_excess(PLANNER.compiled, TIP, 10.0), deadline=ten_seconds())
    np.testing.assert_allclose(same.times, FIRST.times, rtol=1e-6)
