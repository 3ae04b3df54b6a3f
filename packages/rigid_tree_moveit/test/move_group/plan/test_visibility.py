"""VisibilityConstraint for states, goals and paths, as in kinematic_constraints."""

import itertools
import math
from typing import Any

import numpy as np
import pytest
from geometry_msgs.msg import PoseStamped
from moveit_harness.move_group import FINGER, JOINTS, READY
from moveit_msgs.msg import Constraints, VisibilityConstraint
from tf2_msgs.msg import TFMessage

from harness.poses import pose_stamped, transform_stamped
from harness.probe import LATCHED
from move_group.cell import BASE, CODE, Cell, has_error, joints, rows, solved, state
from rigid_tree_kinematics import load_robot
from rigid_tree_kinematics.model.transforms import (
    quaternion_matrix,
    transform,
    transform_from_xyz_rpy,
)
from rigid_tree_kinematics.nodes.tf import pose_matrix

ROBOT = load_robot("panda_hand")
HAND = "panda_hand"
# Beside the arm, it looks across the way of the hand, at a place on the other side.
CAMERA = transform_from_xyz_rpy([0.55, -0.9, 0.5], [-0.5 * math.pi, 0.0, 0.0])
PLACE = transform_from_xyz_rpy([0.55, 0.9, 0.5], [0.5 * math.pi, 0.0, 0.0])
LEFT = [0.5, *READY[1:]]


@pytest.fixture(scope="module")
def cell(shared_cell: Cell) -> Cell:
    shared_cell.clear()
    camera = transform_stamped(BASE, "camera", CAMERA)
    publisher = shared_cell.network.publisher(TFMessage, "/tf_static", LATCHED)
    publisher.publish(TFMessage(transforms=[camera]))
    return shared_cell


def stamped(frame: str, T: Any = None) -> PoseStamped:
    return pose_stamped(np.eye(4) if T is None else T, frame)


def seeing(target: PoseStamped, sensor: PoseStamped, **fields: Any) -> VisibilityConstraint:
    return VisibilityConstraint(
        target_pose=target, sensor_pose=sensor, cone_sides=8, weight=1.0, **fields
    )


def below(q: list[float], distance: float = 0.3) -> PoseStamped:
    """Return a disc that the hand looks at straight."""
    T = hand(q)
    return stamped(
        BASE,
        T @ transform([0.0, 0.0, distance], quaternion_matrix([1.0, 0.0, 0.0, 0.0])),
    )


def hand(q: Any) -> Any:
    return ROBOT.get_transform(by_name(q), HAND)


def by_name(q: Any) -> dict[str, float]:
    return {**dict(zip(JOINTS, q, strict=True)), FINGER: 0.0}


def result(cell: Cell, constraint: VisibilityConstraint, q: Any) -> Any:
    reply = cell.validity(state(list(q)), constraints=seen(constraint))
    (found,) = reply.constraint_result
    assert reply.valid == (found.result and not reply.contacts)
    return found


def seen(constraint: VisibilityConstraint) -> Constraints:
    return Constraints(visibility_constraints=[constraint])


def plan(cell: Cell, goal: Constraints, **fields: Any) -> np.ndarray:
    """Return the points of a plan."""
    return rows(solved(cell.plan(goal, allowed_planning_time=60.0, **fields)))


def across(point: Any, **fields: Any) -> VisibilityConstraint:
    """Return the line of sight through a point, past the arm."""
    T, far = CAMERA.copy(), PLACE.copy()
    T[[0, 2], 3] = far[[0, 2], 3] = np.asarray(point)[[0, 2]]
    return seeing(stamped(BASE, far), stamped(BASE, T), **fields)


# -- states --------------------------------------------------------------------------------------


def test_view_axes_of_a_sensor(cell):
    thing = below(READY)
    for direction, seen in ((0, True), (1, False), (2, False)):
        one = seeing(thing, stamped(HAND), max_view_angle=0.1, sensor_view_direction=direction)
        assert result(cell, one, READY).result == seen
    # A sensor that is mounted the other way looks along its x axis.
    turned = transform_from_xyz_rpy([0.0, 0.0, 0.0], [0.0, -0.5 * math.pi, 0.0])
    one = seeing(
        thing,
        stamped(HAND, turned),
        max_view_angle=0.1,
        max_range_angle=0.1,
        sensor_view_direction=VisibilityConstraint.SENSOR_X,
    )
    assert result(cell, one, READY).result


def test_links_obstruct_except_the_allowed_ones(cell):
    beside = seeing(stamped(BASE, PLACE), stamped("camera"), target_radius=0.03)
    tip = hand(READY)[:3, 3] - [0.0, 0.0, 0.04]  # between its flange and its fingers
    assert abs(tip[0] - CAMERA[0, 3]) > 0.1  # the hand stands beside the line
    assert result(cell, beside, READY).result
    # The camera moved to where the hand is between.
    blocked = across(tip, target_radius=0.01)
    found = result(cell, blocked, READY)
    assert not found.result
    assert found.distance > 0.0
    # What it looks at is no obstacle to itself.
    on_hand = np.linalg.inv(hand(READY)) @ pose_matrix(blocked.target_pose.pose)
    named = seeing(stamped(HAND, on_hand), blocked.sensor_pose, target_radius=0.01)
    assert result(cell, named, READY).result
    # A disc without a size is seen past anything.
    blocked.target_radius = 0.0
    assert result(cell, blocked, READY).result


def test_invalid_numbers_and_an_unknown_frame(cell):
    for name, value in (
        ("sensor_view_direction", 3),
        ("max_view_angle", math.nan),
        ("max_range_angle", -1.0),
    ):
        wrong = seen(seeing(stamped(BASE, PLACE), stamped("camera"), **{name: value}))
        assert has_error(cell.plan(wrong).error_code, CODE.INVALID_GOAL_CONSTRAINTS, name)
        answer = cell.plan(joints(LEFT), path_constraints=wrong).error_code
        assert answer.val == CODE.PLANNING_FAILED
    wrong = seen(seeing(stamped("moon"), stamped("camera"), max_range_angle=0.3))
    assert cell.plan(wrong).error_code.val == CODE.FRAME_TRANSFORM_FAILURE


# -- goals and ways ------------------------------------------------------------------------------


def test_object_is_kept_in_view_along_the_whole_path(cell):
    point = hand(READY)[:3, 3] + [0.0, 0.0, -0.35]
    kept = seeing(stamped(BASE, transform(point)), stamped(HAND), max_range_angle=0.35)

    def off(q: list[float]) -> float:
        T = hand(q)
        line = point - T[:3, 3]
        return math.acos(min(1.0, float(T[:3, 2] @ line / np.linalg.norm(line))))

    # Elsewhere, where it looks at the same thing: turned about the vertical through it.
    goal = joints({JOINTS[0]: 0.5}, 0.02)
    goal.visibility_constraints = [kept]
    planned = plan(cell, goal, path_constraints=seen(kept))
    assert planned[-1][0] == pytest.approx(0.5, abs=0.021)
    between = [
        (1.0 - s) * a + s * b
        for a, b in itertools.pairwise(planned)
        for s in np.linspace(0.0, 1.0, 5)
    ]
    assert max(map(off, between)) <= 0.35 + 1e-3


def test_a_start_and_goals_that_are_not_seen(cell):
    thing = stamped(BASE, transform([0.3, 0.5, 0.0]))
    never = seeing(thing, stamped(HAND), max_range_angle=0.1)
    answer = cell.plan(joints(LEFT), path_constraints=seen(never)).error_code
    code = CODE.START_STATE_VIOLATES_PATH_CONSTRAINTS
    assert has_error(answer, code, "range angle violated by")
    kept = seeing(below(READY), stamped(HAND), max_range_angle=0.1)
    answer = cell.plan(joints(LEFT), path_constraints=seen(kept)).error_code
    assert answer.val == CODE.GOAL_VIOLATES_PATH_CONSTRAINTS
