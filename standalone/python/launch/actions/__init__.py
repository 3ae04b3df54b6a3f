"""Actions: what a launch description can do."""

from rigid_tree_stand_in import missing_name

from .declare_launch_argument import DeclareLaunchArgument
from .events import EmitEvent, RegisterEventHandler, Shutdown
from .execute_process import ExecuteProcess
from .group_action import GroupAction
from .include_launch_description import IncludeLaunchDescription
from .log_info import LogInfo
from .opaque_function import OpaqueFunction
from .settings import SetEnvironmentVariable, SetLaunchConfiguration
from .timer_action import TimerAction

__all__ = [
    "DeclareLaunchArgument",
    "EmitEvent",
    "ExecuteProcess",
    "GroupAction",
    "IncludeLaunchDescription",
    "LogInfo",
    "OpaqueFunction",
    "RegisterEventHandler",
    "SetEnvironmentVariable",
    "SetLaunchConfiguration",
    "Shutdown",
    "TimerAction",
]
__getattr__ = missing_name(__name__)
