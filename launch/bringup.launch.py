"""A robot with everything needed to move it: driver, frames, inverse kinematics, planner.

ros2 launch rigid_tree_kinematics bringup.launch.py robot:=panda
ros2 run rigid_tree_kinematics move_robot panda_joint1=1.0     (in another shell)

Several robots, each in a namespace, from a file with lines such as 'arm_1: {robot: ur5}':

ros2 launch rigid_tree_kinematics bringup.launch.py robots:=fleet.yaml
"""

from collections.abc import Sequence
from typing import Any

from launch import LaunchContext, LaunchDescription
from launch.actions import DeclareLaunchArgument
from launch.conditions import IfCondition
from launch.substitutions import LaunchConfiguration

from rigid_tree_kinematics.errors import UnknownNameError
from rigid_tree_kinematics.launching import (
    DESCRIPTION_ARGUMENTS,
    FLEET_ARGUMENTS,
    RobotNode,
    declared,
    nodes_have,
    number,
    page,
    robot_argument,
    robot_nodes,
    robot_or_fleet,
    robot_rviz,
    settings,
    tree_state_publisher,
    yaml_argument,
)

ARGUMENTS = (
    ("simulator", "true", "Simulate the robot. false: a driver publishes its joint states."),
    ("mode", "kinematic", "Simulation mode: kinematic, dynamic or free."),
    (
        "controller",
        "computed_torque",
        "For mode dynamic: computed_torque or pd_gravity.",
    ),
    ("controllers", "['']", "Prefixes of the trajectory topic and action: '[arm_controller]'."),
    ("initial_positions", "{}", "Initial positions, rad or m: '{panda_joint1: 1.0}'."),
    ("rate", "100.0", "Rate of the simulator's joint states, Hz."),
    ("real_time_factor", "1.0", "Simulated seconds per second."),
    ("paused", "false", "Start paused."),
    ("publish_clock", "false", "Publish the simulated time on /clock; all nodes use it."),
    ("ik", "true", "Start ik_server (inverse kinematics)."),
    ("tracked_body", "", "Link that follows topic ik_target. Empty: none."),
    ("planner", "true", "Start rrt_planner (motion planning)."),
    ("scene", "", "Name of a bundled scene, or path of a .yaml file. Empty: no obstacles."),
    ("srdf", "", "Path of an SRDF with states, groups and disabled collision pairs. Empty: none."),
    ("padding", "0.0", "Distance below which two bodies are in collision, m."),
    ("rviz", "false", "Show the robot in RViz with a draggable target, if installed."),
    ("rviz_config", "bringup.rviz", "RViz configuration of this package."),
)
TIME = "use_sim_time"


def initial_positions(context: LaunchContext) -> dict[str, Any]:
    """Return the positions of the argument; UnknownNameError for joints the robot lacks."""
    positions: dict[str, Any] = yaml_argument("initial_positions", "{joint: 0.5}", context)
    if positions:
        robot = robot_argument(context)  # not loaded here without positions
        for joint in positions:
            if joint not in robot.position_names:
                known, where = robot.position_names, "argument initial_positions"
                raise UnknownNameError("joint", joint, known, where)
    return positions


def simulator(context: LaunchContext) -> RobotNode:
    """Return the simulator, which loads the robot itself: URDF has no home positions."""
    parameters = settings(
        robot=str,
        package_paths=str,
        xacro_args=str,
        mode=str,
        controller=str,
        rate=float,
        real_time_factor=float,
        paused=bool,
        publish_clock=bool,
    )
    parameters["controllers"] = [str(c) for c in yaml_argument("controllers", "[name]", context)]
    initial = {
        f"initial_positions.{joint}": number(q, f"argument initial_positions: {joint}")
        for joint, q in initial_positions(context).items()
    }
    return RobotNode("robot_simulator", {**parameters, **initial}, "simulator")


def nodes(context: LaunchContext) -> Sequence[RobotNode]:
    """Return all nodes; all but the simulator read the robot from tree_state_publisher's topic."""
    prefix = settings(frame_prefix=str)
    common = prefix | settings(use_sim_time=bool)
    # RViz's draggable target needs a package that comes with RViz.
    has_rviz = IfCondition(LaunchConfiguration("rviz")).evaluate(context)
    target = has_rviz and nodes_have("interactive_markers")
    return [
        tree_state_publisher("simulator"),
        simulator(context),
        page(context),
        RobotNode("ik_server", common | settings(tracked_body=str), "ik"),
        RobotNode("rrt_planner", common | settings(scene=str, srdf=str, padding=float), "planner"),
        *([RobotNode("interactive_target", prefix)] if target else []),
    ]


def generate_launch_description() -> LaunchDescription:
    return LaunchDescription(
        [
            *declared(
                (row for row in DESCRIPTION_ARGUMENTS if row[0] != TIME),
                ARGUMENTS,
                FLEET_ARGUMENTS,
                further=[TIME],
            ),
            DeclareLaunchArgument(
                TIME,
                default_value=LaunchConfiguration("publish_clock"),
                description="Use simulated time from /clock.",
            ),
            robot_or_fleet(
                "bringup.launch.py",
                [robot_nodes(nodes), robot_rviz()],
                (*DESCRIPTION_ARGUMENTS, *ARGUMENTS),
            ),
        ]
    )
