"""move_group's services for the planners: their names and parameters."""

from typing import Any

from moveit_msgs import msg, srv
from rclpy.parameter import Parameter

from rigid_tree_kinematics.errors import ConfigurationError, UnknownNameError
from rigid_tree_moveit.move_group import queries
from rigid_tree_moveit.move_group.codes import outcome_in
from rigid_tree_moveit.move_group.server import SERVICE_QOS, MoveItServer
from rigid_tree_moveit.move_group.settings import MoveGroupSettings, ToolSettings

OMPL = "goal_bias goal_threshold spacing maximum_attempts maximum_nodes seed shorten"
# The node's parameters by the names of the planners' parameters; 'range' is OMPL's.
NAMES: dict[str, dict[str, str]] = {
    queries.PIPELINE: {"range": "step", **{name: name for name in OMPL.split()}},
    queries.PILZ_PIPELINE: {name: name for name in ToolSettings.__dataclass_fields__},
    **{name: {} for name in queries.OPTIMIZERS},
}
FIELDS = MoveGroupSettings.__dataclass_fields__ | ToolSettings.__dataclass_fields__
DEFAULTS: dict[str, Any] = {name: field.default for name, field in FIELDS.items()}
WORDS = {"true": True, "1": True, "false": False, "0": False}


class PlannerServices:
    """Answers requests for the planners' names and parameters."""

    def __init__(self, server: MoveItServer) -> None:
        self._server = server
        server.advertise(srv.QueryPlannerInterfaces, "query_planner_interface", self._on_query)
        server.advertise(srv.GetPlannerParams, "get_planner_params", self._on_get_params)
        # In the group of rclpy's services that set parameters: changes wait for each other.
        server.create_service(
            srv.SetPlannerParams,
            "set_planner_params",
            self._on_set_params,
            qos_profile=SERVICE_QOS,
        )

    async def _on_query(
        self, _: srv.QueryPlannerInterfaces.Request, response: srv.QueryPlannerInterfaces.Response
    ) -> None:
        response.planner_interfaces = [
            _interface("RRT", queries.PIPELINE),
            _interface("Pilz Industrial Motion Planner", queries.PILZ_PIPELINE),
            *(_interface(name.upper(), name) for name in queries.OPTIMIZERS),
        ]

    async def _on_get_params(
        self, request: srv.GetPlannerParams.Request, response: srv.GetPlannerParams.Response
    ) -> None:
        """Fill in a pipeline's parameters as texts; UnknownNameError."""
        node, names = self._server, _names(request)
        values = [node.get_parameter(name).value for name in names.values()]
        texts = [str(v).lower() if isinstance(v, bool) else str(v) for v in values]
        message = response.params = msg.PlannerParams(keys=list(names), values=texts)
        if hasattr(message, "descriptions"):
            described = [node.describe_parameter(name) for name in names.values()]
            message.descriptions = [descriptor.description for descriptor in described]

    def _on_set_params(
        self, request: srv.SetPlannerParams.Request, response: srv.SetPlannerParams.Response
    ) -> srv.SetPlannerParams.Response:
        with outcome_in(self._server, msg.MoveItErrorCodes()):
            self._set_params(request)
        return response

    def _set_params(self, request: srv.SetPlannerParams.Request) -> None:
        """Set parameters; with ``replace``, those that are not given to their defaults.

        Nothing is set if it raises UnknownNameError or ConfigurationError.
        """
        keys, texts = list(request.params.keys), list(request.params.values)
        if len(keys) != len(texts):
            raise ConfigurationError(f"set_planner_params: {len(keys)} keys, {len(texts)} values")
        names = _names(request)
        values = {name: DEFAULTS[name] for name in names.values() if request.replace}
        for key, text in zip(keys, texts, strict=True):
            if key not in names:
                raise UnknownNameError("parameter", key, names, "the pipeline")
            values[names[key]] = _value(key, text, DEFAULTS[names[key]])
        changes = [Parameter(name, value=value) for name, value in values.items()]
        answer = self._server.set_parameters_atomically(changes)
        if not answer.successful:
            raise ConfigurationError(f"set_planner_params: {answer.reason}")


def _interface(name: str, pipeline: str) -> msg.PlannerInterfaceDescription:
    ids = list(queries.PLANNER_IDS[pipeline])
    description = msg.PlannerInterfaceDescription(name=name, planner_ids=ids)
    if hasattr(description, "pipeline_id"):
        description.pipeline_id = pipeline
    return description


def _names(
    request: srv.GetPlannerParams.Request | srv.SetPlannerParams.Request,
) -> dict[str, str]:
    """Return the parameters of a request's pipeline, by default the first; UnknownNameError."""
    pipeline = getattr(request, "pipeline_id", "")
    if pipeline and pipeline not in NAMES:
        raise UnknownNameError("pipeline", pipeline, NAMES, "move_group")
    return NAMES[pipeline or queries.PIPELINE]


def _value(key: str, text: str, like: object) -> bool | int | float:
    """Return a text as the kind of number that a parameter is."""
    try:
        if isinstance(like, bool):
            return WORDS[text.strip().lower()]
        return int(text) if isinstance(like, int) else float(text)
    except (ValueError, KeyError):
        kind = type(like).__name__
        raise ConfigurationError(f"set_planner_params: {key} is a {kind}, not '{text}'") from None
