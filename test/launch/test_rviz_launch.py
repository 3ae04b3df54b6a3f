"""rviz.launch.py: RViz's arguments, and the message if it is not installed."""

import os
import sys
from pathlib import Path

from harness.processes import run

LAUNCH_FILE = Path(__file__).parents[2] / "launch" / "rviz.launch.py"
PROGRAM = """
import sys
from launch import LaunchDescription, LaunchService
from launch.actions import IncludeLaunchDescription
from launch.launch_description_sources import PythonLaunchDescriptionSource

service = LaunchService()
arguments = dict(argument.split(":=") for argument in sys.argv[2:])
source = PythonLaunchDescriptionSource(sys.argv[1])
service.include_launch_description(
    LaunchDescription([IncludeLaunchDescription(source, launch_arguments=arguments.items())])
)
sys.exit(service.run())
"""


# Tells what it was started with, in RViz' place.
RVIZ = """#!/bin/sh
echo "arguments: $*"
cat "$2"
for word; do case "$word" in /*) [ "$word" = "$2" ] || cat "$word";; esac; done
"""


def launched(prefix: Path, *arguments: str) -> str:
    """Return the output; no packages are found but those in ``prefix``."""
    places = {"AMENT_PREFIX_PATH": str(prefix), "TMPDIR": str(prefix)}
    done = run(sys.executable, "-c", PROGRAM, LAUNCH_FILE, *arguments, env=os.environ | places)
    assert done.returncode == 0, done.stdout + done.stderr
    assert not list(prefix.glob("rigid_tree_kinematics_*"))  # of this launch only
    return done.stdout + done.stderr


def installed(prefix: Path, *packages: str) -> None:
    """Have packages found, and a program in RViz' place."""
    index = prefix / "share" / "ament_index" / "resource_index" / "packages"
    index.mkdir(parents=True)
    for package in packages:
        (index / package).touch()
    program = prefix / "lib" / "rviz2" / "rviz2"
    program.parent.mkdir(parents=True)
    program.write_text(RVIZ)
    program.chmod(0o755)


def test_a_missing_rviz_is_named(tmp_path: Path) -> None:
    output = launched(tmp_path, "rviz_config:=none.rviz", "fixed_frame:=world")
    assert "the package rviz2 is not installed" in output


def test_rviz_gets_the_prefix_and_the_installed_displays(tmp_path: Path) -> None:
    installed(tmp_path, "rviz2", "rviz_default_plugins")
    config = LAUNCH_FILE.parents[1] / "config" / "planning.rviz"
    output = launched(
        tmp_path, f"rviz_config:={config}", "fixed_frame:=left/base", "frame_prefix:=left/"
    )
    assert "-f left/base" in output
    assert "TF Prefix: left\n" in output
    assert "rviz_default_plugins/RobotModel" in output
    assert "moveit_rviz_plugin" not in output
    assert "solve_ik" not in output


def test_the_panel_of_moveit_gets_solvers_limits_and_a_group_with_states(tmp_path: Path) -> None:
    """kinematics_plugin_loader.cpp:187, and time_optimal_trajectory_generation.cpp."""
    installed(tmp_path, "rviz2", "moveit_kinematics", "moveit_ros_visualization")
    folder = LAUNCH_FILE.parents[1]
    config = tmp_path / "arm" / "config"
    config.mkdir(parents=True)
    (config / "arm.urdf").touch()
    (config / "arm.srdf").touch()
    limits = """joint_limits:
  panda_joint1: {has_acceleration_limits: true, max_acceleration: 2}
  panda_joint7: {has_acceleration_limits: false, max_acceleration: 0}"""
    (config / "joint_limits.yaml").write_text(limits)
    output = launched(
        tmp_path,
        f"rviz_config:={folder / 'packages' / 'rigid_tree_moveit' / 'config' / 'moveit.rviz'}",
        "fixed_frame:=panda_link0",
        f"srdf:={folder / 'robots' / 'panda_hand.srdf'}",
        "robot:=panda_hand",
        f"config:={config.parent}",
    )
    name = "robot_description_kinematics.panda_arm.kinematics_solver"
    assert f"{name}: kdl_kinematics_plugin/KDLKinematicsPlugin" in output
    assert "SrvKinematicsPlugin" not in output
    assert "hand.kinematics_solver" not in output
    limit = "robot_description_planning.joint_limits.{}.max_acceleration: {}"
    assert limit.format("panda_joint1", 2) in output
    assert limit.format("panda_joint7", 5.0) in output
    assert limit.format("panda_finger_joint1", 5.0) in output
    assert "Planning Group: panda_arm" in output
