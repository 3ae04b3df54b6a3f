"""move_group's services for plans: motions, sequences, straight lines."""

import time

from moveit_msgs import msg, srv

from rigid_tree_kinematics.deadline import Deadline
from rigid_tree_kinematics.errors import OutOfTimeError
from rigid_tree_kinematics.nodes.base import LATCHED
from rigid_tree_kinematics.nodes.planning import Cancellation
from rigid_tree_kinematics.planning import PlanResult
from rigid_tree_moveit.move_group import queries
from rigid_tree_moveit.move_group.codes import outcome_in
from rigid_tree_moveit.move_group.messages import start_state
from rigid_tree_moveit.move_group.robot import MoveItRobot, PlanningContext
from rigid_tree_moveit.move_group.server import MoveItServer


class PlanServices:
    """Answers requests for plans, and publishes the plans."""

    def __init__(self, server: MoveItServer) -> None:
        self._server = server
        shown = msg.DisplayTrajectory
        self._shown_path = server.create_publisher(shown, "display_planned_path", LATCHED)
        server.advertise(srv.GetMotionPlan, "plan_kinematic_path", self._on_plan)
        server.advertise(srv.GetMotionSequence, "plan_sequence_path", self._on_sequence)
        server.advertise(srv.GetCartesianPath, "compute_cartesian_path", self._on_cartesian)

    async def _on_plan(
        self, request: srv.GetMotionPlan.Request, response: srv.GetMotionPlan.Response
    ) -> None:
        await self.plan(request.motion_plan_request, response.motion_plan_response, Cancellation())

    async def _on_sequence(
        self, request: srv.GetMotionSequence.Request, response: srv.GetMotionSequence.Response
    ) -> None:
        await self.plan_sequence(request.request, response.response, Cancellation())

    async def plan(
        self,
        request: msg.MotionPlanRequest,
        response: msg.MotionPlanResponse,
        cancellation: Cancellation,
        diff: msg.PlanningScene | None = None,
    ) -> list[queries.PlannedTrajectory]:
        """Plan and fill in a response; return the trajectory, none without success.

        The plan is for the scene after ``diff``.
        """
        server = self._server
        async with server.slots.slot(cancellation):
            with outcome_in(server, response.error_code) as remarks:
                deadline = Deadline(queries.planning_time(request, server.settings), cancellation)
                state, group = request.start_state, request.group_name
                context = await server.motion_context(state, group, deadline, diff)
                response.group_name = context.group.name
                response.trajectory_start = start_state(context)
                query, result = await self._search(request, context)
                response.planning_time = deadline.seconds
                planned = [queries.PlannedTrajectory(query.trajectory(result), context)]
                response.trajectory = planned[0].message
                remarks += filter(None, [context.clamping, *context.remarks])
                self._show(context.robot, planned, response.trajectory_start)
                return planned
        return []

    async def plan_sequence(
        self,
        request: msg.MotionSequenceRequest,
        response: msg.MotionSequenceResponse,
        cancellation: Cancellation,
        diff: msg.PlanningScene | None = None,
    ) -> list[queries.PlannedTrajectory]:
        """Plan a sequence and fill in a response; return the trajectories, as ``plan``."""
        server, items = self._server, request.items
        async with server.slots.slot(cancellation):
            begin, planned = time.monotonic(), []
            with outcome_in(server, response.error_code) as remarks:
                await server.first_robot()
                if items:
                    limits = [queries.planning_time(item.req, server.settings) for item in items]
                    deadline, first = Deadline(sum(limits), cancellation), items[0].req
                    context = await server.motion_context(
                        first.start_state, first.group_name, deadline, diff
                    )
                    query = queries.read_sequence(items, context)
                    response.sequence_start = start_state(context)
                    planned = await query.plan(self._search, server.get_logger().warning)
                    response.planned_trajectories = [row.message for row in planned]
                    remarks += dict.fromkeys(context.remarks)
                    self._show(context.robot, planned, response.sequence_start)
                response.planning_time = time.monotonic() - begin
            return planned

    async def _search(
        self, request: msg.MotionPlanRequest, context: PlanningContext
    ) -> tuple[queries.MotionQuery, PlanResult]:
        """Read one motion request and search for a plan; MoveItError, UnknownFrameError.

        Warnings are logged.
        """
        warn, limits = self._server.get_logger().warning, self._server.tool_settings.limits()
        for warning in (queries.scaling_warning(request), queries.planner_warning(request)):
            if warning:
                warn(warning)
        try:
            query = await queries.read_motion(request, context, limits)
            query.check_start()
            result = query.search()
        finally:
            for remark in context.remarks:
                warn(remark)
        if context.clamping:
            warn(context.clamping)
        return query, result

    def _show(
        self, robot: MoveItRobot, planned: list[queries.PlannedTrajectory], start: msg.RobotState
    ) -> None:
        """Publish a plan for displays."""
        messages = [trajectory.message for trajectory in planned]
        plan = msg.DisplayTrajectory(model_id=robot.tree.name, trajectory=messages)
        plan.trajectory_start = start
        self._shown_path.publish(plan)

    async def _on_cartesian(
        self, request: srv.GetCartesianPath.Request, response: srv.GetCartesianPath.Response
    ) -> list[str]:
        server = self._server
        async with server.slots.slot(Cancellation()):
            if warning := queries.scaling_warning(request):
                server.get_logger().warning(warning)
            state, group = request.start_state, request.group_name
            deadline = Deadline(server.settings.time_limit)
            context = await server.motion_context(state, group, deadline)
            response.start_state = start_state(context)
            query = await queries.read_line(request, context)
            line = query.search()
            if len(line.path) > 1:
                planned = queries.PlannedTrajectory(query.trajectory(line), context)
                response.solution = planned.message
                response.fraction = line.fraction
            if line.late:
                raise OutOfTimeError(line.trouble)
            return [*filter(None, [context.clamping, line.trouble]), *context.remarks]
