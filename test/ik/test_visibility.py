"""Visibility for a sensor, by Pinocchio's frames and by cone obstacles."""

import math

import numpy as np
import pytest

from harness.truth import Truth
from rigid_tree_kinematics import load_robot
from rigid_tree_kinematics.collision import CollisionChecker, Obstacle, Scene, Triangles
from rigid_tree_kinematics.errors import ModelError
from rigid_tree_kinematics.ik import (
    ConstraintSet,
    PositionTarget,
    ViewBounds,
    VisibilityBounds,
    projected_solutions,
)
from rigid_tree_kinematics.kinematics import body_transforms
from rigid_tree_kinematics.model.transforms import transform, transform_from_xyz_rpy

ROBOT = load_robot("panda")
COMPILED = ROBOT.compiled()
HAND = "panda_link7"
# Above the workspace it looks down, and at something beside the arm.
CAMERA = transform_from_xyz_rpy([0.9, 0.1, 1.1], [math.pi, 0.3, 0.0])
THING = transform_from_xyz_rpy([0.5, -0.4, 0.1], [0.1, 0.2, 0.3])
ON_HAND = transform_from_xyz_rpy([0.05, 0.0, 0.1], [0.2, -0.1, 0.4])


def angles(T_sensor, T_target):
    """Return the angles that MoveIt calls view and range angle, by their cosines."""
    offset = T_target[:3, 3] - T_sensor[:3, 3]
    axis = T_sensor[:3, 2]
    return (
        math.acos(np.clip(-axis @ T_target[:3, 2], -1.0, 1.0)),
        math.acos(np.clip(axis @ offset / np.linalg.norm(offset), -1.0, 1.0)),
    )


CASES = {
    "a camera in the room": VisibilityBounds(
        HAND, ON_HAND, CAMERA, max_view_angle=0.7, max_range_angle=0.25
    ),
    "a camera in the hand": VisibilityBounds(
        "panda_link0", THING, ON_HAND, 0.0, 0.6, 0.2, reference=HAND
    ),
}


def seen_by(case, truth, q):
    T = np.eye(4) if case.reference is None else truth.pose(q, case.reference)
    return angles(T @ case.sensor, truth.pose(q, case.body) @ case.target)


@pytest.mark.parametrize("case", CASES.values(), ids=CASES)
def test_angles_are_as_pinocchio_has_the_frames(case):
    rng, truth = np.random.default_rng(3), Truth(ROBOT)
    constraint_set, most = (
        ConstraintSet(COMPILED, [case]),
        (case.max_view_angle, case.max_range_angle),
    )
    for _ in range(300):
        q = rng.uniform(COMPILED.lower, COMPILED.upper)
        expected = np.maximum(0.0, np.subtract(seen_by(case, truth, q), most))
        found = {
            violation.quantity: violation.amount for violation in constraint_set.violations(q)
        }
        amounts = [found.get("view angle", 0.0), found.get("range angle", 0.0)]
        assert amounts == pytest.approx(expected, abs=2e-6)
        assert constraint_set.met(q) == (max(expected) == 0.0)
    found = projected_solutions(
        constraint_set, np.array(ROBOT.home_configuration()), most=30, timeout=60.0
    )
    assert len(found) == 30
    for q in found:
        assert (seen_by(case, truth, q) <= np.array(most)).all()


def test_from_behind_nothing_is_seen_whatever_the_angle():
    behind = CAMERA @ transform_from_xyz_rpy([0.0, 0.0, -0.5], [0.0, 0.0, 0.0])
    case = VisibilityBounds("panda_link0", behind, CAMERA, 0.0, 3.0, 3.0)
    violations = ConstraintSet(COMPILED, [case]).violations(np.zeros(7))
    assert [one.amount for one in violations] == pytest.approx([math.pi / 2] * 2, abs=2e-6)


def test_links_in_the_cone_equal_those_that_collide_with_a_cone_obstacle():
    rng = np.random.default_rng(5)
    checker = CollisionChecker(ROBOT)
    met = 0
    for _ in range(300):
        q = rng.uniform(COMPILED.lower, COMPILED.upper)
        sensor = transform(rng.uniform([0.2, -0.5, 0.2], [0.9, 0.5, 1.2]))
        target = transform(rng.uniform([-0.3, -0.5, 0.1], [0.5, 0.5, 1.0]))
        radius, left_out = rng.uniform(0.01, 0.1), ["panda_link0", "panda_link1"]
        case = VisibilityBounds(
            "panda_link0",
            target,
            sensor,
            radius,
            sides=12,
            solids=checker.body_solids,
            left_out=left_out,
        )
        # The cone as triangles, turned outward.
        turns = 2.0 * math.pi * np.arange(12) / 12
        rim = np.column_stack([np.sin(turns), np.cos(turns), np.zeros(12)]) * radius
        vertices = np.vstack([sensor[:3, 3], target[:3, 3], rim + target[:3, 3]])
        side = [[0, 2 + (k + 1) % 12, 2 + k] for k in range(12)]
        foot = [[1, 2 + k, 2 + (k + 1) % 12] for k in range(12)]
        scene = Scene([Obstacle.of("cone", Triangles(vertices, np.array(side + foot)))])
        contacts = checker.with_scene(scene).check(q).contacts
        links = {c.first for c in contacts if c.second == "cone"} - set(left_out)
        depth = case.obstruction(COMPILED, body_transforms(COMPILED, q))
        assert (depth > 0.0) == bool(links), (q, links)
        met += bool(links)
    assert 20 < met < 280


def test_solutions_leave_the_line_of_sight_free():
    checker = CollisionChecker(ROBOT)
    case = VisibilityBounds(
        "panda_link0", THING, CAMERA, 0.1, solids=checker.body_solids, left_out=["panda_link0"]
    )
    blocking = VisibilityBounds("panda_link0", THING, CAMERA, 0.1)
    # A hand on the line: the camera sees the thing past it only when it has moved.
    middle = 0.5 * (CAMERA[:3, 3] + THING[:3, 3])
    on_the_way = ROBOT.home_configuration()
    constraint_set = ConstraintSet(COMPILED, [case])
    free = ConstraintSet(COMPILED, [blocking])

    at = ConstraintSet(COMPILED, [PositionTarget(HAND, middle.tolist())])
    (q,) = projected_solutions(at, np.array(on_the_way), most=1, timeout=30.0)
    assert free.met(q)
    assert not constraint_set.met(q)
    assert "line of sight" in constraint_set.why(q)
    assert constraint_set.projected(q) is None
    assert all(
        constraint_set.met(found)
        for found in projected_solutions(constraint_set, q, most=5, timeout=30.0)
    )


def test_a_view_is_a_constraint_of_its_own():
    view, truth = ViewBounds(HAND, CAMERA, 0.2, point=(0.0, 0.0, 0.1)), Truth(ROBOT)
    constraint_set, home = ConstraintSet(COMPILED, [view]), np.array(ROBOT.home_configuration())
    for q in projected_solutions(constraint_set, home, most=10, timeout=30.0):
        tip = truth.pose(q, HAND) @ transform([0.0, 0.0, 0.1])
        assert angles(CAMERA, tip)[1] <= 0.2


def test_invalid_numbers():
    for wrong in ({"radius": -1.0}, {"max_view_angle": math.nan}):
        with pytest.raises(ModelError, match=next(iter(wrong))):
            VisibilityBounds(HAND, ON_HAND, CAMERA, **wrong)
    with pytest.raises(ModelError, match="tolerance"):
        ViewBounds(HAND, CAMERA, -0.1)
