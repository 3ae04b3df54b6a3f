"""Events of the launch system."""

from rigid_tree_stand_in import missing_name

from .._bases import Event, LaunchDescriptionEntity
from . import process

__getattr__ = missing_name(__name__)


class IncludeLaunchDescription(Event):
    """Requests a visit of a launch description."""

    def __init__(self, launch_description: LaunchDescriptionEntity) -> None:
        self.launch_description = launch_description


class Shutdown(Event):
    """Requests a shutdown; ``due_to_sigint`` if the user pressed Ctrl-C."""

    def __init__(self, *, reason: str = "reason not given", due_to_sigint: bool = False) -> None:
        self.reason = reason
        self.due_to_sigint = due_to_sigint
