"""Stand-in for the ROS 2 package ``launch_testing_ros``; see standalone/README.md."""

from .wait_for_topics import WaitForTopics

__all__ = ["WaitForTopics"]
