"""Joint trajectories, on a topic and as an action, for the robot that a node simulates."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import control_msgs.msg
import numpy as np
from builtin_interfaces.msg import Duration
from control_msgs.action import FollowJointTrajectory
from control_msgs.msg import JointTrajectoryControllerState
from control_msgs.srv import QueryTrajectoryState
from rclpy.action import ActionServer, CancelResponse, GoalResponse
from rclpy.action.server import ServerGoalHandle
from trajectory_msgs.msg import JointTrajectory, JointTrajectoryPoint

from rigid_tree_kinematics.arrays import Array
from rigid_tree_kinematics.errors import ConfigurationError, RigidTreeError
from rigid_tree_kinematics.execution import DrivenRobot
from rigid_tree_kinematics.kinematics.topology import difference
from rigid_tree_kinematics.nodes.common import requests
from rigid_tree_kinematics.nodes.common.process import ThreadFuture, below
from rigid_tree_kinematics.nodes.common.robot import LATCHED
from rigid_tree_kinematics.nodes.simulator.controller_manager import SimulatedController
from rigid_tree_kinematics.nodes.simulator.simulator_node import SimulatorNode
from rigid_tree_kinematics.nodes.simulator.tolerances import (
    check_end_at_rest,
    check_joints,
    read_tolerances,
)
from rigid_tree_kinematics.text import told_apart
from rigid_tree_kinematics.trajectories import Execution, Outcome, Tolerances, Waypoints

FEEDBACK_PERIOD = 0.05  # s of the simulation
CONTROLLER_TYPE = "joint_trajectory_controller/JointTrajectoryController"
FASTEST = 100.0  # speed factor
CODES = {
    Outcome.REACHED: FollowJointTrajectory.Result.SUCCESSFUL,
    Outcome.LEFT_PATH: FollowJointTrajectory.Result.PATH_TOLERANCE_VIOLATED,
    Outcome.MISSED_GOAL: FollowJointTrajectory.Result.GOAL_TOLERANCE_VIOLATED,
    # As joint_trajectory_controller reports a goal that another one replaces.
    Outcome.REPLACED: FollowJointTrajectory.Result.INVALID_GOAL,
    Outcome.STOPPED: FollowJointTrajectory.Result.INVALID_GOAL,
}


class TrajectoryServer:
    """A controller like joint_trajectory_controller: topics, action and state of some joints.

    Without a name it is not a controller of ros2_control: it accepts trajectories of any joints,
    and does not report its state. ``joints`` returns the controller's joints.
    """

    def __init__(
        self, node: SimulatorNode, name: str, joints: Callable[[], Sequence[str]]
    ) -> None:
        self._node = node
        self.controller = SimulatedController(name, CONTROLLER_TYPE, joints, halt=self._halt)
        self._goals: list[_Goal] = []
        # Of accepted goals that have not started, by id: both callbacks get the same goal.
        self._accepted: dict[int, _Motion] = {}
        self._from_topic: list[Execution] = []
        self._topic = below(name, "joint_trajectory")
        node.create_subscription(JointTrajectory, self._topic, self._on_message, 10)
        self._action = ActionServer(
            node,
            FollowJointTrajectory,
            below(name, "follow_joint_trajectory"),
            self._on_goal,
            goal_callback=self._on_request,
            cancel_callback=lambda handle: CancelResponse.ACCEPT,
        )
        self._speed = 1.0
        self._states = None
        if name:
            if scaling := getattr(control_msgs.msg, "SpeedScalingFactor", None):  # not in Humble
                node.create_subscription(
                    scaling, f"{name}/speed_scaling_input", self._on_speed, LATCHED
                )
            self._states = node.create_publisher(
                JointTrajectoryControllerState, f"{name}/controller_state", 10
            )
            node.create_service(QueryTrajectoryState, f"{name}/query_state", self._on_query)

    def destroy(self) -> None:
        """Destroy the action."""
        self._action.destroy()

    def update(self) -> None:
        """Publish feedback, and end the goals that are over or were canceled.

        The caller holds the lock.
        """
        robot = self._node.present_robot()
        for goal in list(self._goals):
            execution = goal.execution
            if goal.handle.is_cancel_requested:
                robot.stop("canceled", execution.names)
            if execution.outcome is not None:
                self._goals.remove(goal)
                goal.over.set_result(None)
            elif robot.time >= goal.next_feedback:
                goal.next_feedback = robot.time + FEEDBACK_PERIOD
                feedback = feedback_of(execution, robot.time, robot.errors(execution))
                feedback.header.stamp = requests.time_of(self._node.now())
                goal.handle.publish_feedback(feedback)
        for execution in [e for e in self._from_topic if e.outcome is not None]:
            self._from_topic.remove(execution)
            if execution.outcome in (Outcome.LEFT_PATH, Outcome.MISSED_GOAL):
                self._node.get_logger().warning(f"{self._topic}: {execution.message}")
        states = self._states
        if states is not None and self.controller.is_active and states.get_subscription_count():
            state = controller_state_of(robot, self.controller.joints(), self._speed)
            state.header.stamp = requests.time_of(self._node.now())
            states.publish(state)

    @property
    def _executions(self) -> list[Execution]:
        return [*(goal.execution for goal in self._goals), *self._from_topic]

    def _halt(self, reason: str) -> None:
        for execution in self._executions:
            if execution.outcome is None:
                self._node.present_robot().stop(reason, execution.names)

    def _on_speed(self, message: Any) -> None:
        if not 0.0 <= message.factor <= FASTEST:
            given, most = told_apart(message.factor, FASTEST)
            self._node.get_logger().warning(
                f"{self.controller.name}: speed_scaling_input must be 0 to {most}, not {given}"
            )
            return
        with self._node.lock:
            self._speed = message.factor
            for execution in self._executions:
                execution.set_speed(self._node.present_robot().time, self._speed)

    def _read(
        self, trajectory: JointTrajectory, goal: FollowJointTrajectory.Goal | None
    ) -> _Motion:
        """Return the motion of a trajectory. Raises a RigidTreeError if it is rejected."""
        robot, settings = self._node.present_robot(), self._node.settings
        joints = self.controller.joints()
        if not self.controller.is_active:
            raise ConfigurationError(
                f"controller '{self.controller.name}' is {self.controller.state}"
            )
        if goal is not None:
            requests.reject_multi_dof(goal)
        for point in trajectory.points:  # without a name, efforts of 0 are accepted
            if any(point.effort) or (self.controller.name and len(point.effort)):
                raise ConfigurationError(
                    "a point has efforts, but the controller commands positions"
                )
        if self.controller.name:
            check_joints(trajectory.joint_names, joints, settings.allow_partial_joints_goal)
            if not settings.allow_nonzero_velocity_at_trajectory_end:
                check_end_at_rest(trajectory)
        waypoints = requests.read_trajectory(trajectory, robot.compiled)
        if note := requests.unused_fields(trajectory):
            self._node.get_logger().warning(f"{self._topic}: {note}")
        tolerances, problem = read_tolerances(goal, waypoints.names, joints, settings)
        if problem:
            self._node.get_logger().error(f"{problem}; using the default tolerances")
        stamp = requests.seconds_of(trajectory.header.stamp)
        start = robot.time + stamp - self._node.now() if stamp > 0.0 else None
        robot.check_follow(waypoints, robot.time if start is None else start)
        return _Motion(waypoints, start, tolerances)

    def _follow(self, motion: _Motion) -> Execution:
        robot = self._node.present_robot()
        start = robot.time if motion.start is None else motion.start
        return robot.follow(motion.waypoints, start, motion.tolerances, self._speed)

    def _on_message(self, message: JointTrajectory) -> None:
        try:
            with self._node.lock:
                self._from_topic.append(self._follow(self._read(message, None)))
        except RigidTreeError as error:
            topic = self._node.resolve_topic_name(self._topic)
            self._node.get_logger().warning(f"rejected a message on {topic}: {error}")

    def _on_query(
        self, request: QueryTrajectoryState.Request, response: QueryTrajectoryState.Response
    ) -> QueryTrajectoryState.Response:
        """Return the desired state at a time of the running trajectory."""
        with self._node.lock:
            try:
                robot = self._node.present_robot()
            except RigidTreeError as error:
                response.message = str(error)
                return response
            time = robot.time + requests.seconds_of(request.time) - self._node.now()
            response.success = self.controller.is_active and any(
                0.0 <= execution.elapsed(time) < execution.trajectory.duration
                for execution in self._executions
            )
            if not response.success:
                response.message = "no trajectory is active at that time"
            q, v, a = (
                robot.desired(time) if response.success else (robot.q, robot.v, 0.0 * robot.v)
            )
            response.name = list(self.controller.joints())
            names = list(robot.compiled.position_names)
            slots = [names.index(name) for name in response.name]
            rates = robot.compiled.velocity_of_position[slots]
            response.position = q[slots].tolist()
            response.velocity, response.acceleration = v[rates].tolist(), a[rates].tolist()
        return response

    def _on_request(self, goal: FollowJointTrajectory.Goal) -> GoalResponse:
        """Accept or reject a goal; log the reason, which a client does not receive."""
        try:
            with self._node.lock:
                self._accepted[id(goal)] = self._read(goal.trajectory, goal)
        except RigidTreeError as error:
            self._node.get_logger().warning(f"rejected a trajectory: {error}")
            return GoalResponse.REJECT
        return GoalResponse.ACCEPT

    async def _on_goal(self, handle: ServerGoalHandle[Any, Any, Any]) -> Any:
        result = FollowJointTrajectory.Result()
        try:
            with self._node.lock:
                execution = self._follow(self._accepted.pop(id(handle.request)))
                over = ThreadFuture(self._node)  # set by update
                goal = _Goal(handle, execution, self._node.present_robot().time, over)
                self._goals.append(goal)
        except RigidTreeError as error:  # such as a new mode since it was accepted
            result.error_code = FollowJointTrajectory.Result.INVALID_GOAL
            result.error_string = str(error)
            self._node.get_logger().warning(f"aborted a trajectory: {error}")
            handle.abort()
            return result
        await over
        assert execution.outcome is not None
        result.error_string = execution.message
        if handle.is_cancel_requested and execution.outcome is Outcome.STOPPED:
            handle.canceled()  # with SUCCESSFUL, as joint_trajectory_controller's
            return result
        result.error_code = CODES[execution.outcome]
        if execution.outcome is Outcome.REACHED:
            handle.succeed()
        else:
            self._node.get_logger().warning(f"a trajectory ended early: {execution.message}")
            handle.abort()
        return result


@dataclass(frozen=True, eq=False)
class _Motion:
    """A trajectory that was read."""

    waypoints: Waypoints
    start: float | None  # s of the simulation; None: now
    tolerances: Tolerances


@dataclass(eq=False)
class _Goal:
    """An active goal of the action."""

    handle: ServerGoalHandle[Any, Any, Any]
    execution: Execution
    next_feedback: float  # s
    over: ThreadFuture


def feedback_of(execution: Execution, now: float, errors: tuple[Array, Array]) -> Any:
    """Return the feedback about an execution, without the header's stamp."""
    q, v, a = execution.desired(now)
    elapsed = execution.elapsed(now)
    passed = requests.duration_of(max(elapsed, 0.0))
    feedback = FollowJointTrajectory.Feedback(
        joint_names=list(execution.names),
        desired=_point(passed, q, v, a),
        actual=_point(passed, q - errors[0], v - errors[1]),
        error=_point(passed, *errors),
    )
    if hasattr(feedback, "index"):  # not in Humble's and Jazzy's control_msgs
        # As joint_trajectory_controller counts: the point ahead, len(points) after the last.
        times = execution.trajectory.waypoints.times
        feedback.index = int(np.searchsorted(times, elapsed, side="right"))
    return feedback


def controller_state_of(robot: DrivenRobot, joints: Sequence[str], speed: float) -> Any:
    """Return a controller's reference, feedback and output, without a stamp.

    ``speed`` scales its trajectories.
    """
    compiled = robot.compiled
    slots = [list(compiled.position_names).index(joint) for joint in joints]
    rates = compiled.velocity_of_position[slots]
    q, v, a = robot.desired(robot.time)
    wanted = robot.q.copy()
    wanted[slots] = q[slots]
    errors = difference(compiled.position_kinds, robot.q, wanted)[slots], (v - robot.v)[rates]
    now = Duration()
    state = JointTrajectoryControllerState(
        joint_names=list(joints),
        reference=_point(now, q[slots], v[rates], a[rates]),
        feedback=_point(now, robot.q[slots], robot.v[rates]),
        error=_point(now, *errors),
        output=JointTrajectoryPoint(positions=q[slots].tolist()),
    )
    if hasattr(state, "speed_scaling_factor"):  # not in Humble's first control_msgs
        state.speed_scaling_factor = speed
    return state


def _point(
    time: Duration, positions: Array, velocities: Array, accelerations: Array | None = None
) -> JointTrajectoryPoint:
    return JointTrajectoryPoint(
        positions=positions.tolist(),
        velocities=velocities.tolist(),
        accelerations=[] if accelerations is None else accelerations.tolist(),
        time_from_start=time,
    )
