"""A falling double pendulum: links A, B and C; joint_A starts at 30 degrees.

ros2 launch rigid_tree_demos double_pendulum.launch.py [rviz:=true]

The other arguments are those of bringup.launch.py, which this file includes.
"""

from pathlib import Path

from launch import LaunchDescription
from launch.actions import IncludeLaunchDescription
from launch_ros.substitutions import FindPackageShare

from rigid_tree_kinematics.launching import PACKAGE, argument, description

CONFIG = Path(__file__).resolve().parents[1] / "config" / "double_pendulum.rviz"
DEFAULTS = (
    argument("robot", "double_pendulum", "The robot."),
    argument("mode", "free", "free: the robot falls. See bringup.launch.py."),
    argument("initial_positions", "{joint_A: 0.5235987755982988}", "Initial positions, rad."),
    argument("ik", "false", "Start ik_server (inverse kinematics)."),
    argument("planner", "false", "Start rrt_planner (motion planning)."),
    argument("rviz_config", str(CONFIG), "Path of an RViz configuration."),
)
BRINGUP = IncludeLaunchDescription([FindPackageShare(PACKAGE), "/launch/bringup.launch.py"])


def generate_launch_description() -> LaunchDescription:
    return description(__file__, [*DEFAULTS, BRINGUP])
