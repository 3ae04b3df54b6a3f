"""Parameters and remappings for all nodes that follow in a scope."""

from __future__ import annotations

from typing import Any

from launch import Action, LaunchContext, SomeSubstitutionsType, Substitution
from launch.utilities import normalize_to_list_of_substitutions, perform_substitutions
from rclpy.parameter import Parameter

from ..ros_adapters import get_ros_node
from ..utilities import evaluate_parameter_dict, normalize_parameter_dict


def _append(context: LaunchContext, configuration: str, entries: list[Any]) -> None:
    """Extend a list kept as a launch configuration, in place as the real package does."""
    context.launch_configurations.setdefault(configuration, []).extend(entries)


class SetParameter(Action):
    """Sets a parameter of the nodes that follow."""

    def __init__(self, name: SomeSubstitutionsType, value: Any, **kwargs: Any) -> None:
        """Create the action for a name and a value."""
        super().__init__(**kwargs)
        key = tuple(normalize_to_list_of_substitutions(name))
        self.__parameters = normalize_parameter_dict({key: value})

    @property
    def name(self) -> tuple[Substitution, ...]:
        """The parameter's name."""
        return next(iter(self.__parameters))

    @property
    def value(self) -> Any:
        """The parameter's value."""
        return next(iter(self.__parameters.values()))

    def execute(self, context: LaunchContext) -> None:
        """Add the parameter."""
        parameters = evaluate_parameter_dict(context, self.__parameters)
        _append(context, "global_params", list(parameters.items()))


class SetParametersFromFile(Action):
    """Gives a YAML file of parameters to the nodes that follow."""

    def __init__(self, filename: SomeSubstitutionsType, **kwargs: Any) -> None:
        """Create the action for a file's path."""
        super().__init__(**kwargs)
        self.__filename = normalize_to_list_of_substitutions(filename)

    def execute(self, context: LaunchContext) -> None:
        """Add the file."""
        _append(context, "global_params", [perform_substitutions(context, self.__filename)])


class SetRemap(Action):
    """Adds a remapping to the nodes that follow."""

    def __init__(
        self, src: SomeSubstitutionsType, dst: SomeSubstitutionsType, **kwargs: Any
    ) -> None:
        """Create the action for a name and the name to be used instead."""
        super().__init__(**kwargs)
        self.__src = normalize_to_list_of_substitutions(src)
        self.__dst = normalize_to_list_of_substitutions(dst)

    @property
    def src(self) -> list[Substitution]:
        """The name in the node's code."""
        return self.__src

    @property
    def dst(self) -> list[Substitution]:
        """The name to be used instead."""
        return self.__dst

    def execute(self, context: LaunchContext) -> None:
        """Add the remapping."""
        rule = (perform_substitutions(context, self.src), perform_substitutions(context, self.dst))
        _append(context, "ros_remaps", [rule])


class SetUseSimTime(Action):
    """Sets use_sim_time of the launch process's own node (not of the launched ones)."""

    def __init__(self, value: bool, **kwargs: Any) -> None:
        """Create the action."""
        super().__init__(**kwargs)
        self.__value = value

    @property
    def value(self) -> bool:
        """Whether simulated time is used."""
        return self.__value

    def execute(self, context: LaunchContext) -> None:
        """Set the parameter; raises RuntimeError if the node refuses."""
        parameter = Parameter("use_sim_time", Parameter.Type.BOOL, self.value)
        (result,) = get_ros_node(context).set_parameters([parameter])
        if not result.successful:
            raise RuntimeError(f"the launch node refused use_sim_time: {result.reason}")
