"""One robot with motion planning (service and action) and inverse kinematics.

ros2 launch rigid_tree_kinematics planning.launch.py robot:=panda scene:=panda_pillars
"""

from launch import LaunchContext, LaunchDescription, LaunchDescriptionEntity
from launch.actions import OpaqueFunction

from rigid_tree_kinematics.launching import (
    DESCRIPTION_ARGUMENTS,
    IK_ARGUMENTS,
    SOURCE_ARGUMENTS,
    RobotNode,
    argument,
    declared,
    described,
    ik_server,
    robot_nodes,
    rviz,
    setting,
    settings,
)

ARGUMENTS = (
    argument(
        "scene", "", "Name of a bundled scene, or path of a .yaml file. Empty: no obstacles."
    ),
    argument("srdf", "", "Path of an SRDF with disabled collision pairs. Empty: none."),
    argument("padding", "0.0", "Distance below which two bodies are in collision, m."),
    argument("planner", "rrt_connect", "Default planner: rrt_connect, aorrtc or rrt."),
    argument("time_limit", "5.0", "Default time limit of requests, s."),
    argument("tip", "", "Link whose path is drawn. Empty: the end of the longest chain."),
    argument("rviz_config", "planning.rviz", "RViz configuration of this package."),
)


def launch_setup(context: LaunchContext) -> list[LaunchDescriptionEntity]:
    parameters = settings(
        context,
        use_sim_time=bool,
        padding=float,
        time_limit=float,
        frame_prefix=str,
        scene=str,
        srdf=str,
        planner=str,
        tip=str,
    )
    nodes = [*described(context), ik_server(context), RobotNode("rrt_planner", parameters)]
    return [*rviz(context, setting(context, "rviz_config", str)), *robot_nodes(context, nodes)]


def generate_launch_description() -> LaunchDescription:
    return LaunchDescription(
        [
            *declared(DESCRIPTION_ARGUMENTS, SOURCE_ARGUMENTS, IK_ARGUMENTS, ARGUMENTS),
            OpaqueFunction(function=launch_setup),
        ]
    )
