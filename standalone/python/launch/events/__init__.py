"""Events of the launch system."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rigid_tree_stand_in import missing_name

from .._bases import Event, LaunchDescriptionEntity
from . import process

if TYPE_CHECKING:
    from ..actions import TimerAction

__all__ = ["IncludeLaunchDescription", "Shutdown", "TimerEvent", "process"]
__getattr__ = missing_name(__name__)


class IncludeLaunchDescription(Event):
    """Requests a visit of a launch description."""

    name = "launch.events.IncludeLaunchDescription"

    def __init__(self, launch_description: LaunchDescriptionEntity) -> None:
        self.launch_description = launch_description


class Shutdown(Event):
    """Requests a shutdown; ``due_to_sigint`` if the user pressed Ctrl-C."""

    name = "launch.events.Shutdown"

    def __init__(self, *, reason: str = "reason not given", due_to_sigint: bool = False) -> None:
        self.reason = reason
        self.due_to_sigint = due_to_sigint


class TimerEvent(Event):
    """A timer has expired."""

    name = "launch.events.TimerEvent"

    def __init__(self, *, timer_action: TimerAction) -> None:
        self.timer_action = timer_action
