"""Trajectories, handed to whoever drives the robot, under the watch of the planner."""

from __future__ import annotations

import threading
import time
from dataclasses import dataclass
from typing import Any

import numpy as np
from control_msgs.action import FollowJointTrajectory
from moveit_msgs.msg import MoveItErrorCodes, RobotTrajectory
from rclpy.action import ActionClient
from rclpy.action.client import ClientGoalHandle
from rclpy.callback_groups import ReentrantCallbackGroup
from rclpy.task import Future
from trajectory_msgs.msg import JointTrajectory

from rigid_tree_kinematics.errors import RigidTreeError
from rigid_tree_kinematics.kinematics.topology import difference
from rigid_tree_kinematics.nodes.common.joint_trajectories import read_trajectory
from rigid_tree_kinematics.nodes.common.motion_client import BLOCKED, WATCHED
from rigid_tree_kinematics.nodes.common.thread_future import ThreadFuture
from rigid_tree_kinematics.nodes.moveit.codes import MoveItError
from rigid_tree_kinematics.nodes.moveit.server import MoveItServer
from rigid_tree_kinematics.nodes.planning.watched_driver import WatchedDriver

START_TOLERANCE = 0.01  # rad, m; MoveIt's allowed_start_tolerance
DISCOVERED_WITHIN = 3.0  # s, that a driver may need to be seen after a start
LOOK_PERIOD = 0.05  # s


@dataclass(eq=False)
class _Driven:
    """A motion under way."""

    handle: ClientGoalHandle
    cancel: threading.Event  # of the request that it belongs to
    stopped: bool = False  # because somebody asked for it


class Execution:
    """Sends trajectories to the node's own ``follow_watched_trajectory``.

    Args:
        server: the node, under a multi-threaded executor.
        driver: the node's, whose action it is.
    """

    def __init__(self, server: MoveItServer, driver: WatchedDriver) -> None:
        self._server = server
        self._driver = driver
        self._lock = threading.Lock()
        self._driven: list[_Driven] = []
        self._watched: ActionClient = ActionClient(
            server, FollowJointTrajectory, WATCHED, callback_group=ReentrantCallbackGroup()
        )

    def destroy(self) -> None:
        """Take the client away."""
        self._watched.destroy()

    def stop(self, cancel: threading.Event | None = None) -> None:
        """Stop the motions of a request, by the event that cancels it; every motion without."""
        with self._lock:
            under_way = list(self._driven)
        for driven in under_way:
            if cancel not in (None, driven.cancel):
                continue
            driven.stopped = True
            driven.handle.cancel_goal_async()

    async def run(self, trajectory: RobotTrajectory, cancel: threading.Event) -> None:
        """Have a trajectory driven to its end; MoveItError says why it did not come there."""
        motion = trajectory.multi_dof_joint_trajectory
        if motion.joint_names or motion.points:
            raise MoveItError(
                MoveItErrorCodes.INVALID_MOTION_PLAN,
                "multi_dof_joint_trajectory is not served: name the positions of planar and "
                "floating joints in joint_trajectory",
            )
        if not trajectory.joint_trajectory.points:
            raise MoveItError(MoveItErrorCodes.INVALID_MOTION_PLAN, "a trajectory without points")
        goal = FollowJointTrajectory.Goal(trajectory=trajectory.joint_trajectory)
        # A stamp of the past, which plans have, would mean: it ought to have begun then.
        goal.trajectory.header.stamp.sec = goal.trajectory.header.stamp.nanosec = 0
        self._check_start(goal.trajectory)
        await self._discovered(time.monotonic() + DISCOVERED_WITHIN)
        handle = await self._waited(self._watched.send_goal_async(goal))
        if handle is None or not handle.accepted:
            raise MoveItError(MoveItErrorCodes.CONTROL_FAILED, f"{WATCHED} refused the trajectory")
        driven = _Driven(handle, cancel)
        with self._lock:
            self._driven.append(driven)
        try:
            if cancel.is_set():
                self.stop(cancel)
            answer = await self._waited(handle.get_result_async())
        finally:
            with self._lock:
                self._driven.remove(driven)
        result = answer.result
        if result.error_code == FollowJointTrajectory.Result.SUCCESSFUL and not driven.stopped:
            return
        raise MoveItError(_code(result, driven.stopped), result.error_string or "stopped")

    def _check_start(self, trajectory: JointTrajectory) -> None:
        """Raise MoveItError for a trajectory that begins at once, but elsewhere."""
        robot = self._server.present_robot
        compiled, now = robot.tree.compiled(), robot.state.configuration
        try:
            points = read_trajectory(trajectory, compiled)
        except RigidTreeError:
            return  # the driver says what is wrong
        if points.times[0] > 0.0 or not robot.state.is_known:
            return  # the driver goes there first, under the same watch
        first = now.copy()
        first[points.slots] = points.positions[0]
        way = difference(compiled.position_kinds, now, first)
        k = int(np.argmax(np.abs(way)))
        if abs(way[k]) > START_TOLERANCE:
            raise MoveItError(
                MoveItErrorCodes.CONTROL_FAILED,
                f"the trajectory begins at {compiled.position_names[k]} = {first[k]:.4g}, but the "
                f"robot is at {now[k]:.4g}; a first time_from_start above 0 lets it go there",
            )

    async def _discovered(self, deadline: float) -> None:
        """Return when a driver is there, or at a value of time.monotonic()."""
        while not self._driver.has_driver and time.monotonic() < deadline:
            over = ThreadFuture(self._server)
            threading.Timer(LOOK_PERIOD, over.set_result, [None]).start()
            await over

    async def _waited(self, future: Future) -> Any:
        """Return a future's result; another thread of the executor completes it."""
        over = ThreadFuture(self._server)
        future.add_done_callback(lambda _: over.set_result(None))
        await over
        return future.result()


def _code(result: Any, stopped: bool) -> int:
    if stopped:
        return int(MoveItErrorCodes.PREEMPTED)
    if result.error_code == BLOCKED:
        return int(MoveItErrorCodes.MOTION_PLAN_INVALIDATED_BY_ENVIRONMENT_CHANGE)
    if result.error_code == FollowJointTrajectory.Result.INVALID_JOINTS:
        return int(MoveItErrorCodes.INVALID_MOTION_PLAN)
    return int(MoveItErrorCodes.CONTROL_FAILED)
