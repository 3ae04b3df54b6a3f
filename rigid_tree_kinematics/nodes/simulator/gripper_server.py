"""The action GripperCommand of a simulated gripper, as gripper_action_controller offers it."""

from __future__ import annotations

import math
import threading
from collections.abc import Callable
from typing import Any

import numpy as np
from control_msgs.action import GripperCommand
from rclpy.action import ActionServer, CancelResponse
from rclpy.action.server import ServerGoalHandle
from rclpy.node import Node

from rigid_tree_kinematics.dynamics import DrivenRobot
from rigid_tree_kinematics.errors import ConfigurationError, RigidTreeError
from rigid_tree_kinematics.nodes.common.process import ThreadFuture, below
from rigid_tree_kinematics.trajectories import Tolerances, checked_waypoints

GRIPPER_CONTROLLER = "gripper_action_controller"
# The defaults of gripper_action_controller, but for a tolerance of 10 mm, a quarter of a finger's
# way.
GOAL_TOLERANCE = 0.001  # m
STILL = 0.001  # m/s, below which a finger does not move
STALLED_AFTER = 1.0  # s without motion
SHORTEST = 0.05  # s, of a motion
SPEED = 0.1  # m/s, where the description limits none
PEAK = 1.5  # of a cubic's speed over its mean


class GripperServer:
    """Action ``<controller>/gripper_cmd`` of one joint.

    A goal is reached within the tolerance; a finger that cannot go on is stalled after a second,
    and the goal aborted. ``max_effort`` does not count: limits of effort are the description's.

    Args:
        node: whose action it is.
        controller: in front of its name.
        joint: that moves the fingers.
        robot: returns the robot, or raises ConfigurationError while there is none.
        lock: held by whoever uses the robot.
    """

    def __init__(
        self,
        node: Node,
        controller: str,
        joint: str,
        robot: Callable[[], DrivenRobot],
        lock: threading.RLock,
    ) -> None:
        self._node = node
        self._joint = joint
        self._robot = robot
        self._lock = lock
        self._goal: _Goal | None = None
        self._action = ActionServer(
            node,
            GripperCommand,
            below(controller, "gripper_cmd"),
            self._on_goal,
            cancel_callback=lambda handle: CancelResponse.ACCEPT,
        )

    def destroy(self) -> None:
        """Take the action away."""
        self._action.destroy()

    def look(self) -> None:
        """Tell how far the goal is, and end it where it is over; the caller holds the lock."""
        goal = self._goal
        if goal is None:
            return
        robot = self._robot()
        position, velocity = self._state(robot)
        if goal.handle.is_cancel_requested:
            robot.stop("cancelled", [self._joint])
            self._end()
            return
        reached = abs(position - goal.position) < GOAL_TOLERANCE
        if abs(velocity) > STILL:
            goal.moved = robot.time
        goal.reached = reached and abs(velocity) <= STILL
        goal.stalled = not goal.reached and robot.time - goal.moved > STALLED_AFTER
        goal.handle.publish_feedback(self._filled(GripperCommand.Feedback(), goal))
        if goal.reached or goal.stalled:
            self._end()

    def _end(self) -> None:
        goal, self._goal = self._goal, None
        if goal is not None:
            goal.over.set_result(None)

    def _state(self, robot: DrivenRobot) -> tuple[float, float]:
        slot = list(robot.compiled.position_names).index(self._joint)
        return float(robot.q[slot]), float(robot.v[robot.compiled.velocity_of_position[slot]])

    def _filled(self, report: Any, goal: _Goal) -> Any:
        robot = self._robot()
        slot = list(robot.compiled.position_names).index(self._joint)
        report.position = float(robot.q[slot])
        report.effort = float(robot.effort[robot.compiled.velocity_of_position[slot]])
        report.stalled, report.reached_goal = bool(goal.stalled), bool(goal.reached)
        return report

    def _begin(self, position: float) -> None:
        """Move the joint; what it cannot reach, it moves towards."""
        if not math.isfinite(position):
            raise ConfigurationError(f"command.position is not finite: {position}")
        robot = self._robot()
        compiled = robot.compiled
        slot = list(compiled.position_names).index(self._joint)
        target = float(np.clip(position, compiled.lower[slot], compiled.upper[slot]))
        limit = float(compiled.velocity_limit[compiled.velocity_of_position[slot]])
        speed = limit if 0.0 < limit < math.inf else SPEED
        time = max(SHORTEST, PEAK * abs(target - robot.q[slot]) / speed)
        names = [self._joint]
        waypoints = checked_waypoints(compiled, names, [time], [[target]], [[0.0]])
        anything = np.full(1, math.inf)
        robot.follow(waypoints, robot.time, Tolerances(*4 * (anything,), goal_time=math.inf))

    async def _on_goal(self, handle: ServerGoalHandle) -> Any:
        result = GripperCommand.Result()
        wanted = handle.request.command.position
        try:
            with self._lock:
                self._begin(wanted)
                self._end()  # the goal before, if any
                over = ThreadFuture(self._node)  # its end comes with a tick
                goal = self._goal = _Goal(handle, wanted, self._robot().time, over)
        except RigidTreeError as error:
            self._node.get_logger().warning(f"refused a gripper command: {error}")
            handle.abort()
            return result
        await over
        with self._lock:
            self._filled(result, goal)
        if goal.reached:
            handle.succeed()
        elif handle.is_cancel_requested:
            handle.canceled()
        else:
            handle.abort()
        return result


class _Goal:
    """A goal while it lasts."""

    def __init__(
        self, handle: ServerGoalHandle, position: float, now: float, over: ThreadFuture
    ) -> None:
        self.handle = handle
        self.position = position
        self.moved = now
        self.over = over
        self.stalled = self.reached = False
