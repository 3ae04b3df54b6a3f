"""Joint trajectories, on a topic and as an action, for the robot that a node simulates."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import control_msgs.msg
from control_msgs.action import FollowJointTrajectory
from control_msgs.msg import JointTrajectoryControllerState
from control_msgs.srv import QueryTrajectoryState
from rclpy.action import ActionServer, CancelResponse, GoalResponse
from rclpy.action.server import ServerGoalHandle
from trajectory_msgs.msg import JointTrajectory

from rigid_tree_kinematics.errors import ConfigurationError, RigidTreeError
from rigid_tree_kinematics.nodes.common import requests
from rigid_tree_kinematics.nodes.common.process import ThreadFuture, below, give_back_soon
from rigid_tree_kinematics.nodes.common.robot import LATCHED
from rigid_tree_kinematics.nodes.simulator import trajectory_messages as messages
from rigid_tree_kinematics.nodes.simulator.controller_manager import Controller
from rigid_tree_kinematics.nodes.simulator.parameters import SimulatorNode
from rigid_tree_kinematics.trajectories import Execution, Outcome, Tolerances, Waypoints

FEEDBACK_PERIOD = 0.05  # s of the simulation
LONG = 10_000  # waypoints from which on memory is given back
CONTROLLER_TYPE = "joint_trajectory_controller/JointTrajectoryController"
FASTEST = 100.0  # speed factor
GOAL_KEPT = 12.0  # s; rclpy keeps a goal and its result for 10 s
# Waypoints, start time (s of the simulation; None: now) and tolerances.
Motion = tuple[Waypoints, float | None, Tolerances]


class TrajectoryServer:
    """A controller like joint_trajectory_controller: topics, action and state of some joints.

    Without a name it is not a controller of ros2_control: it accepts trajectories of any joints,
    and does not report its state. ``joints`` returns the controller's joints.
    """

    def __init__(
        self, node: SimulatorNode, name: str, joints: Callable[[], Sequence[str]]
    ) -> None:
        self._node = node
        self.controller = Controller(name, CONTROLLER_TYPE, joints, halt=self._halt)
        self._goals: list[_Goal] = []
        self._read: dict[int, Motion] = {}  # of accepted goals that have not started
        self._from_topic: list[Execution] = []
        self._topic = below(name, "joint_trajectory")
        node.create_subscription(JointTrajectory, self._topic, self._on_message, 10)
        self._action = ActionServer(
            node,
            FollowJointTrajectory,
            below(name, "follow_joint_trajectory"),
            self._on_goal,
            goal_callback=self._on_offer,
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
        for goal in list(self._goals):
            if goal.handle.is_cancel_requested:
                self._node.present_robot().stop("canceled", goal.execution.names)
            if goal.execution.outcome is not None:
                self._goals.remove(goal)
                goal.over.set_result(None)
            elif self._node.present_robot().time >= goal.next_feedback:
                robot, execution = self._node.present_robot(), goal.execution
                goal.next_feedback = robot.time + FEEDBACK_PERIOD
                feedback = messages.feedback_of(execution, robot.time, robot.errors(execution))
                feedback.header.stamp = requests.time_of(self._node.now())
                goal.handle.publish_feedback(feedback)
        for execution in [e for e in self._from_topic if e.outcome is not None]:
            self._from_topic.remove(execution)
            if execution.outcome in (Outcome.LEFT_PATH, Outcome.MISSED_GOAL):
                self._node.get_logger().warning(f"{self._topic}: {execution.message}")
        states = self._states
        if states is not None and self.controller.is_active and states.get_subscription_count():
            joints = self.controller.joints()
            state = messages.controller_state_of(self._node.present_robot(), joints, self._speed)
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
            self._node.get_logger().warning(
                f"{self.controller.name}: speed_scaling_input is 0 to {FASTEST:g}, "
                f"not {message.factor:g}"
            )
            return
        with self._node.lock:
            self._speed = message.factor
            for execution in self._executions:
                execution.set_speed(self._node.present_robot().time, self._speed)

    def _motion(
        self, trajectory: JointTrajectory, goal: FollowJointTrajectory.Goal | None
    ) -> Motion:
        """Return the motion of a trajectory. Raises a RigidTreeError if it is rejected."""
        robot, settings = self._node.present_robot(), self._node.settings
        joints = self.controller.joints()
        if not self.controller.is_active:
            raise ConfigurationError(
                f"controller '{self.controller.name}' is {self.controller.state}"
            )
        if goal is not None:
            requests.refuse_multi_dof(goal)
        messages.check_no_efforts(trajectory, zeros=not self.controller.name)
        if self.controller.name:
            messages.check_joints(
                trajectory.joint_names, joints, settings.allow_partial_joints_goal
            )
            if not settings.allow_nonzero_velocity_at_trajectory_end:
                messages.check_end_at_rest(trajectory)
        waypoints = requests.read_trajectory(trajectory, robot.compiled)
        tolerances, problem = messages.read_tolerances(goal, waypoints.names, joints, settings)
        if problem:
            self._node.get_logger().error(f"{problem}; using the default tolerances")
        stamp = requests.seconds_of(trajectory.header.stamp)
        start = robot.time + stamp - self._node.now() if stamp > 0.0 else None
        robot.check_follow(waypoints, robot.time if start is None else start)
        return waypoints, start, tolerances

    def _follow(self, motion: Motion) -> Execution:
        robot, (waypoints, start, tolerances) = self._node.present_robot(), motion
        return robot.follow(
            waypoints, robot.time if start is None else start, tolerances, self._speed
        )

    def _on_message(self, message: JointTrajectory) -> None:
        try:
            with self._node.lock:
                self._from_topic.append(self._follow(self._motion(message, None)))
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

    def _on_offer(self, goal: FollowJointTrajectory.Goal) -> GoalResponse:
        """Accept or reject a goal; log the reason, which a client does not receive."""
        try:
            with self._node.lock:
                self._read[id(goal)] = self._motion(goal.trajectory, goal)
        except RigidTreeError as error:
            self._node.get_logger().warning(f"rejected a trajectory: {error}")
            return GoalResponse.REJECT
        return GoalResponse.ACCEPT

    async def _on_goal(self, handle: ServerGoalHandle[Any, Any, Any]) -> Any:
        result = FollowJointTrajectory.Result()
        try:
            with self._node.lock:
                execution = self._follow(self._read.pop(id(handle.request)))
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
        result.error_code = messages.CODES[execution.outcome]
        if execution.outcome is Outcome.REACHED:
            handle.succeed()
        else:
            self._node.get_logger().warning(f"a trajectory ended early: {execution.message}")
            handle.abort()
        if len(handle.request.trajectory.points) > LONG:
            give_back_soon(GOAL_KEPT)
        return result


@dataclass(eq=False)
class _Goal:
    """An active goal of the action."""

    handle: ServerGoalHandle[Any, Any, Any]
    execution: Execution
    next_feedback: float  # s
    over: ThreadFuture
