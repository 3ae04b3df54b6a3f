"""One robot with all that it takes to move it: driver, frames, inverse kinematics, planner.

ros2 launch rigid_tree_kinematics bringup.launch.py robot:=panda
ros2 run rigid_tree_kinematics move_robot panda_joint1=1.0     (in another shell)
"""

from collections.abc import Sequence
from importlib.util import find_spec
from typing import Any

import yaml
from launch import LaunchContext, LaunchDescription
from launch.actions import DeclareLaunchArgument
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
    ("simulator", "true", "Simulate the robot. false: a driver publishes its joint states."),
    ("mode", "kinematic", "Of the simulator: kinematic, dynamic or free."),
    ("controller", "computed_torque", "Of mode dynamic: computed_torque or pd_gravity."),
    ("controllers", "['']", "In front of the action's name, for MoveIt: '[arm_controller]'."),
    ("initial_positions", "{}", "Where joints begin, rad or m: '{panda_joint1: 1.0}'."),
    ("real_time_factor", "1.0", "Seconds of the simulation in one second."),
    ("paused", "false", "Begin with the simulation paused."),
    ("publish_clock", "false", "Publish the simulation's time on /clock; all nodes follow it."),
    ("ik", "true", "Offer inverse kinematics (ik_server)."),
    ("tracked_body", "", "The link that follows topic ik_target. Empty: none does."),
    ("planner", "true", "Offer motion planning (rrt_planner)."),
    ("scene", "", "A bundled scene's name, or the path of a .yaml file. Empty: no obstacles."),
    ("padding", "0.0", "Distance below which two things count as touching, m."),
    ("rviz", "false", "Show the robot in RViz, with a target, where it is installed."),
    ("rviz_config", "bringup.rviz", "Which of this package's RViz configurations to show."),
)
TIME = "use_sim_time"


def written(name: str, kind: type, context: LaunchContext) -> Any:
    """Return a launch argument that is written in YAML."""
    text = LaunchConfiguration(name).perform(context)
    value = yaml.safe_load(text)
    if not isinstance(value, kind):
        shape = {dict: "{joint: 0.5}", list: "[name]"}[kind]
        raise RuntimeError(f"{name} is written like '{shape}', not '{text}'")
    return value


def simulator(context: LaunchContext) -> RobotNode:
    """It reads the robot itself: the topic's URDF does not tell where joints are at home.

    The positions where joints begin otherwise are named by the user, one parameter each.
    """
    positions = written("initial_positions", dict, context)
    begin = {f"initial_positions.{joint}": float(at) for joint, at in positions.items()}
    return RobotNode(
        "robot_simulator",
        {
            "robot": setting("robot", str),
            "mode": setting("mode", str),
            "controller": setting("controller", str),
            "controllers": [str(name) for name in written("controllers", list, context)],
            "real_time_factor": setting("real_time_factor", float),
            "paused": setting("paused", bool),
            "publish_clock": setting("publish_clock", bool),
            **begin,
        },
        "simulator",
    )


def nodes(context: LaunchContext) -> Sequence[RobotNode]:
    """All but the simulator get their robot from tree_state_publisher, on a topic."""
    common = {
        "use_sim_time": setting("use_sim_time", bool),
        "frame_prefix": setting("frame_prefix", str),
    }
    tracked = {"tracked_body": setting("tracked_body", str)}
    scene = {"scene": setting("scene", str), "padding": setting("padding", float)}
    # RViz's target to drag, where what it is made of is installed.
    target = find_spec("interactive_markers") is not None
    prefix = {"frame_prefix": setting("frame_prefix", str)}
    return [
        tree_state_publisher(),
        simulator(context),
        page(context),
        RobotNode("ik_server", {**common, **tracked}, "ik"),
        RobotNode("rrt_planner", {**common, **scene}, "planner"),
        *([RobotNode("interactive_target", prefix, "rviz")] if target else []),
    ]


def generate_launch_description() -> LaunchDescription:
    return LaunchDescription(
        [
            *declared((row for row in DESCRIPTION_ARGUMENTS if row[0] != TIME), ARGUMENTS),
            DeclareLaunchArgument(
                TIME,
                default_value=LaunchConfiguration("publish_clock"),
                description="Take the time from /clock.",
            ),
            robot_nodes(nodes),
            robot_rviz(),
        ]
    )
