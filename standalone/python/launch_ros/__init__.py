"""Stand-in for the ROS 2 package ``launch_ros``; see standalone/README.md."""

from rigid_tree_stand_in import missing_name

from . import actions, descriptions, parameter_descriptions, substitutions

__getattr__ = missing_name(__name__)
