"""Condition: a predicate that is evaluated while launching."""

from __future__ import annotations

from collections.abc import Callable

from .launch_context import LaunchContext


class Condition:
    """A predicate over the launch context; without a predicate it never holds."""

    def __init__(self, *, predicate: Callable[[LaunchContext], bool] | None = None) -> None:
        """Create a condition from a function of the context."""
        self._predicate = predicate

    def evaluate(self, context: LaunchContext) -> bool:
        """Return whether the condition holds now."""
        return self._predicate is not None and self._predicate(context)
