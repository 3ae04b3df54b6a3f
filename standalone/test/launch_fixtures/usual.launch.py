"""A typical launch file, which works without a ROS installation."""

import sys

from launch import LaunchDescription
from launch.actions import (
    DeclareLaunchArgument,
    EmitEvent,
    ExecuteProcess,
    GroupAction,
    IncludeLaunchDescription,
    LogInfo,
    OpaqueFunction,
    RegisterEventHandler,
    SetEnvironmentVariable,
    TimerAction,
)
from launch.conditions import IfCondition, UnlessCondition
from launch.event_handlers import OnProcessExit, OnProcessStart, OnShutdown
from launch.events import Shutdown
from launch.launch_description_sources import PythonLaunchDescriptionSource
from launch.substitutions import (
    Command,
    EnvironmentVariable,
    FindExecutable,
    LaunchConfiguration,
    PathJoinSubstitution,
    PythonExpression,
    TextSubstitution,
    ThisLaunchFileDir,
)
from launch_ros.actions import Node, PushRosNamespace, SetParameter
from launch_ros.descriptions import ParameterValue
from launch_ros.substitutions import FindPackageShare

ECHO = "import sys; print('arguments', *sys.argv[1:])"


def parameters(context):
    model = LaunchConfiguration("model").perform(context)
    return [LogInfo(msg=f"model {model}")]


def generate_launch_description():
    description = Command([FindExecutable(name="echo"), " robot ", LaunchConfiguration("model")])
    node = Node(
        executable=sys.executable,  # a package's node would also have package="..."
        name="talker",
        namespace=LaunchConfiguration("side"),
        arguments=["-c", ECHO, TextSubstitution(text="word")],
        parameters=[
            {
                "robot_description": ParameterValue(description, value_type=str),
                "rate": 50.0,
                "names": ["a", "b"],
            },
            PathJoinSubstitution([ThisLaunchFileDir(), "usual.yaml"]),
        ],
        remappings=[("chatter", "/speech")],
        output="screen",
    )
    side = PythonExpression(["'right' if '", LaunchConfiguration("model"), "' == 'nao' else 'l'"])
    return LaunchDescription(
        [
            DeclareLaunchArgument("model", default_value="panda", choices=["panda", "nao"]),
            DeclareLaunchArgument("side", default_value=side, description="which arm"),
            DeclareLaunchArgument("quiet", default_value="false"),
            SetEnvironmentVariable("A_WORD", "hello"),
            LogInfo(
                msg=["word ", EnvironmentVariable("A_WORD")],
                condition=UnlessCondition(LaunchConfiguration("quiet")),
            ),
            LogInfo(msg="quiet", condition=IfCondition(LaunchConfiguration("quiet"))),
            LogInfo(msg=["share ", FindPackageShare("std_msgs")]),
            OpaqueFunction(function=parameters),
            IncludeLaunchDescription(
                PythonLaunchDescriptionSource([ThisLaunchFileDir(), "/included.launch.py"]),
                launch_arguments={"robot": LaunchConfiguration("model")}.items(),
            ),
            GroupAction([PushRosNamespace("arms"), SetParameter("use_sim_time", True), node]),
            RegisterEventHandler(OnProcessStart(target_action=node, on_start=[LogInfo(msg="up")])),
            RegisterEventHandler(
                OnProcessExit(
                    target_action=node,
                    on_exit=[
                        TimerAction(
                            period=0.1, actions=[EmitEvent(event=Shutdown(reason="all done"))]
                        )
                    ],
                )
            ),
            RegisterEventHandler(OnShutdown(on_shutdown=[LogInfo(msg="down")])),
            ExecuteProcess(cmd=["sleep", "1000"], respawn=True, respawn_delay=1.0, output="log"),
        ]
    )
