"""One robot's frames: tree_state_publisher and, without hardware, a source of joint states.

ros2 launch rigid_tree_kinematics description.launch.py robot:=panda

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
    argument("sweep", "true", "Move the joints slowly within their limits."),
    argument("rate", "50.0", "Rate of the joint states, Hz."),
    argument("ik", "false", "Start ik_server (inverse kinematics)."),
    argument("planner", "false", "Start rrt_planner (motion planning)."),
    argument("rviz_config", "description.rviz", "RViz configuration of this package, or a path."),
)
BRINGUP = IncludeLaunchDescription([FindPackageShare(PACKAGE), "/launch/bringup.launch.py"])


def generate_launch_description() -> LaunchDescription:
    return description(__file__, [*DEFAULTS, BRINGUP])
