"""A monitored driver: motions are stopped when an obstacle blocks their path."""

from __future__ import annotations

import math
import threading
import time
import traceback
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Any

from action_msgs.msg import GoalStatus
from control_msgs.action import FollowJointTrajectory
from rclpy.action import ActionServer, CancelResponse
from rclpy.action.server import ServerGoalHandle
from rclpy.callback_groups import ReentrantCallbackGroup
from rclpy.node import Node
from rclpy.task import Future

from rigid_tree_kinematics.collision import Scene
from rigid_tree_kinematics.errors import RigidTreeError
from rigid_tree_kinematics.nodes.common import process, requests
from rigid_tree_kinematics.nodes.planning.driver import Driver, Heard, OneDriver, ending
from rigid_tree_kinematics.nodes.planning.robot import PlanningRobot
from rigid_tree_kinematics.nodes.scene import SceneKeeper
from rigid_tree_kinematics.planning import RemainingPath

ACCEPTED_WITHIN = 5.0  # s, for the driver to accept a goal
DELIVERY = 0.2  # s; a request can be lost if its client is destroyed before it is read
ADVANCE_PERIOD = 0.05  # s between two updates of the robot's position on the path
STOPPED_WITHIN = 5.0  # s, for it to end a cancelled motion
SILENT = 3.0  # s without further feedback after which a driver is asked to stop
CANCELLED = "canceled"
Codes = FollowJointTrajectory.Result


@dataclass(frozen=True)
class MotionEnd:
    """The end of a motion: its last GoalStatus, an error code of the action, and a message.

    The code is SUCCESSFUL with STATUS_SUCCEEDED only.
    """

    status: int
    code: int
    words: str


class WatchedDriver:
    """Action ``follow_watched_trajectory``, which forwards goals to ``follow_joint_trajectory``.

    Both have the same type, and the driver's feedback is forwarded. A motion that is blocked, at
    the start or by a later change of the scene, ends with error code BLOCKED and a message.
    ``robot`` raises a RigidTreeError without a robot; without a ``driver`` it is the action
    DRIVER.
    """

    def __init__(
        self,
        node: Node,
        robot: Callable[[], PlanningRobot],
        keeper: SceneKeeper,
        driver: Driver | None = None,
    ) -> None:
        self._node = node
        self._robot = robot
        self._keeper = keeper
        self._group = ReentrantCallbackGroup()
        self._goals: dict[bytes, WatchedMotion] = {}
        self._under_way: set[WatchedMotion] = set()
        self.driver = driver or OneDriver(node, self._group)
        self._action = ActionServer(
            node,
            FollowJointTrajectory,
            requests.WATCHED,
            self._on_goal,
            callback_group=self._group,
            cancel_callback=self._on_cancel,
        )

    def destroy(self) -> None:
        """Stop running motions, which could not be monitored further, and destroy the action."""
        motions = list(self._under_way)
        for motion in motions:
            motion.end("the planner is shutting down")
        if motions:
            time.sleep(DELIVERY)
        self._action.destroy()
        self.driver.destroy()

    def _motion_of(self, handle: ServerGoalHandle[Any, Any, Any]) -> WatchedMotion:
        """Return a goal's motion, which may be cancelled before its start."""
        return self._goals.setdefault(bytes(handle.goal_id.uuid), WatchedMotion())

    def _on_cancel(self, handle: ServerGoalHandle[Any, Any, Any]) -> CancelResponse:
        self._motion_of(handle).end(CANCELLED)
        return CancelResponse.ACCEPT

    async def _on_goal(self, handle: ServerGoalHandle[Any, Any, Any]) -> Any:
        motion = self._motion_of(handle)
        try:
            end = await self.follow(handle.request, motion, handle.publish_feedback)
        finally:
            self._goals.pop(bytes(handle.goal_id.uuid), None)
        succeeded = end.status == GoalStatus.STATUS_SUCCEEDED
        process.end_goal(handle, succeeded, motion.reason == CANCELLED)
        return FollowJointTrajectory.Result(error_code=end.code, error_string=end.words)

    async def follow(
        self, goal: FollowJointTrajectory.Goal, motion: WatchedMotion, heard: Heard
    ) -> MotionEnd:
        """Have the driver follow a goal as a new motion; return how it ended.

        The motion's ``end`` stops it. ``heard`` is called with the driver's feedback.
        """
        self._under_way.add(motion)
        try:
            end = await self._followed(goal, motion, heard)
        except RigidTreeError as error:
            end = _refusal(str(error), requests.refusal_code(error))
        finally:
            self._under_way.discard(motion)
        if end.status != GoalStatus.STATUS_SUCCEEDED:
            self._node.get_logger().warning(f"{requests.WATCHED}: {end.words}")
        return end

    async def _followed(
        self, goal: FollowJointTrajectory.Goal, motion: WatchedMotion, heard: Heard
    ) -> MotionEnd:
        robot = self._robot()
        requests.refuse_multi_dof(goal)
        points = requests.read_trajectory(goal.trajectory, robot.tree.compiled())
        rest = points.slots, points.times, points.positions
        path = RemainingPath(robot.tree.compiled(), robot.state.configuration, *rest)
        block = partial(motion.end, blocked=True)
        watch = _MotionWatch(self._present, self._keeper, path, block)
        blocked = watch.complaint()
        if blocked:
            return _refusal(blocked, requests.BLOCKED)
        missing = self.driver.missing(points.names)
        if missing:
            return _refusal(f"no server of the action {', '.join(missing)}")
        if motion.reason:
            return _refusal(motion.reason)
        sign = process.LifeSign(self._node, points.times[-1], SILENT)

        def pass_on(feedback: FollowJointTrajectory.Feedback) -> None:
            sign.heard()
            heard(feedback)

        sent = self.driver.send(goal, pass_on)
        period = process.WATCHDOG_PERIOD
        await process.wait_until(self._node, sent.done, ACCEPTED_WITHIN, period, sent)
        driven = sent.result() if sent.done() else None
        if driven is None:
            sent.add_done_callback(_give_back)
        if driven is None or not driven.accepted:
            refusal = f"{requests.DRIVER} did not accept the trajectory"
            return _refusal(getattr(driven, "refusal", refusal))
        reply = driven.get_result_async()
        motion.begin(driven)
        watch.start()
        begin = self._node.get_clock().now()

        def is_over() -> bool:
            if sign.is_lost:
                motion.end(
                    f"{getattr(driven, 'silent', requests.DRIVER)} has stopped sending feedback"
                )
            motion.check_time(1e-9 * (self._node.get_clock().now() - begin).nanoseconds)
            return reply.done() or motion.is_overdue

        try:
            await process.wait_until(self._node, is_over, math.inf, period, reply)
        finally:
            watch.stop()
        return _end_of(reply.result() if reply.done() else None, motion)

    def _present(self) -> PlanningRobot | None:
        try:
            return self._robot()
        except RigidTreeError:
            return None


class WatchedMotion:
    """A goal of the driver with a time limit ``longest`` (s); it ends only once."""

    def __init__(self, longest: float = math.inf) -> None:
        self._longest = longest
        self._lock = threading.Lock()
        self._driven: Any = None
        self._ended = 0.0
        self.reason = ""  # of its end
        self.blocked = False
        self.timed_out = False

    def begin(self, driven: Any) -> None:
        """Store the accepted goal; cancel it if the motion has already ended."""
        with self._lock:
            self._driven = driven
            if self.reason:
                driven.cancel_goal_async()

    def end(self, reason: str, blocked: bool = False) -> None:
        """Stop the driver, because an obstacle is in the way (``blocked``) or otherwise."""
        with self._lock:
            if self.reason:
                return
            self.reason, self.blocked, self._ended = reason, blocked, time.monotonic()
            if self._driven is not None:
                self._driven.cancel_goal_async()

    def check_time(self, seconds: float) -> None:
        """Stop the driver after the time limit."""
        if seconds > self._longest and not self.reason:
            self.timed_out = True
            self.end(f"the motion took longer than {self._longest:.3g} s")

    @property
    def is_ended(self) -> bool:
        """Whether the motion must stop or not start."""
        return bool(self.reason)

    @property
    def is_overdue(self) -> bool:
        """Whether the driver has not stopped in time."""
        return bool(self.reason) and time.monotonic() > self._ended + STOPPED_WITHIN


class _MotionWatch:
    """Follows a robot along its path in its own thread, from ``start`` to ``stop``.

    ``blocked`` is called once, in the thread, with the reason to end the motion. The watch ends
    then.
    """

    def __init__(
        self,
        robot: Callable[[], PlanningRobot | None],
        keeper: SceneKeeper,
        path: RemainingPath,
        blocked: Callable[[str], None],
    ) -> None:
        self._robot_now = robot
        self._robot = robot()
        self._keeper = keeper
        self._path = path
        self._blocked = blocked
        self._stopped = threading.Event()
        self._checked: Scene | None = None
        self._thread = threading.Thread(target=self._run, name="motion watch", daemon=True)

    def complaint(self) -> str:
        """Check once; return the reason to end the motion, or an empty string."""
        robot, scene = self._robot, self._keeper.scene
        if robot is None or self._robot_now() is not robot:
            return "the robot was replaced by another one"
        configuration = robot.state.configuration
        self._path.advance(configuration)
        if scene is self._checked:
            return ""
        found = self._path.blockage(robot.checkers.checker(scene), configuration)
        self._checked = scene
        return "" if found is None else found.message

    def start(self) -> None:
        """Start the thread."""
        self._thread.start()

    def stop(self) -> None:
        """End the thread; ``blocked`` may still be running."""
        self._stopped.set()

    def _run(self) -> None:
        while not self._stopped.is_set():
            try:
                reason = self.complaint()
            except RigidTreeError as error:
                reason = f"the remaining path cannot be checked: {error}"
            except Exception:  # a defect: without checks the motion ends
                reason = f"internal error while watching:\n{traceback.format_exc()}"
            if self._stopped.is_set():
                return
            if reason:
                self._blocked(reason)
                return
            self._keeper.wait_for_change(self._checked, ADVANCE_PERIOD)


def _refusal(words: str, code: int = Codes.INVALID_GOAL) -> MotionEnd:
    return MotionEnd(GoalStatus.STATUS_ABORTED, code, words)


def _give_back(sent: Future[Any]) -> None:
    """Cancel a goal that is accepted too late to be monitored."""
    handle = None if sent.exception() is not None else sent.result()
    if handle is not None and handle.accepted:
        handle.cancel_goal_async()


def _end_of(answer: Any, motion: WatchedMotion) -> MotionEnd:
    """Return the end of a motion from the driver's result; None after a timeout."""
    code = requests.BLOCKED if motion.blocked else Codes.INVALID_GOAL
    if answer is None:
        words = f"{requests.DRIVER} did not end the motion within {STOPPED_WITHIN:g} s"
        return _refusal(f"{motion.reason}; {words}", code)
    status, error = int(answer.status), answer.result.error_code
    words = answer.result.error_string
    if status == GoalStatus.STATUS_SUCCEEDED and error == Codes.SUCCESSFUL:
        return MotionEnd(status, error, words)
    if motion.blocked:
        return _refusal(motion.reason, code)
    words = motion.reason or words or f"{requests.DRIVER} {ending(status)}, error {error}"
    # Some drivers leave the code at SUCCESSFUL; positive codes are not of drivers.
    error = error if error < Codes.SUCCESSFUL else code
    if status == GoalStatus.STATUS_SUCCEEDED:  # with an error code
        return _refusal(words, error)
    return MotionEnd(status, error, words)
