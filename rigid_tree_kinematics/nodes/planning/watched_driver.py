"""A monitored driver: motions are stopped when an obstacle blocks their path."""

from __future__ import annotations

import math
import time
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from action_msgs.msg import GoalStatus
from control_msgs.action import FollowJointTrajectory
from rclpy.action import ActionClient
from rclpy.callback_groups import ReentrantCallbackGroup

from rigid_tree_kinematics.errors import RigidTreeError
from rigid_tree_kinematics.nodes.common import process, requests
from rigid_tree_kinematics.nodes.planning.controller_goals import ControllerGoals, Heard
from rigid_tree_kinematics.nodes.planning.controllers import (
    FAILED,
    ONE_DRIVER,
    Controller,
    shares,
)
from rigid_tree_kinematics.nodes.planning.path_watch import PathWatch
from rigid_tree_kinematics.trajectories import Waypoints

if TYPE_CHECKING:
    from rigid_tree_kinematics.nodes.planning.planning_robot import PlanningRobot
    from rigid_tree_kinematics.nodes.planning.server import PlanningServer

ACCEPTED_WITHIN = 5.0  # s, for the controllers to accept a goal
DELIVERY = 0.2  # s; a request can be lost if its client is destroyed before it is read
STOPPED_WITHIN = 5.0  # s, for the controllers to end a canceled motion
SILENT = 3.0  # s without further feedback after which the controllers are asked to stop
Codes = FollowJointTrajectory.Result


@dataclass(frozen=True)
class MotionEnd:
    """How a motion ended: GoalStatus, and error code and message of FollowJointTrajectory.

    The code is SUCCESSFUL with STATUS_SUCCEEDED only.
    """

    reason: str
    code: int = FAILED
    status: int = GoalStatus.STATUS_ABORTED
    timed_out: bool = False

    @property
    def succeeded(self) -> bool:
        """Whether the robot is where the motion ends."""
        return self.status == int(GoalStatus.STATUS_SUCCEEDED)

    @property
    def canceled(self) -> bool:
        """Whether the controllers have ended the motion as canceled."""
        return self.status == int(GoalStatus.STATUS_CANCELED)

    @property
    def blocked(self) -> bool:
        """Whether an obstacle is on the path."""
        return self.code == requests.BLOCKED


class WatchedMotion(process.Cancellation):
    """A motion with a time limit ``longest`` (s). ``end`` stops it; later calls are ignored."""

    def __init__(self, longest: float) -> None:
        super().__init__()
        self._longest = longest
        self._ended = 0.0
        self.reason, self.code = "", FAILED  # of its end
        self.timed_out = False

    def end(self, reason: str, code: int = FAILED) -> None:
        """Stop the controllers, for a reason and with an error code of the action."""
        with self._lock:
            if self.reason:
                return
            self.reason, self.code, self._ended = reason, code, time.monotonic()
        self.set()

    def check_time(self, seconds: float) -> None:
        """Stop the controllers after the time limit."""
        if seconds > self._longest and not self.is_set():
            self.timed_out = True
            self.end(f"the motion took longer than {self._longest:.3g} s")

    @property
    def is_overdue(self) -> bool:
        """Whether the controllers have not stopped in time."""
        return self.is_set() and time.monotonic() > self._ended + STOPPED_WITHIN


class WatchedDriver:
    """Action ``follow_watched_trajectory``, which forwards goals to the robot's controllers.

    By default that is one, the action ``follow_joint_trajectory`` of the same type. Feedback is
    forwarded. A motion that is blocked, at the start or by a later change of the scene, ends with
    error code BLOCKED and a message. Where several controllers execute a motion, it ends when all
    have ended; if one fails or rejects its part, the others are stopped, and the message names it.
    """

    def __init__(
        self, server: PlanningServer[Any], controllers: Sequence[Controller] = ()
    ) -> None:
        self._server = server
        self._controllers = controllers or ONE_DRIVER
        self._under_way: set[WatchedMotion] = set()
        group = ReentrantCallbackGroup()
        self._clients: dict[Controller, ActionClient[Any, Any, Any]] = {}
        for each in self._controllers:
            self._clients[each] = ActionClient(
                server, each.kind, each.action, callback_group=group
            )
        self._action = process.GoalServer(
            server, FollowJointTrajectory, requests.WATCHED, self._on_goal, group
        )

    def destroy(self) -> None:
        """Stop running motions, which could not be monitored further, and destroy the action."""
        motions = list(self._under_way)
        for motion in motions:
            motion.end("the planner is shutting down")
        if motions:
            time.sleep(DELIVERY)
        self._action.destroy()
        for client in self._clients.values():
            client.destroy()

    def missing(self, joints: Sequence[str]) -> list[str]:
        """Return the actions for some joints that have no server now.

        ConfigurationError for joints without a controller.
        """
        found = [controller for controller, _ in shares(self._controllers, joints)]
        return [each.action for each in found if not self._clients[each].server_is_ready()]

    async def _on_goal(self, goal: process.Goal) -> FollowJointTrajectory.Result:
        request: FollowJointTrajectory.Goal = goal.request
        try:
            requests.reject_multi_dof(request)
            robot = self._server.present_robot
            points = requests.read_trajectory(request.trajectory, robot.tree.compiled())
        except RigidTreeError as error:
            end = self._logged(MotionEnd(str(error), requests.rejection_code(error)))
        else:
            heard = goal.handle.publish_feedback
            end = await self.follow(request, points, robot, goal, heard=heard)
        goal.succeeded = end.succeeded
        return Codes(error_code=end.code, error_string=end.reason)

    async def follow(
        self,
        goal: FollowJointTrajectory.Goal,
        points: Waypoints,
        robot: PlanningRobot,
        cancellation: process.Cancellation,
        longest: float = math.inf,
        heard: Heard = lambda _: None,
    ) -> MotionEnd:
        """Have the controllers follow a goal; return how the motion ended.

        ``points`` are the waypoints of its trajectory for ``robot``. The motion is stopped after
        ``longest`` (s). ``heard`` is called with the controllers' feedback.
        """
        motion = WatchedMotion(longest)
        cancellation.on_set(lambda: motion.end("canceled"))
        self._under_way.add(motion)
        try:
            end = await self._followed(goal, points, robot, motion, heard)
        except RigidTreeError as error:
            end = MotionEnd(str(error), requests.rejection_code(error))
        finally:
            self._under_way.discard(motion)
        return self._logged(replace(end, timed_out=motion.timed_out))

    def _logged(self, end: MotionEnd) -> MotionEnd:
        if not end.succeeded:
            self._server.get_logger().warning(f"{requests.WATCHED}: {end.reason}")
        return end

    async def _followed(
        self,
        goal: FollowJointTrajectory.Goal,
        points: Waypoints,
        robot: PlanningRobot,
        motion: WatchedMotion,
        heard: Heard,
    ) -> MotionEnd:

        def on_blocked(reason: str) -> None:
            motion.end(reason, requests.BLOCKED)

        watch = PathWatch(self._server, robot, points, on_blocked)
        if blocked := watch.problem():
            return MotionEnd(blocked, requests.BLOCKED)
        if missing := self.missing(points.names):
            return MotionEnd(f"no server of the action {', '.join(missing)}")
        if motion.is_set():
            return MotionEnd(motion.reason)
        sign = process.LifeSign(self._server, points.times[-1], SILENT)

        def pass_on(feedback: FollowJointTrajectory.Feedback) -> None:
            sign.heard()
            heard(feedback)

        goals = ControllerGoals(self._clients, goal, points.names, pass_on)
        period = process.WATCHDOG_PERIOD
        await process.wait_until(
            self._server, goals.have_replied, ACCEPTED_WITHIN, period, goals.replies
        )
        if rejection := goals.rejection():
            return MotionEnd(rejection)
        goals.monitor()
        motion.on_set(goals.cancel)
        watch.start()
        try:
            return await self._ended(goals, motion, sign)
        finally:
            watch.stop()

    async def _ended(
        self, goals: ControllerGoals, motion: WatchedMotion, sign: process.LifeSign
    ) -> MotionEnd:
        """Wait for the end of all parts, and stop them when one fails or falls silent."""
        clock = self._server.get_clock()
        begin = clock.now()

        def is_over() -> bool:
            for failure in goals.failures():
                motion.end(*failure)
            if sign.is_lost:
                motion.end(f"{goals.silent} has stopped sending feedback")
            motion.check_time(1e-9 * (clock.now() - begin).nanoseconds)
            return goals.have_ended() or motion.is_overdue

        period = process.WATCHDOG_PERIOD
        await process.wait_until(self._server, is_over, math.inf, period, goals.results)
        if not goals.have_ended():
            late = f"{requests.DRIVER} did not end the motion within {STOPPED_WITHIN:g} s"
            return MotionEnd(f"{motion.reason}; {late}", motion.code)
        answers: list[Any] = [result.result() for result in goals.results]
        succeeded, canceled = GoalStatus.STATUS_SUCCEEDED, GoalStatus.STATUS_CANCELED
        if not goals.failures():
            reasons = [getattr(answer.result, "error_string", "") for answer in answers]
            return MotionEnd("; ".join(filter(None, reasons)), Codes.SUCCESSFUL, succeeded)
        unsuccessful = {answer.status for answer in answers} - {succeeded}
        if motion.code != requests.BLOCKED and unsuccessful == {canceled}:
            return MotionEnd(motion.reason, motion.code, canceled)
        return MotionEnd(motion.reason, motion.code)
