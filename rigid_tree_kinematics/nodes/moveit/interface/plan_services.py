"""move_group's services about plans: of motions, sequences and straight lines, and planners."""

from __future__ import annotations

import time
from collections.abc import Sequence
from typing import Any

from moveit_msgs.msg import (
    DisplayTrajectory,
    MotionPlanRequest,
    MotionPlanResponse,
    MotionSequenceRequest,
    MotionSequenceResponse,
    MoveItErrorCodes,
    PlannerInterfaceDescription,
    PlannerParams,
    PlanningScene,
    RobotState,
    RobotTrajectory,
)
from moveit_msgs.srv import (
    GetCartesianPath,
    GetMotionPlan,
    GetMotionSequence,
    GetPlannerParams,
    QueryPlannerInterfaces,
    SetPlannerParams,
)
from rclpy.node import Node
from rclpy.parameter import Parameter

from rigid_tree_kinematics.deadline import Deadline
from rigid_tree_kinematics.errors import ConfigurationError, OutOfTimeError, UnknownNameError
from rigid_tree_kinematics.nodes.common.process import Cancellation
from rigid_tree_kinematics.nodes.common.robot import LATCHED
from rigid_tree_kinematics.nodes.moveit.interface.server import MoveItServer
from rigid_tree_kinematics.nodes.moveit.messages import Job, MoveItError, MoveItRobot, outcome_in
from rigid_tree_kinematics.nodes.moveit.plan import (
    PILZ_PIPELINE,
    PILZ_PLANNER_IDS,
    PIPELINE,
    PLANNER_IDS,
    ToolSettings,
    follow_line,
    plan,
    plan_sequence,
    planner_warning,
    planning_time,
    scaling_warning,
)
from rigid_tree_kinematics.nodes.planning import PlannerSettings
from rigid_tree_kinematics.planning import PlanResult

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


class PlanServices:
    """Answers requests for plans, and publishes the plans."""

    def __init__(self, server: MoveItServer) -> None:
        self._server = server
        self._shown_path = server.create_publisher(
            DisplayTrajectory, "display_planned_path", LATCHED
        )
        server.offer(GetMotionPlan, "plan_kinematic_path", self._on_plan)
        server.offer(GetMotionSequence, "plan_sequence_path", self._on_sequence)
        server.offer(GetCartesianPath, "compute_cartesian_path", self._on_cartesian)
        server.offer(QueryPlannerInterfaces, "query_planner_interface", self._on_query)
        server.offer(GetPlannerParams, "get_planner_params", self._on_get_params)
        server.offer(SetPlannerParams, "set_planner_params", self._on_set_params)

    async def _on_plan(
        self, request: GetMotionPlan.Request, response: GetMotionPlan.Response
    ) -> None:
        await self.plan(request.motion_plan_request, response.motion_plan_response, Cancellation())

    async def _on_sequence(
        self, request: GetMotionSequence.Request, response: GetMotionSequence.Response
    ) -> None:
        await self.plan_sequence(request.request, response.response, Cancellation())

    async def plan(
        self,
        request: MotionPlanRequest,
        response: MotionPlanResponse,
        cancellation: Cancellation,
        diff: PlanningScene | None = None,
    ) -> None:
        """Plan and fill in a response, success or not."""
        server = self._server
        async with server.slots.slot(cancellation):
            with outcome_in(server, response.error_code) as remarks:
                deadline = Deadline(planning_time(request, server.settings), cancellation)
                job = await server.motion_job(request, response, deadline, diff)
                await self._planned(job)
                remarks += filter(None, [job.clamping])
                self._show(job.robot, [response.trajectory], response.trajectory_start)

    async def plan_sequence(
        self,
        request: MotionSequenceRequest,
        response: MotionSequenceResponse,
        cancellation: Cancellation,
        diff: PlanningScene | None = None,
    ) -> None:
        """Plan a sequence and fill in a response, success or not."""
        server, items = self._server, request.items
        async with server.slots.slot(cancellation):
            begin = time.monotonic()
            with outcome_in(server, response.error_code):
                robot = await server.first_robot()
                if items:
                    limit = sum(planning_time(item.req, server.settings) for item in items)
                    first = items[0].req, MotionPlanResponse(), Deadline(limit, cancellation)
                    job = await server.motion_job(*first, diff)
                    warn = server.get_logger().warning
                    await plan_sequence(items, job, response, self._planned, warn)
                    self._show(robot, response.planned_trajectories, response.sequence_start)
                response.planning_time = time.monotonic() - begin

    async def _planned(self, job: Job) -> PlanResult:
        """Plan one motion, and log warnings; MoveItError, UnknownFrameError."""
        warn = self._server.get_logger().warning
        for warning in (scaling_warning(job.request), planner_warning(job.request)):
            if warning:
                warn(warning)
        result = await plan(job, self._server.tool_settings)
        if job.clamping:
            warn(job.clamping)
        if job.deadline.cancelled:  # AORRTC may have found a path nevertheless
            job.response.trajectory = RobotTrajectory()
            raise MoveItError(MoveItErrorCodes.PREEMPTED, "cancelled")
        return result

    def _show(
        self, robot: MoveItRobot, trajectories: list[RobotTrajectory], start: RobotState
    ) -> None:
        """Publish a plan for displays."""
        self._shown_path.publish(
            DisplayTrajectory(
                model_id=robot.tree.name, trajectory=trajectories, trajectory_start=start
            )
        )

    async def _on_cartesian(
        self, request: GetCartesianPath.Request, response: GetCartesianPath.Response
    ) -> list[str]:
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
            for trouble in troubles:
                log.info(f"compute_cartesian_path: {trouble}")
            return troubles

    async def _on_query(self, _: object, response: QueryPlannerInterfaces.Response) -> None:
        response.planner_interfaces = [
            _interface("RRT", PIPELINE, PLANNER_IDS),
            _interface("Pilz Industrial Motion Planner", PILZ_PIPELINE, PILZ_PLANNER_IDS),
        ]

    async def _on_get_params(
        self, request: GetPlannerParams.Request, response: GetPlannerParams.Response
    ) -> None:
        response.params = _read_params(self._server, getattr(request, "pipeline_id", ""))

    async def _on_set_params(self, request: SetPlannerParams.Request, _: object) -> None:
        _write_params(self._server, request)


def _interface(name: str, pipeline: str, planners: Sequence[str]) -> PlannerInterfaceDescription:
    description = PlannerInterfaceDescription(name=name, planner_ids=list(planners))
    if hasattr(description, "pipeline_id"):
        description.pipeline_id = pipeline
    return description


# -- parameters of planners ----------------------------------------------------------------------


def _read_params(node: Node, pipeline: str) -> PlannerParams:
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


def _write_params(node: Node, request: SetPlannerParams.Request) -> None:
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
