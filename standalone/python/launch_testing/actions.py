"""Actions for launch tests."""

from collections.abc import Callable

from launch import Action, LaunchContext
from rigid_tree_stand_in import missing_name

__getattr__ = missing_name(__name__)


class ReadyToTest(Action):
    """Signals that the tests can start."""

    def __init__(self) -> None:
        super().__init__()
        self._start: Callable[[], None] = lambda: None

    def execute(self, context: LaunchContext) -> None:
        """Start the tests."""
        self._start()
