"""Two robots at once: the Panda sweeps its joints, a simulated NAO wakes up and waves.

Their frames are printed. Then inverse kinematics is asked for joint positions that bring the
Panda's flange to a pose, and the Panda moves there.

ros2 launch rigid_tree_kinematics demo.launch.py [rviz:=true] [once:=true]
"""

from importlib.util import find_spec

from ament_index_python.packages import PackageNotFoundError, get_package_prefix
from launch import LaunchContext, LaunchDescription
from launch.action import Action
from launch.actions import (
    DeclareLaunchArgument,
    EmitEvent,
    GroupAction,
    IncludeLaunchDescription,
    LogInfo,
    OpaqueFunction,
    RegisterEventHandler,
    TimerAction,
)
from launch.conditions import IfCondition, UnlessCondition
from launch.event_handlers import OnProcessExit
from launch.events import Shutdown
from launch.events.process import ProcessExited
from launch.launch_description_sources import PythonLaunchDescriptionSource
from launch.substitutions import LaunchConfiguration, PathJoinSubstitution, ThisLaunchFileDir
from launch_ros.actions import Node
from launch_ros.parameter_descriptions import ParameterValue

FRAMES = [
    "panda/panda_link0 panda/panda_link4",
    "panda/panda_link0 panda/panda_link8",
    "nao/base_link nao/Head",
    "nao/base_link nao/r_gripper",
]
# libqi, which the NAO is spoken to by, does not exist for every Python: then it sweeps, too.
HAS_LIBQI = find_spec("qi") is not None
MOVE_AFTER = 10.0  # s of sweeping before the Panda is asked to a pose
running_parts = {"move", "wave"} if HAS_LIBQI else {"move"}
HINTS = (
    "Running: the Panda in namespace /panda, the NAO in namespace /nao; Ctrl-C ends them. "
    "In another terminal, after '. standalone/setup.bash':\n"
    "  ros2 topic echo /tf\n"
    "  ros2 topic hz /tf\n"
    "  ros2 topic echo /panda/joint_states\n"
    "  ros2 service call /nao/get_posture nao_motion_interfaces/srv/GetText"
)


def robot(name: str) -> GroupAction:
    """Return one robot, whose arguments stay inside the group."""
    return GroupAction(
        [
            IncludeLaunchDescription(
                PythonLaunchDescriptionSource(
                    PathJoinSubstitution([ThisLaunchFileDir(), "description.launch.py"])
                ),
                launch_arguments={
                    "robot": name,
                    "namespace": name,
                    "frame_prefix": f"{name}/",
                    "sweep": "true",
                    "rviz": "false",
                }.items(),
            )
        ]
    )


def nao() -> list[Action]:
    """Return a simulated NAO and what lets it wave; without libqi, one that sweeps."""
    if not HAS_LIBQI:
        word = "The NAO only sweeps its joints: libqi (pip install qi) is not installed."
        return [LogInfo(msg=word), robot("nao")]
    simulated = IncludeLaunchDescription(
        PythonLaunchDescriptionSource(
            PathJoinSubstitution([ThisLaunchFileDir(), "nao.launch.py"])
        ),
        launch_arguments={
            "frame_prefix": "nao/",
            "nao_port": LaunchConfiguration("nao_port"),
            "rviz": "false",
        }.items(),
    )
    wave = Node(
        package="rigid_tree_kinematics",
        executable="nao_demo",
        namespace="nao",
        parameters=[{"once": ParameterValue(LaunchConfiguration("once"), value_type=bool)}],
        output="screen",
    )
    ended = RegisterEventHandler(OnProcessExit(target_action=wave, on_exit=end_of_wave))
    return [GroupAction([simulated]), ended, wave]


def stand_side_by_side(context: LaunchContext) -> list[Action]:
    """Put both robots into one world, for RViz; tf2_ros with its publisher comes with RViz."""
    try:
        get_package_prefix("rviz2")
    except PackageNotFoundError:
        return []
    places = {"panda/panda_link0": ("0.0", "0.0")}
    places |= {"nao/odom": ("0.8", "0.0")} if HAS_LIBQI else {"nao/base_link": ("0.8", "0.33")}
    return [
        Node(
            package="tf2_ros",
            executable="static_transform_publisher",
            name=f"world_to_{base.split('/')[0]}",
            arguments=["--y", y, "--z", z, "--frame-id", "world", "--child-frame-id", base],
        )
        for base, (y, z) in places.items()
    ]


def inverse_kinematics() -> Node:
    """Return the program that asks for a pose and moves the Panda there."""
    return Node(
        package="rigid_tree_kinematics",
        executable="ik_demo",
        namespace="panda",
        output="screen",
    )


def end_of_watch(event: ProcessExited, context: LaunchContext) -> list[Action]:
    """Go on with inverse kinematics; an exception is what makes ``ros2 launch`` exit with 1."""
    if context.is_shutdown:
        return []
    if event.returncode:
        raise RuntimeError("the demo failed: not all frames were received moving")
    mover = inverse_kinematics()
    return [RegisterEventHandler(OnProcessExit(target_action=mover, on_exit=end_of_move)), mover]


def end_of_move(event: ProcessExited, context: LaunchContext) -> list[Action]:
    if event.returncode:
        raise RuntimeError("the demo failed: the Panda did not arrive at the pose")
    return end_of_part("move")


def end_of_wave(event: ProcessExited, context: LaunchContext) -> list[Action]:
    if event.returncode and not context.is_shutdown:
        raise RuntimeError("the demo failed: the NAO did not wave")
    return end_of_part("wave")


def end_of_part(part: str) -> list[Action]:
    """End the demo with its last part."""
    running_parts.discard(part)
    if running_parts:
        return []
    return [EmitEvent(event=Shutdown(reason="the demo is over"))]


def generate_launch_description() -> LaunchDescription:
    watch = Node(
        package="rigid_tree_kinematics",
        executable="frame_watch",
        parameters=[
            {
                "frames": FRAMES,
                "once": ParameterValue(LaunchConfiguration("once"), value_type=bool),
            }
        ],
        output="screen",
    )
    show = IfCondition(LaunchConfiguration("rviz"))
    return LaunchDescription(
        [
            DeclareLaunchArgument(
                "once",
                default_value="false",
                description="End by itself, after both robots' frames were received moving and "
                "the Panda went to a pose.",
            ),
            DeclareLaunchArgument(
                "nao_port", default_value="9559", description="Port of the simulated NAO."
            ),
            DeclareLaunchArgument(
                "rviz", default_value="false", description="Show both in RViz, where installed."
            ),
            RegisterEventHandler(OnProcessExit(target_action=watch, on_exit=end_of_watch)),
            robot("panda"),
            *nao(),
            LogInfo(msg=HINTS),
            Node(
                package="rigid_tree_kinematics",
                executable="ik_server",
                namespace="panda",
                parameters=[{"frame_prefix": "panda/"}],
                output="screen",
            ),
            watch,
            # With once, the end of the watch starts it.
            TimerAction(
                period=MOVE_AFTER,
                actions=[inverse_kinematics()],
                condition=UnlessCondition(LaunchConfiguration("once")),
            ),
            OpaqueFunction(function=stand_side_by_side, condition=show),
            GroupAction(
                [
                    IncludeLaunchDescription(
                        PythonLaunchDescriptionSource(
                            PathJoinSubstitution([ThisLaunchFileDir(), "rviz.launch.py"])
                        ),
                        launch_arguments={
                            "rviz_config": PathJoinSubstitution(
                                [ThisLaunchFileDir(), "..", "config", "demo.rviz"]
                            ),
                            "fixed_frame": "world",
                        }.items(),
                    )
                ],
                condition=show,
            ),
        ]
    )
