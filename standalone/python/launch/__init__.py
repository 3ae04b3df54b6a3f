"""Stand-in for the ROS 2 package ``launch``; see standalone/README.md."""

from rigid_tree_stand_in import missing_name

from . import (
    actions,
    conditions,
    event_handlers,
    events,
    launch_description_sources,
    logging,
    substitutions,
)
from .action import Action
from .condition import Condition
from .event import Event
from .event_handler import EventHandler
from .launch_context import LaunchContext
from .launch_description import LaunchDescription
from .launch_description_entity import LaunchDescriptionEntity
from .launch_description_source import LaunchDescriptionSource
from .launch_service import LaunchService
from .some_entities_type import SomeEntitiesType
from .some_substitutions_type import SomeSubstitutionsType
from .substitution import Substitution

__all__ = [
    "Action",
    "Condition",
    "Event",
    "EventHandler",
    "LaunchContext",
    "LaunchDescription",
    "LaunchDescriptionEntity",
    "LaunchDescriptionSource",
    "LaunchService",
    "SomeEntitiesType",
    "SomeSubstitutionsType",
    "Substitution",
    "actions",
    "conditions",
    "event_handlers",
    "events",
    "launch_description_sources",
    "logging",
    "substitutions",
]
__getattr__ = missing_name(__name__)
