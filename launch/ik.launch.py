"""One robot with its frames and with inverse and forward kinematics as services.

ros2 launch rigid_tree_kinematics ik.launch.py robot:=panda

The other arguments are those of bringup.launch.py, which this file includes.
"""

from launch import LaunchDescription
from launch.actions import IncludeLaunchDescription
from launch_ros.substitutions import FindPackageShare

from rigid_tree_kinematics.launching import PACKAGE, argument, description

DEFAULTS = (
    argument("simulator", "false", "Simulate the robot."),
    argument(
        "joint_state_source", "true", "Publish joint states. false: a driver publishes them."
    ),
    argument("rate", "50.0", "Rate of the joint states, Hz."),
    argument("planner", "false", "Start rrt_planner (motion planning)."),
    argument("rviz_config", "ik.rviz", "RViz configuration of this package, or a path."),
)
BRINGUP = IncludeLaunchDescription([FindPackageShare(PACKAGE), "/launch/bringup.launch.py"])


def generate_launch_description() -> LaunchDescription:
    return description(__file__, [*DEFAULTS, BRINGUP])
