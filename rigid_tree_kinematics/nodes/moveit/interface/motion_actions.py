"""move_group's actions: to plan and move, once or in sequence, to move, and how to stop."""

from __future__ import annotations

import threading
from collections.abc import Awaitable, Callable

from moveit_msgs.action import ExecuteTrajectory, MoveGroup, MoveGroupSequence
from moveit_msgs.msg import (
    MotionPlanResponse,
    MotionSequenceResponse,
    MoveItErrorCodes,
    RobotState,
)
from rclpy.action import ActionServer, CancelResponse
from rclpy.action.server import ServerGoalHandle
from std_msgs.msg import String

from rigid_tree_kinematics.nodes.common.process import end_goal
from rigid_tree_kinematics.nodes.moveit.drive import SharedDriver, declared_controllers
from rigid_tree_kinematics.nodes.moveit.interface.execution import Execution
from rigid_tree_kinematics.nodes.moveit.interface.plan_services import PlanServices
from rigid_tree_kinematics.nodes.moveit.interface.sequence_services import SequenceServices
from rigid_tree_kinematics.nodes.moveit.interface.server import MoveItServer
from rigid_tree_kinematics.nodes.moveit.messages import SUCCESS, MoveItError, answering, tell
from rigid_tree_kinematics.nodes.planning import WatchedDriver

MOST_REPLANS = 100


class MotionActions:
    """Plans and moves."""

    def __init__(
        self, server: MoveItServer, plans: PlanServices, sequences: SequenceServices
    ) -> None:
        self._server = server
        self._plans = plans
        self._sequences = sequences
        self._goals: dict[bytes, _Goal] = {}
        controllers = declared_controllers(server)
        self._driver = WatchedDriver(
            server,
            lambda: server.present_robot,
            server.keeper,
            SharedDriver(server, controllers, server.group) if controllers else None,
        )
        self._execution = Execution(server, self._driver)
        server.create_subscription(
            String,
            "trajectory_execution_event",
            self._on_event,
            10,
            callback_group=server.group,
        )
        self._actions = [
            ActionServer(
                server,
                kind,
                name,
                execute,
                callback_group=server.group,
                cancel_callback=self._on_cancel,
            )
            for kind, name, execute in (
                (MoveGroup, "move_action", self._on_move),
                (MoveGroupSequence, "sequence_move_group", self._on_sequence),
                (ExecuteTrajectory, "execute_trajectory", self._on_execute),
            )
        ]

    def destroy(self) -> None:
        """End running plans and motions, and take the actions away."""
        for goal in list(self._goals.values()):
            goal.cancel.set()
        self._driver.destroy()
        for action in self._actions:
            action.destroy()

    def _on_cancel(self, handle: ServerGoalHandle) -> CancelResponse:
        goal = self._goal_of(handle)
        goal.cancelled = True
        goal.cancel.set()
        self._execution.stop(goal.cancel)
        self._server.slots.look()
        return CancelResponse.ACCEPT

    def _goal_of(self, handle: ServerGoalHandle) -> _Goal:
        """Return what is known of a goal, which may be cancelled before it begins."""
        return self._goals.setdefault(bytes(handle.goal_id.uuid), _Goal(handle))

    async def _serve(
        self, handle: ServerGoalHandle, work: Callable[[threading.Event], Awaitable[int]]
    ) -> None:
        """Work on a goal, with what is set when it is to end; ``work`` returns the code."""
        goal = self._goal_of(handle)
        try:
            code = await work(goal.cancel)
            end_goal(handle, code == SUCCESS, goal.cancelled)
        finally:
            self._goals.pop(bytes(handle.goal_id.uuid), None)

    async def _on_execute(self, handle: ServerGoalHandle) -> ExecuteTrajectory.Result:
        result = ExecuteTrajectory.Result()

        async def drive(cancel: threading.Event) -> int:
            handle.publish_feedback(ExecuteTrajectory.Feedback(state="MONITOR"))
            with answering(self._server, result.error_code):
                await self._execution.run(handle.request.trajectory, cancel)
                tell(self._server, result.error_code, SUCCESS)
            return int(result.error_code.val)

        await self._serve(handle, drive)
        return result

    async def _on_move(self, handle: ServerGoalHandle) -> MoveGroup.Result:
        result = MoveGroup.Result()

        async def move(cancel: threading.Event) -> int:
            code = await self._replanned(
                handle, lambda: self._move(handle, result, cancel), cancel
            )
            handle.publish_feedback(MoveGroup.Feedback(state="IDLE"))
            return code

        await self._serve(handle, move)
        return result

    async def _move(
        self, handle: ServerGoalHandle, result: MoveGroup.Result, cancel: threading.Event
    ) -> int:
        """Plan and move once; return what became of it."""
        request, options = handle.request.request, handle.request.planning_options
        handle.publish_feedback(MoveGroup.Feedback(state="PLANNING"))
        if not options.plan_only:
            # A motion begins where the robot is, as in MoveIt.
            held = request.start_state.attached_collision_objects
            request.start_state = RobotState(is_diff=True, attached_collision_objects=held)
        response = MotionPlanResponse()
        await self._plans.plan(request, response, cancel, options.planning_scene_diff)
        result.error_code = response.error_code
        result.trajectory_start = response.trajectory_start
        result.planned_trajectory = response.trajectory
        result.planning_time += response.planning_time
        if response.error_code.val != SUCCESS or options.plan_only:
            return int(response.error_code.val)
        handle.publish_feedback(MoveGroup.Feedback(state="MONITOR"))
        with answering(self._server, result.error_code):
            await self._execution.run(response.trajectory, cancel)
            result.executed_trajectory = response.trajectory
            tell(self._server, result.error_code, SUCCESS)
        return int(result.error_code.val)

    async def _on_sequence(self, handle: ServerGoalHandle) -> MoveGroupSequence.Result:
        result = MoveGroupSequence.Result()

        async def move(cancel: threading.Event) -> int:
            code = await self._replanned(
                handle, lambda: self._sequence(handle, result, cancel), cancel
            )
            handle.publish_feedback(MoveGroupSequence.Feedback(state="IDLE"))
            return code

        await self._serve(handle, move)
        return result

    async def _sequence(
        self, handle: ServerGoalHandle, result: MoveGroupSequence.Result, cancel: threading.Event
    ) -> int:
        """Plan a sequence and drive it once; return what became of it."""
        options = handle.request.planning_options
        handle.publish_feedback(MoveGroupSequence.Feedback(state="PLANNING"))
        response = MotionSequenceResponse()
        await self._sequences.plan(
            handle.request.request, response, cancel, options.planning_scene_diff
        )
        result.response = response
        if response.error_code.val != SUCCESS or options.plan_only:
            return int(response.error_code.val)
        handle.publish_feedback(MoveGroupSequence.Feedback(state="MONITOR"))
        with answering(self._server, response.error_code):
            for trajectory in response.planned_trajectories:
                if cancel.is_set():
                    raise MoveItError(MoveItErrorCodes.PREEMPTED, "cancelled")
                await self._execution.run(trajectory, cancel)
            tell(self._server, response.error_code, SUCCESS)
        return int(response.error_code.val)

    async def _replanned(
        self,
        handle: ServerGoalHandle,
        attempt: Callable[[], Awaitable[int]],
        cancel: threading.Event,
    ) -> int:
        """Try again, as often as asked for, while something gets in the way; return the code."""
        options = handle.request.planning_options
        replans = min(max(1, options.replan_attempts), MOST_REPLANS) if options.replan else 0
        blocked = MoveItErrorCodes.MOTION_PLAN_INVALIDATED_BY_ENVIRONMENT_CHANGE
        while (code := await attempt()) == blocked and replans > 0 and not cancel.is_set():
            replans -= 1
        return code

    def _on_event(self, message: String) -> None:
        if message.data == "stop":
            # A robot that is to stop does not begin to move, either.
            for goal in list(self._goals.values()):
                if goal.moves:
                    goal.cancel.set()
            self._execution.stop()
            self._server.slots.look()
        else:
            self._server.get_logger().warning(
                f"unknown trajectory_execution_event '{message.data}'"
            )


class _Goal:
    """A goal under way: what ends it, whether its client did, and whether it is to move."""

    def __init__(self, handle: ServerGoalHandle) -> None:
        options = getattr(handle.request, "planning_options", None)
        self.cancel = threading.Event()
        self.cancelled = False
        self.moves = options is None or not options.plan_only
