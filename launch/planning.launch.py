"""One robot with motion planning as a service and an action, beside its inverse kinematics.

ros2 launch rigid_tree_kinematics planning.launch.py robot:=panda scene:=panda_pillars
"""

from launch import LaunchDescription

from rigid_tree_kinematics.launching import (
    DESCRIPTION_ARGUMENTS,
    IK_ARGUMENTS,
    SOURCE_ARGUMENTS,
    RobotNode,
    declared,
    ik_server,
    joint_states,
    page,
    robot_nodes,
    robot_rviz,
    setting,
    tree_state_publisher,
)

ARGUMENTS = (
    ("scene", "", "A bundled scene's name, or the path of a .yaml file. Empty: no obstacles."),
    ("srdf", "", "Path of an SRDF: links that it does not disable are checked. Empty: none."),
    ("padding", "0.0", "Distance below which two things count as touching, m."),
    ("planner", "rrt_connect", "For requests that name none: rrt_connect, rrt or rrt_star."),
    ("time_limit", "5.0", "How long a plan that names no limit may take, s."),
    ("tip", "", "The link whose way is drawn. Empty: the end of the longest chain."),
    ("rviz_config", "planning.rviz", "Which of this package's RViz configurations to show."),
)


def planner() -> RobotNode:
    texts = ("frame_prefix", "scene", "srdf", "planner", "tip")
    return RobotNode(
        "rrt_planner",
        {
            "use_sim_time": setting("use_sim_time", bool),
            "padding": setting("padding", float),
            "time_limit": setting("time_limit", float),
            **{name: setting(name, str) for name in texts},
        },
    )


def generate_launch_description() -> LaunchDescription:
    return LaunchDescription(
        [
            *declared(DESCRIPTION_ARGUMENTS, SOURCE_ARGUMENTS, IK_ARGUMENTS, ARGUMENTS),
            robot_nodes(
                lambda context: [
                    tree_state_publisher(),
                    joint_states(),
                    page(context),
                    ik_server(),
                    planner(),
                ]
            ),
            robot_rviz(),
        ]
    )
