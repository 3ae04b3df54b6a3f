"""The mark of tests that look at what a launch left behind."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

_Class = TypeVar("_Class", bound=type)


def post_shutdown_test() -> Callable[[_Class], _Class]:
    """Return a class decorator: these tests wait until all processes have ended."""

    def decorate(test_class: _Class) -> _Class:
        if not isinstance(test_class, type):
            raise TypeError("post_shutdown_test should decorate test classes")
        # The mark that the real launch_testing sets, too; any class may carry it.
        test_class.__post_shutdown_test__ = True  # type: ignore[attr-defined]  # the real mark
        return test_class

    return decorate
