"""A configuration package as MoveIt's setup assistant writes it, unmodified."""

from __future__ import annotations

from functools import partial
from pathlib import Path

import pytest
from moveit_msgs.action import MoveGroup
from moveit_msgs.msg import Constraints, JointConstraint, MotionPlanRequest, MoveItErrorCodes

from harness.network import Network
from harness.processes import wait_until
from harness.start.launching import launched
from rigid_tree_kinematics.description.srdf import read_moveit_config
from rigid_tree_kinematics.errors import ConfigurationError

FILES = {
    "arm.urdf.xacro": """<robot name="arm" xmlns:xacro="http://www.ros.org/wiki/xacro">
  <xacro:property name="reach" value="0.3"/>
  <link name="base"/>
  <link name="upper"><collision><origin xyz="${reach / 2} 0 0"/>
    <geometry><box size="${reach} 0.05 0.05"/></geometry></collision></link>
  <link name="lower"><collision><origin xyz="${reach / 2} 0 0"/>
    <geometry><box size="${reach} 0.05 0.05"/></geometry></collision></link>
  <joint name="j1" type="revolute"><parent link="base"/><child link="upper"/><axis xyz="0 0 1"/>
    <limit lower="-2" upper="2" effort="1" velocity="1"/></joint>
  <joint name="j2" type="revolute"><parent link="upper"/><child link="lower"/><axis xyz="0 0 1"/>
    <origin xyz="${reach} 0 0"/><limit lower="-2" upper="2" effort="1" velocity="1"/></joint>
</robot>""",
    "arm.srdf": """<robot name="arm">
  <group name="arm"><chain base_link="base" tip_link="lower"/></group>
  <virtual_joint name="v" type="fixed" parent_frame="world" child_link="base"/>
  <disable_collisions link1="upper" link2="lower" reason="Adjacent"/></robot>""",
    "initial_positions.yaml": "initial_positions:\n  j1: 0.25\n  j2: -0.5\n",
    "joint_limits.yaml": """default_velocity_scaling_factor: 0.5
default_acceleration_scaling_factor: 0.5
joint_limits:
  j1: {has_velocity_limits: true, max_velocity: 1.0, has_acceleration_limits: false}
  j2: {has_acceleration_limits: true, max_acceleration: 3.0}
""",
    "kinematics.yaml": "arm: {kinematics_solver: kdl_kinematics_plugin/KDLKinematicsPlugin}\n",
    "moveit_controllers.yaml": """trajectory_execution:
  allowed_execution_duration_scaling: 1.5
  allowed_start_tolerance: 0.01
moveit_controller_manager: moveit_simple_controller_manager/MoveItSimpleControllerManager
moveit_simple_controller_manager:
  controller_names: [arm_controller]
  arm_controller:
    type: FollowJointTrajectory
    action_ns: follow_joint_trajectory
    default: true
    joints: [j1, j2]
""",
    "pilz_cartesian_limits.yaml": "cartesian_limits:\n  max_trans_vel: 0.7\n",
}


@pytest.fixture
def package(tmp_path: Path) -> Path:
    (tmp_path / "config").mkdir()
    for name, text in FILES.items():
        (tmp_path / "config" / name).write_text(text)
    return tmp_path


def test_it_becomes_parameters(package):
    config = read_moveit_config(package)
    assert config.simulator == {
        "initial_positions.j1": 0.25,
        "initial_positions.j2": -0.5,
        "controllers": ["arm_controller"],
    }
    assert config.move_group == {
        "moveit_simple_controller_manager.controller_names": ["arm_controller"],
        "moveit_simple_controller_manager.arm_controller.type": "FollowJointTrajectory",
        "moveit_simple_controller_manager.arm_controller.action_ns": "follow_joint_trajectory",
        "moveit_simple_controller_manager.arm_controller.default": True,
        "moveit_simple_controller_manager.arm_controller.joints": ["j1", "j2"],
        "trajectory_execution.allowed_execution_duration_scaling": 1.5,
        "max_trans_vel": 0.7,
        "velocity_scale": 0.5,
        "acceleration_scale": 0.5,
        "acceleration_limit": 3.0,
    }
    assert config.summary.startswith("configuration of MoveIt: arm.urdf.xacro, arm.srdf, initial")
    assert config.summary.endswith("; ignored: kinematics.yaml")


def test_a_motion_with_it(package):
    network = Network(package)
    config = read_moveit_config(package)
    try:
        network.start("robot_simulator", {"robot": config.robot, **config.simulator})
        process = network.start(
            "move_group", {"robot": config.robot, "srdf": config.srdf, **config.move_group}
        )
        network.log_line(process, "2 independent joints")
        joint = JointConstraint(joint_name="j1", position=0.5)
        joint.tolerance_above = joint.tolerance_below = 1e-3
        request = MotionPlanRequest(group_name="arm")
        request.goal_constraints = [Constraints(joint_constraints=[joint])]
        handle = network.send_goal(MoveGroup, "move_action", MoveGroup.Goal(request=request))
        result = network.outcome(handle).result
        assert result.error_code.val == MoveItErrorCodes.SUCCESS, result.error_code
        assert list(result.trajectory_start.joint_state.position) == [0.25, -0.5]
    finally:
        network.close()


def has(process, words) -> bool:
    return words in process.output


def test_the_launch_file_takes_it(package):
    with launched("moveit.launch.py", package / "log", config=package, servo="false") as started:
        for words in ("ignored: kinematics.yaml", "simulating robot 'arm'", "groups: arm"):
            wait_until(partial(has, started, words), words)


def test_what_is_missing_is_named(package):
    (package / "config" / "arm.srdf").unlink()
    with pytest.raises(ConfigurationError, match=r"has no file \*\.srdf or \*\.srdf\.xacro"):
        read_moveit_config(package)
    (package / "config" / "two.urdf.xacro").write_text("")
    with pytest.raises(ConfigurationError, match=r"several files .*arm.*, two"):
        read_moveit_config(package)
    (package / "config" / "two.urdf.xacro").unlink()
    (package / "config" / "arm.srdf").write_text(FILES["arm.srdf"])
    (package / "config" / "joint_limits.yaml").write_text("[1")
    with pytest.raises(ConfigurationError, match=r"cannot read '.*joint_limits\.yaml'"):
        read_moveit_config(package)
