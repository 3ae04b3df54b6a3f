"""Actions on ROS nodes."""

from .node import Node
from .push_ros_namespace import PushROSNamespace, PushRosNamespace
from .settings import SetParameter, SetParametersFromFile, SetRemap, SetUseSimTime

__all__ = [
    "Node",
    "PushROSNamespace",
    "PushRosNamespace",
    "SetParameter",
    "SetParametersFromFile",
    "SetRemap",
    "SetUseSimTime",
]
