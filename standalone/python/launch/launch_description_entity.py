"""LaunchDescriptionEntity: whatever a launch description may contain."""

from __future__ import annotations

import asyncio
from collections.abc import Iterable
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from .launch_context import LaunchContext


class LaunchDescriptionEntity:
    """Base class of actions and of the launch description itself."""

    def describe_sub_entities(self) -> list[LaunchDescriptionEntity]:
        """Return the entities that are certainly visited with this one."""
        return []

    def describe_conditional_sub_entities(
        self,
    ) -> list[tuple[str, Iterable[LaunchDescriptionEntity]]]:
        """Return pairs of a condition's description and the entities that depend on it."""
        return []

    def visit(self, context: LaunchContext) -> list[LaunchDescriptionEntity] | None:
        """Take effect in ``context``; may return entities to be visited next."""
        return None

    def get_asyncio_future(self) -> asyncio.Future | None:
        """Return the future that is done when this entity's work is, or None."""
        return None
