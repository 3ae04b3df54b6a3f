"""How long to wait until the tests can begin."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

_Function = TypeVar("_Function", bound=Callable)


def ready_to_test_action_timeout(timeout: float) -> Callable[[_Function], _Function]:
    """Return a decorator of generate_test_description: seconds until ReadyToTest (default 15)."""

    def decorate(function: _Function) -> _Function:
        function.__ready_to_test_action_timeout__ = timeout  # type: ignore[attr-defined]  # real
        return function

    return decorate
