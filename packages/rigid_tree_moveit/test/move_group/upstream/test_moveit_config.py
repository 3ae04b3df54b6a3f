"""An unmodified configuration package of MoveIt's setup assistant."""

import math
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from builtin_interfaces.msg import Duration
from moveit_msgs.msg import RobotState

from harness.network import Network
from harness.processes import wait_until
from harness.start.launching import launched
from move_group.cell import CODE, Cell, joints, solved, times
from rigid_tree_kinematics.description.srdf import read_moveit_config
from rigid_tree_kinematics.description.srdf.moveit_config import MANAGER
from rigid_tree_kinematics.errors import ConfigurationError

PLANNING = "robot_description_planning"
LIMITS = f"{PLANNING}.joint_limits"
TIMEOUT = "robot_description_kinematics.arm.kinematics_solver_timeout"
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
    "initial_positions.yaml": "initial_positions:\n  j1: 25e-2\n  j2: -0.5\n",
    "joint_limits.yaml": """default_velocity_scaling_factor: 0.5
default_acceleration_scaling_factor: 0.5
joint_limits:
  j1: {has_velocity_limits: true, max_velocity: 0.8, has_acceleration_limits: false}
  j2: {has_acceleration_limits: true, max_acceleration: 3,
    has_jerk_limits: true, max_jerk: 20}
""",
    "kinematics.yaml": "arm:\n  kinematics_solver: kdl_kinematics_plugin/KDLKinematicsPlugin\n"
    "  kinematics_solver_timeout: 0.0001\n",
    "sensors_3d.yaml": "sensors: []\n",
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
        "arm_controller.joints": ["j1", "j2"],
    }
    assert config.move_group == {
        "moveit_simple_controller_manager.controller_names": ["arm_controller"],
        "moveit_simple_controller_manager.arm_controller.type": "FollowJointTrajectory",
        "moveit_simple_controller_manager.arm_controller.action_ns": "follow_joint_trajectory",
        "moveit_simple_controller_manager.arm_controller.default": True,
        "moveit_simple_controller_manager.arm_controller.joints": ["j1", "j2"],
        "moveit_controller_manager": "moveit_simple_controller_manager/"
        "MoveItSimpleControllerManager",
        "trajectory_execution.allowed_execution_duration_scaling": 1.5,
        "trajectory_execution.allowed_start_tolerance": 0.01,
        f"{PLANNING}.cartesian_limits.max_trans_vel": 0.7,
        f"{PLANNING}.default_velocity_scaling_factor": 0.5,
        f"{PLANNING}.default_acceleration_scaling_factor": 0.5,
        f"{LIMITS}.j1.has_velocity_limits": True,
        f"{LIMITS}.j1.max_velocity": 0.8,
        f"{LIMITS}.j1.has_acceleration_limits": False,
        f"{LIMITS}.j2.has_acceleration_limits": True,
        f"{LIMITS}.j2.max_acceleration": 3,
        f"{LIMITS}.j2.has_jerk_limits": True,
        f"{LIMITS}.j2.max_jerk": 20,
        "robot_description_kinematics.arm.kinematics_solver": "kdl_kinematics_plugin/"
        "KDLKinematicsPlugin",
        TIMEOUT: 0.0001,
    }
    assert config.summary.startswith("configuration of MoveIt: arm.urdf.xacro, arm.srdf, initial")
    assert config.summary.endswith("; ignored: sensors_3d.yaml")


@pytest.mark.parametrize(
    ("name", "text", "words"),
    [
        ("moveit_controllers.yaml", f"{MANAGER}: 3", f"'{MANAGER}' must be a mapping"),
        ("moveit_controllers.yaml", f"{MANAGER}: {{controller_names: 3}}", "a list of names"),
        ("moveit_controllers.yaml", f"{MANAGER}: {{controller_names: [a], a: 3}}", "'a' must be"),
        ("initial_positions.yaml", "j1: 0.5", "must look like"),
        ("initial_positions.yaml", "initial_positions: {j1: zero}", "the position of 'j1'"),
    ],
)
def test_wrong_contents_are_named(package, name, text, words):
    (package / "config" / name).write_text(text)
    with pytest.raises(ConfigurationError, match=words):
        read_moveit_config(package)


def test_empty_parts_are_left_out(package):
    empty = f"trajectory_execution:\n{MANAGER}: {{controller_names: [a], a: }}"
    (package / "config" / "moveit_controllers.yaml").write_text(empty)
    (package / "config" / "joint_limits.yaml").write_text("# nothing\n")
    assert "controllers" not in read_moveit_config(package).simulator


def test_a_motion_with_it(package):
    network = Network(package)
    config = read_moveit_config(package)
    try:
        network.start("robot_simulator", {"robot": config.robot, **config.simulator})
        process = network.start(
            "move_group", {"robot": config.robot, "srdf": config.srdf, **config.move_group}
        )
        network.log_line(process, "2 independent joints")
        cell, group = Cell(network), {"group_name": "arm", "start_state": RobotState()}
        result = network.outcome(cell.move(joints({"j1": 0.5}), **group)).result
        assert result.error_code.val == CODE.SUCCESS, result.error_code
        assert list(result.trajectory_start.joint_state.position) == [0.25, -0.5]
        # Of j1 and j2: by the URDF or joint_limits.yaml, or the default.
        peaks = [peaks_of(cell, joint, **group) for joint in ("j1", "j2")]
        fast = np.transpose(peaks).ravel().tolist()
        assert fast[:4] == pytest.approx([0.8, 1.0, 5.0, 3.0], rel=1e-3)
        assert fast[4] > 1000.0
        assert fast[5] == pytest.approx(20.0, rel=0.01)
        # At the base; by kinematics.yaml's timeout, and by that of the request.
        group = {"group_name": "arm", "robot_state": RobotState(), "avoid_collisions": False}
        for timeout, code in (
            (Duration(), CODE.TIMED_OUT),
            (Duration(sec=5), CODE.NO_IK_SOLUTION),
        ):
            assert cell.ik(timeout=timeout, **group).error_code.val == code
    finally:
        network.close()


def peaks_of(cell: Cell, joint: str, **group: Any) -> list[float]:
    """Return the peaks of velocity, acceleration and jerk of a joint in a PTP motion."""
    scales = {f"max_{kind}_scaling_factor": 1.0 for kind in ("velocity", "acceleration")}
    found = solved(cell.plan(joints({joint: 1.9}), planner_id="PTP", **group, **scales))
    column = list(found.joint_names).index(joint)
    rates = [point.accelerations[column] for point in found.points]
    jerks = np.diff(rates) / np.diff(times(found))
    fastest = max(abs(point.velocities[column]) for point in found.points)
    return [fastest, max(map(abs, rates)), np.abs(jerks).max()]


def has(process, words) -> bool:
    return words in process.output


def test_the_launch_file_takes_it(package):
    with launched("moveit.launch.py", package / "log", config=package, servo="false") as started:
        for words in ("ignored: sensors_3d.yaml", "simulating robot 'arm'", "groups: arm"):
            wait_until(partial(has, started, words), words)


def test_another_file_has_the_controllers(package):
    text = FILES["moveit_controllers.yaml"].replace("arm_controller", "other_controller")
    (package / "config" / "other_controllers.yaml").write_text(text)
    config = read_moveit_config(package, "other_controllers.yaml")
    assert config.simulator["controllers"] == ["other_controller"]
    assert config.summary.endswith("; ignored: moveit_controllers.yaml, sensors_3d.yaml")
    with pytest.raises(ConfigurationError, match="has no file more_controllers"):
        read_moveit_config(package, "more_controllers.yaml")


def test_missing_files_are_named(package):
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
    for text in ("joint_limits: {j1: 3}", "joint_limits: [j1]"):
        (package / "config" / "joint_limits.yaml").write_text(text)
        with pytest.raises(ConfigurationError, match=r"joint_limits.* must be a mapping of names"):
            read_moveit_config(package)


def test_invalid_joint_limits_and_timeouts_are_named(package, network):
    config = read_moveit_config(package)
    limit = f"{LIMITS}.j1.max_velocity"
    wrong = [(limit, value) for value in (-1.0, math.nan, math.inf, "fast", [1.0])]
    for name, value in (*wrong, (TIMEOUT, -1.0)):
        given = {"robot": config.robot, "srdf": config.srdf, **config.move_group, name: value}
        process = network.start("move_group", given)
        network.log_line(process, f"{name} must be finite and above 0, not")
        process.end()
