"""The ROS 2 nodes, thin wrappers of the library; only this package imports rclpy."""

from importlib import import_module
from typing import Any

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


def maker_of(program: str) -> Any:
    """Return what makes a program's node: the class of its name, or ``make_node``."""
    module = import_module(module_of(program))
    return getattr(module, "make_node", None) or getattr(module, program.title().replace("_", ""))
