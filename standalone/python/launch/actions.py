"""Actions of a launch description."""

import asyncio
import os
from collections.abc import Callable, Iterable
from typing import Any

from rigid_tree_stand_in import missing_name

from . import events
from ._bases import Event, LaunchDescriptionEntity, SomeSubstitutionsType, Substitution
from ._execute_process import ExecuteProcess as ExecuteProcess
from .action import Action
from .event_handlers import EventHandler, OnShutdown
from .events.process import ProcessExited
from .launch_context import LaunchContext
from .launch_description_sources import (
    AnyLaunchDescriptionSource,
    LaunchDescription,
    LaunchDescriptionSource,
)
from .logging import get_logger
from .utilities import (
    normalize_to_list_of_substitutions,
    normalize_typed,
    perform,
    perform_substitutions,
    perform_typed,
)

__getattr__ = missing_name(__name__)


class DeclareLaunchArgument(Action):
    """Declares an argument of the launch file; its value is the configuration of that name.

    Without a default value it must be given. The choices are added to ``description``.
    """

    def __init__(
        self,
        name: str,
        *,
        default_value: SomeSubstitutionsType | None = None,
        description: str | None = None,
        choices: list[str] | None = None,
        **kwargs: Any,
    ) -> None:
        super().__init__(**kwargs)
        if choices is not None and not choices:
            raise RuntimeError(
                f"argument '{name}': provided choices are empty; use None for any value"
            )
        if choices and isinstance(default_value, str) and default_value not in choices:
            raise RuntimeError(
                f"the default {default_value!r} of launch argument {name!r} is none of its "
                f"choices {choices}"
            )
        self.name = name
        self.default_value: list[Substitution] | None = (
            None if default_value is None else normalize_to_list_of_substitutions(default_value)
        )
        self.description = description or "no description given"
        if choices and description is None:
            self.description = f"One of: {choices}"
        elif choices:
            self.description = (
                f"{self.description.removesuffix('.')}. Valid choices are: {choices}"
            )
        self.choices = choices
        self._conditionally_included = False  # set when arguments are listed

    def execute(self, context: LaunchContext) -> None:
        """Set the default if no value is given; raises RuntimeError for a missing or bad value."""
        values = context.launch_configurations
        if self.name not in values:
            if self.default_value is None:
                get_logger(__name__).error(
                    'Required launch argument "%s" (description: "%s") was not provided',
                    self.name,
                    self.description,
                )
                raise RuntimeError(
                    f"launch argument {self.name!r} has no default: give it a value"
                )
            values[self.name] = perform_substitutions(context, self.default_value)
        if self.choices is not None and values[self.name] not in self.choices:
            message = (
                f"launch argument {self.name!r} cannot be {values[self.name]!r}: "
                f"its choices are {self.choices}"
            )
            get_logger(__name__).error(message)
            raise RuntimeError(message)


class EmitEvent(Action):
    """Emits an event."""

    def __init__(self, *, event: Event, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        if not isinstance(event, Event):
            raise RuntimeError(f"EmitEvent emits an Event, not {event!r}")
        self._event = event

    def execute(self, context: LaunchContext) -> None:
        """Emit the event."""
        context.emit_event_sync(self._event)


class Shutdown(EmitEvent):
    """Shuts the launch down, for instance as the ``on_exit`` of a required process."""

    def __init__(self, *, reason: str = "reason not given", **kwargs: Any) -> None:
        super().__init__(event=events.Shutdown(reason=reason), **kwargs)

    def execute(self, context: LaunchContext) -> None:
        """Emit the event; log the name of a required process that has exited."""
        cause = context.get_locals_as_dict().get("event")
        if isinstance(cause, ProcessExited):
            get_logger("launch").info(
                "process[%s] was required: shutting down launched system", cause.process_name
            )
        super().execute(context)


class RegisterEventHandler(Action):
    """Registers an event handler."""

    def __init__(self, event_handler: EventHandler, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self._event_handler = event_handler

    def execute(self, context: LaunchContext) -> None:
        """Register the handler."""
        context.register_event_handler(self._event_handler)

    def _contents(self) -> list[tuple[LaunchDescriptionEntity, bool]]:
        return [(entity, True) for entity in self._event_handler.known_entities()]


class OpaqueFunction(Action):
    """Calls ``function(context, *args, **kwargs)``, which may return entities to be visited."""

    def __init__(
        self,
        *,
        function: Callable[..., list[LaunchDescriptionEntity] | None],
        args: Iterable[Any] | None = None,
        kwargs: dict[str, Any] | None = None,
        **left_over_kwargs: Any,
    ) -> None:
        super().__init__(**left_over_kwargs)
        if not callable(function):
            raise TypeError(
                f"the 'function' of OpaqueFunction cannot be called: it is a {type(function)}"
            )
        self._function = function
        self._args = tuple(args or ())
        self._kwargs = kwargs or {}

    def execute(self, context: LaunchContext) -> list[LaunchDescriptionEntity] | None:
        """Call the function."""
        return self._function(context, *self._args, **self._kwargs)


class GroupAction(Action):
    """Visits actions, by default within a scope of launch configurations and environment.

    Configurations and variables set inside a scoped group do not affect the outside.
    """

    def __init__(self, actions: Iterable[Action], *, scoped: bool = True, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self._actions = list(actions)
        self._scoped = scoped

    def get_sub_entities(self) -> list[LaunchDescriptionEntity]:
        """Return the actions."""
        return list(self._actions)

    def execute(self, context: LaunchContext) -> list[LaunchDescriptionEntity]:
        """Return the actions, enclosed by those that open and close the scope."""
        if not self._scoped:
            return self.get_sub_entities()
        opening = OpaqueFunction(function=LaunchContext._push_scope)
        closing = OpaqueFunction(function=LaunchContext._pop_scope)
        return [opening, *self._actions, closing]


class IncludeLaunchDescription(Action):
    """Visits a launch description, from a source or a launch file's path, with arguments.

    It has no scope: its configurations remain set. Use a GroupAction for a scope.
    """

    def __init__(
        self,
        launch_description_source: LaunchDescriptionSource | SomeSubstitutionsType,
        *,
        launch_arguments: Iterable[tuple[SomeSubstitutionsType, SomeSubstitutionsType]]
        | None = None,
        **kwargs: Any,
    ) -> None:
        super().__init__(**kwargs)
        if not isinstance(launch_description_source, LaunchDescriptionSource):
            launch_description_source = AnyLaunchDescriptionSource(launch_description_source)
        self._source = launch_description_source
        self._launch_arguments = tuple(launch_arguments or ())

    def get_sub_entities(self) -> list[LaunchDescriptionEntity]:
        """Return the launch description if it is available before the launch."""
        description = self._source.try_get_launch_description_without_context()
        return [] if description is None else [description]

    def execute(self, context: LaunchContext) -> list[LaunchDescriptionEntity]:
        """Return the description, after its arguments; raises RuntimeError if one is missing."""
        description = self._source.get_launch_description(context)
        path = os.path.abspath(self._source.location)
        folder = os.path.dirname(path) if os.path.exists(path) else self._source.location
        context.extend_locals({"current_launch_file_directory": folder})
        self._check_required_arguments(description, self._argument_names(context))
        settings = [SetLaunchConfiguration(name, value) for name, value in self._launch_arguments]
        return [*settings, description]

    def _argument_names(self, context: LaunchContext) -> list[str]:
        return [perform(context, name) for name, _ in self._launch_arguments]

    def _check_required_arguments(self, description: LaunchDescription, given: list[str]) -> None:
        for argument, includes in description._arguments_and_includes():
            if argument._conditionally_included or argument.default_value is not None:
                continue
            for include in includes:
                given = given + include._argument_names(LaunchContext())
            if argument.name not in given:
                raise RuntimeError(
                    f"the included launch description needs argument '{argument.name}' "
                    f"({argument.description}); it was given [{', '.join(given)}]"
                )


class LogInfo(Action):
    """Logs a message as ``[INFO] [launch.user]: ...``."""

    def __init__(self, *, msg: SomeSubstitutionsType, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self._msg = msg

    def execute(self, context: LaunchContext) -> None:
        """Log the message."""
        get_logger("launch.user").info(perform(context, self._msg))


class SetLaunchConfiguration(Action):
    """Sets a launch configuration."""

    def __init__(
        self, name: SomeSubstitutionsType, value: SomeSubstitutionsType, **kwargs: Any
    ) -> None:
        super().__init__(**kwargs)
        self._name, self._value = name, value

    def execute(self, context: LaunchContext) -> None:
        """Set the configuration."""
        self._set(context, context.launch_configurations)

    def _set(self, context: LaunchContext, values: Any) -> None:
        values[perform(context, self._name)] = perform(context, self._value)


class SetEnvironmentVariable(SetLaunchConfiguration):
    """Sets an environment variable, which processes inherit."""

    def execute(self, context: LaunchContext) -> None:
        """Set the variable."""
        self._set(context, context.environment)


class TimerAction(Action):
    """Visits actions after a period (s), unless it is cancelled or the launch shuts down."""

    def __init__(
        self,
        *,
        period: float | SomeSubstitutionsType,
        actions: Iterable[LaunchDescriptionEntity],
        **kwargs: Any,
    ) -> None:
        super().__init__(**kwargs)
        self._period = normalize_typed(period, float)
        self._actions = list(actions)
        self._canceled = False
        self._timer: asyncio.TimerHandle | None = None
        self._done: asyncio.Future[None] | None = None

    def _contents(self) -> list[tuple[LaunchDescriptionEntity, bool]]:
        return [(entity, True) for entity in self._actions]

    def cancel(self) -> None:
        """Cancel the timer; also before it is started or after it has fired."""
        self._canceled = True
        if self._timer is not None:
            self._timer.cancel()
        self._finish()

    def execute(self, context: LaunchContext) -> None:
        """Start the timer."""
        loop = context.asyncio_loop
        assert loop is not None, "actions are executed by a running launch service"
        self._done = loop.create_future()
        if self._canceled:
            self._finish()
            return
        context.register_event_handler(
            OnShutdown(on_shutdown=lambda _event, _context: self.cancel())
        )
        seconds = perform_typed(context, self._period, float)
        names = context.get_locals_as_dict()  # for ThisLaunchFileDir
        self._timer = loop.call_later(seconds, self._fire, context, names)

    def _fire(self, context: LaunchContext, names: dict[str, Any]) -> None:
        restore = OpaqueFunction(function=lambda context: context.extend_locals(names))
        fired = LaunchDescription([restore, *self._actions])
        context.emit_event_sync(events.IncludeLaunchDescription(fired))
        self._finish()

    def _finish(self) -> None:
        if self._done is not None and not self._done.done():
            self._done.set_result(None)

    def get_asyncio_future(self) -> asyncio.Future[Any] | None:
        """Return a future that completes when the timer fires or is cancelled."""
        return self._done
