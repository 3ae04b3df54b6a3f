"""move_group's services for planners and for plans: motions, sequences, straight lines."""

import time
from collections.abc import Sequence
from typing import Any

from moveit_msgs import msg, srv
from rclpy.parameter import Parameter

from rigid_tree_kinematics.deadline import Deadline
from rigid_tree_kinematics.errors import ConfigurationError, OutOfTimeError, UnknownNameError
from rigid_tree_kinematics.nodes.base import LATCHED
from rigid_tree_kinematics.nodes.planning import Cancellation, PlannerSettings
from rigid_tree_kinematics.planning import PlanResult
from rigid_tree_moveit.move_group import planning
from rigid_tree_moveit.move_group.cartesian import follow_line
from rigid_tree_moveit.move_group.messages import (
    Job,
    MoveItError,
    MoveItRobot,
    ToolSettings,
    outcome_in,
)
from rigid_tree_moveit.move_group.requests import planning_time, scaling_warning
from rigid_tree_moveit.move_group.sequence import plan_sequence
from rigid_tree_moveit.move_group.server import SERVICE_QOS, MoveItServer

OMPL = "goal_bias goal_threshold spacing maximum_attempts maximum_nodes seed shorten"
# The node's parameters by the names of the planners' parameters; 'range' is OMPL's.
NAMES = {
    planning.PIPELINE: {"range": "step", **{name: name for name in OMPL.split()}},
    planning.PILZ_PIPELINE: {name: name for name in ToolSettings.__dataclass_fields__},
}
FIELDS = PlannerSettings.__dataclass_fields__ | ToolSettings.__dataclass_fields__
DEFAULTS: dict[str, Any] = {name: field.default for name, field in FIELDS.items()}
WORDS = {"true": True, "1": True, "false": False, "0": False}


class PlanServices:
    """Answers requests for plans, and publishes the plans."""

    def __init__(self, server: MoveItServer) -> None:
        self._server = server
        shown = msg.DisplayTrajectory
        self._shown_path = server.create_publisher(shown, "display_planned_path", LATCHED)
        server.offer(srv.GetMotionPlan, "plan_kinematic_path", self._on_plan)
        server.offer(srv.GetMotionSequence, "plan_sequence_path", self._on_sequence)
        server.offer(srv.GetCartesianPath, "compute_cartesian_path", self._on_cartesian)
        server.offer(srv.QueryPlannerInterfaces, "query_planner_interface", self._on_query)
        server.offer(srv.GetPlannerParams, "get_planner_params", self._on_get_params)
        # In the group of rclpy's services that set parameters: changes wait for each other.
        server.create_service(
            srv.SetPlannerParams,
            "set_planner_params",
            self._on_set_params,
            qos_profile=SERVICE_QOS,
        )

    async def _on_plan(self, request: Any, response: Any) -> None:
        await self.plan(request.motion_plan_request, response.motion_plan_response, Cancellation())

    async def _on_sequence(self, request: Any, response: Any) -> None:
        await self.plan_sequence(request.request, response.response, Cancellation())

    async def plan(
        self,
        request: msg.MotionPlanRequest,
        response: msg.MotionPlanResponse,
        cancellation: Cancellation,
        diff: msg.PlanningScene | None = None,
    ) -> None:
        """Plan and fill in a response, success or not."""
        server = self._server
        async with server.slots.slot(cancellation):
            with outcome_in(server, response.error_code) as remarks:
                deadline = Deadline(planning_time(request, server.settings), cancellation)
                job = await server.motion_job(request, response, deadline, diff)
                await self._planned(job)
                remarks += filter(None, [job.clamping, *job.remarks])
                self._show(job.robot, [response.trajectory], response.trajectory_start)

    async def plan_sequence(
        self,
        request: msg.MotionSequenceRequest,
        response: msg.MotionSequenceResponse,
        cancellation: Cancellation,
        diff: msg.PlanningScene | None = None,
    ) -> None:
        """Plan a sequence and fill in a response, success or not."""
        server, items = self._server, request.items
        async with server.slots.slot(cancellation):
            begin = time.monotonic()
            with outcome_in(server, response.error_code) as remarks:
                robot = await server.first_robot()
                if items:
                    limit = sum(planning_time(item.req, server.settings) for item in items)
                    first = items[0].req, msg.MotionPlanResponse(), Deadline(limit, cancellation)
                    job = await server.motion_job(*first, diff)
                    warn = server.get_logger().warning
                    await plan_sequence(items, job, response, self._planned, warn)
                    remarks += dict.fromkeys(job.remarks)
                    self._show(robot, response.planned_trajectories, response.sequence_start)
                response.planning_time = time.monotonic() - begin

    async def _planned(self, job: Job) -> PlanResult:
        """Plan one motion, and log warnings; MoveItError, UnknownFrameError."""
        warn = self._server.get_logger().warning
        for warning in (scaling_warning(job.request), planning.planner_warning(job.request)):
            if warning:
                warn(warning)
        try:
            result = await planning.plan(job, self._server.tool_settings.limits())
        finally:
            for remark in job.remarks:
                warn(remark)
        if job.clamping:
            warn(job.clamping)
        if job.deadline.cancelled:  # AORRTC may have found a path nevertheless
            job.response.trajectory = msg.RobotTrajectory()
            raise MoveItError(msg.MoveItErrorCodes.PREEMPTED, "canceled")
        return result

    def _show(
        self, robot: MoveItRobot, trajectories: list[msg.RobotTrajectory], start: msg.RobotState
    ) -> None:
        """Publish a plan for displays."""
        plan = msg.DisplayTrajectory(model_id=robot.tree.name, trajectory=trajectories)
        plan.trajectory_start = start
        self._shown_path.publish(plan)

    async def _on_cartesian(self, request: Any, response: Any) -> list[str]:
        server, log = self._server, self._server.get_logger()
        async with server.slots.slot(Cancellation()):
            deadline = Deadline(server.settings.time_limit)
            if warning := scaling_warning(request):
                log.warning(warning)
            job = await server.motion_job(request, response, deadline)
            line = await follow_line(job)
            if line.late:
                raise OutOfTimeError(line.trouble)
            troubles = [trouble for trouble in (job.clamping, line.trouble) if trouble]
            return troubles + job.remarks

    async def _on_query(self, _: object, response: srv.QueryPlannerInterfaces.Response) -> None:
        response.planner_interfaces = [
            _interface("RRT", planning.PIPELINE, planning.PLANNER_IDS),
            _interface(
                "Pilz Industrial Motion Planner",
                planning.PILZ_PIPELINE,
                planning.PILZ_PLANNER_IDS,
            ),
        ]

    async def _on_get_params(self, request: Any, response: Any) -> None:
        """Fill in a pipeline's parameters as texts; UnknownNameError."""
        node, names = self._server, _names(request)
        values = [node.get_parameter(name).value for name in names.values()]
        texts = [str(v).lower() if isinstance(v, bool) else str(v) for v in values]
        message = response.params = msg.PlannerParams(keys=list(names), values=texts)
        if hasattr(message, "descriptions"):
            described = [node.describe_parameter(name) for name in names.values()]
            message.descriptions = [descriptor.description for descriptor in described]

    def _on_set_params(self, request: Any, response: Any) -> Any:
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


def _interface(name: str, pipeline: str, planners: Sequence[str]) -> Any:
    description = msg.PlannerInterfaceDescription(name=name, planner_ids=list(planners))
    if hasattr(description, "pipeline_id"):
        description.pipeline_id = pipeline
    return description


def _names(request: Any) -> dict[str, str]:
    """Return the parameters of a request's pipeline, by default the first; UnknownNameError."""
    pipeline = getattr(request, "pipeline_id", "")
    if pipeline and pipeline not in NAMES:
        raise UnknownNameError("pipeline", pipeline, NAMES, "move_group")
    return NAMES[pipeline or planning.PIPELINE]


def _value(key: str, text: str, like: object) -> bool | int | float:
    """Return a text as the kind of number that a parameter is."""
    try:
        if isinstance(like, bool):
            return WORDS[text.strip().lower()]
        return int(text) if isinstance(like, int) else float(text)
    except (ValueError, KeyError):
        kind = type(like).__name__
        raise ConfigurationError(f"set_planner_params: {key} is a {kind}, not '{text}'") from None
