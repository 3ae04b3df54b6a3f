"""move_group answers within the time that a request, or else parameter time_limit, allows."""

from __future__ import annotations

import time
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest
from geometry_msgs.msg import Pose
from moveit_msgs.msg import (
    AttachedCollisionObject,
    BoundingVolume,
    CollisionObject,
    Constraints,
    JointConstraint,
    MotionPlanRequest,
    MoveItErrorCodes,
    OrientationConstraint,
    PositionConstraint,
    PositionIKRequest,
)
from moveit_msgs.srv import GetCartesianPath, GetMotionPlan, GetPositionFK, GetPositionIK
from shape_msgs.msg import SolidPrimitive

from harness.moveit import JOINTS, READY, TIP
from harness.network import Network
from harness.poses import pose_stamped
from harness.truth import Truth
from rigid_tree_kinematics import load_robot
from rigid_tree_kinematics.description.robots import bundled_folder

CODE = MoveItErrorCodes
TRUTH = Truth(load_robot("panda_hand"))
HERE = TRUTH.pose(np.array([*READY, 0.035]), TIP)
SLACK = 30.0  # s, for a busy machine
LINE_LIMIT = 2.0  # s, parameter time_limit


@pytest.fixture(scope="module")
def network(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Network]:
    made = Network(tmp_path_factory.mktemp("network"))
    srdf = str(bundled_folder("robots") / "panda_hand.srdf")
    parameters = {"robot": "panda_hand", "srdf": srdf, "time_limit": LINE_LIMIT}
    made.start("move_group", parameters)
    assert planned(made, seconds=5.0, goal_constraints=[joints(0.2)])[0].val == CODE.SUCCESS
    yield made
    made.close()


def within(network: Network, limit: float, kind: Any, service: str, request: Any) -> Any:
    """Return a reply that came in time."""
    network.client(kind, service)
    begin = time.monotonic()
    reply = network.call(kind, service, request)
    assert time.monotonic() - begin < limit + SLACK
    return reply


def planned(network: Network, *, seconds: float = 1.0, **fields: Any) -> tuple[Any, Any]:
    """Return the code and trajectory of a plan that may take so long."""
    motion = MotionPlanRequest(group_name="panda_arm", allowed_planning_time=seconds, **fields)
    motion.start_state.joint_state.name = JOINTS
    motion.start_state.joint_state.position = READY
    request = GetMotionPlan.Request(motion_plan_request=motion)
    reply = within(network, seconds, GetMotionPlan, "plan_kinematic_path", request)
    return reply.motion_plan_response.error_code, reply.motion_plan_response.trajectory


def joints(shift: float) -> Constraints:
    return Constraints(
        joint_constraints=[
            JointConstraint(joint_name=name, position=value + shift)
            for name, value in zip(JOINTS, READY, strict=True)
        ]
    )


def pose_constraints(T: np.ndarray, tolerance: float) -> Constraints:
    pose = pose_stamped(T).pose
    position = PositionConstraint(link_name=TIP)
    orientation = OrientationConstraint(link_name=TIP, orientation=pose.orientation)
    position.header.frame_id = orientation.header.frame_id = "panda_link0"
    position.constraint_region = BoundingVolume(
        primitives=[SolidPrimitive(type=SolidPrimitive.SPHERE, dimensions=[tolerance])],
        primitive_poses=[Pose(position=pose.position)],
    )
    for axis in "xyz":
        setattr(orientation, f"absolute_{axis}_axis_tolerance", tolerance)
    return Constraints(position_constraints=[position], orientation_constraints=[orientation])


def test_many_pose_goals_and_path_constraints_end_in_time(network):
    far = HERE.copy()
    far[0, 3] += 5.0
    goals = [pose_constraints(far, 1e-3)] * 1_000
    held = pose_constraints(HERE, 0.5)
    held.position_constraints *= 100
    held.orientation_constraints *= 100
    for fields in ({}, {"path_constraints": held}):
        code, _ = planned(network, goal_constraints=goals, **fields)
        assert code.val == CODE.TIMED_OUT
        assert "time limit of 1 s reached after " in code.message
        assert " goal" in code.message


def test_a_line_of_20000_waypoints_is_answered_as_far_as_it_came(network):
    request = GetCartesianPath.Request(group_name="panda_arm", max_step=0.05, link_name=TIP)
    request.start_state.joint_state.name = JOINTS
    request.start_state.joint_state.position = READY
    for angle in 2.0 * np.pi * np.arange(20_000) / 200:
        T = HERE.copy()
        T[:2, 3] += 0.03 * np.sin(angle), 0.03 * (1.0 - np.cos(angle))
        request.waypoints.append(pose_stamped(T).pose)
    reply = within(network, LINE_LIMIT, GetCartesianPath, "compute_cartesian_path", request)
    assert reply.error_code.val == CODE.TIMED_OUT
    assert "time limit of 2 s reached after " in reply.error_code.message
    assert reply.fraction < 1.0
    assert bool(reply.solution.joint_trajectory.points) == (reply.fraction > 0.0)


def test_hundreds_of_attached_objects_end_in_time(network):
    motion = MotionPlanRequest(
        group_name="panda_arm", allowed_planning_time=1.0, goal_constraints=[joints(0.2)]
    )
    motion.start_state.joint_state.name = JOINTS
    motion.start_state.joint_state.position = READY
    for number in range(3_000):
        item = AttachedCollisionObject(link_name=TIP)
        item.object.id, item.object.operation = f"object_{number}", CollisionObject.ADD
        item.object.header.frame_id = TIP
        item.object.pose.position.z = 0.1 + 0.001 * number
        item.object.primitives = [
            SolidPrimitive(type=SolidPrimitive.BOX, dimensions=[0.01, 0.01, 0.01])
        ]
        motion.start_state.attached_collision_objects.append(item)
    request = GetMotionPlan.Request(motion_plan_request=motion)
    reply = within(network, 1.0, GetMotionPlan, "plan_kinematic_path", request)
    code = reply.motion_plan_response.error_code
    assert code.val == CODE.TIMED_OUT, code.message


def test_scaling_factors_that_stand_still_are_refused(network):
    for field in ("max_velocity_scaling_factor", "max_acceleration_scaling_factor"):
        for pipeline, planner in (("", ""), ("pilz_industrial_motion_planner", "PTP")):
            for value in (5e-324, 0.9e-3):
                fields = {field: value, "pipeline_id": pipeline, "planner_id": planner}
                code, trajectory = planned(network, goal_constraints=[joints(0.2)], **fields)
                assert code.val == CODE.INVALID_MOTION_PLAN
                assert field in code.message
                assert "0.001" in code.message
                assert not trajectory.joint_trajectory.points


def test_requests_for_too_much_are_refused(network):
    fk = GetPositionFK.Request(fk_link_names=[TIP] * 10_001)
    assert "10,001" in network.call(GetPositionFK, "compute_fk", fk).error_code.message
    ik = PositionIKRequest(group_name="panda_arm", ik_link_names=[TIP] * 201)
    ik.pose_stamped_vector = [pose_stamped(HERE)] * 201
    reply = network.call(GetPositionIK, "compute_ik", ik_request=ik)
    assert "201 poses" in reply.error_code.message
