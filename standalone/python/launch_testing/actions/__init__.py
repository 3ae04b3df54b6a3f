"""Actions for launch tests."""

from __future__ import annotations

from collections.abc import Callable

from launch.action import Action
from launch.launch_context import LaunchContext
from rigid_tree_stand_in import missing_name

__all__ = ["ReadyToTest"]
__getattr__ = missing_name(__name__)


class ReadyToTest(Action):
    """Signals that the tests can start."""

    def __init__(self) -> None:
        """Create the action."""
        super().__init__()
        self._callbacks: list[Callable[[], None]] = []

    def _add_callback(self, callback: Callable[[], None]) -> None:
        self._callbacks.append(callback)

    def execute(self, context: LaunchContext) -> None:
        """Start the tests."""
        for callback in self._callbacks:
            callback()
