"""One robot with motion planning (service and action) and inverse kinematics.

ros2 launch rigid_tree_kinematics planning.launch.py robot:=panda scene:=panda_pillars
"""

from launch import LaunchContext, LaunchDescription

from rigid_tree_kinematics.launching import (
    IK_ARGUMENTS,
    SOURCE_ARGUMENTS,
    RobotNode,
    described,
    ik_server,
    robot_launch,
    settings,
)

ARGUMENTS = (
    ("scene", "", "Name of a bundled scene, or path of a .yaml file. Empty: no obstacles."),
    ("srdf", "", "Path of an SRDF with disabled collision pairs. Empty: none."),
    ("padding", "0.0", "Distance below which two bodies are in collision, m."),
    ("planner", "rrt_connect", "Default planner: rrt_connect, aorrtc or rrt."),
    ("time_limit", "5.0", "Default time limit of requests, s."),
    ("tip", "", "Link whose path is drawn. Empty: the end of the longest chain."),
    ("rviz_config", "planning.rviz", "RViz configuration of this package."),
)


def nodes(context: LaunchContext) -> list[RobotNode]:
    parameters = settings(
        use_sim_time=bool,
        padding=float,
        time_limit=float,
        frame_prefix=str,
        scene=str,
        srdf=str,
        planner=str,
        tip=str,
    )
    return [*described(context), ik_server(), RobotNode("rrt_planner", parameters)]


def generate_launch_description() -> LaunchDescription:
    return robot_launch(nodes, SOURCE_ARGUMENTS, IK_ARGUMENTS, ARGUMENTS)
