"""The ROS 2 nodes, thin wrappers of the library; only this package imports rclpy."""

from __future__ import annotations

# The programs that are not directly in this folder.
_ROOMS = {
    "frame_watch": "tools",
    "ik_demo": "demos",
    "interactive_target": "tools",
    "joint_state_source": "tools",
    "move_robot": "tools",
    "nao_demo": "demos",
    "planning_demo": "demos",
    "reachability_display": "tools",
    "servo_keyboard": "tools",
    "tour": "demos",
}


def module_of(program: str) -> str:
    """Return the full name of the module that a program runs, such as "ik_server"."""
    return ".".join(filter(None, (__name__, _ROOMS.get(program), program)))
