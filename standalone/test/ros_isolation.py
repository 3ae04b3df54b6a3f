"""Keeps a test process by itself: own domain, this machine only. Import before rclpy.init()."""

import os

# Domains up to 101 are safe on every system.
os.environ["ROS_DOMAIN_ID"] = str(1 + os.getpid() % 49)
os.environ["ROS_AUTOMATIC_DISCOVERY_RANGE"] = "LOCALHOST"
