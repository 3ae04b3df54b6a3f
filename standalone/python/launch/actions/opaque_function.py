"""OpaqueFunction: runs Python code while launching."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

from ..action import Action
from ..launch_context import LaunchContext
from ..launch_description_entity import LaunchDescriptionEntity


class OpaqueFunction(Action):
    """Calls a function with the context; it may return entities to be visited next."""

    def __init__(
        self,
        *,
        function: Callable[..., list[LaunchDescriptionEntity] | None],
        args: Iterable[Any] | None = None,
        kwargs: dict[str, Any] | None = None,
        **left_over_kwargs: Any,
    ) -> None:
        """Create the action for ``function(context, *args, **kwargs)``."""
        super().__init__(**left_over_kwargs)
        if not callable(function):
            raise TypeError(
                f"the 'function' of OpaqueFunction cannot be called: it is a {type(function)}"
            )
        self.__function = function
        self.__args = tuple(args or ())
        self.__kwargs = kwargs or {}

    def execute(self, context: LaunchContext) -> list[LaunchDescriptionEntity] | None:
        """Call the function."""
        return self.__function(context, *self.__args, **self.__kwargs)
