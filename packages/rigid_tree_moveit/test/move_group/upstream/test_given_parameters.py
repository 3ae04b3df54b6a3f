"""MoveIt's parameters: each is used as in MoveIt, or named at the start."""

from collections.abc import Iterator

import numpy as np
import pytest
from geometry_msgs.msg import Point, Pose, PoseStamped
from moveit_harness.move_group import FINGER, JOINTS, MARGIN, READY, TIP
from rcl_interfaces.srv import GetParameters
from std_msgs.msg import Header

from move_group.cell import (
    BASE,
    CODE,
    Cell,
    has_error,
    joints,
    rows,
    single_joint,
    solved,
    state,
    turned,
)

MANAGER = "moveit_simple_controller_manager"
LIMITS = "robot_description_planning.joint_limits"
KINEMATICS = "robot_description_kinematics"
FIRST = f"{LIMITS}.{JOINTS[0]}"
GIVEN = {
    f"{FIRST}.has_position_limits": True,
    f"{FIRST}.min_position": -0.5,
    f"{FIRST}.max_position": 0.5,
    f"{LIMITS}.panda_finger_joint2.max_position": 0.02,  # mimics the other one
    f"{KINEMATICS}.panda_arm.position_only_ik": True,
    f"{KINEMATICS}.arm.rotation_scale": 0.0,
    f"{KINEMATICS}.arm.kinematics_solver_timeout": 5.0,
    "robot_description_planning.default_velocity_scaling_factor": 0.2,
    "robot_description_planning.cartesian_limits.max_trans_vel": 0.05,
    "trajectory_execution.allowed_start_tolerance": 0.1,
    f"trajectory_execution.allowed_start_tolerance_joints.{JOINTS[1]}": 0.3,
    f"trajectory_execution.allowed_start_tolerance_joints.{JOINTS[2]}": 0.0,
    "ompl.start_state_max_bounds_error": 0.02,
}
IGNORED = {
    "moveit_manage_controllers": True,
    "velocty_scale": 0.5,
    **{f"{LIMITS}.{joint}.max_effort": 12.0 for joint in JOINTS},
    f"{LIMITS}.{JOINTS[6]}.has_jerk_limits": True,  # without max_jerk
    **{f"{LIMITS}.other.{key}": 1.0 for key in ("a", "b", "c", "d", "e")},
    f"{KINEMATICS}.panda_arm.kinematics_solver": "kdl_kinematics_plugin/KDLKinematicsPlugin",
    f"{KINEMATICS}.hand.orientation_vs_position": 0.5,
    "trajectory_execution.wait_for_trajectory_completion": True,
    f"{MANAGER}.controller_names": ["arm", "base", "torch"],
    f"{MANAGER}.arm.type": "FollowJointTrajectory",
    f"{MANAGER}.arm.joints": [*JOINTS, FINGER],
    f"{MANAGER}.arm.action_ns": "follow_joint_trajectory",
    f"{MANAGER}.arm.colour": "red",
    f"{MANAGER}.base.type": "Steering",
    f"{MANAGER}.base.joints": ["wheel"],
    f"{MANAGER}.torch.type": "GripperCommand",
}


@pytest.fixture(scope="module")
def cell(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Cell]:
    given = {**GIVEN, **IGNORED, MARGIN: 30.0}
    made = Cell.started(tmp_path_factory.mktemp("given"), **given)
    own = {"arm.joints": [*JOINTS, FINGER], "allow_partial_joints_goal": True}
    made.start_robot(controllers=["arm"], **own)
    yield made
    made.network.close()


def test_those_without_effect_are_named_in_one_line(cell):
    cell.network.log_line(cell.process, "8 independent joints")
    lines = [line for line in cell.process.output.splitlines() if "without effect" in line]
    assert len(lines) == 1
    named = lines[0].partition("without effect here: ")[2].split(", ")
    arm = "{panda_joint1, panda_joint2, panda_joint3, panda_joint4, panda_joint5, panda_joint6}"
    rest = f"{LIMITS}.{{other.*, {arm}.max_effort, panda_joint7.{{has_jerk_limits, max_effort}}}}"
    assert rest in lines[0]
    kinds = "FollowJointTrajectory, GripperCommand, ParallelGripperCommand"
    for words in (
        "moveit_manage_controllers, velocty_scale, ",
        f"{KINEMATICS}.{{hand.orientation_vs_position, panda_arm.kinematics_solver}}, ",
        f"{MANAGER}.arm.colour, ",
        f"{MANAGER}.base (type 'Steering'; known: {kinds})",
        f"{MANAGER}.torch (no joints)",
        "trajectory_execution.wait_for_trajectory_completion",
    ):
        assert words in lines[0]
    assert not set(named) & GIVEN.keys()


def test_robot_model_loader_lines_150_to_179(cell):
    """Plans stay inside of the limits of joint_limits.yaml."""
    error = cell.plan(turned(0.6)).error_code
    assert has_error(error, CODE.INVALID_GOAL_CONSTRAINTS, f"{JOINTS[0]} = 0.6, allowed -0.5 to")
    assert solved(cell.plan(turned(0.45)))
    # The fingers move together: 0.02 is the limit of the other one.
    for position, code in ((0.018, CODE.SUCCESS), (0.03, CODE.INVALID_GOAL_CONSTRAINTS)):
        plan = cell.plan(joints({FINGER: position}), group_name="hand")
        assert plan.error_code.val == code
    # A start is clamped by up to 0.02 rad, by ompl_planning.yaml of Humble.
    for position, code in ((0.515, CODE.SUCCESS), (0.53, CODE.START_STATE_INVALID)):
        start = cell.scene().robot_state
        start.joint_state.name, start.joint_state.position = JOINTS, [position, *READY[1:]]
        assert cell.plan(turned(0.3), start_state=start).error_code.val == code


@pytest.mark.parametrize("group", ["panda_arm", "arm"])
def test_position_only_inverse_kinematics(cell, group):
    """kdl_kinematics_plugin.cpp, and pick_ik's rotation_scale 0."""
    pose = Pose()  # upwards
    pose.position.x, pose.position.z = 0.3, 0.8
    stamped = PoseStamped(header=Header(frame_id=BASE), pose=pose)
    fields = {"group_name": group, "ik_link_name": TIP}
    for target in ({"pose_stamped": stamped}, {"pose_stamped_vector": [stamped]}):
        more = target | ({"ik_link_names": [TIP]} if "pose_stamped_vector" in target else {})
        reply = cell.ik(**fields, **more)
        assert reply.error_code.val == CODE.SUCCESS, reply.error_code
        reached = cell.fk(TIP, robot_state=reply.solution).pose_stamped[0].pose
        at = [getattr(reached.position, axis) for axis in "xyz"]
        np.testing.assert_allclose(at, [0.3, 0.0, 0.8], atol=1e-5)
        assert abs(reached.orientation.w) < 0.9  # not the target's


def test_a_position_only_straight_line(cell):
    start = cell.fk(TIP, robot_state=state()).pose_stamped[0].pose
    goal = Pose(position=Point(x=start.position.x, y=0.1, z=start.position.z - 0.1))  # upwards
    reply = cell.line(goal)
    assert reply.error_code.val == CODE.SUCCESS, reply.error_code
    assert reply.fraction == 1.0
    end = dict(zip(JOINTS, rows(reply.solution.joint_trajectory)[-1], strict=True))
    reached = cell.fk(TIP, robot_state=state(list(end.values()))).pose_stamped[0].pose.position
    np.testing.assert_allclose(
        [reached.x, reached.y, reached.z],
        [goal.position.x, goal.position.y, goal.position.z],
        atol=1e-6,
    )


def test_default_scaling_factor_and_cartesian_limits(cell):
    def duration(**fields) -> float:
        points = solved(cell.plan(turned(0.4), planner_id="PTP", **fields)).points
        return points[-1].time_from_start.sec + 1e-9 * points[-1].time_from_start.nanosec

    by_default, full = duration(), duration(max_velocity_scaling_factor=1.0)
    assert by_default == pytest.approx(duration(max_velocity_scaling_factor=0.2))
    assert by_default > 1.5 * full
    names = ["velocity_scale", "max_trans_vel"]
    reply = cell.network.call(GetParameters, "move_group/get_parameters", names=names)
    assert [item.double_value for item in reply.values] == [0.2, 0.05]


@pytest.mark.parametrize(
    ("joint", "off", "accepted"),
    [(0, 0.09, True), (0, 0.11, False), (1, 0.2, True), (1, 0.31, False), (2, 0.8, True)],
)
def test_trajectory_execution_manager_line_993(cell, joint, off, accepted):
    """The tolerance of a joint, of all others, and 0 for any distance."""
    cell.be_ready()
    trajectory = single_joint(JOINTS[joint], READY[joint] + off, READY[joint])
    trajectory.joint_names = JOINTS
    for point in trajectory.points:
        positions = list(READY)
        positions[joint] = point.positions[0]
        point.positions = positions
    answer = cell.outcome(cell.execute(trajectory))
    if accepted:
        assert answer.val == CODE.SUCCESS, answer
    else:
        words = f"{JOINTS[joint]} = {READY[joint] + off:.4g}"
        assert has_error(answer, CODE.CONTROL_FAILED, words)


def test_move_group_that_may_not_execute(cell):
    """move_action_capability.cpp:96: it plans only."""
    cell.be_ready()
    with cell.parameter("allow_trajectory_execution", False, True):
        result = cell.network.outcome(cell.move(turned(0.2))).result
        assert result.error_code.val == CODE.SUCCESS
        assert result.planned_trajectory.joint_trajectory.points
        assert not result.executed_trajectory.joint_trajectory.points
        answer = cell.outcome(cell.execute(single_joint(JOINTS[0], 0.0, 0.1)))
        assert has_error(answer, CODE.CONTROL_FAILED, "allow_trajectory_execution")
