"""Events of the launch system."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from ..action import Action
from ..event import Event
from ..launch_description_entity import LaunchDescriptionEntity
from . import process

if TYPE_CHECKING:
    from ..actions import TimerAction

__all__ = [
    "ExecutionComplete",
    "IncludeLaunchDescription",
    "Shutdown",
    "TimerEvent",
    "matches_action",
    "process",
]


class ExecutionComplete(Event):
    """An action is complete."""

    name = "launch.events.ExecutionComplete"

    def __init__(self, *, action: Action) -> None:
        """Create the event of ``action``."""
        self.__action = action

    @property
    def action(self) -> Action:
        """The action."""
        return self.__action


class IncludeLaunchDescription(Event):
    """A launch description is to be visited."""

    name = "launch.events.IncludeLaunchDescription"

    def __init__(self, launch_description: LaunchDescriptionEntity) -> None:
        """Create the event for a launch description."""
        self.__launch_description = launch_description

    @property
    def launch_description(self) -> LaunchDescriptionEntity:
        """The launch description."""
        return self.__launch_description


class Shutdown(Event):
    """The launch is to be shut down."""

    name = "launch.events.Shutdown"

    def __init__(self, *, reason: str = "reason not given", due_to_sigint: bool = False) -> None:
        """Create the event; ``due_to_sigint`` says that the user pressed Ctrl-C."""
        self.__reason = reason
        self.__due_to_sigint = due_to_sigint

    @property
    def reason(self) -> str:
        """Why the launch is shut down."""
        return self.__reason

    @property
    def due_to_sigint(self) -> bool:
        """Whether the user pressed Ctrl-C."""
        return self.__due_to_sigint


class TimerEvent(Event):
    """A timer has run out."""

    name = "launch.events.TimerEvent"

    def __init__(self, *, timer_action: TimerAction) -> None:
        """Create the event of a timer."""
        self.__timer_action = timer_action

    @property
    def timer_action(self) -> TimerAction:
        """The timer."""
        return self.__timer_action


def matches_action(target_action: Action) -> Callable[[Action], bool]:
    """Return a function that is true for just this action."""
    return lambda action: action == target_action
