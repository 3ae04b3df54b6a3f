"""SetParameter: a parameter for all nodes that follow in a scope."""

from __future__ import annotations

from typing import Any

from launch import Action, LaunchContext, SomeSubstitutionsType
from launch.utilities import normalize_to_list_of_substitutions

from ..parameters import evaluate_parameter_dict, normalize_parameter_dict


class SetParameter(Action):
    """Sets a parameter of the nodes that follow in this scope (see GroupAction)."""

    def __init__(self, name: SomeSubstitutionsType, value: Any, **kwargs: Any) -> None:
        """Create the action for a name and a value, as in a node's ``parameters``."""
        super().__init__(**kwargs)
        key = tuple(normalize_to_list_of_substitutions(name))
        self.__parameters = normalize_parameter_dict({key: value})

    def execute(self, context: LaunchContext) -> None:
        """Add the parameter; the list is a new one, so that an outer scope keeps its own."""
        parameters = evaluate_parameter_dict(context, self.__parameters)
        so_far = context.launch_configurations.get("global_params", [])
        context.launch_configurations["global_params"] = [*so_far, *parameters.items()]
