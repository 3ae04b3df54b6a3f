"""Stand-in for the ROS 2 package ``launch_ros``; see standalone/README.md."""

from . import actions, descriptions, parameter_descriptions, ros_adapters, substitutions

__all__ = ["actions", "descriptions", "parameter_descriptions", "ros_adapters", "substitutions"]
