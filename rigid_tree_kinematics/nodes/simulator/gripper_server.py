"""The actions of a simulated gripper, like those of ros2_control's gripper controllers."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np
from control_msgs import action
from control_msgs.action import GripperCommand
from sensor_msgs.msg import JointState

from rigid_tree_kinematics.errors import ConfigurationError, RigidTreeError
from rigid_tree_kinematics.execution import DrivenRobot
from rigid_tree_kinematics.nodes.common.process import Goal, GoalServer, ThreadFuture, below
from rigid_tree_kinematics.nodes.simulator.controller_manager import UNLOADED, SimulatedController
from rigid_tree_kinematics.nodes.simulator.parameters import SimulatorSettings
from rigid_tree_kinematics.nodes.simulator.simulator_node import SimulatorNode
from rigid_tree_kinematics.trajectories import Tolerances, checked_waypoints

ParallelGripperCommand = getattr(action, "ParallelGripperCommand", None)  # not in Humble
# The controllers that there always are, and their types.
GRIPPER_CONTROLLER = "gripper_action_controller"
PARALLEL_GRIPPER_CONTROLLER = "parallel_gripper_action_controller"
CONTROLLER_TYPE = "position_controllers/GripperActionController"
PARALLEL_CONTROLLER_TYPE = "parallel_gripper_action_controller/GripperActionController"
# The defaults of gripper_action_controller, except for its tolerance of 10 mm, which is a quarter
# of a finger's travel.
GOAL_TOLERANCE = 0.001  # m or rad
STILL = 0.001  # m/s or rad/s, below which a finger does not move
STALLED_AFTER = 1.0  # s without motion
SHORTEST = 0.05  # s, of a motion
SPEED = 0.1  # m/s or rad/s, where the description limits none
# Of a quintic from rest to rest over unit distance in unit time.
PEAK_SPEED, PEAK_JERK = 1.875, 60.0


def gripper_kinds(settings: SimulatorSettings) -> list[tuple[Any, str, tuple[str, ...]]]:
    """Return the actions of grippers, each with its usual controller and its other ones."""
    kinds = [(GripperCommand, GRIPPER_CONTROLLER, settings.gripper_controllers)]
    if ParallelGripperCommand is not None:
        others = settings.parallel_gripper_controllers
        kinds.append((ParallelGripperCommand, PARALLEL_GRIPPER_CONTROLLER, others))
    return kinds


class GripperServer:
    """Action ``<controller>/gripper_cmd`` of one joint.

    ``kind`` is GripperCommand or ParallelGripperCommand. A goal is reached within the tolerance,
    and aborted as stalled if the finger does not move for a second. Efforts of goals are ignored:
    the description limits the effort.
    """

    def __init__(self, node: SimulatorNode, controller: str, joint: str, kind: Any) -> None:
        self._node = node
        self._kind = kind
        kind_name = CONTROLLER_TYPE if kind is GripperCommand else PARALLEL_CONTROLLER_TYPE
        self.controller = SimulatedController(
            controller, kind_name, lambda: [joint], halt=self._halt
        )
        self._joint = joint
        self._motion: _Motion | None = None
        self._action = GoalServer(
            node,
            kind,
            below(controller, "gripper_cmd"),
            self._move,
            accepts=lambda: self.controller.is_active,
        )

    def destroy(self) -> None:
        """Destroy the action."""
        self._action.destroy()

    def update(self) -> None:
        """Publish feedback, and end the goal if it is over; the caller holds the lock."""
        motion = self._motion
        if motion is None:
            return
        robot = self._node.present_robot()
        slot, rate = self._slots(robot)
        position, velocity = float(robot.q[slot]), float(robot.v[rate])
        if motion.goal.is_set():
            robot.stop("canceled", [self._joint])
            self._end()
            return
        reached = abs(position - motion.position) < GOAL_TOLERANCE
        if abs(velocity) > STILL:
            motion.moved = robot.time
        motion.reached = reached and abs(velocity) <= STILL
        motion.stalled = not motion.reached and robot.time - motion.moved > STALLED_AFTER
        motion.goal.handle.publish_feedback(self._filled(self._kind.Feedback(), motion))
        if motion.reached or motion.stalled:
            self._end()

    def unload(self, reason: str) -> None:
        """End the goal, and accept no others."""
        self.controller.state = UNLOADED
        self._halt(reason)

    def _halt(self, reason: str) -> None:
        """End the goal, as aborted."""
        if self._motion is not None:
            self._node.present_robot().stop(reason, [self._joint])
            self._end()

    def _end(self) -> None:
        motion, self._motion = self._motion, None
        if motion is not None:
            motion.over.set_result(self._filled(self._kind.Result(), motion))

    def _slots(self, robot: DrivenRobot) -> tuple[int, int]:
        """Return the joint's indices in the positions and in the velocities."""
        position = list(robot.compiled.position_names).index(self._joint)
        return position, int(robot.compiled.velocity_of_position[position])

    def _filled(self, report: Any, motion: _Motion) -> Any:
        robot = self._node.present_robot()
        position, velocity = self._slots(robot)
        q, effort = float(robot.q[position]), float(robot.effort[velocity])
        if self._kind is GripperCommand:
            report.position, report.effort = q, effort
        else:
            rate = float(robot.v[velocity])
            report.state = JointState(
                name=[self._joint], position=[q], velocity=[rate], effort=[effort]
            )
        if hasattr(report, "stalled"):  # not in feedback of ParallelGripperCommand
            report.stalled, report.reached_goal = bool(motion.stalled), bool(motion.reached)
        return report

    def _wanted(self, command: Any) -> tuple[float, float]:
        """Return the position and the speed of a goal, infinite if it limits none.

        Raises ConfigurationError if they are not those of the joint.
        """
        if self._kind is GripperCommand:
            return command.position, math.inf
        if len(command.position) != 1 or list(command.name) not in ([], [self._joint]):
            found = (
                f"{len(command.position)} positions of {', '.join(command.name) or 'no joints'}"
            )
            raise ConfigurationError(f"command must have one position of {self._joint}: {found}")
        speed = command.velocity[0] if len(command.velocity) else math.inf
        return command.position[0], speed if speed > 0.0 else math.inf

    def _begin(self, position: float, most: float) -> None:
        """Move the joint to a position, clamped to its limits, with at most a speed."""
        if not self.controller.is_active:
            name, state = self.controller.name, self.controller.state
            raise ConfigurationError(f"controller '{name}' is {state}")
        if not math.isfinite(position):
            raise ConfigurationError(f"command.position is not finite: {position}")
        robot = self._node.present_robot()
        compiled = robot.compiled
        slot, rate = self._slots(robot)
        target = float(np.clip(position, compiled.lower[slot], compiled.upper[slot]))
        limit = float(compiled.velocity_limit[rate])
        speed = min(limit if limit < math.inf else SPEED, most)
        length = abs(target - robot.q[slot])
        slow = (PEAK_JERK * length / robot.jerk_limit) ** (1.0 / 3.0) if robot.jerk_limit else 0.0
        time = max(SHORTEST, PEAK_SPEED * length / speed, slow)
        rest = [[0.0]]
        waypoints = checked_waypoints(compiled, [self._joint], [time], [[target]], rest, rest)
        free = np.full(1, math.inf)
        tolerances = Tolerances(free, free, free, free, goal_time=math.inf)
        robot.follow(waypoints, robot.time, tolerances)

    async def _move(self, goal: Goal) -> Any:
        try:
            with self._node.lock:
                wanted, speed = self._wanted(goal.request.command)
                self._begin(wanted, speed)
                self._end()  # the goal before, if any
                over = ThreadFuture(self._node)  # gets the result
                motion = _Motion(goal, wanted, self._node.present_robot().time, over)
                self._motion = motion
        except RigidTreeError as error:
            self._node.get_logger().warning(f"rejected a gripper command: {error}")
            return self._kind.Result()
        result = await over
        goal.succeeded = motion.reached
        return result


@dataclass(eq=False)
class _Motion:
    """The motion of an active goal."""

    goal: Goal
    position: float
    moved: float  # s, when the joint moved last
    over: ThreadFuture
    stalled: bool = False
    reached: bool = False
