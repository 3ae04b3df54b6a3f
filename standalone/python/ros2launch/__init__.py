"""Stand-in for the ROS 2 package ``ros2launch``; see standalone/README.md."""
