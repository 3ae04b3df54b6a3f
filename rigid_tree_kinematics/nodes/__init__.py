"""The ROS 2 nodes, thin wrappers of the library; only this package imports rclpy."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from importlib.metadata import EntryPoint

GROUP = "rigid_tree_kinematics.nodes"  # of entry points, in every package's setup.py


@cache
def programs() -> dict[str, EntryPoint]:
    """Return the programs of all installed packages by name."""
    from importlib.metadata import entry_points  # not at the top: it loads the package email

    return {point.name: point for point in entry_points(group=GROUP)}


def module_of(program: str) -> str:
    """Return the full name of the module that a program runs, such as "ik_server"."""
    return programs()[program].module


def maker_of(program: str) -> Any:
    """Return what makes a program's node, its class or a function.

    Imports its module, and compiles kernels that are not compiled: no request waits for that.
    """
    from rigid_tree_kinematics.kernels.first_call import compile_missing

    make = programs()[program].load()
    compile_missing()
    return make
