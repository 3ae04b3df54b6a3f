"""Tracking: joint positions for a link that follows topic ik_target."""

from dataclasses import dataclass
from typing import Any

from geometry_msgs.msg import PoseStamped
from rclpy.callback_groups import MutuallyExclusiveCallbackGroup
from rclpy.node import Node
from rclpy.qos import QoSProfile, ReliabilityPolicy
from rclpy.time import Time
from sensor_msgs.msg import JointState

from rigid_tree_kinematics.deadline import Deadline
from rigid_tree_kinematics.errors import ConfigurationError, RigidTreeError
from rigid_tree_kinematics.ik import IKStatus, IKTracker, InverseKinematics
from rigid_tree_kinematics.nodes.common.process import WARNING_PERIOD, report_error
from rigid_tree_kinematics.nodes.common.requests import SECOND
from rigid_tree_kinematics.nodes.ik.requests import IkRobot, IkSettings, joint_state
from rigid_tree_kinematics.nodes.tf import RobotInTf, Target, TargetFrames, read_target

# Only the newest target is used. Best effort also receives from reliable publishers.
TARGET_QOS = QoSProfile(depth=1, reliability=ReliabilityPolicy.BEST_EFFORT)
LAG_TIME = 2.0  # s without reaching the target, after which there is a warning


def tracking_solver(robot: IkRobot, settings: IkSettings) -> InverseKinematics | None:
    """Return the solver for the tracked body, None without one.

    Raises UnknownNameError or ModelError if the robot lacks the bodies.
    """
    if not settings.tracked_body:
        return None
    return robot.solver(
        settings.tracked_body,
        settings.tracked_base or None,
        position_tolerance=settings.position_tolerance,
        orientation_tolerance=settings.orientation_tolerance,
    )


@dataclass(eq=False)
class _Pursuit:
    """The tracking of one uninterrupted stream of targets."""

    in_tf: RobotInTf
    tracker: IKTracker
    step: float  # s
    met: Time  # when the body last reached its target


class TargetTracking:
    """Publishes ik_joint_states while ik_target is recent."""

    def __init__(self, node: Node, frames: TargetFrames, settings: IkSettings) -> None:
        self._node = node
        self._frames = frames
        self._settings = settings
        self._robot: IkRobot | None = None
        self._solver: InverseKinematics | None = None
        self._target: Target | None = None
        self._arrival = node.get_clock().now()
        self._pursuit: _Pursuit | None = None
        self._group = MutuallyExclusiveCallbackGroup()
        self._publisher = node.create_publisher(JointState, "ik_joint_states", 10)
        node.create_subscription(
            PoseStamped, "ik_target", self._on_target, TARGET_QOS, callback_group=self._group
        )
        # rclpy awaits coroutines, unlike its annotations say. Timers without autostart are in
        # Jazzy and later only.
        step: Any = self._step
        period = 1.0 / settings.tracking_rate
        self._timer = node.create_timer(period, step, callback_group=self._group)
        self._timer.cancel()

    def use(self, robot: IkRobot) -> None:
        """Track with this robot from now on, or not at all if it lacks the tracked body."""
        self._robot = robot
        self._pursuit = None
        try:
            self._solver = tracking_solver(robot, self._settings)
        except RigidTreeError as error:
            self._solver = None
            self._node.get_logger().error(f"tracking is not possible: {error}")

    def apply(self, settings: IkSettings) -> None:
        """Track with these settings from now on."""
        self._settings = settings
        self._timer.timer_period_ns = round(SECOND / settings.tracking_rate)
        if self._robot is not None:
            self.use(self._robot)

    def _on_target(self, message: PoseStamped) -> None:
        if self._solver is None:
            name = self._node.resolve_topic_name("ik_target")
            reason = "there is no robot yet" if self._robot is None else "see tracked_body"
            self._warn(f"a target on {name} was ignored, as nothing is tracked: {reason}")
            return
        try:
            target = read_target(message)
            if problem := self._frames.stamp_check.problem(target.stamp.nanoseconds):
                raise ConfigurationError(problem)
        except RigidTreeError as error:
            self._warn(f"rejected a target: {error}")
            return
        self._target, self._arrival = target, self._node.get_clock().now()
        if self._timer.is_canceled():
            self._timer.reset()

    async def _step(self) -> None:
        """Move towards the target for one period, and publish the joint positions."""
        try:
            age = (self._node.get_clock().now() - self._arrival).nanoseconds / SECOND
            if self._target is None or not 0.0 <= age <= self._settings.tracking_timeout:
                self._timer.cancel()
                self._pursuit = None
                return
            pursuit = self._pursuit = self._pursuit or self._begin()
            if pursuit is not None:
                await self._follow(pursuit, self._target)
        except RigidTreeError as error:
            self._warn(f"cannot follow: {error}")
        except Exception as error:  # a bug, which must not end the tracking
            report_error(self._node, "ik_target", error)

    def _begin(self) -> _Pursuit | None:
        robot, solver, settings = self._robot, self._solver, self._settings
        if robot is None or solver is None:
            return None
        return _Pursuit(
            in_tf=RobotInTf(robot, settings.frame_prefix),
            tracker=IKTracker(solver, robot.state.configuration),
            step=1.0 / settings.tracking_rate,
            met=self._node.get_clock().now(),
        )

    async def _follow(self, pursuit: _Pursuit, target: Target) -> None:
        tracker, in_tf = pursuit.tracker, pursuit.in_tf
        # With an expired deadline, TF is not waited for.
        T_base_target = await self._frames.in_base(
            target, in_tf, tracker.configuration, tracker.ik.base, deadline=Deadline(0.0)
        )
        result = tracker.step(T_base_target, pursuit.step)
        now = self._node.get_clock().now()
        self._publisher.publish(joint_state(in_tf.robot.tree, result.configuration, now))
        if result.status is IKStatus.CONVERGED:
            pursuit.met = now
        elif (now - pursuit.met).nanoseconds / SECOND > LAG_TIME:
            self._warn(f"behind the target: {result.message}")

    def _warn(self, text: str) -> None:
        self._node.get_logger().warning(text, throttle_duration_sec=WARNING_PERIOD)
