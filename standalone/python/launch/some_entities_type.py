"""The type of "one entity or several"."""

import collections.abc
from collections.abc import Iterable
from typing import Union

from .launch_description_entity import LaunchDescriptionEntity

SomeEntitiesType = Union[LaunchDescriptionEntity, Iterable[LaunchDescriptionEntity]]  # noqa: UP007
SomeEntitiesType_types_tuple = (LaunchDescriptionEntity, collections.abc.Iterable)
