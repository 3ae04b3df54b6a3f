"""move_group's actions: plan and execute one motion or a sequence, execute a trajectory, stop."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from importlib.util import find_spec
from typing import Any

from moveit_msgs import msg
from moveit_msgs.action import ExecuteTrajectory, MoveGroup, MoveGroupSequence
from moveit_msgs.msg import MoveItErrorCodes as Codes
from rclpy.action import ActionServer, CancelResponse
from rclpy.action.server import ServerGoalHandle
from std_msgs.msg import String

from rigid_tree_kinematics.nodes.common.process import Cancellation, end_goal
from rigid_tree_kinematics.nodes.moveit.drive import SharedDriver, declared_controllers
from rigid_tree_kinematics.nodes.moveit.interface.execution import execute, execute_task
from rigid_tree_kinematics.nodes.moveit.interface.plan_services import PlanServices
from rigid_tree_kinematics.nodes.moveit.interface.server import MoveItServer
from rigid_tree_kinematics.nodes.moveit.messages import SUCCESS, MoveItError, outcome_in
from rigid_tree_kinematics.nodes.planning import WatchedDriver

MOST_REPLANS = 100
BLOCKED = Codes.MOTION_PLAN_INVALIDATED_BY_ENVIRONMENT_CHANGE


class _Goal(Cancellation):
    """The cancellation of a goal, set by its client or by a stop of all motions."""

    def __init__(self, handle: ServerGoalHandle[Any, Any, Any], kind: Any) -> None:
        super().__init__()
        self.handle = handle
        self._kind = kind
        self.by_client = False
        self.options: Any = getattr(handle.request, "planning_options", None)
        self.moves = self.options is None or not self.options.plan_only

    def feedback(self, **fields: Any) -> None:
        """Send feedback with these fields."""
        self.handle.publish_feedback(self._kind.Feedback(**fields))

    @property
    def replans(self) -> int:
        """The maximum number of replans of a blocked motion."""
        if self.options is None or not self.options.replan:
            return 0
        return int(min(max(1, self.options.replan_attempts), MOST_REPLANS))


class MotionActions:
    """Plans and executes motions."""

    def __init__(self, server: MoveItServer, plans: PlanServices) -> None:
        self._server = server
        self._plans = plans
        self._goals: dict[bytes, _Goal] = {}
        controllers = declared_controllers(server)
        driver = SharedDriver(server, controllers, server.group) if controllers else None
        self._driver = WatchedDriver(server, lambda: server.present_robot, server.keeper, driver)
        server.create_subscription(
            String, "trajectory_execution_event", self._on_event, 10, callback_group=server.group
        )
        self._actions = [
            self._action(MoveGroup, "move_action", self._move),
            self._action(MoveGroupSequence, "sequence_move_group", self._sequence),
            self._action(ExecuteTrajectory, "execute_trajectory", self._execute),
        ]
        # Part of MoveIt Task Constructor, not of MoveIt.
        if find_spec("moveit_task_constructor_msgs") is not None:
            from moveit_task_constructor_msgs.action import ExecuteTaskSolution

            more = self._action(ExecuteTaskSolution, "execute_task_solution", self._execute_task)
            self._actions.append(more)

    def destroy(self) -> None:
        """Cancel all goals, and destroy the actions."""
        for goal in list(self._goals.values()):
            goal.set()
        self._driver.destroy()
        for action in self._actions:
            action.destroy()

    def _action(
        self, kind: Any, name: str, attempt: Callable[[_Goal, Any], Awaitable[Codes]]
    ) -> ActionServer[Any, Any, Any]:
        """Return an action server; ``attempt`` fills in a goal's result and returns its code."""

        async def serve(handle: ServerGoalHandle[Any, Any, Any]) -> Any:
            goal, result = self._goal_of(handle, kind), kind.Result()
            try:
                code = (await attempt(goal, result)).val
                for _ in range(goal.replans):
                    if code == BLOCKED and not goal.is_set():
                        code = (await attempt(goal, result)).val
                if goal.options is not None:
                    goal.feedback(state="IDLE")
                stopped = code == Codes.PREEMPTED
                end_goal(handle, code == SUCCESS, goal.by_client, stopped)
            finally:
                self._goals.pop(bytes(handle.goal_id.uuid), None)
            return result

        def cancel(handle: ServerGoalHandle[Any, Any, Any]) -> CancelResponse:
            goal = self._goal_of(handle, kind)
            goal.by_client = True
            goal.set()
            return CancelResponse.ACCEPT

        server = self._server
        return ActionServer(
            server, kind, name, serve, callback_group=server.group, cancel_callback=cancel
        )

    def _goal_of(self, handle: ServerGoalHandle[Any, Any, Any], kind: Any) -> _Goal:
        """Return a goal, which can be cancelled before it starts."""
        return self._goals.setdefault(bytes(handle.goal_id.uuid), _Goal(handle, kind))

    def _on_event(self, message: String) -> None:
        if message.data != "stop":
            words = f"unknown trajectory_execution_event '{message.data}'"
            self._server.get_logger().warning(words)
            return
        for goal in list(self._goals.values()):
            if goal.moves:  # also those that are still being planned
                goal.set()

    async def _execute(self, goal: _Goal, result: ExecuteTrajectory.Result) -> Codes:
        return await self._drive(goal, [goal.handle.request.trajectory], result.error_code)

    async def _drive(
        self, goal: _Goal, trajectories: Sequence[msg.RobotTrajectory], code: Codes
    ) -> Codes:
        """Execute trajectories in sequence; fill in and return the code."""
        goal.feedback(state="MONITOR")
        with outcome_in(self._server, code):
            for trajectory in trajectories:
                if goal.is_set():
                    raise MoveItError(Codes.PREEMPTED, "canceled")
                await execute(self._server, self._driver, trajectory, goal)
        return code

    async def _execute_task(self, goal: _Goal, result: Any) -> Codes:
        parts = goal.handle.request.solution.sub_trajectory

        def finished(index: int) -> None:
            goal.feedback(sub_id=index, sub_no=len(parts))

        with outcome_in(self._server, result.error_code):
            await execute_task(self._server, self._driver, parts, goal, finished)
        return result.error_code

    async def _move(self, goal: _Goal, result: MoveGroup.Result) -> Codes:
        """Plan and move once; return the code."""
        request = goal.handle.request.request
        goal.feedback(state="PLANNING")
        if goal.moves:
            # Like in MoveIt a motion starts at the current state.
            attached = request.start_state.attached_collision_objects
            request.start_state = msg.RobotState(is_diff=True, attached_collision_objects=attached)
        response = msg.MotionPlanResponse()
        await self._plans.plan(request, response, goal, goal.options.planning_scene_diff)
        code = result.error_code = response.error_code
        result.trajectory_start = response.trajectory_start
        result.planned_trajectory = response.trajectory
        result.planning_time += response.planning_time
        if code.val == SUCCESS and goal.moves:
            await self._drive(goal, [response.trajectory], code)
            if code.val == SUCCESS:
                result.executed_trajectory = response.trajectory
        return code

    async def _sequence(self, goal: _Goal, result: MoveGroupSequence.Result) -> Codes:
        """Plan and execute a sequence once; return the code."""
        request = goal.handle.request.request
        goal.feedback(state="PLANNING")
        response = result.response = msg.MotionSequenceResponse()
        diff = goal.options.planning_scene_diff
        await self._plans.plan_sequence(request, response, goal, diff)
        if response.error_code.val == SUCCESS and goal.moves:
            await self._drive(goal, response.planned_trajectories, response.error_code)
        return response.error_code
