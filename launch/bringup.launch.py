"""A robot with everything needed to move it: driver, frames, inverse kinematics, planner.

ros2 launch rigid_tree_kinematics bringup.launch.py robot:=panda
Several robots, each in a namespace, from a file with lines such as 'arm_1: {robot: ur5}':
ros2 launch rigid_tree_kinematics bringup.launch.py robots:=fleet.yaml
"""

from functools import partial

from ament_index_python.packages import get_packages_with_prefixes
from launch import Action, LaunchContext, LaunchDescription
from launch.actions import IncludeLaunchDescription
from launch.substitutions import LaunchConfiguration
from launch_ros.substitutions import FindPackageShare

from rigid_tree_kinematics import launching
from rigid_tree_kinematics.launching import PACKAGE, Nodes, argument

ENTITIES = (
    argument("mode", "kinematic", "Simulation mode: kinematic, dynamic or free."),
    argument("controller", "computed_torque", "In mode dynamic: computed_torque or pd_gravity."),
    argument("controllers", "['']", "Prefixes of trajectory topic, action: '[arm_controller]'."),
    argument("initial_positions", "{}", "Initial positions, rad or m: '{panda_joint1: 1.0}'."),
    argument("real_time_factor", "1.0", "Simulated seconds per second."),
    argument("paused", "false", "Start paused."),
    argument("publish_clock", "false", "Publish the simulated time on /clock; all nodes use it."),
    argument("use_sim_time", LaunchConfiguration("publish_clock"), "Use the time of /clock."),
    argument("joint_state_source", "false", "Publish joint states; needs simulator:=false."),
    argument("sweep", "false", "joint_state_source moves the joints slowly within their limits."),
    argument("await_joint_states", "false", "Do not warn before a driver's joint states."),
    argument("ik", "true", "Start ik_server (inverse kinematics)."),
    argument("timeout", "0.1", "Time limit of IK requests without a timeout, s."),
    argument("tracked_body", "", "Link that follows topic ik_target. Empty: none."),
    argument("tracked_base", "", "Link that stays fixed while tracking. Empty: robot's root."),
    argument("planner", "true", "Start rrt_planner. Or its default: rrt_connect, aorrtc or rrt."),
    argument("time_limit", "5.0", "Default time limit of planning requests, s."),
    argument("tip", "", "Link whose path is drawn. Empty: the end of the longest chain."),
    argument("rviz_config", "bringup.rviz", "RViz configuration of this package, or a path."),
    argument("robots", "", "File of a fleet: 'arm_1: {robot: ur5}' for each namespace."),
    argument("hosts", "1", "Number of processes for the robots of a fleet."),
    IncludeLaunchDescription([FindPackageShare(PACKAGE), "/launch/robot_arguments.launch.py"]),
)
OF_FLEET = {"robots", "hosts", "namespace", "processes", "rviz", "web"}  # of all its robots


def robot_nodes(context: LaunchContext) -> Nodes:
    """Return the nodes of a robot with their parameters."""
    is_on = partial(launching.is_on, context)
    texts, values = partial(launching.texts, context), partial(launching.values, context)
    robot, common, frames = launching.robot(context)
    sources = values("simulator", "joint_state_source", "await_joint_states")
    nodes = {"tree_state_publisher": frames | {"await_joint_states": any(sources.values())}}
    if is_on("simulator"):
        time = values("rate", "real_time_factor", "paused", "publish_clock")
        drive = texts("mode", "controller") | values("controllers", "initial_positions")
        nodes["robot_simulator"] = robot | drive | time
    if is_on("joint_state_source"):
        mode = "sweep" if is_on("sweep") else "positions"
        nodes["joint_state_source"] = {**robot, **values("use_sim_time", "rate"), "mode": mode}
    if is_on("web") and not texts("robots")["robots"]:  # a fleet has one page
        nodes["web_viewer"] = launching.page(context, [common["frame_prefix"]])
    if is_on("ik"):
        nodes["ik_server"] = common | texts("tracked_body", "tracked_base") | values("timeout")
    planner = values("planner")["planner"]
    if planner is not False:
        scene = texts("scene", "srdf", "tip") | values("padding", "time_limit")
        nodes["rrt_planner"] = common | scene | ({} if planner is True else {"planner": planner})
    if is_on("rviz") and "interactive_markers" in get_packages_with_prefixes():
        nodes["interactive_target"] = texts("frame_prefix")
    return nodes


def launch_setup(context: LaunchContext) -> list[Action]:
    file, rviz = launching.texts(context, "robots")["robots"], launching.is_on(context, "rviz")
    if file and rviz:
        raise RuntimeError("rviz:=true supports one robot only: show a fleet with web:=true")
    known = {row.name for row in LaunchDescription(ENTITIES).get_launch_arguments()} - OF_FLEET
    hosts = launching.values(context, "hosts")["hosts"]
    if not isinstance(hosts, int) or hosts < 1:
        raise RuntimeError(f"argument hosts must be 1 or more, not '{hosts}'")
    hosted: list[Nodes] = [{} for _ in range(hosts)]
    frames: Nodes = {}
    for number, name in enumerate(launching.fleet(context, known) if file else [""]):
        hosted[number % hosts] |= {f"{name}/{node}": p for node, p in robot_nodes(context).items()}
        frames[name] = launching.texts(context, "frame_prefix", "parent_frame")
    if file and launching.is_on(context, "web"):
        prefixes, parents = zip(*(row.values() for row in frames.values()), strict=True)
        shown = {"robots": [*frames], "fixed_frame": parents[0]}
        hosted[0]["web_viewer"] = launching.page(context, prefixes) | shown
    actions = [host for nodes in hosted if nodes for host in launching.hosts(context, nodes)]
    include = IncludeLaunchDescription([FindPackageShare(PACKAGE), "/launch/rviz.launch.py"])
    return [include, *actions] if rviz else actions


def generate_launch_description() -> LaunchDescription:
    return launching.description(__file__, [*ENTITIES, launching.setup(launch_setup)])
