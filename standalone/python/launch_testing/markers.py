"""Marks of generate_test_description and of test methods."""

from __future__ import annotations

import functools
import time
from collections.abc import Callable
from typing import Any, TypeVar

_Function = TypeVar("_Function", bound=Callable)


def keep_alive(test_description: _Function) -> _Function:
    """Keep the launch running when its processes have ended, until the tests are done."""
    if not hasattr(test_description, "__markers__"):
        test_description.__markers__ = {}  # type: ignore[attr-defined]
    test_description.__markers__["keep_alive"] = True  # type: ignore[attr-defined]
    return test_description


def retry_on_failure(*, times: int, delay: float | None = None) -> Callable[[Callable], Callable]:
    """Return a decorator of test methods: up to ``times`` attempts, ``delay`` seconds apart."""
    if times <= 0:
        raise AssertionError(f"times must be positive, got {times}")

    def decorate(method: Callable) -> Callable:
        @functools.wraps(method)
        def attempt(self: Any, *args: Any, **kwargs: Any) -> Any:
            for _ in range(times - 1):
                try:
                    return method(self, *args, **kwargs)
                except AssertionError:
                    if delay is not None:
                        time.sleep(delay)
            return method(self, *args, **kwargs)

        return attempt

    return decorate
