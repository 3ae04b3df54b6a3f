"""Errors for names, modules and arguments that only the real packages have."""

import sys
from collections.abc import Callable, Iterable
from importlib.util import find_spec
from typing import NoReturn

PACKAGES = ("launch", "launch_ros", "launch_testing", "tf2_py", "tf2_ros")


def not_covered(what: str) -> str:
    """Return the error message for a missing part of a stand-in."""
    return (
        f"{what} needs a ROS 2 installation; without one, launch, launch_ros, launch_testing and "
        "tf2_ros are limited to the parts listed in standalone/README.md"
    )


def reject_arguments(owner: object, unknown: Iterable[str]) -> None:
    """Raise TypeError for the first unknown argument of an object's constructor."""
    for name in unknown:
        raise TypeError(not_covered(f"argument '{name}' of {type(owner).__name__}"))


def missing_name(module: str) -> Callable[[str], NoReturn]:
    """Return the ``__getattr__`` of a stand-in module.

    It raises ImportError for missing names, also in ``from module import name``.
    """

    def refuse(name: str) -> NoReturn:
        is_package = "__path__" in vars(sys.modules[module])
        if name.startswith("_") or (is_package and find_spec(f"{module}.{name}") is not None):
            raise AttributeError(f"module '{module}' has no attribute '{name}'")
        raise ImportError(not_covered(f"{module}.{name}"), name=module)

    return refuse
