"""The commander's getters, and options that scripts for moveit_commander set."""

import math
from types import SimpleNamespace

import numpy as np
import pytest
from moveit_harness.move_group import FINGER, JOINTS, PATIENCE, READY, TIP
from moveit_msgs.msg import Constraints, RobotState, TrajectoryConstraints
from sensor_msgs.msg import JointState

from harness.poses import pose_stamped
from move_group.cell import BASE, times
from move_group.plan.pilz import PILZ, places
from rigid_tree_kinematics.model import Joint, RigidBody, RigidBodyTree
from rigid_tree_kinematics.model.transforms import transform
from rigid_tree_moveit import commander
from rigid_tree_moveit.commander.client import Client


def test_what_was_set_is_returned(arm):
    assert arm.get_goal_tolerance() == (1e-4, 1e-4, 1e-3)  # move_group_interface.h
    arm.set_goal_joint_tolerance(0.01)
    arm.set_goal_position_tolerance(0.02)
    arm.set_goal_orientation_tolerance(0.03)
    joint, position = arm.get_goal_joint_tolerance(), arm.get_goal_position_tolerance()
    assert (joint, position, arm.get_goal_orientation_tolerance()) == (0.01, 0.02, 0.03)
    assert arm.get_goal_tolerance() == (0.01, 0.02, 0.03)
    assert arm.get_planning_time() == 5.0
    arm.set_planning_time(2)
    arm.set_planning_pipeline_id(PILZ)
    arm.set_planner_id("LIN")
    planner = arm.get_planning_pipeline_id(), arm.get_planner_id()
    assert (arm.get_planning_time(), *planner) == (2.0, PILZ, "LIN")
    assert arm.get_pose_reference_frame() == arm.get_planning_frame() == "world"
    arm.set_pose_reference_frame("panda_link5")
    assert arm.get_pose_reference_frame() == "panda_link5"
    upright = Constraints(name="upright", orientation_constraints=[])
    arm.set_path_constraints(upright)
    assert arm.get_path_constraints() == upright
    arm.get_path_constraints().name = "changed"
    assert arm.get_path_constraints() == upright
    several = TrajectoryConstraints(constraints=[upright])
    arm.set_trajectory_constraints(several)
    assert arm.get_trajectory_constraints() == several
    arm.clear_path_constraints()
    arm.clear_trajectory_constraints()
    assert arm.get_path_constraints() == Constraints()
    assert arm.get_trajectory_constraints() == TrajectoryConstraints()


def test_joints_of_groups(ros, arm):
    assert arm.get_joints() == [*JOINTS, "panda_joint8"]
    assert (arm.get_variable_count(), arm.get_active_joints()) == (7, JOINTS)
    hand = commander.MoveGroupCommander("hand", wait_for_servers=PATIENCE)
    assert {FINGER, "panda_finger_joint2"} <= set(hand.get_joints())
    assert (hand.get_variable_count(), hand.get_active_joints()) == (2, [FINGER])


def test_joint_targets_and_remembered_positions(ros, arm):
    assert len(arm.get_joint_value_target()) == 7
    arm.set_joint_value_target(READY)
    assert arm.get_joint_value_target() == pytest.approx(READY)
    arm.set_joint_value_target("panda_joint1", 0.3)
    assert arm.get_joint_value_target() == pytest.approx([0.3, *READY[1:]])
    arm.remember_joint_values("here")
    arm.remember_joint_values("there", [0.2, *READY[1:]])
    known = arm.get_remembered_joint_values()
    np.testing.assert_allclose(known["here"], READY, atol=1e-3)
    assert {"here", "there", "ready"} <= set(arm.get_named_targets())
    arm.set_named_target("there")
    assert arm.get_joint_value_target() == pytest.approx([0.2, *READY[1:]])
    assert arm.plan("there")[0]
    arm.forget_joint_values("there")
    assert list(arm.get_remembered_joint_values()) == ["here"]
    with pytest.raises(commander.CommanderError, match="there"):
        arm.set_named_target("there")


def test_requests_have_all_options(ros, arm):
    with pytest.raises(commander.CommanderError, match="no target"):
        arm.construct_motion_plan_request()
    target = pose_stamped(transform((0.4, 0.1, 0.4)), BASE)
    arm.set_pose_target(target)
    arm.set_pose_target(target, "panda_hand")
    arm.clear_pose_target("panda_hand")
    arm.allow_looking(True)
    arm.set_support_surface_name("table")
    for values, low, high in (
        ([-1, -2, 1, 2], (-1.0, -2.0, 0.0), (1.0, 2.0, 0.0)),
        ([-1, -2, -3, 1, 2, 3], (-1.0, -2.0, -3.0), (1.0, 2.0, 3.0)),
        ([], (0.0, 0.0, 0.0), (0.0, 0.0, 0.0)),
    ):
        arm.set_workspace(values)
        request = arm.construct_motion_plan_request()
        box = request.workspace_parameters
        assert tuple(getattr(box.min_corner, axis) for axis in "xyz") == low
        assert tuple(getattr(box.max_corner, axis) for axis in "xyz") == high
        assert box.header.frame_id == arm.get_planning_frame()
    (goal,) = request.goal_constraints
    assert [item.link_name for item in goal.position_constraints] == ["panda_link8"]
    with pytest.raises(commander.CommanderError, match="0, 4 or 6 values, not 3"):
        arm.set_workspace([1, 2, 3])
    description = arm.get_interface_description()
    assert "RRTConnectkConfigDefault" in description.planner_ids


def test_the_speed_of_a_link_is_limited(ros, truth, arm):
    def fastest(trajectory):
        joints = trajectory.joint_trajectory
        at = places(truth, joints)[:, :3, 3]
        speeds = np.linalg.norm(np.diff(at, axis=0), axis=1) / np.diff(times(joints))
        return speeds.max()

    goal = [0.8, *READY[1:]]
    arm.limit_max_cartesian_link_speed(0.05, TIP)
    success, trajectory, _, _ = arm.plan(goal)
    assert success
    assert fastest(trajectory) < 0.0501
    waypoint = arm.get_current_pose().pose
    waypoint.position.z -= 0.1
    path, fraction = arm.compute_cartesian_path([waypoint], 0.01)
    assert fraction == 1.0
    assert fastest(path) < 0.0501
    arm.clear_max_cartesian_link_speed()
    assert fastest(arm.plan(goal)[1]) > 0.2
    with pytest.raises(commander.CommanderError, match="above 0"):
        arm.limit_max_cartesian_link_speed(0.0)


def test_states_are_bounded(ros, arm):
    low, high = ros.robot.joint_limits(JOINTS[3])
    state = RobotState(joint_state=JointState(name=[JOINTS[3], JOINTS[1]], position=[9.0, 0.1]))
    assert list(arm.enforce_bounds(state).joint_state.position) == [high, 0.1]
    assert list(state.joint_state.position) == [9.0, 0.1]
    state.joint_state.position[0] = -9.0
    assert arm.enforce_bounds(state).joint_state.position[0] == low
    bounded = arm.get_current_state_bounded().joint_state
    found = dict(zip(bounded.name, bounded.position, strict=True))
    np.testing.assert_allclose([found[name] for name in JOINTS], READY, atol=1e-3)
    for name, position, words in ((["elbow"], [0.1], "elbow"), (JOINTS, [0.1], "7 names")):
        with pytest.raises(commander.CommanderError, match=words):
            arm.enforce_bounds(RobotState(joint_state=JointState(name=name, position=position)))


def test_continuous_joints_are_bounded_within_a_turn():
    """MoveIt's RevoluteJointModel::enforcePositionBounds."""
    tree = RigidBodyTree("wheel")
    tree.add_body(RigidBody("wheel", Joint("axle", "continuous")), tree.base_name)
    for angle in (0.1, 3.5, -3.5, 100.0, -100.0):
        found = Client.bounded(SimpleNamespace(tree=tree), "axle", angle)
        assert found == pytest.approx(math.atan2(math.sin(angle), math.cos(angle)))


def test_a_random_pose_can_be_reached(ros, arm):
    pose = arm.get_random_pose()
    assert pose.header.frame_id == arm.get_planning_frame()
    assert arm.get_random_pose() != pose
    arm.set_joint_value_target(pose)  # there is a solution of inverse kinematics


def test_objects_in_a_region(ros):
    scene = commander.PlanningSceneInterface()
    scene.clear()

    def place(x, y, z):
        return pose_stamped(transform((x, y, z)), BASE)

    assert scene.add_box("near", place(0.5, 0.5, 0.5), (0.1, 0.1, 0.1))
    assert scene.add_cone("cone", place(0.6, 0.5, 0.5), 0.2, 0.1)
    assert scene.add_sphere("far", place(2.0, 0.5, 0.5), 0.1)
    ball = commander.scene_interface.primitive("typed", place(0.5, 0.5, 0.9), 2, [0.1])
    ball.type.key = "ball"
    ball.primitive_poses[0].position.z = 0.05
    assert scene.send_collision_object(ball)
    around = scene.get_known_object_names_in_roi
    assert set(around(0, 0, 0, 1, 1, 0.94)) == {"near", "cone"}
    assert set(around(0, 0, 0, 1, 1, 0.96)) == {"near", "cone", "typed"}
    assert around(0, 0, 0, 1, 1, 1, True) == ["typed"]
    assert around(0, 0, 0, 1, 1, 1, with_type=True) == ["typed"]
    assert scene.attach_cylinder("panda_hand", "tool", place(0.0, 0.0, 0.2), 0.1, 0.02)
    assert scene.attach_sphere("panda_hand", "far")
    assert set(scene.get_attached_objects()) == {"tool", "far"}
    assert scene.clear()
