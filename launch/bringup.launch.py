"""One robot with all that it takes to move it: driver, frames, inverse kinematics, planner.

ros2 launch rigid_tree_kinematics bringup.launch.py robot:=panda
ros2 run rigid_tree_kinematics move_robot panda_joint1=1.0     (in another shell)
"""

from importlib.util import find_spec
from typing import Any

import yaml
from launch import LaunchContext, LaunchDescription
from launch.action import Action
from launch.actions import DeclareLaunchArgument, IncludeLaunchDescription, OpaqueFunction
from launch.conditions import IfCondition
from launch.launch_description_sources import PythonLaunchDescriptionSource
from launch.substitutions import LaunchConfiguration, PathJoinSubstitution, ThisLaunchFileDir
from launch_ros.actions import Node
from launch_ros.parameter_descriptions import ParameterValue

# The arguments of description.launch.py count here too, but for those of its joint_state_source.
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
    ("rviz_config", "planning.rviz", "Which of this package's RViz configurations to show."),
)
TIME = DeclareLaunchArgument(
    "use_sim_time",
    default_value=LaunchConfiguration("publish_clock"),
    description="Take the time from /clock.",
)


def setting(name: str, value_type: type) -> ParameterValue:
    """Return a launch argument as a parameter of that type."""
    return ParameterValue(LaunchConfiguration(name), value_type=value_type)


def node(executable: str, flag: str, parameters: dict) -> Node:
    """Return a node that gets its robot from tree_state_publisher, on topic robot_description."""
    return Node(
        package="rigid_tree_kinematics",
        executable=executable,
        namespace=LaunchConfiguration("namespace"),
        parameters=[parameters],
        condition=IfCondition(LaunchConfiguration(flag)),
        output="screen",
    )


def written(name: str, kind: type, context: LaunchContext) -> Any:
    """Return a launch argument that is written in YAML."""
    text = LaunchConfiguration(name).perform(context)
    value = yaml.safe_load(text)
    if not isinstance(value, kind):
        shape = {dict: "{joint: 0.5}", list: "[name]"}[kind]
        raise RuntimeError(f"{name} is written like '{shape}', not '{text}'")
    return value


def simulator(context: LaunchContext) -> list[Action]:
    """The positions where joints begin are named by the user, one parameter each."""
    positions = written("initial_positions", dict, context)
    begin = {f"initial_positions.{joint}": float(at) for joint, at in positions.items()}
    return [
        node(
            "robot_simulator",
            "simulator",
            {
                "mode": setting("mode", str),
                "controller": setting("controller", str),
                "controllers": [str(name) for name in written("controllers", list, context)],
                "real_time_factor": setting("real_time_factor", float),
                "paused": setting("paused", bool),
                "publish_clock": setting("publish_clock", bool),
                **begin,
            },
        )
    ]


def target(context: LaunchContext) -> list[Action]:
    """RViz's target to drag, where what it is made of is installed."""
    if find_spec("interactive_markers") is None:
        return []
    prefix = {"frame_prefix": setting("frame_prefix", str)}
    return [node("interactive_target", "rviz", prefix)]


def generate_launch_description() -> LaunchDescription:
    common = {
        "use_sim_time": setting("use_sim_time", bool),
        "frame_prefix": setting("frame_prefix", str),
    }
    return LaunchDescription(
        [
            *(
                DeclareLaunchArgument(name, default_value=default, description=description)
                for name, default, description in ARGUMENTS
            ),
            TIME,
            # Before what includes it declares it, the condition below needs it.
            DeclareLaunchArgument(
                "rviz", default_value="false", description="Show the robot in RViz, with a target."
            ),
            IncludeLaunchDescription(
                PythonLaunchDescriptionSource(
                    PathJoinSubstitution([ThisLaunchFileDir(), "description.launch.py"])
                ),
                launch_arguments={"joint_state_source": "false"}.items(),
            ),
            OpaqueFunction(function=simulator),
            node("ik_server", "ik", {**common, "tracked_body": setting("tracked_body", str)}),
            OpaqueFunction(function=target),
            node(
                "rrt_planner",
                "planner",
                {**common, "scene": setting("scene", str), "padding": setting("padding", float)},
            ),
        ]
    )
