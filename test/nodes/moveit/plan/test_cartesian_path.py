"""compute_cartesian_path and limits of Cartesian speed, asked over the network."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest
from moveit_msgs.msg import Constraints, JointConstraint, MotionPlanRequest, MoveItErrorCodes
from moveit_msgs.srv import GetCartesianPath, GetMotionPlan
from scipy.interpolate import BPoly

from harness.arm.pilz import PILZ
from harness.moveit import JOINTS, READY, TIP
from harness.network import Network
from harness.truth import Truth
from rigid_tree_kinematics import load_robot
from rigid_tree_kinematics.description.robots import bundled_folder
from rigid_tree_kinematics.nodes.tf.target_frames import pose_message

CODE = MoveItErrorCodes
ROBOT = load_robot("panda_hand")
TRUTH = Truth(ROBOT)
SPEED = 0.05  # m/s


@pytest.fixture(scope="module")
def network(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Network]:
    made = Network(tmp_path_factory.mktemp("network"))
    srdf = str(bundled_folder("robots") / "panda_hand.srdf")
    made.start("move_group", {"robot": "panda_hand", "srdf": srdf})
    yield made
    made.close()


def line(network: Network, *shifts: tuple[float, ...], **fields: Any) -> Any:
    """Ask for straight lines of the hand by so much each, from READY on."""
    request = GetCartesianPath.Request(group_name="panda_arm", max_step=0.01)
    request.start_state.joint_state.name = JOINTS
    request.start_state.joint_state.position = READY
    for shift in shifts:
        pose = TRUTH.pose(np.array([*READY, 0.035]), TIP)
        pose[:3, 3] += shift
        request.waypoints.append(pose_message(pose, "").pose)
    request.link_name = TIP
    for name, value in fields.items():
        setattr(request, name, value)
    return network.call(GetCartesianPath, "compute_cartesian_path", request)


def speeds(trajectory: Any, link: str) -> np.ndarray:
    """Return a link's speed between a trajectory's points, 20 of them in each interval."""
    points = trajectory.joint_trajectory.points
    times = np.array(
        [point.time_from_start.sec + 1e-9 * point.time_from_start.nanosec for point in points]
    )
    rows = [
        [getattr(point, name) for point in points]
        for name in ("positions", "velocities", "accelerations")
    ]
    curve = BPoly.from_derivatives(times, np.stack(np.array(rows), axis=1))
    spans = np.diff(times)[:, None] * np.linspace(0.0, 1.0, 20, endpoint=False)
    dense = (times[:-1, None] + spans).ravel()
    places = np.array([TRUTH.pose(np.array([*row, 0.035]), link)[:3, 3] for row in curve(dense)])
    return np.linalg.norm(np.diff(places, axis=0), axis=1) / np.diff(dense)


def test_jump_thresholds_cut_the_way_in_words(network):
    shift = (0.0, 0.3, -0.1)
    whole = line(network, shift)
    assert (whole.error_code.val, whole.fraction) == (CODE.SUCCESS, 1.0)
    for field, value in (
        ("revolute_jump_threshold", 1e-3),
        ("jump_threshold", 0.9),
    ):
        cut = line(network, shift, **{field: value})
        assert cut.error_code.val == CODE.SUCCESS
        assert cut.fraction < 1.0
        assert "jump" in cut.error_code.message
    assert line(network, shift, prismatic_jump_threshold=1e-6).fraction == 1.0


def test_waypoints_in_the_links_own_frame_are_each_from_the_one_before(network):
    request = GetCartesianPath.Request(group_name="panda_arm", max_step=0.01)
    request.header.frame_id = request.link_name = TIP
    request.start_state.joint_state.name = JOINTS
    request.start_state.joint_state.position = READY
    step = np.eye(4)
    step[:3, 3] = (0.05, 0.0, 0.02)
    request.waypoints = [pose_message(step, "").pose] * 3
    reply = network.call(GetCartesianPath, "compute_cartesian_path", request)
    assert reply.fraction == 1.0
    end = [*reply.solution.joint_trajectory.points[-1].positions, 0.035]
    wanted = TRUTH.pose(np.array([*READY, 0.035]), TIP) @ step @ step @ step
    np.testing.assert_allclose(TRUTH.pose(np.array(end), TIP), wanted, atol=1e-5)


def test_the_speed_of_a_link_is_limited_along_a_line(network):
    link = "panda_link5"
    fields = {"cartesian_speed_limited_link": link, "max_cartesian_speed": SPEED}
    reply = line(network, (0.0, 0.3, 0.0), (0.0, 0.3, -0.2), **fields)
    assert reply.fraction == 1.0
    found = speeds(reply.solution, link)
    assert 0.9 * SPEED < found.max() <= SPEED * 1.001
    free = line(network, (0.0, 0.3, 0.0), (0.0, 0.3, -0.2))
    assert speeds(free.solution, link).max() > 2.0 * SPEED
    wrong = line(
        network, (0.0, 0.1, 0.0), cartesian_speed_limited_link="nose", max_cartesian_speed=0.1
    )
    assert wrong.error_code.val == CODE.INVALID_LINK_NAME


@pytest.mark.parametrize(("pipeline", "planner"), [("ompl", ""), (PILZ, "PTP")])
def test_the_speed_of_a_link_is_limited_in_plans(network, pipeline, planner):
    goals = [
        JointConstraint(joint_name=name, position=at + 0.5, tolerance_above=1e-3)
        for name, at in zip(JOINTS, READY, strict=True)
    ]
    request = MotionPlanRequest(group_name="panda_arm", pipeline_id=pipeline, planner_id=planner)
    request.goal_constraints = [Constraints(joint_constraints=goals)]
    request.start_state.joint_state.name = JOINTS
    request.start_state.joint_state.position = READY
    request.max_cartesian_speed = SPEED  # of the tip, for no link is named
    reply = network.call(GetMotionPlan, "plan_kinematic_path", motion_plan_request=request)
    response = reply.motion_plan_response
    assert response.error_code.val == CODE.SUCCESS, response.error_code
    found = speeds(response.trajectory, "panda_link8")
    assert 0.9 * SPEED < found.max() <= SPEED * 1.001
