"""Actions on ROS nodes."""

from rigid_tree_stand_in import missing_name

from .node import Node
from .push_ros_namespace import PushROSNamespace, PushRosNamespace
from .set_parameter import SetParameter

__all__ = ["Node", "PushROSNamespace", "PushRosNamespace", "SetParameter"]
__getattr__ = missing_name(__name__)
