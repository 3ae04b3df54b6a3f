"""move_group's services about plans: plan_kinematic_path, compute_cartesian_path, planners."""

from __future__ import annotations

from collections.abc import Sequence

from moveit_msgs.msg import (
    DisplayTrajectory,
    MotionPlanRequest,
    MotionPlanResponse,
    MoveItErrorCodes,
    PlannerInterfaceDescription,
    PlanningScene,
    RobotState,
    RobotTrajectory,
)
from moveit_msgs.srv import (
    GetCartesianPath,
    GetMotionPlan,
    GetPlannerParams,
    QueryPlannerInterfaces,
    SetPlannerParams,
)

from rigid_tree_kinematics.deadline import Deadline
from rigid_tree_kinematics.errors import OutOfTimeError
from rigid_tree_kinematics.nodes.common.process import Cancellation
from rigid_tree_kinematics.nodes.common.robot import LATCHED
from rigid_tree_kinematics.nodes.moveit.interface.server import MoveItServer
from rigid_tree_kinematics.nodes.moveit.messages import Job, MoveItError, MoveItRobot, outcome_in
from rigid_tree_kinematics.nodes.moveit.plan import (
    PILZ_PIPELINE,
    PILZ_PLANNER_IDS,
    PIPELINE,
    PLANNER_IDS,
    follow_line,
    plan,
    plan_prescribed,
    planner_warning,
    planning_time,
    prescribes,
    read_params,
    scaling_warning,
    write_params,
)
from rigid_tree_kinematics.planning import PlanResult


class PlanServices:
    """Answers requests for plans, and publishes the plans."""

    def __init__(self, server: MoveItServer) -> None:
        self._server = server
        self._shown_path = server.create_publisher(
            DisplayTrajectory, "display_planned_path", LATCHED
        )
        server.offer(GetMotionPlan, "plan_kinematic_path", self._on_plan)
        server.offer(GetCartesianPath, "compute_cartesian_path", self._on_cartesian)
        server.offer(QueryPlannerInterfaces, "query_planner_interface", self._on_query)
        server.offer(GetPlannerParams, "get_planner_params", self._on_get_params)
        server.offer(SetPlannerParams, "set_planner_params", self._on_set_params)

    async def _on_plan(
        self, request: GetMotionPlan.Request, response: GetMotionPlan.Response
    ) -> GetMotionPlan.Response:
        await self.plan(request.motion_plan_request, response.motion_plan_response, Cancellation())
        return response

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
                await self.planned(job)
                remarks += [job.clamping] if job.clamping else []
                self.show(job.robot, [response.trajectory], response.trajectory_start)

    async def planned(self, job: Job) -> PlanResult:
        """Plan with the planner that the request names; MoveItError, UnknownFrameError."""
        log = self._server.get_logger()
        if warning := scaling_warning(job.request):
            log.warning(warning)
        if prescribes(job.request):
            result = await plan_prescribed(job, self._server.tool_settings)
        else:
            if warning := planner_warning(job.request):
                log.warning(warning)
            result = await plan(job)
        if job.clamping:
            log.warning(job.clamping)
        if job.deadline.cancelled:  # AORRTC may have found a path nevertheless
            job.response.trajectory = RobotTrajectory()
            raise MoveItError(MoveItErrorCodes.PREEMPTED, "cancelled")
        return result

    def show(
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
    ) -> GetCartesianPath.Response:
        server = self._server
        async with server.slots.slot(Cancellation()):
            with outcome_in(server, response.error_code) as remarks:
                deadline = Deadline(server.settings.time_limit)
                if warning := scaling_warning(request):
                    server.get_logger().warning(warning)
                job = await server.motion_job(request, response, deadline)
                line = await follow_line(job)
                if line.late:
                    raise OutOfTimeError(line.trouble)
                for trouble in filter(None, (job.clamping, line.trouble)):
                    server.get_logger().info(f"compute_cartesian_path: {trouble}")
                    remarks.append(trouble)
        return response

    def _on_query(
        self, request: QueryPlannerInterfaces.Request, response: QueryPlannerInterfaces.Response
    ) -> QueryPlannerInterfaces.Response:
        response.planner_interfaces = [
            _interface("RRT", PIPELINE, PLANNER_IDS),
            _interface("Pilz Industrial Motion Planner", PILZ_PIPELINE, PILZ_PLANNER_IDS),
        ]
        return response

    def _on_get_params(
        self, request: GetPlannerParams.Request, response: GetPlannerParams.Response
    ) -> GetPlannerParams.Response:
        with outcome_in(self._server, MoveItErrorCodes()):
            response.params = read_params(self._server, getattr(request, "pipeline_id", ""))
        return response

    def _on_set_params(
        self, request: SetPlannerParams.Request, response: SetPlannerParams.Response
    ) -> SetPlannerParams.Response:
        with outcome_in(self._server, MoveItErrorCodes()):
            write_params(self._server, request)
        return response


def _interface(name: str, pipeline: str, planners: Sequence[str]) -> PlannerInterfaceDescription:
    description = PlannerInterfaceDescription(name=name, planner_ids=list(planners))
    if hasattr(description, "pipeline_id"):
        description.pipeline_id = pipeline
    return description
