"""move_group replies within the time limit of the request or parameter."""

from collections.abc import Iterator

import numpy as np
import pytest
from moveit_harness.move_group import READY, TIP, box
from moveit_msgs.msg import AttachedCollisionObject

from harness.poses import pose_stamped
from harness.truth import Truth
from move_group.cell import CODE, Cell, at_pose, has_error, joints, solved, state
from move_group.plan.pilz import PILZ
from rigid_tree_kinematics import load_robot

HERE = Truth(load_robot("panda_hand")).pose(np.array([*READY, 0.035]), TIP)

LINE_LIMIT = 2.0  # s, parameter time_limit
NEAR = joints([q + 0.2 for q in READY], 0.0)


@pytest.fixture(scope="module")
def cell(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Cell]:
    made = Cell.started(tmp_path_factory.mktemp("cell"), time_limit=LINE_LIMIT)
    solved(made.plan(NEAR, allowed_planning_time=5.0))  # the first plan takes longer
    made.line()
    yield made
    made.network.close()


def moved(*shift: float) -> np.ndarray:
    T = HERE.copy()
    T[: len(shift), 3] += shift
    return T


def test_many_pose_goals_and_path_constraints_end_in_time(cell):
    goals = [at_pose(pose_stamped(moved(5.0)).pose)] * 1_000
    constraints = at_pose(pose_stamped(HERE).pose, tolerance=0.5)
    constraints.position_constraints *= 100
    constraints.orientation_constraints *= 100
    request = {"goal_constraints": goals, "allowed_planning_time": 1.0}
    for fields in ({}, {"path_constraints": constraints}):
        answer = cell.plan(**request, **fields).error_code
        assert has_error(answer, CODE.TIMED_OUT, "time limit of 1 s reached after ")
        assert " goal" in answer.message


def test_line_of_20000_waypoints_returns_the_completed_part(cell):
    circle = [
        pose_stamped(moved(0.03 * np.sin(angle), 0.03 * (1.0 - np.cos(angle)))).pose
        for angle in 2.0 * np.pi * np.arange(20_000) / 200
    ]
    reply = cell.line(*circle, max_step=0.05)
    assert has_error(reply.error_code, CODE.TIMED_OUT, "time limit of 2 s reached after ")
    assert reply.fraction < 1.0
    assert bool(reply.solution.joint_trajectory.points) == (reply.fraction > 0.0)


def test_hundreds_of_attached_objects_end_in_time(cell):
    start = state()
    for k in range(3_000):
        item = box(f"object_{k}", TIP, (0.0, 0.0, 0.1 + 0.001 * k), (0.01, 0.01, 0.01))
        constraints = AttachedCollisionObject(link_name=TIP, object=item)
        start.attached_collision_objects.append(constraints)
    fields = {"allowed_planning_time": 1.0, "start_state": start}
    assert has_error(cell.plan(NEAR, **fields).error_code, CODE.TIMED_OUT)


def test_excessive_requests_are_rejected(cell):
    for planner in ({}, {"pipeline_id": PILZ, "planner_id": "PTP"}):
        for field in ("max_velocity_scaling_factor", "max_acceleration_scaling_factor"):
            for value in (5e-324, 0.9e-3):
                answer = cell.plan(NEAR, **planner, **{field: value})
                assert has_error(answer.error_code, CODE.INVALID_MOTION_PLAN, field)
                assert "0.001" in answer.error_code.message
                assert not answer.trajectory.joint_trajectory.points
    assert "10,001" in cell.fk(*[TIP] * 10_001).error_code.message
    poses = [pose_stamped(HERE)] * 201
    reply = cell.ik(ik_link_names=[TIP] * 201, pose_stamped_vector=poses)
    assert "201 poses" in reply.error_code.message
