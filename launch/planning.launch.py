"""One robot with motion planning (service and action) and inverse kinematics.

ros2 launch rigid_tree_kinematics planning.launch.py robot:=panda scene:=panda_pillars

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
    argument("planner", "rrt_connect", "Default planner: rrt_connect, aorrtc or rrt."),
    argument("rviz_config", "planning.rviz", "RViz configuration of this package, or a path."),
)
BRINGUP = IncludeLaunchDescription([FindPackageShare(PACKAGE), "/launch/bringup.launch.py"])


def generate_launch_description() -> LaunchDescription:
    return description(__file__, [*DEFAULTS, BRINGUP])
