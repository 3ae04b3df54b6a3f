"""What pymoveit2 can ask for besides: without waiting, goals piece by piece, meshes, sessions."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import trimesh
from moveit_msgs.msg import MoveItErrorCodes
from pymoveit2 import GripperInterface, MoveIt2Gripper, MoveIt2State, RobotDescription
from pymoveit2.robots import panda
from rclpy.callback_groups import ReentrantCallbackGroup

from harness.moveit import DOWN, FINGER, JOINTS, PATIENCE, READY, TIP, MoveGroup
from rigid_tree_kinematics.model.transforms import rotation_log
from rigid_tree_kinematics.nodes.tf.target_frames import pose_matrix

STILL = (0.0, 0.0, 0.0, 1.0)
AHEAD = (0.4, 0.2, 0.4)
PAGE = "docs/moveit.md"


def last(moveit: MoveGroup, trajectory: Any) -> np.ndarray:
    """Return where the tip is at a trajectory's end."""
    at = dict(zip(trajectory.joint_names, trajectory.points[-1].positions, strict=True))
    return np.asarray(moveit.tip([at[name] for name in JOINTS]))


def test_without_waiting(moveit):
    arm = moveit.arm
    futures = [
        arm.compute_fk_async(READY),
        arm.compute_ik_async(AHEAD, DOWN, start_joint_state=READY, ik_link_name=TIP),
        arm.plan_async(position=AHEAD, quat_xyzw=DOWN),
        arm.plan_async(position=AHEAD, quat_xyzw=DOWN, cartesian=True),
    ]
    moveit.network.until(lambda: all(future.done() for future in futures), "all answers")
    pose = pose_matrix(arm.get_compute_fk_result(futures[0]).pose)
    np.testing.assert_allclose(pose, moveit.tip(READY), atol=1e-12)
    state = arm.get_compute_ik_result(futures[1])
    at = dict(zip(state.name, state.position, strict=True))
    np.testing.assert_allclose(moveit.tip([at[name] for name in JOINTS])[:3, 3], AHEAD, atol=1e-5)
    for future, straight in ((futures[2], False), (futures[3], True)):
        trajectory = arm.get_trajectory(future, cartesian=straight)
        np.testing.assert_allclose(last(moveit, trajectory)[:3, 3], AHEAD, atol=1e-3)


def test_a_motion_can_be_followed(moveit):
    arm = moveit.arm
    assert arm.query_state() == MoveIt2State.IDLE
    arm.move_to_configuration([0.4, *READY[1:]])
    moveit.network.until(lambda: arm.query_state() == MoveIt2State.EXECUTING, "a motion")
    future = arm.get_execution_future()
    moveit.network.until(future.done, "its end")
    assert arm.wait_until_executed(PATIENCE)
    assert arm.motion_succeeded
    assert arm.get_last_execution_error_code().val == MoveItErrorCodes.SUCCESS


def test_all_motions_are_stopped(moveit):
    arm = moveit.arm
    arm.max_velocity = 0.05
    try:
        arm.move_to_configuration([1.5, *READY[1:]])
        moveit.network.until(lambda: moveit.positions()[0] > 0.02, "the arm on its way")
        arm.stop_all_trajectory_execution()
        assert not arm.wait_until_executed(PATIENCE)
        assert arm.get_last_execution_error_code().val == MoveItErrorCodes.PREEMPTED
        arm.move_to_configuration([1.5, *READY[1:]])
        moveit.network.until(lambda: arm.query_state() == MoveIt2State.EXECUTING, "a motion")
        assert not arm.wait_until_executed(0.3, cancel_on_timeout=True)
        moveit.network.until(lambda: arm.query_state() == MoveIt2State.IDLE, "its end")
    finally:
        arm.max_velocity = 0.0
    assert moveit.positions()[0] < 1.4


def test_goals_piece_by_piece(moveit):
    arm = moveit.arm
    try:
        arm.set_position_goal(AHEAD, tolerance=0.01)
        place = last(moveit, arm.plan(timeout_sec=PATIENCE))
        assert np.linalg.norm(place[:3, 3] - AHEAD) < 0.01 + 1e-6
        arm.clear_goal_constraints()

        arm.set_orientation_goal(DOWN, tolerance=0.05)
        turn = last(moveit, arm.plan(timeout_sec=PATIENCE))[:3, :3]
        assert np.abs(rotation_log(np.diag([1.0, -1.0, -1.0]).T @ turn)).max() < 0.05 + 1e-6
        arm.clear_goal_constraints()

        # Two alternatives, of which the first is out of reach.
        arm.allowed_planning_time = 1.0
        arm.set_pose_goal(position=(3.0, 0.0, 0.0), quat_xyzw=DOWN)
        arm.create_new_goal_constraint()
        arm.set_pose_goal(position=AHEAD, quat_xyzw=DOWN)
        place = last(moveit, arm.plan(timeout_sec=PATIENCE))
        np.testing.assert_allclose(place[:3, 3], AHEAD, atol=1e-3)
        arm.clear_goal_constraints()

        arm.set_joint_goal([0.3, *READY[1:]])
        trajectory = arm.plan(timeout_sec=PATIENCE)
        assert trajectory.points[-1].positions[0] == pytest.approx(0.3, abs=1e-3)
    finally:
        arm.clear_goal_constraints()


def test_a_mesh_is_in_the_way_and_held_objects_are_let_go_together(moveit):
    arm = moveit.arm
    mesh = trimesh.creation.box((0.2, 0.2, 0.2))
    arm.add_collision_mesh(None, "block", position=AHEAD, quat_xyzw=STILL, mesh=mesh)
    moveit.network.until(lambda: "block" in moveit.objects()[0], "the mesh in the scene")
    assert arm.plan(position=AHEAD, quat_xyzw=DOWN, timeout_sec=PATIENCE) is None
    assert "'block'" in moveit.process.output
    arm.remove_collision_object("block")
    for number, name in enumerate(("one", "two")):
        middle = (0.5, 0.2 * number, 0.1)
        arm.add_collision_box(name, (0.04, 0.04, 0.04), position=middle, quat_xyzw=STILL)
        moveit.network.until(lambda name=name: name in moveit.objects()[0], "a box")
        arm.attach_collision_object(name, TIP)
    moveit.network.until(lambda: moveit.objects()[1].keys() == {"one", "two"}, "both held")
    arm.detach_all_collision_objects()
    moveit.network.until(lambda: moveit.objects()[0].keys() == {"one", "two"}, "both standing")


def test_a_robot_is_described_by_the_parameters_of_move_group(moveit):
    description = RobotDescription.from_node(moveit.arm._node, timeout_sec=PATIENCE)
    assert description.arm_group_name == "panda_arm"
    found = description.moveit2_kwargs()
    assert found["joint_names"] == JOINTS
    assert (found["base_link_name"], found["end_effector_name"]) == ("panda_link0", "panda_link8")
    assert description.joint_positions("ready") == pytest.approx(READY, abs=1e-3)
    assert description.moveit2_gripper_kwargs()["gripper_group_name"] == "hand"


def test_both_ways_to_move_a_gripper(moveit):
    node, group = moveit.arm._node, ReentrantCallbackGroup()
    hand = {
        "gripper_joint_names": [FINGER],
        "open_gripper_joint_positions": [0.035],
        "closed_gripper_joint_positions": [0.0],
        "gripper_group_name": "hand",
        "callback_group": group,
    }
    with MoveIt2Gripper(node, **hand) as gripper:
        for move, is_there in (
            (gripper.close, lambda: gripper.is_closed),
            (gripper.toggle, lambda: gripper.is_open),
        ):
            move()
            assert gripper.wait_until_executed(PATIENCE), gripper.last_failure()
            moveit.network.until(is_there, "the fingers there")
    with GripperInterface(
        node,
        panda.gripper_joint_names(),
        panda.OPEN_GRIPPER_JOINT_POSITIONS,
        panda.CLOSED_GRIPPER_JOINT_POSITIONS,
        gripper_group_name="hand",
        callback_group=group,
        interface=MoveIt2Gripper,
    ) as gripper:
        gripper.open()
        assert gripper.wait_until_executed(PATIENCE), gripper.last_failure()
        moveit.network.until(lambda: gripper.is_open, "open fingers")


def test_a_controller_is_reset_where_the_robot_is_already(moveit):
    arm = moveit.arm
    assert arm.reset_controller(READY)
    assert arm.wait_until_executed(PATIENCE), arm.last_failure()


def test_the_program_of_the_page_runs_when_copied(moveit):
    text = (Path(__file__).parents[4] / PAGE).read_text()
    programs = [
        code for code in re.findall(r"```python\n(.*?)```", text, re.S) if "MoveIt2(" in code
    ]
    assert len(programs) == 1
    process = moveit.network.start_program(["-c", programs[0]])
    assert process.wait(PATIENCE) == 0, process.output
    assert "True" in process.output
    np.testing.assert_allclose(moveit.tip(moveit.positions())[:3, 3], AHEAD, atol=3e-3)
