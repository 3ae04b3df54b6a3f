"""A simulated robot behind MoveIt's interface: its clients plan and move it without MoveIt.

ros2 launch rigid_tree_kinematics moveit.launch.py robot:=panda
"""

import os

from launch import LaunchDescription
from launch.actions import OpaqueFunction, SetLaunchConfiguration
from launch.substitutions import LaunchConfiguration

from rigid_tree_kinematics.launching import (
    DESCRIPTION_ARGUMENTS,
    RobotNode,
    declared,
    page,
    robot_nodes,
    robot_rviz,
    setting,
    tree_state_publisher,
)

ARGUMENTS = (
    (
        "robot",
        "panda_hand",
        "A bundled robot's name (panda: the one with its hand, as in MoveIt's configuration), or "
        "the path of a .urdf, .xacro or .yaml.",
    ),
    ("srdf", "", "Path of an SRDF with the groups. Empty: a bundled robot's own, or none."),
    ("scene", "", "A bundled scene's name, or the path of a .yaml file. Empty: no obstacles."),
    ("padding", "0.0", "Distance below which two things count as touching, m."),
    ("servo", "true", "Start servo_node, which leads the arm by twists and joint velocities."),
    ("move_group_name", "", "The group that servo_node moves. Empty: the largest with a tip."),
    ("simulator", "true", "Simulate the robot. false: a driver has follow_joint_trajectory."),
    ("rviz_config", "moveit.rviz", "Which of this package's RViz configurations to show."),
)


# What MoveIt's clients call so has the groups, links and joints of another bundled robot.
KNOWN_AS = {"panda": "panda_hand"}


def name_robot(context):
    robot = LaunchConfiguration("robot").perform(context)
    return [SetLaunchConfiguration("robot", KNOWN_AS.get(robot, robot))]


def simulator():
    parameters = {
        "robot": setting("robot", str),
        "use_sim_time": setting("use_sim_time", bool),
    }
    return RobotNode("robot_simulator", parameters, "simulator")


def move_group(context):
    return RobotNode(
        "move_group",
        {
            "srdf": srdf_of(context),
            "use_sim_time": setting("use_sim_time", bool),
            "padding": setting("padding", float),
            **{name: setting(name, str) for name in ("frame_prefix", "scene")},
        },
    )


def servo(context):
    return RobotNode(
        "servo_node",
        {
            "srdf": srdf_of(context),
            "use_sim_time": setting("use_sim_time", bool),
            "padding": setting("padding", float),
            "frame_prefix": setting("frame_prefix", str),
            "moveit_servo.move_group_name": setting("move_group_name", str),
        },
        "servo",
    )


def srdf_of(context):
    """Return the path of the SRDF that is given, or of the bundled robot's own, or nothing."""
    given = LaunchConfiguration("srdf").perform(context)
    here = os.path.dirname(os.path.realpath(__file__))
    robot = LaunchConfiguration("robot").perform(context)
    bundled = os.path.join(here, "..", "robots", f"{robot}.srdf")
    return given or (bundled if os.path.isfile(bundled) else "")


def generate_launch_description() -> LaunchDescription:
    return LaunchDescription(
        [
            *declared(DESCRIPTION_ARGUMENTS, ARGUMENTS),
            OpaqueFunction(function=name_robot),
            robot_nodes(
                lambda context: [
                    tree_state_publisher(),
                    simulator(),
                    page(context),
                    move_group(context),
                    servo(context),
                ]
            ),
            robot_rviz(),
        ]
    )
