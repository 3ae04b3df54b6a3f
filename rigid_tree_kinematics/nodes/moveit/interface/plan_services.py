"""move_group's services about plans: plan_kinematic_path, compute_cartesian_path, planners."""

from __future__ import annotations

import threading
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

from rigid_tree_kinematics.collision import Scene
from rigid_tree_kinematics.deadline import Deadline
from rigid_tree_kinematics.nodes.common.robot import LATCHED
from rigid_tree_kinematics.nodes.moveit.interface.server import MoveItServer
from rigid_tree_kinematics.nodes.moveit.messages import (
    SUCCESS,
    MoveItError,
    MoveItRobot,
    answering,
    apply_scene,
    scene_with,
    tell,
)
from rigid_tree_kinematics.nodes.moveit.plan import (
    PILZ_PIPELINE,
    PILZ_PLANNER_IDS,
    PIPELINE,
    PLANNER_IDS,
    follow_line,
    odd_scales,
    plan,
    plan_prescribed,
    planning_time,
    prescribes,
    read_params,
    write_params,
)
from rigid_tree_kinematics.nodes.scene import SceneKeeper
from rigid_tree_kinematics.planning import PlanResult


class PlanServices:
    """Answers requests for plans, and shows them."""

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
        cancel = threading.Event()
        await self.plan(request.motion_plan_request, response.motion_plan_response, cancel)
        return response

    async def plan(
        self,
        request: MotionPlanRequest,
        response: MotionPlanResponse,
        cancel: threading.Event,
        diff: PlanningScene | None = None,
    ) -> None:
        """Fill in a response, whatever happens."""
        async with self._server.slots.slot(cancel):
            with answering(self._server, response.error_code):
                deadline = Deadline(planning_time(request, self._server.settings), cancel)
                robot = self._server.present_robot
                self._server.wait_for_start(robot, request.start_state, deadline)
                scene = await self.scene(request.start_state, robot, deadline, diff)
                await self.planned(request, robot, scene, deadline, response)
                tell(self._server, response.error_code, SUCCESS)
                self.show(robot, [response.trajectory], response.trajectory_start)

    async def planned(
        self,
        request: MotionPlanRequest,
        robot: MoveItRobot,
        scene: Scene,
        deadline: Deadline,
        response: MotionPlanResponse,
    ) -> PlanResult:
        """Plan by whom the request names; MoveItError, UnknownFrameError."""
        self._warn_of(odd_scales(request))
        frames = self._server.base_frames(robot, deadline)
        settings, tool = self._server.settings, self._server.tool_settings
        if prescribes(request):
            result = await plan_prescribed(
                request, robot, scene, frames, settings, tool, deadline, response
            )
        else:
            result = await plan(request, robot, scene, frames, settings, deadline, response)
        if deadline.cancelled:  # RRT* has found a path by then, perhaps
            response.trajectory = RobotTrajectory()
            raise MoveItError(MoveItErrorCodes.PREEMPTED, "cancelled")
        return result

    def _warn_of(self, words: str) -> None:
        if words:
            self._server.get_logger().warning(words)

    async def scene(
        self,
        state: RobotState,
        robot: MoveItRobot,
        deadline: Deadline,
        diff: PlanningScene | None = None,
    ) -> Scene:
        """Return the scene with what a start state holds, after a diff; a RigidTreeError."""
        frames = self._server.base_frames(robot, deadline)
        items = state.attached_collision_objects
        scene = await scene_with(items, self._server.keeper.scene, robot, frames)
        if diff is not None and diff.is_diff:
            trial = SceneKeeper(scene)
            scene = await apply_scene(trial, diff, robot, frames)
        return scene

    def show(
        self, robot: MoveItRobot, trajectories: list[RobotTrajectory], start: RobotState
    ) -> None:
        """Publish what was planned, for displays."""
        self._shown_path.publish(
            DisplayTrajectory(
                model_id=robot.tree.name, trajectory=trajectories, trajectory_start=start
            )
        )

    async def _on_cartesian(
        self, request: GetCartesianPath.Request, response: GetCartesianPath.Response
    ) -> GetCartesianPath.Response:
        async with self._server.slots.slot():
            await self._follow_line(request, response)
        return response

    async def _follow_line(
        self, request: GetCartesianPath.Request, response: GetCartesianPath.Response
    ) -> None:
        with answering(self._server, response.error_code):
            deadline = Deadline(self._server.settings.time_limit)
            robot = self._server.present_robot
            self._server.wait_for_start(robot, request.start_state, deadline)
            self._warn_of(odd_scales(request))
            frames = self._server.base_frames(robot, deadline)
            scene = await self.scene(request.start_state, robot, deadline)
            line = await follow_line(
                request, robot, scene, frames, self._server.settings, response
            )
            code = MoveItErrorCodes.TIMED_OUT if line.late else SUCCESS
            trouble = line.trouble
            tell(self._server, response.error_code, code, trouble)
            if trouble and code == SUCCESS:
                self._server.get_logger().info(f"compute_cartesian_path: {trouble}")

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
        with answering(self._server, MoveItErrorCodes()):
            response.params = read_params(self._server, getattr(request, "pipeline_id", ""))
        return response

    def _on_set_params(
        self, request: SetPlannerParams.Request, response: SetPlannerParams.Response
    ) -> SetPlannerParams.Response:
        with answering(self._server, MoveItErrorCodes()):
            write_params(self._server, request)
        return response


def _interface(name: str, pipeline: str, planners: Sequence[str]) -> PlannerInterfaceDescription:
    description = PlannerInterfaceDescription(name=name, planner_ids=list(planners))
    if hasattr(description, "pipeline_id"):
        description.pipeline_id = pipeline
    return description
