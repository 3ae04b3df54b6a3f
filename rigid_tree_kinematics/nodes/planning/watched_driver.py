"""A driver's action, watched: motions are stopped when something gets into their way."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from typing import Any

from action_msgs.msg import GoalStatus
from control_msgs.action import FollowJointTrajectory
from rclpy.action import ActionClient, ActionServer, CancelResponse
from rclpy.action.client import ClientGoalHandle
from rclpy.action.server import ServerGoalHandle
from rclpy.callback_groups import ReentrantCallbackGroup
from rclpy.clock import Clock, ClockType
from rclpy.node import Node
from rclpy.task import Future

from rigid_tree_kinematics.errors import RigidTreeError
from rigid_tree_kinematics.nodes.common.goal_end import end_goal
from rigid_tree_kinematics.nodes.common.joint_trajectories import (
    read_trajectory,
    refusal_code,
    refuse_multi_dof,
)
from rigid_tree_kinematics.nodes.common.life_sign import LifeSign
from rigid_tree_kinematics.nodes.common.motion_client import BLOCKED, DRIVER, WATCHED
from rigid_tree_kinematics.nodes.common.thread_future import ThreadFuture
from rigid_tree_kinematics.nodes.planning.robot import PlanningRobot
from rigid_tree_kinematics.nodes.planning.watch import MotionWatch
from rigid_tree_kinematics.nodes.scene.keeper import SceneKeeper
from rigid_tree_kinematics.planning import RemainingPath

ACCEPTED_WITHIN = 5.0  # s, that the driver has to accept a goal
STOPPED_WITHIN = 5.0  # s, that it has to end a motion that is cancelled
SILENT = 3.0  # s without feedback, after which a driver that gave some is asked to stop
LOOK_PERIOD = 0.5  # s
CANCELLED = "cancelled"


class WatchedDriver:
    """Action ``follow_watched_trajectory``, which hands its goals to ``follow_joint_trajectory``.

    Both are of the same type, and what the driver tells is passed on. A motion that is blocked,
    at its begin or by a later change of the scene, ends with error code BLOCKED and a sentence.

    Args:
        node: whose action it is, under a multi-threaded executor.
        robot: returns the robot, or raises a RigidTreeError while there is none.
        keeper: has the scene.
        driver: what is used like the driver's action client; that of DRIVER, if None.
    """

    def __init__(
        self,
        node: Node,
        robot: Callable[[], PlanningRobot],
        keeper: SceneKeeper,
        driver: Any = None,
    ) -> None:
        self._node = node
        self._robot = robot
        self._keeper = keeper
        self._steady = Clock(clock_type=ClockType.STEADY_TIME)
        self._group = ReentrantCallbackGroup()
        self._motions: dict[bytes, _Motion] = {}
        self._driver = driver or ActionClient(
            node, FollowJointTrajectory, DRIVER, callback_group=self._group
        )
        self._action = ActionServer(
            node,
            FollowJointTrajectory,
            WATCHED,
            self._on_goal,
            callback_group=self._group,
            cancel_callback=self._on_cancel,
        )

    @property
    def has_driver(self) -> bool:
        """Whether a driver's action has been discovered."""
        return bool(self._driver.server_is_ready())

    def destroy(self) -> None:
        """Stop what is under way, which nobody would watch any more, and take the action away."""
        for motion in list(self._motions.values()):
            motion.end("the planner ends")
        self._action.destroy()
        self._driver.destroy()

    def _on_cancel(self, handle: ServerGoalHandle) -> CancelResponse:
        motion = self._motions.get(bytes(handle.goal_id.uuid))
        if motion is not None:  # otherwise it has not begun, and looks itself
            motion.end(CANCELLED)
        return CancelResponse.ACCEPT

    async def _on_goal(self, handle: ServerGoalHandle) -> Any:
        result = FollowJointTrajectory.Result()
        key = bytes(handle.goal_id.uuid)
        motion = self._motions[key] = _Motion()
        try:
            status = await self._follow(handle, motion, result)
        except RigidTreeError as error:
            status = self._refuse(result, refusal_code(error), str(error))
        finally:
            del self._motions[key]
        if status != GoalStatus.STATUS_SUCCEEDED:
            self._node.get_logger().warning(f"{WATCHED}: {result.error_string}")
        succeeded = status == GoalStatus.STATUS_SUCCEEDED
        end_goal(handle, succeeded, motion.reason == CANCELLED)
        return result

    async def _follow(
        self, handle: ServerGoalHandle, motion: _Motion, result: FollowJointTrajectory.Result
    ) -> int:
        """Have the driver follow a goal; fill the result and return the goal's last status."""
        robot = self._robot()
        refuse_multi_dof(handle.request)
        points = read_trajectory(handle.request.trajectory, robot.tree.compiled())
        path = RemainingPath(
            robot.tree.compiled(),
            robot.state.configuration,
            points.slots,
            points.times,
            points.positions,
        )
        watch = MotionWatch(self._present, self._keeper, path, motion.block)
        blocked = watch.complaint()
        if blocked:
            return self._refuse(result, BLOCKED, blocked)
        if not self._driver.server_is_ready():
            return self._refuse(result, result.INVALID_GOAL, f"no server of the action {DRIVER}")
        sign = LifeSign(self._node, points.times[-1], SILENT)

        def pass_on(message: Any) -> None:
            sign.heard()
            handle.publish_feedback(message.feedback)

        sent = self._driver.send_goal_async(handle.request, pass_on)
        await self._until(sent, time.monotonic() + ACCEPTED_WITHIN)
        driven = sent.result() if sent.done() else None
        if driven is None or not driven.accepted:
            refused = f"{DRIVER} did not accept the trajectory"
            return self._refuse(result, result.INVALID_GOAL, refused)
        reply = driven.get_result_async()
        motion.begin(driven)
        watch.start()
        try:
            if handle.is_cancel_requested:
                motion.end(CANCELLED)
            while not reply.done() and not motion.is_overdue:
                if sign.is_lost:
                    motion.end(f"{DRIVER} has fallen silent")
                await self._until(reply, time.monotonic() + LOOK_PERIOD)
        finally:
            watch.stop()
        answer = reply.result() if reply.done() else None
        if answer is None:
            late = f"{motion.reason}; {DRIVER} did not end the motion within {STOPPED_WITHIN:g} s"
            return self._refuse(result, BLOCKED if motion.blocked else result.INVALID_GOAL, late)
        if motion.blocked and answer.status != GoalStatus.STATUS_SUCCEEDED:
            return self._refuse(result, BLOCKED, motion.reason)
        result.error_code = answer.result.error_code
        result.error_string = answer.result.error_string
        return int(answer.status)

    def _present(self) -> PlanningRobot | None:
        try:
            return self._robot()
        except RigidTreeError:
            return None

    def _refuse(self, result: FollowJointTrajectory.Result, code: int, reason: str) -> int:
        result.error_code, result.error_string = code, reason
        return int(GoalStatus.STATUS_ABORTED)

    async def _until(self, future: Future, deadline: float) -> None:
        """Return when a future is done, at the latest at a value of time.monotonic()."""
        # The future is done in another thread of the executor, which does not wake this one.
        over = ThreadFuture(self._node)
        future.add_done_callback(lambda _: over.set_result(None))
        timer = self._node.create_timer(
            max(0.0, deadline - time.monotonic()),
            lambda: over.set_result(None),
            clock=self._steady,
            callback_group=self._group,
        )
        try:
            await over
        finally:
            self._node.destroy_timer(timer)


class _Motion:
    """A goal that the driver has, or is to have; ended once, by whoever is first."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._driven: ClientGoalHandle | None = None
        self._ended = 0.0
        self.reason = ""  # for which it was ended
        self.blocked = False

    def begin(self, driven: ClientGoalHandle) -> None:
        """Tell what the driver has accepted; it is cancelled if the motion was ended before."""
        with self._lock:
            self._driven = driven
            if self.reason:
                driven.cancel_goal_async()

    def end(self, reason: str, blocked: bool = False) -> None:
        """Let the driver stop."""
        with self._lock:
            if self.reason:
                return
            self.reason, self.blocked, self._ended = reason, blocked, time.monotonic()
            if self._driven is not None:
                self._driven.cancel_goal_async()

    def block(self, reason: str) -> None:
        """Let the driver stop because something is in the way."""
        self.end(reason, blocked=True)

    @property
    def is_overdue(self) -> bool:
        """Whether the driver has had its time to stop."""
        return bool(self.reason) and time.monotonic() > self._ended + STOPPED_WITHIN
