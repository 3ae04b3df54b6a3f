"""What the stand-ins say of a name, a module or an argument that only the real packages have."""

from __future__ import annotations

import sys
from collections.abc import Callable
from importlib.util import find_spec
from typing import NoReturn

PACKAGES = ("launch", "launch_ros", "launch_testing", "tf2_py", "tf2_ros")


def not_covered(what: str) -> str:
    """Return the sentence that says so, and where to read what there is."""
    return (
        f"{what} needs a ROS 2 installation: without one, only the part of launch, launch_ros, "
        "launch_testing and tf2_ros is there that standalone/README.md lists"
    )


def missing_name(module: str) -> Callable[[str], NoReturn]:
    """Return the ``__getattr__`` of a module of which only some names are there.

    It raises ImportError, which ``from module import name`` passes on with its message.
    """

    def refuse(name: str) -> NoReturn:
        is_package = "__path__" in vars(sys.modules[module])
        if name.startswith("_") or (is_package and find_spec(f"{module}.{name}") is not None):
            raise AttributeError(f"module '{module}' has no attribute '{name}'")
        raise ImportError(not_covered(f"{module}.{name}"), name=module)

    return refuse
