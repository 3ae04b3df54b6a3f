"""Arguments of the commander: numbers of any type are accepted, other values are named."""

import math

import numpy as np
import pytest
from moveit_harness.move_group import JOINTS, READY, box
from sensor_msgs.msg import JointState
from trajectory_msgs.msg import JointTrajectory

from harness.poses import pose_stamped
from move_group.cell import CODE
from rigid_tree_kinematics.model.transforms import transform
from rigid_tree_moveit import commander


def test_numbers_of_any_type_are_accepted(ros, arm):
    for name, value in (
        ("set_goal_tolerance", 0),
        ("set_goal_joint_tolerance", np.float32(1e-3)),
        ("set_num_planning_attempts", 2.0),
        ("set_planning_time", np.int64(5)),
        ("set_max_velocity_scaling_factor", 1),
        ("allow_replanning", np.False_),
        ("set_joint_value_target", {"panda_joint1": np.float32(0.1)}),
    ):
        getattr(arm, name)(value)
    arm.set_joint_value_target("panda_joint1", np.float32(0.2))
    assert arm.go()
    np.testing.assert_allclose(ros.positions(), [0.2, *READY[1:]], atol=1.1e-3)
    # Positions of a message can be int; rclpy sends other numbers for them, or aborts.
    target = pose_stamped(np.eye(4))
    target.pose.position.x, target.pose.position.z = np.float32(0.4), 1
    target.pose.orientation.w = 1
    arm.set_pose_target(target)
    assert target.header.frame_id == ""
    arm.set_pose_reference_frame("panda_hand")
    (goal,) = arm._aimed().goal_constraints
    assert goal.position_constraints[0].header.frame_id == "world"
    scene = commander.PlanningSceneInterface()
    target.header.frame_id = "world"
    assert scene.add_box("box", target)
    found = scene.get_object_poses(["box"])["box"].position
    assert [found.x, found.z] == pytest.approx([0.4, 1.0])
    moved = box("box", "world", (0.0, 0.0, 0.0), (0.1, 0.1, 0.1))
    moved.pose.position.x = 2
    assert scene.add_object(moved)
    assert scene.get_object_poses(["box"])["box"].position.x == pytest.approx(2.0)
    assert scene.clear()


def test_errors_name_the_cause(arm, capfd):
    far = pose_stamped(transform((3.0, 0.0, 0.0)), "world")
    hand = pose_stamped(np.eye(4), "panda_hand")
    for call, words in (
        (lambda arm: commander.MoveGroupCommander("panda_amr"), "did you mean 'panda_arm'"),
        (lambda arm: arm.set_named_target("reaady"), "did you mean 'ready'"),
        (lambda arm: arm.set_end_effector_link("panda_link88"), "no link 'panda_link88'"),
        (lambda arm: arm.get_current_pose("nowhere"), "INVALID_LINK_NAME"),
        (lambda arm: arm.go([0.0] * 6), "takes 7 positions"),
        (lambda arm: arm.go({"panda_joint9": 0.0}), "no joint 'panda_joint9'"),
        (lambda arm: arm.go([9.0, *READY[1:]]), "9 is outside its limits -2.8973 to 2.8973"),
        (lambda arm: arm.go([math.nan, *READY[1:]]), "nan is outside"),
        (lambda arm: arm.set_pose_target([0.4, 0.0]), "x, y, z, roll, pitch, yaw"),
        (lambda arm: arm.set_pose_target([math.inf, *[0.0] * 5]), "not finite"),
        (lambda arm: arm.set_joint_value_target(far), "NO_IK_SOLUTION"),
        (lambda arm: arm.execute(arm.plan("ready")), "second value that"),
        (lambda arm: arm.execute(JointTrajectory(joint_names=[1])), "joint_names[0] must be"),
        (lambda arm: arm.set_max_velocity_scaling_factor(2.0), "at most 1"),
        (lambda arm: arm.set_joint_value_target(None), "positions must be"),
        (lambda arm: arm.set_joint_value_target([*READY[1:], "x"]), "not 'x'"),
        (lambda arm: arm.set_joint_value_target({"panda_joint1": "a"}), "not 'a'"),
        (lambda arm: arm.go(JointState(name=JOINTS)), "7 names and 0 positions"),
        (lambda arm: arm.shift_pose_target(0, "a"), "not 'a'"),
        (lambda arm: arm.set_planning_time(1e12), "0 to 1e+09, not 1e+12"),
        (lambda arm: arm.set_planning_time(math.nan), "not nan"),
        (lambda arm: arm.set_planning_time(-1), "not -1"),
        (lambda arm: arm.set_goal_tolerance(-1), "not -1"),
        (lambda arm: arm.set_num_planning_attempts(3.5), "not 3.5"),
        (lambda arm: arm.set_planner_id(None), "the planner must be a ROS string"),
        (lambda arm: arm.allow_replanning("no"), "boolean, not 'no'"),
        (lambda arm: arm.set_start_state(None), "RobotState, not None"),
        (lambda arm: arm.attach_object("box", touch_links="panda_hand"), "touch_links must be"),
        (lambda arm: arm.attach_object(5), "object.id must be a ROS string, not 5"),
        (lambda arm: arm.compute_cartesian_path([far, hand], 0.01), "frames: panda_hand, world"),
    ):
        with pytest.raises(commander.MoveItCommanderException) as raised:
            call(arm)
        assert words in str(raised.value)
    # A failed plan is logged with its code.
    arm.set_pose_target([3.0, 0.0, 0.0, 0.0, 0.0, 0.0])
    success, _, _, code = arm.plan()
    assert not success
    assert code.val == CODE.NO_IK_SOLUTION
    assert "planning for group 'panda_arm' failed: NO_IK_SOLUTION (-31)" in capfd.readouterr().err
