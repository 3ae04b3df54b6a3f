"""A robot with everything needed to move it: driver, frames, inverse kinematics, planner.

ros2 launch rigid_tree_kinematics bringup.launch.py robot:=panda
ros2 run rigid_tree_kinematics move_robot panda_joint1=1.0     (in another shell)

Several robots, each in a namespace, from a file with lines such as 'arm_1: {robot: ur5}':

ros2 launch rigid_tree_kinematics bringup.launch.py robots:=fleet.yaml
"""

from collections.abc import Sequence
from typing import Any

from launch import LaunchContext, LaunchDescription, LaunchDescriptionEntity
from launch.actions import OpaqueFunction
from launch.substitutions import LaunchConfiguration

from rigid_tree_kinematics import launching
from rigid_tree_kinematics.errors import UnknownNameError
from rigid_tree_kinematics.launching import RobotNode, argument, setting, settings

CLOCK = LaunchConfiguration("publish_clock")
ARGUMENTS = (
    *(row for row in launching.DESCRIPTION_ARGUMENTS if row.name != "use_sim_time"),
    argument(
        "simulator", "true", "Simulate the robot. false: a driver publishes its joint states."
    ),
    argument("mode", "kinematic", "Simulation mode: kinematic, dynamic or free."),
    argument("controller", "computed_torque", "For mode dynamic: computed_torque or pd_gravity."),
    argument(
        "controllers", "['']", "Prefixes of the trajectory topic and action: '[arm_controller]'."
    ),
    argument("initial_positions", "{}", "Initial positions, rad or m: '{panda_joint1: 1.0}'."),
    argument("rate", "100.0", "Rate of the simulator's joint states, Hz."),
    argument("real_time_factor", "1.0", "Simulated seconds per second."),
    argument("paused", "false", "Start paused."),
    argument("publish_clock", "false", "Publish the simulated time on /clock; all nodes use it."),
    argument("ik", "true", "Start ik_server (inverse kinematics)."),
    argument("tracked_body", "", "Link that follows topic ik_target. Empty: none."),
    argument("planner", "true", "Start rrt_planner (motion planning)."),
    argument(
        "scene", "", "Name of a bundled scene, or path of a .yaml file. Empty: no obstacles."
    ),
    argument(
        "srdf",
        "",
        "Path of an SRDF with states, groups and disabled collision pairs. Empty: none.",
    ),
    argument("padding", "0.0", "Distance below which two bodies are in collision, m."),
    argument("rviz", "false", "Show the robot in RViz with a draggable target, if installed."),
    argument("rviz_config", "bringup.rviz", "RViz configuration of this package."),
    argument("use_sim_time", CLOCK, "Use simulated time from /clock."),
)


def initial_positions(context: LaunchContext) -> dict[str, Any]:
    """Return the positions as the simulator's parameters; raises UnknownNameError."""
    name = "initial_positions"
    where = launching.named(context, name)
    positions = launching.yaml_argument(context, name, "{joint: 0.5}")
    # The robot is loaded only to check positions.
    known = launching.robot_argument(context).position_names if positions else ()
    for joint in positions:
        if joint not in known:
            raise UnknownNameError("joint", joint, known, where)
    return {
        f"{name}.{joint}": launching.number(q, f"{where}: {joint}")
        for joint, q in positions.items()
    }


def simulator(context: LaunchContext) -> RobotNode:
    """Return the simulator, which loads the robot itself: URDF has no home positions."""
    texts = dict.fromkeys(("robot", "package_paths", "xacro_args", "mode", "controller"), str)
    parameters = settings(
        context, **texts, rate=float, real_time_factor=float, paused=bool, publish_clock=bool
    )
    prefixes = launching.yaml_argument(context, "controllers", "[name]")
    parameters["controllers"] = [str(prefix) for prefix in prefixes]
    return RobotNode("robot_simulator", parameters | initial_positions(context))


def nodes(context: LaunchContext) -> Sequence[RobotNode]:
    """Return all nodes; all but the simulator read the robot from tree_state_publisher's topic."""
    on = {n: setting(context, n, bool) for n in ("simulator", "ik", "planner", "rviz")}
    common = settings(context, frame_prefix=str, use_sim_time=bool)
    ik = common | settings(context, tracked_body=str)
    planner = common | settings(context, scene=str, srdf=str, padding=float)
    nodes = [launching.tree_state_publisher(context, "simulator")]
    nodes += [simulator(context)] if on["simulator"] else []
    nodes += launching.page_of_robot(context)
    nodes += [RobotNode("ik_server", ik)] if on["ik"] else []
    nodes += [RobotNode("rrt_planner", planner)] if on["planner"] else []
    # RViz's draggable target needs a package that comes with RViz.
    if on["rviz"] and launching.nodes_have("interactive_markers"):
        nodes.append(RobotNode("interactive_target", settings(context, frame_prefix=str)))
    return nodes


def launch_setup(context: LaunchContext) -> list[LaunchDescriptionEntity]:
    if setting(context, "robots", str):
        return [*launching.start_fleet(context, "bringup.launch.py", ARGUMENTS)]
    config = setting(context, "rviz_config", str)
    return [*launching.rviz(context, config), *launching.robot_nodes(context, nodes(context))]


def generate_launch_description() -> LaunchDescription:
    arguments = launching.declared(ARGUMENTS, launching.FLEET_ARGUMENTS)
    return LaunchDescription([*arguments, OpaqueFunction(function=launch_setup)])
