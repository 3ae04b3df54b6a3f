"""compute_cartesian_path and limits of Cartesian speed."""

from typing import Any

import numpy as np
from moveit_harness.move_group import READY, TIP
from scipy.interpolate import BPoly
from std_msgs.msg import Header

from harness.poses import pose_stamped
from harness.truth import Truth
from move_group.cell import CODE, Cell, has_error, joints, rows, solved, times
from move_group.plan.pilz import PILZ
from rigid_tree_kinematics import load_robot

TRUTH = Truth(load_robot("panda_hand"))
SPEED = 0.05  # m/s


def tip(positions: Any) -> np.ndarray:
    return TRUTH.pose(np.array([*positions, 0.035]), TIP)


def line(cell: Cell, *shifts: tuple[float, ...], **fields: Any) -> Any:
    """Ask for straight lines of the hand by so much each, from READY on."""
    poses = []
    for shift in shifts:
        T = tip(READY)
        T[:3, 3] += shift
        poses.append(pose_stamped(T).pose)
    return cell.line(*poses, **fields)


def speeds(trajectory: Any, link: str) -> np.ndarray:
    """Return a link's speed between a trajectory's points, 20 of them in each interval."""
    points, at = trajectory.points, np.array(times(trajectory))
    derivatives = [
        [getattr(point, name) for point in points]
        for name in ("positions", "velocities", "accelerations")
    ]
    curve = BPoly.from_derivatives(at, np.stack(np.array(derivatives), axis=1))
    spans = np.diff(at)[:, None] * np.linspace(0.0, 1.0, 20, endpoint=False)
    dense = (at[:-1, None] + spans).ravel()
    places = np.array([TRUTH.pose(np.array([*row, 0.035]), link)[:3, 3] for row in curve(dense)])
    return np.linalg.norm(np.diff(places, axis=0), axis=1) / np.diff(dense)


def test_jump_thresholds_shorten_the_path_with_a_message(cell):
    shift = (0.0, 0.3, -0.1)
    whole = line(cell, shift)
    assert (whole.error_code.val, whole.fraction) == (CODE.SUCCESS, 1.0)
    for field, value in (("revolute_jump_threshold", 1e-3), ("jump_threshold", 0.9)):
        cut = line(cell, shift, **{field: value})
        assert has_error(cut.error_code, CODE.SUCCESS, "jump")
        assert cut.fraction < 1.0
    assert line(cell, shift, prismatic_jump_threshold=1e-6).fraction == 1.0


def test_waypoints_in_the_links_own_frame_are_each_from_the_one_before(cell):
    step = np.eye(4)
    step[:3, 3] = (0.05, 0.0, 0.02)
    reply = cell.line(*[pose_stamped(step).pose] * 3, header=Header(frame_id=TIP))
    assert reply.fraction == 1.0
    end = rows(reply.solution.joint_trajectory)[-1]
    np.testing.assert_allclose(tip(end), tip(READY) @ step @ step @ step, atol=1e-5)


def test_the_speed_of_a_link_is_limited(cell):
    link = "panda_link5"
    fields = {"cartesian_speed_limited_link": link, "max_cartesian_speed": SPEED}
    reply = line(cell, (0.0, 0.3, 0.0), (0.0, 0.3, -0.2), **fields)
    assert reply.fraction == 1.0
    found = speeds(reply.solution.joint_trajectory, link)
    assert 0.9 * SPEED < found.max() <= SPEED * 1.001
    free = line(cell, (0.0, 0.3, 0.0), (0.0, 0.3, -0.2))
    assert speeds(free.solution.joint_trajectory, link).max() > 2.0 * SPEED
    wrong = line(cell, (0.0, 0.1, 0.0), **fields | {"cartesian_speed_limited_link": "nose"})
    assert wrong.error_code.val == CODE.INVALID_LINK_NAME

    # In plans, too; of the tip, for no link is named.
    goal = joints([q + 0.5 for q in READY])
    for pipeline, planner in (("ompl", ""), (PILZ, "PTP")):
        fields = {"pipeline_id": pipeline, "planner_id": planner, "max_cartesian_speed": SPEED}
        found = speeds(solved(cell.plan(goal, **fields)), "panda_link8")
        assert 0.9 * SPEED < found.max() <= SPEED * 1.001
