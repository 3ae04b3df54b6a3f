"""Trajectories, handed to whoever drives the robot, under the watch of the planner."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from action_msgs.msg import GoalStatus
from control_msgs.action import FollowJointTrajectory
from moveit_msgs.msg import MoveItErrorCodes, RobotTrajectory
from trajectory_msgs.msg import JointTrajectory

from rigid_tree_kinematics.errors import RigidTreeError
from rigid_tree_kinematics.kinematics.topology import difference
from rigid_tree_kinematics.nodes.common.process import ThreadFuture
from rigid_tree_kinematics.nodes.common.requests import BLOCKED, read_trajectory
from rigid_tree_kinematics.nodes.moveit.interface.server import MoveItServer
from rigid_tree_kinematics.nodes.moveit.messages import MoveItError, MoveItRobot, refusing
from rigid_tree_kinematics.nodes.planning import MotionEnd, WatchedDriver, WatchedMotion
from rigid_tree_kinematics.trajectories import Waypoints

START_TOLERANCE = 0.01  # rad, m; MoveIt's allowed_start_tolerance
DISCOVERED_WITHIN = 3.0  # s, that a driver may need to be seen after a start
# s without a joint state, after which nobody knows where a joint is, and that one is waited for.
STALE, STATE_WITHIN = 1.0, 1.0
LOOK_PERIOD = 0.05  # s


@dataclass(eq=False)
class _Driven:
    """A motion that is to be, or is, under way."""

    motion: WatchedMotion
    cancel: threading.Event  # of the request that it belongs to
    stopped: bool = False  # because somebody asked for it

    def stop(self) -> None:
        """Let the robot stop, or not begin."""
        self.stopped = True
        self.motion.end("stopped")


class Execution:
    """Has trajectories driven, and stops them.

    Args:
        server: the node, under a multi-threaded executor.
        driver: the node's.
    """

    def __init__(self, server: MoveItServer, driver: WatchedDriver) -> None:
        self._server = server
        self._driver = driver
        self._lock = threading.Lock()
        self._driven: list[_Driven] = []

    def stop(self, cancel: threading.Event | None = None) -> None:
        """Stop the motions of a request, by the event that cancels it; every motion without."""
        with self._lock:
            under_way = list(self._driven)
        for driven in under_way:
            if cancel in (None, driven.cancel):
                driven.stop()

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
        driven = _Driven(WatchedMotion(), cancel)
        with self._lock:
            self._driven.append(driven)
        try:
            if cancel.is_set():
                driven.stop()
            else:
                await self._be_ready(goal.trajectory, driven.motion)
            end = await self._driver.follow(goal, driven.motion, lambda _: None)
        finally:
            with self._lock:
                self._driven.remove(driven)
        if end.code != FollowJointTrajectory.Result.SUCCESSFUL or driven.stopped:
            raise MoveItError(_code(end, driven.stopped), end.words or "stopped")

    async def _be_ready(self, trajectory: JointTrajectory, motion: WatchedMotion) -> None:
        """Wait a little for who drives and for where the robot is; MoveItError if it cannot begin.

        What is wrong with the trajectory itself, who follows it says.
        """
        robot = self._server.present_robot
        try:
            points = read_trajectory(trajectory, robot.tree.compiled())
        except RigidTreeError:
            return
        driver, state = self._driver.driver, robot.state
        with refusing(MoveItErrorCodes.CONTROL_FAILED):
            await self._until(lambda: not driver.missing(points.names), DISCOVERED_WITHIN, motion)
        if not motion.reason and not driver.missing(points.names):
            await self._until(lambda: not state.stale(points.slots, STALE), STATE_WITHIN, motion)
            self._check_start(robot, points)

    def _check_start(self, robot: MoveItRobot, points: Waypoints) -> None:
        """Raise MoveItError where nobody knows where the robot is, or it is elsewhere."""
        compiled, state = robot.tree.compiled(), robot.state
        stale = state.stale(points.slots, STALE)
        if stale:
            topic = self._server.resolve_topic_name("joint_states")
            raise MoveItError(
                MoveItErrorCodes.ROBOT_STATE_STALE,
                f"{topic} has told nothing of {', '.join(stale)} for {STALE:g} s",
            )
        if points.times[0] > 0.0:
            return  # the driver goes there first, under the same watch
        now = state.configuration
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

    async def _until(
        self, is_so: Callable[[], bool], seconds: float, motion: WatchedMotion
    ) -> None:
        """Return when something is so, after some seconds, or when a motion is stopped."""
        deadline = time.monotonic() + seconds
        while not is_so() and not motion.reason and time.monotonic() < deadline:
            over = ThreadFuture(self._server)
            threading.Timer(LOOK_PERIOD, over.set_result, [None]).start()
            await over


def _code(end: MotionEnd, stopped: bool) -> int:
    if stopped or end.status == GoalStatus.STATUS_CANCELED:
        return int(MoveItErrorCodes.PREEMPTED)
    if end.code == BLOCKED:
        return int(MoveItErrorCodes.MOTION_PLAN_INVALIDATED_BY_ENVIRONMENT_CHANGE)
    if end.code == FollowJointTrajectory.Result.INVALID_JOINTS:
        return int(MoveItErrorCodes.INVALID_MOTION_PLAN)
    return int(MoveItErrorCodes.CONTROL_FAILED)
