"""Base classes of events, actions, substitutions and conditions."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from .launch_context import LaunchContext


class Event:
    """Something that happened; event handlers react to it."""

    @property
    def name(self) -> str:
        """The full name of the event's class."""
        return f"{type(self).__module__}.{type(self).__name__}"


class LaunchDescriptionEntity:
    """Base class of actions and of the launch description itself."""

    def _contents(self) -> list[tuple[LaunchDescriptionEntity, bool]]:
        """Return the child entities, each with whether it depends on a condition or an event."""
        return []

    def visit(self, context: LaunchContext) -> Any:
        """Take effect in ``context``; may return entities to visit next."""

    def get_asyncio_future(self) -> asyncio.Future[Any] | None:
        """Return a future that completes with this entity's work, or None."""
        return None


class Substitution:
    """A text that is evaluated during the launch."""

    def describe(self) -> str:
        """Return a text that names this substitution, for ``ros2 launch --show-args``."""
        return repr(self)

    def perform(self, context: LaunchContext) -> str:
        """Return the text of this substitution in ``context``."""
        raise NotImplementedError(f"{type(self).__name__} does not define perform()")


class TextSubstitution(Substitution):
    """A literal text."""

    def __init__(self, *, text: str) -> None:
        if not isinstance(text, str):
            raise TypeError(f"TextSubstitution expected a str, got '{type(text)}' instead.")
        self.text = text

    def describe(self) -> str:
        """Return the text in quotes."""
        return f"'{self.text}'"

    def perform(self, context: LaunchContext) -> str:
        """Return the text."""
        return self.text


class Condition:
    """A predicate over the launch context; without a predicate it is always false."""

    def __init__(self, *, predicate: Callable[[LaunchContext], bool] | None = None) -> None:
        self._predicate = predicate

    def evaluate(self, context: LaunchContext) -> bool:
        """Return whether the condition is true now."""
        return self._predicate is not None and self._predicate(context)


SomeEntitiesType = LaunchDescriptionEntity | Iterable[LaunchDescriptionEntity]
SomeSubstitutionsType = str | Substitution | Iterable[str | Substitution]
