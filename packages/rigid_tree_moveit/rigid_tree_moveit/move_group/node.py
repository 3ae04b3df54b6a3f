"""The node move_group and its actions: plan and execute motions or trajectories, stop."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any, TypeVar

from moveit_msgs import msg
from moveit_msgs.action import ExecuteTrajectory, MoveGroup, MoveGroupSequence
from moveit_msgs.msg import MoveItErrorCodes as Codes
from std_msgs.msg import String

from rigid_tree_kinematics.errors import RigidTreeError
from rigid_tree_kinematics.nodes.planning import Goal, GoalServer
from rigid_tree_moveit.move_group import messages
from rigid_tree_moveit.move_group.codes import MoveItError, errors_at, outcome_in
from rigid_tree_moveit.move_group.execution import (
    NOT_ALLOWED,
    TrajectoryExecution,
    read_waypoints,
)
from rigid_tree_moveit.move_group.planners import PlannerServices
from rigid_tree_moveit.move_group.plans import PlanServices
from rigid_tree_moveit.move_group.queries import PlannedTrajectory
from rigid_tree_moveit.move_group.robot import MoveItRobot
from rigid_tree_moveit.move_group.scenes import SceneServices
from rigid_tree_moveit.move_group.server import MoveItServer
from rigid_tree_moveit.move_group.states import StateServices

if TYPE_CHECKING:
    from moveit_task_constructor_msgs.action import ExecuteTaskSolution

MOST_REPLANS = 100
INVALID_PLAN = Codes.INVALID_MOTION_PLAN
INVALIDATED = Codes.MOTION_PLAN_INVALIDATED_BY_ENVIRONMENT_CHANGE

ResultT = TypeVar("ResultT")


class MoveGroupNode(MoveItServer):
    """The node. Raises a RigidTreeError or a parameter exception if it cannot start."""

    def __init__(self) -> None:
        super().__init__("move_group")
        StateServices(self)
        SceneServices(self)
        self._plans = PlanServices(self)
        PlannerServices(self)
        self._execution = TrajectoryExecution(self)
        self.create_subscription(
            String, "trajectory_execution_event", self._on_event, 10, callback_group=self.group
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

    def destroy_node(self) -> None:
        """Cancel plans and motions too."""
        for goal in self._goals:
            goal.set()
        self._execution.destroy()
        for action in self._actions:
            action.destroy()
        super().destroy_node()

    @property
    def _goals(self) -> list[Goal]:
        return [goal for action in self._actions for goal in action.goals]

    def _action(
        self, kind: Any, name: str, attempt: Callable[[Goal, ResultT], Awaitable[Codes]]
    ) -> GoalServer:
        """Return an action server; ``attempt`` fills in a goal's result and returns its code."""

        async def work(goal: Goal) -> ResultT:
            result: ResultT = kind.Result()
            options = _options(goal)
            code = (await attempt(goal, result)).val
            if options is not None and options.replan:
                for _ in range(min(max(1, options.replan_attempts), MOST_REPLANS)):
                    if code == INVALIDATED and not goal.is_set():
                        code = (await attempt(goal, result)).val
            if options is not None:
                goal.feedback(state="IDLE")
            goal.succeeded, goal.stopped = code == Codes.SUCCESS, code == Codes.PREEMPTED
            return result

        return GoalServer(self, kind, name, work, self.group)

    def _on_event(self, message: String) -> None:
        if message.data != "stop":
            self.get_logger().warning(f"unknown trajectory_execution_event '{message.data}'")
            return
        for goal in self._goals:
            if _moves(goal):  # also motions that are still being planned
                goal.set()

    def _executes(self, goal: Goal) -> bool:
        """Return whether a goal's motion is executed; log it if that is not allowed."""
        if _moves(goal) and not self.settings.allow_trajectory_execution:
            self.get_logger().warning(NOT_ALLOWED)
            return False
        return _moves(goal)

    async def _move(self, goal: Goal, result: MoveGroup.Result) -> Codes:
        """Plan and move once; return the code."""
        request, options = goal.request.request, goal.request.planning_options
        goal.feedback(state="PLANNING")
        if self._executes(goal):
            # As in MoveIt, a motion starts at the current state.
            attached = request.start_state.attached_collision_objects
            request.start_state = msg.RobotState(is_diff=True, attached_collision_objects=attached)
        response = msg.MotionPlanResponse()
        planned = await self._plans.plan(request, response, goal, options.planning_scene_diff)
        code = result.error_code = response.error_code
        result.trajectory_start = response.trajectory_start
        result.planned_trajectory = response.trajectory
        result.planning_time += response.planning_time
        if planned and self._executes(goal):
            await self._drive(goal, planned, code)
            if code.val == Codes.SUCCESS:
                result.executed_trajectory = response.trajectory
        return code

    async def _sequence(self, goal: Goal, result: MoveGroupSequence.Result) -> Codes:
        """Plan and execute a sequence once; return the code."""
        request, options = goal.request.request, goal.request.planning_options
        goal.feedback(state="PLANNING")
        response = result.response = msg.MotionSequenceResponse()
        diff = options.planning_scene_diff
        planned = await self._plans.plan_sequence(request, response, goal, diff)
        code = response.error_code
        if code.val == Codes.SUCCESS and self._executes(goal):
            await self._drive(goal, planned, code)
        return code

    async def _drive(self, goal: Goal, planned: Sequence[PlannedTrajectory], code: Codes) -> None:
        """Execute trajectories in sequence, and fill in the code."""
        goal.feedback(state="MONITOR")
        with outcome_in(self, code):
            for trajectory in planned:
                if goal.is_set():
                    raise MoveItError(Codes.PREEMPTED, "canceled")
                message, robot = trajectory.message.joint_trajectory, trajectory.context.robot
                await self._execution.follow(message, trajectory.waypoints, robot, goal)

    async def _execute(self, goal: Goal, result: ExecuteTrajectory.Result) -> Codes:
        """Execute a client's trajectory; return the code."""
        trajectory = goal.request.trajectory
        goal.feedback(state="MONITOR")
        with outcome_in(self, result.error_code):
            if goal.is_set():
                raise MoveItError(Codes.PREEMPTED, "canceled")
            robot = self.present_robot
            points = read_waypoints(trajectory, robot, Codes.CONTROL_FAILED)
            if points is not None:
                await self._execution.follow(trajectory.joint_trajectory, points, robot, goal)
        return result.error_code

    async def _execute_task(self, goal: Goal, result: ExecuteTaskSolution.Result) -> Codes:
        """Execute SubTrajectory messages; each changes the scene after it.

        The error names the first one that fails. If one is invalid, nothing moves.
        """
        parts = goal.request.solution.sub_trajectory
        prefixes = [f"sub-trajectory {k + 1} of {len(parts)}: " for k in range(len(parts))]
        with outcome_in(self, result.error_code):
            robot, motions = await self.first_robot(), []
            for part, prefix in zip(parts, prefixes, strict=True):
                with errors_at(prefix):
                    motions.append(read_waypoints(part.trajectory, robot, INVALID_PLAN))
            for index, (part, points) in enumerate(zip(parts, motions, strict=True)):
                with errors_at(prefixes[index]):
                    if goal.is_set():
                        raise MoveItError(Codes.PREEMPTED, "stopped")
                    if points is not None:
                        trajectory = part.trajectory.joint_trajectory
                        await self._execution.follow(trajectory, points, robot, goal)
                goal.feedback(sub_id=index, sub_no=len(parts))
                try:
                    await self._change_scene(robot, part.scene_diff)
                except RigidTreeError as error:
                    reason = f"{prefixes[index]}change of the scene: {error}"
                    raise MoveItError(INVALID_PLAN, reason) from error
        return result.error_code

    async def _change_scene(self, robot: MoveItRobot, diff: msg.PlanningScene) -> None:
        """Apply a change of the scene without its joint positions, which only motions change."""
        attached = diff.robot_state.attached_collision_objects
        diff.robot_state = msg.RobotState(is_diff=True, attached_collision_objects=attached)
        empty = msg.PlanningScene(is_diff=diff.is_diff, robot_model_name=diff.robot_model_name)
        empty.robot_state.is_diff = True
        if diff != empty:  # an empty scene without is_diff would clear the scene
            frames = self.base_frames(robot)
            changed = await messages.apply_scene(self.keeper, diff, robot, frames)
            self.scene_changed()
            for note in changed.require_all():
                self.get_logger().warning(f"scene_diff: {note}")


def _options(goal: Goal) -> msg.PlanningOptions | None:
    """Return a goal's PlanningOptions; None for goals without a plan."""
    return getattr(goal.request, "planning_options", None)


def _moves(goal: Goal) -> bool:
    options = _options(goal)
    return options is None or not options.plan_only
