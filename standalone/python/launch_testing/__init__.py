"""Stand-in for the ROS 2 package ``launch_testing``; see standalone/README.md."""

from collections.abc import Callable
from typing import TypeVar

from rigid_tree_stand_in import missing_name

__getattr__ = missing_name(__name__)
_Class = TypeVar("_Class", bound=type)


def post_shutdown_test() -> Callable[[_Class], _Class]:
    """Return a class decorator for tests that run after all processes have exited."""

    def decorate(test_class: _Class) -> _Class:
        # The real launch_testing sets the same attribute.
        test_class.__post_shutdown_test__ = True  # type: ignore[attr-defined]  # the real mark
        return test_class

    return decorate
