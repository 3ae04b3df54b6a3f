"""PushROSNamespace: a namespace for the nodes that follow."""

from __future__ import annotations

from typing import Any

from launch import Action, LaunchContext, SomeSubstitutionsType
from launch.substitutions import SubstitutionFailure
from launch.utilities import normalize_to_list_of_substitutions, perform_substitutions

from ..namespaces import make_namespace_absolute, prefix_namespace, validate_namespace


class PushROSNamespace(Action):
    """Adds to the namespace of the nodes that follow in this scope (see GroupAction)."""

    def __init__(self, namespace: SomeSubstitutionsType, **kwargs: Any) -> None:
        """Create the action; an absolute namespace replaces the one so far."""
        super().__init__(**kwargs)
        self.__namespace = normalize_to_list_of_substitutions(namespace)

    def execute(self, context: LaunchContext) -> None:
        """Set the namespace; raises SubstitutionFailure if it is not a valid one."""
        pushed = perform_substitutions(context, self.__namespace)
        previous = context.launch_configurations.get("ros_namespace")
        namespace = make_namespace_absolute(prefix_namespace(previous, pushed) or "/")
        try:
            validate_namespace(namespace)
        except ValueError as error:
            raise SubstitutionFailure(
                f"pushing namespace '{pushed}' onto '{previous}' makes no valid namespace"
            ) from error
        context.launch_configurations["ros_namespace"] = namespace


PushRosNamespace = PushROSNamespace  # the older name
