"""The ROS 2 nodes: one file each, thin around the library; nothing below this imports rclpy."""
