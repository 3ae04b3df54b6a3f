"""The node move_group and its actions: plan and execute motions or trajectories, stop."""

import math
from collections.abc import Awaitable, Callable, Sequence
from importlib.util import find_spec
from typing import Any

import numpy as np
from action_msgs.msg import GoalStatus
from control_msgs.action import FollowJointTrajectory
from moveit_msgs import msg
from moveit_msgs.action import ExecuteTrajectory, MoveGroup, MoveGroupSequence
from moveit_msgs.msg import MoveItErrorCodes as Codes
from rclpy.duration import Duration
from std_msgs.msg import String
from trajectory_msgs.msg import JointTrajectory

from rigid_tree_kinematics.errors import RigidTreeError, told_apart
from rigid_tree_kinematics.kinematics.topology import difference
from rigid_tree_kinematics.nodes.planning import (
    BLOCKED,
    Cancellation,
    Goal,
    GoalServer,
    WatchedDriver,
    WatchedMotion,
    read_trajectory,
    wait_until,
)
from rigid_tree_kinematics.trajectories import Waypoints
from rigid_tree_moveit.move_group import messages
from rigid_tree_moveit.move_group.messages import MoveItError, error_code
from rigid_tree_moveit.move_group.plans import PlanServices
from rigid_tree_moveit.move_group.scenes import SceneServices
from rigid_tree_moveit.move_group.server import MoveItServer
from rigid_tree_moveit.move_group.states import StateServices

MOST_REPLANS = 100
DISCOVERED_WITHIN = 3.0  # s, for the discovery of a driver
# s, age at which the position of a joint is stale; s, to wait for a joint state.
STALE, STATE_WITHIN = 1.0, 1.0
NOT_ALLOWED = "parameter allow_trajectory_execution is false: motions are only planned"
INVALID_PLAN = Codes.INVALID_MOTION_PLAN
INVALIDATED = Codes.MOTION_PLAN_INVALIDATED_BY_ENVIRONMENT_CHANGE


class MoveGroupNode(MoveItServer):
    """The node. Raises a RigidTreeError or a parameter exception if it cannot start."""

    def __init__(self) -> None:
        super().__init__("move_group")
        StateServices(self)
        SceneServices(self)
        self._plans = PlanServices(self)
        self._driver = WatchedDriver(self, self.controllers)
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
        self._driver.destroy()
        for action in self._actions:
            action.destroy()
        super().destroy_node()

    @property
    def _goals(self) -> list[Goal]:
        return [goal for action in self._actions for goal in action.goals]

    def _action(
        self, kind: Any, name: str, attempt: Callable[[Goal, Any], Awaitable[Codes]]
    ) -> GoalServer:
        """Return an action server; ``attempt`` fills in a goal's result and returns its code."""

        async def work(goal: Goal) -> Any:
            result, options = kind.Result(), _options(goal)
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
        request = goal.request.request
        goal.feedback(state="PLANNING")
        if self._executes(goal):
            # As in MoveIt, a motion starts at the current state.
            attached = request.start_state.attached_collision_objects
            request.start_state = msg.RobotState(is_diff=True, attached_collision_objects=attached)
        response = msg.MotionPlanResponse()
        await self._plans.plan(request, response, goal, _options(goal).planning_scene_diff)
        code = result.error_code = response.error_code
        result.trajectory_start = response.trajectory_start
        result.planned_trajectory = response.trajectory
        result.planning_time += response.planning_time
        if code.val == Codes.SUCCESS and self._executes(goal):
            await self._drive(goal, [response.trajectory], code)
            if code.val == Codes.SUCCESS:
                result.executed_trajectory = response.trajectory
        return code

    async def _sequence(self, goal: Goal, result: MoveGroupSequence.Result) -> Codes:
        """Plan and execute a sequence once; return the code."""
        request = goal.request.request
        goal.feedback(state="PLANNING")
        response = result.response = msg.MotionSequenceResponse()
        diff = _options(goal).planning_scene_diff
        await self._plans.plan_sequence(request, response, goal, diff)
        code = response.error_code
        if code.val == Codes.SUCCESS and self._executes(goal):
            await self._drive(goal, response.planned_trajectories, code)
        return code

    async def _execute(self, goal: Goal, result: ExecuteTrajectory.Result) -> Codes:
        return await self._drive(goal, [goal.request.trajectory], result.error_code)

    async def _drive(
        self, goal: Goal, trajectories: Sequence[msg.RobotTrajectory], code: Codes
    ) -> Codes:
        """Execute trajectories in sequence; fill in and return the code."""
        goal.feedback(state="MONITOR")
        with messages.outcome_in(self, code):
            for trajectory in trajectories:
                if goal.is_set():
                    raise MoveItError(Codes.PREEMPTED, "canceled")
                await self._follow(trajectory, goal)
        return code

    async def _execute_task(self, goal: Goal, result: Any) -> Codes:
        """Execute SubTrajectory messages; each changes the scene after it.

        The error names the first one that fails. If one is invalid, nothing moves.
        """
        parts = goal.request.solution.sub_trajectory
        prefixes = [f"sub-trajectory {k + 1} of {len(parts)}: " for k in range(len(parts))]
        with messages.outcome_in(self, result.error_code):
            robot = await self.first_robot()
            for part, prefix in zip(parts, prefixes, strict=True):
                with messages.errors_at(prefix), error_code(INVALID_PLAN):
                    _reject_multi_dof(part.trajectory)
                    if part.trajectory.joint_trajectory.points:
                        read_trajectory(part.trajectory.joint_trajectory, robot.tree.compiled())
            for index, (part, prefix) in enumerate(zip(parts, prefixes, strict=True)):
                with messages.errors_at(prefix):
                    if goal.is_set():
                        raise MoveItError(Codes.PREEMPTED, "stopped")
                    await self._follow(part.trajectory, goal)
                goal.feedback(sub_id=index, sub_no=len(parts))
                try:
                    await self._change_scene(robot, part.scene_diff)
                except RigidTreeError as error:
                    reason = f"{prefix}change of the scene: {error}"
                    raise MoveItError(INVALID_PLAN, reason) from error
        return result.error_code

    async def _change_scene(self, robot: messages.MoveItRobot, diff: msg.PlanningScene) -> None:
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

    async def _follow(self, trajectory: msg.RobotTrajectory, cancellation: Cancellation) -> None:
        """Execute a trajectory to its end; MoveItError with the reason if it stops earlier."""
        _reject_multi_dof(trajectory)
        if not trajectory.joint_trajectory.points:
            return
        if not self.settings.allow_trajectory_execution:
            raise MoveItError(Codes.CONTROL_FAILED, NOT_ALLOWED)
        goal = FollowJointTrajectory.Goal(trajectory=trajectory.joint_trajectory)
        # Plans have past stamps, which a driver would take as the start of the motion.
        goal.trajectory.header.stamp.sec = goal.trajectory.header.stamp.nanosec = 0
        motion = WatchedMotion(self._longest(goal.trajectory))
        cancellation.on_set(lambda: motion.end("stopped"))
        await self._wait_for_driver(goal.trajectory, motion)
        status, result = await self._driver.follow(goal, motion, lambda _: None)
        if result.error_code == result.SUCCESSFUL and not cancellation.is_set():
            return
        code = Codes.CONTROL_FAILED
        if motion.timed_out:
            code = Codes.TIMED_OUT
        elif status == GoalStatus.STATUS_CANCELED or cancellation.is_set():
            code = Codes.PREEMPTED
        elif result.error_code == BLOCKED:
            code = INVALIDATED
        elif result.error_code == result.INVALID_JOINTS:
            code = INVALID_PLAN
        raise MoveItError(code, result.error_string or "stopped")

    def _longest(self, trajectory: JointTrajectory) -> float:
        """Return how long the driver may take, s."""
        settings, duration = self.settings, trajectory.points[-1].time_from_start
        if not settings.execution_duration_monitoring:
            return math.inf
        scaled = settings.allowed_execution_duration_scaling * (
            Duration.from_msg(duration).nanoseconds / 1e9
        )
        return scaled + settings.allowed_goal_duration_margin

    async def _wait_for_driver(self, trajectory: JointTrajectory, motion: WatchedMotion) -> None:
        """Wait for the driver and for joint states; MoveItError if the motion cannot start.

        The driver reports errors in the trajectory itself.
        """
        robot = self.present_robot
        try:
            points = read_trajectory(trajectory, robot.tree.compiled())
        except RigidTreeError:
            return

        def has_driver() -> bool:
            return not self._driver.missing(points.names)

        def has_state() -> bool:
            return not robot.state.stale(points.slots, STALE)

        with error_code(Codes.CONTROL_FAILED):
            has_driver()  # an error for joints without a controller
            await wait_until(self, lambda: has_driver() or motion.is_set(), DISCOVERED_WITHIN)
        if not motion.is_set() and has_driver():
            await wait_until(self, lambda: has_state() or motion.is_set(), STATE_WITHIN)
            tolerance = self.settings.allowed_start_tolerance
            _check_start(robot, points, self.resolve_topic_name("joint_states"), tolerance)


def _check_start(
    robot: messages.MoveItRobot, points: Waypoints, topic: str, tolerance: float
) -> None:
    """Raise MoveItError if the robot is not known to be at the trajectory's start.

    ``tolerance`` (rad, m) is for joints without their own; 0 means any distance.
    """
    compiled, state = robot.tree.compiled(), robot.state
    stale = state.stale(points.slots, STALE)
    if stale:
        reason = f"no positions of {', '.join(stale)} on {topic} for {STALE:g} s"
        raise MoveItError(Codes.ROBOT_STATE_STALE, reason)
    if points.times[0] > 0.0:
        return  # the driver moves to the first point
    now = state.configuration
    first = now.copy()
    first[points.slots] = points.positions[0]
    error = np.abs(difference(compiled.position_kinds, now, first))
    own = robot.start_tolerances
    allowed = np.array([own.get(name, tolerance) or math.inf for name in compiled.position_names])
    k = int(np.argmax(error / allowed))
    if error[k] > allowed[k]:
        begin, here = told_apart(first[k], now[k], digits=4)
        raise MoveItError(
            Codes.CONTROL_FAILED,
            f"the trajectory starts at {compiled.position_names[k]} = {begin}, but the robot is "
            f"at {here}, more than allowed_start_tolerance {allowed[k]:g} away; a first "
            "time_from_start above 0 makes it move there first",
        )


def _reject_multi_dof(trajectory: msg.RobotTrajectory) -> None:
    """Raise MoveItError if the fields for planar and floating joints are filled."""
    several = trajectory.multi_dof_joint_trajectory
    if several.joint_names or several.points:
        reason = "multi_dof_joint_trajectory is not supported: use joint_trajectory for all joints"
        raise MoveItError(INVALID_PLAN, reason)


def _options(goal: Goal) -> Any:
    """Return a goal's PlanningOptions; None for goals without a plan."""
    return getattr(goal.request, "planning_options", None)


def _moves(goal: Goal) -> bool:
    options = _options(goal)
    return options is None or not options.plan_only
