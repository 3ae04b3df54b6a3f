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
from ._bases import (
    Condition,
    Event,
    LaunchDescriptionEntity,
    SomeEntitiesType,
    SomeSubstitutionsType,
    Substitution,
)
from .action import Action
from .event_handlers import EventHandler
from .launch_context import LaunchContext
from .launch_description_sources import LaunchDescription, LaunchDescriptionSource
from .launch_service import LaunchService

__getattr__ = missing_name(__name__)
