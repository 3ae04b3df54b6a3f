"""Arguments of the launch files of one robot, which include this file; it starts nothing."""

from launch import LaunchDescription

from rigid_tree_kinematics.launching import argument

ARGUMENTS = (
    argument(
        "robot", "panda", "Name of a bundled robot, or path of a .urdf, .xacro or .yaml file."
    ),
    argument(
        "package_paths",
        "",
        "Folders with packages or meshes that the robot's file refers to, separated by "
        "':'. A package's folder can have another name.",
    ),
    argument("xacro_args", "", "Arguments of a .xacro file: 'name:=ur ur_type:=ur5e'."),
    argument("namespace", "", "Namespace of the robot's nodes and topics, except /tf."),
    argument("frame_prefix", "", "Prefix of all frame names, such as 'left/'."),
    argument("parent_frame", "", "Fixed parent frame of the robot's base. Empty: none."),
    argument(
        "base_pose", "[0, 0, 0, 0, 0, 0]", "Base in parent_frame: x, y, z (m), roll, pitch, yaw."
    ),
    argument(
        "meshes", "simple", "Drawn shapes: simple or real (Panda, UR5; needs example-robot-data)."
    ),
    argument("publish_frequency", "0.0", "Maximum rate of each joint's frames, Hz. 0: no limit."),
    argument("ignore_timestamp", "false", "Also publish frames of joint states with old stamps."),
    argument("use_sim_time", "false", "Use simulated time from /clock."),
    argument(
        "simulator",
        "true",
        "Simulate the robot. false: a driver moves it and publishes its joint states.",
    ),
    argument("rate", "100.0", "Rate of the joint states, Hz."),
    argument(
        "scene", "", "Name of a bundled scene, or path of a .yaml file. Empty: no obstacles."
    ),
    argument(
        "srdf",
        "",
        "Path of an SRDF with states, groups and disabled collision pairs. Empty: a "
        "bundled robot's own in moveit.launch.py, else none.",
    ),
    argument("padding", "0.0", "Distance below which two bodies are in collision, m."),
    argument("web", "false", "Show the robot in the browser (web_viewer)."),
    argument("web_port", "8080", "Port of the page."),
    argument(
        "web_host",
        "127.0.0.1",
        "Address that serves the page; addresses other than loopback (0.0.0.0) need a token.",
    ),
    argument(
        "web_token", "", "Token of the page. Empty: none on loopback, a random one elsewhere."
    ),
    argument("rviz", "false", "Show the robot in RViz, if it is installed."),
    argument("processes", "one", "one: all nodes in one process. each: one process per node."),
)


def generate_launch_description() -> LaunchDescription:
    return LaunchDescription(ARGUMENTS)
