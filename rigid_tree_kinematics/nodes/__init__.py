"""The ROS 2 nodes, thin wrappers of the library; only this package imports rclpy."""

from functools import cache
from importlib.metadata import EntryPoint, entry_points
from typing import Any

GROUP = "rigid_tree_kinematics.nodes"  # of entry points, in every package's setup.py


@cache
def programs() -> dict[str, EntryPoint]:
    """Return the programs of all installed packages by name."""
    return {point.name: point for point in entry_points(group=GROUP)}


def module_of(program: str) -> str:
    """Return the full name of the module that a program runs, such as "ik_server"."""
    return programs()[program].module


def maker_of(program: str) -> Any:
    """Return what makes a program's node, its class or a function; imports its module."""
    return programs()[program].load()
