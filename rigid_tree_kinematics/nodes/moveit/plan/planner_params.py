"""get_planner_params and set_planner_params: parameters of the node as planner parameters."""

from __future__ import annotations

from typing import Any

from moveit_msgs.msg import PlannerParams
from moveit_msgs.srv import SetPlannerParams
from rclpy.node import Node
from rclpy.parameter import Parameter

from rigid_tree_kinematics.errors import ConfigurationError, UnknownNameError
from rigid_tree_kinematics.nodes.moveit.plan.planning import PIPELINE
from rigid_tree_kinematics.nodes.moveit.plan.prescribed import PILZ_PIPELINE, ToolSettings
from rigid_tree_kinematics.nodes.planning import PlannerSettings

OMPL = "goal_bias goal_threshold spacing maximum_attempts maximum_nodes seed shorten"
# The node's parameters by the names that planners have for them; 'range' is OMPL's.
NAMES = {
    PIPELINE: {"range": "step", **{name: name for name in OMPL.split()}},
    PILZ_PIPELINE: {name: name for name in ToolSettings.__dataclass_fields__},
}
DEFAULTS: dict[str, Any] = {
    name: field.default
    for kind in (PlannerSettings, ToolSettings)
    for name, field in kind.__dataclass_fields__.items()
}
WORDS = {"true": True, "1": True, "false": False, "0": False}


def read_params(node: Node, pipeline: str) -> PlannerParams:
    """Return a pipeline's parameters as texts; UnknownNameError."""
    names = _names(pipeline)
    values = [node.get_parameter(name).value for name in names.values()]
    texts = [str(v).lower() if isinstance(v, bool) else str(v) for v in values]
    message = PlannerParams(keys=list(names), values=texts)
    if hasattr(message, "descriptions"):
        message.descriptions = [
            node.describe_parameter(name).description for name in names.values()
        ]
    return message


def write_params(node: Node, request: SetPlannerParams.Request) -> None:
    """Set parameters of the node; with ``replace``, those that are not given to their defaults.

    Raises UnknownNameError and ConfigurationError, and then nothing is set.
    """
    keys, texts = list(request.params.keys), list(request.params.values)
    if len(keys) != len(texts):
        raise ConfigurationError(f"set_planner_params: {len(keys)} keys, {len(texts)} values")
    names = _names(getattr(request, "pipeline_id", ""))
    values = {name: DEFAULTS[name] for name in names.values() if request.replace}
    for key, text in zip(keys, texts, strict=True):
        if key not in names:
            raise UnknownNameError("parameter", key, names, "the pipeline")
        values[names[key]] = _value(key, text, DEFAULTS[names[key]])
    changes = [Parameter(name, value=value) for name, value in values.items()]
    answer = node.set_parameters_atomically(changes)
    if not answer.successful:
        raise ConfigurationError(f"set_planner_params: {answer.reason}")


def _names(pipeline: str) -> dict[str, str]:
    """Return the parameters of a pipeline, the first for an empty name; UnknownNameError."""
    if pipeline and pipeline not in NAMES:
        raise UnknownNameError("pipeline", pipeline, NAMES, "move_group")
    return NAMES[pipeline or PIPELINE]


def _value(key: str, text: str, like: object) -> bool | int | float:
    """Return a text as the kind of number that a parameter is."""
    try:
        if isinstance(like, bool):
            return WORDS[text.strip().lower()]
        return int(text) if isinstance(like, int) else float(text)
    except (ValueError, KeyError):
        kind = type(like).__name__
        raise ConfigurationError(f"set_planner_params: {key} is a {kind}, not '{text}'") from None
