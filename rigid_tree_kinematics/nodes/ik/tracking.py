"""Tracking: joint positions for links that follow the topics ik_target and ik_targets."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from geometry_msgs.msg import Point, Pose, PoseStamped, TransformStamped
from rclpy.callback_groups import MutuallyExclusiveCallbackGroup
from rclpy.node import Node
from rclpy.qos import QoSProfile, ReliabilityPolicy
from rclpy.time import Time
from sensor_msgs.msg import JointState
from tf2_msgs.msg import TFMessage

from rigid_tree_kinematics.deadline import Deadline
from rigid_tree_kinematics.errors import ConfigurationError, RigidTreeError
from rigid_tree_kinematics.ik import IKStatus, InverseKinematics, MultiIKTracker
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
    body, base = settings.tracked_body, settings.tracked_base
    return _solver(robot, settings, body, base) if body else None


def _solver(robot: IkRobot, settings: IkSettings, body: str, base: str) -> InverseKinematics:
    return robot.solver(
        body,
        base or None,
        position_tolerance=settings.position_tolerance,
        orientation_tolerance=settings.orientation_tolerance,
    )


def _stamped_pose(named: TransformStamped) -> PoseStamped:
    shift = named.transform.translation
    position = Point(x=shift.x, y=shift.y, z=shift.z)
    pose = Pose(position=position, orientation=named.transform.rotation)
    return PoseStamped(header=named.header, pose=pose)


@dataclass(eq=False)
class _Pursuit:
    """The tracking of one uninterrupted stream of targets."""

    in_tf: RobotInTf
    tracker: MultiIKTracker
    step: float  # s
    met: Time  # when the bodies last reached their targets


class TargetTracking:
    """Publishes ik_joint_states while ik_target or ik_targets is recent."""

    def __init__(self, node: Node, frames: TargetFrames, settings: IkSettings) -> None:
        self._node = node
        self._frames = frames
        self._settings = settings
        self._robot: IkRobot | None = None
        self._solver: InverseKinematics | None = None
        self._targets: dict[InverseKinematics, Target] = {}
        self._arrival = node.get_clock().now()
        self._pursuit: _Pursuit | None = None
        self._group = MutuallyExclusiveCallbackGroup()
        self._publisher = node.create_publisher(JointState, "ik_joint_states", 10)
        node.create_subscription(
            PoseStamped, "ik_target", self._on_target, TARGET_QOS, callback_group=self._group
        )
        node.create_subscription(
            TFMessage, "ik_targets", self._on_targets, TARGET_QOS, callback_group=self._group
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
        self._pursuit, self._targets = None, {}
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
        solver = self._solver
        if solver is None:
            name = self._node.resolve_topic_name("ik_target")
            reason = "there is no robot yet" if self._robot is None else "see tracked_body"
            self._warn(f"a target on {name} was ignored, as nothing is tracked: {reason}")
            return
        self._take(lambda: {solver: read_target(message)})

    def _on_targets(self, message: TFMessage) -> None:
        robot, settings, named = self._robot, self._settings, message.transforms
        if robot is None:
            self._warn("targets were ignored: there is no robot yet")
            return

        def read() -> dict[InverseKinematics, Target]:
            most = len(robot.tree.body_names)
            if not 0 < len(named) <= most:
                raise ConfigurationError(f"ik_targets has {len(named)} targets, not 1 to {most}")
            bodies = [item.child_frame_id.removeprefix(settings.frame_prefix) for item in named]
            return {
                _solver(robot, settings, body, ""): read_target(_stamped_pose(item))
                for body, item in zip(bodies, named, strict=True)
            }

        self._take(read)

    def _take(self, read: Callable[[], dict[InverseKinematics, Target]]) -> None:
        """Follow these targets from now on, unless one is invalid."""
        try:
            targets = read()
            for target in targets.values():
                if problem := self._frames.stamp_check.problem(target.stamp.nanoseconds):
                    raise ConfigurationError(problem)
        except RigidTreeError as error:
            self._warn(f"rejected a target: {error}")
            return
        self._targets, self._arrival = targets, self._node.get_clock().now()
        if self._timer.is_canceled():
            self._timer.reset()

    async def _step(self) -> None:
        """Move towards the targets for one period, and publish the joint positions."""
        try:
            age = (self._node.get_clock().now() - self._arrival).nanoseconds / SECOND
            if not self._targets or not 0.0 <= age <= self._settings.tracking_timeout:
                self._timer.cancel()
                self._pursuit = None
                return
            targets, pursuit = self._targets, self._pursuit
            if pursuit is None or pursuit.tracker.solvers != tuple(targets):
                pursuit = self._pursuit = self._begin(tuple(targets))
            if pursuit is not None:
                await self._follow(pursuit, targets)
        except RigidTreeError as error:
            self._warn(f"cannot follow: {error}")
        except Exception as error:  # a bug, which must not end the tracking
            report_error(self._node, "ik_target", error)

    def _begin(self, solvers: tuple[InverseKinematics, ...]) -> _Pursuit | None:
        """Start at the robot's state, or where other bodies were followed before."""
        robot, settings, before = self._robot, self._settings, self._pursuit
        if robot is None:
            return None
        start = before.tracker.configuration if before else robot.state.configuration
        return _Pursuit(
            in_tf=RobotInTf(robot, settings.frame_prefix),
            tracker=MultiIKTracker(solvers, start),
            step=1.0 / settings.tracking_rate,
            met=self._node.get_clock().now(),
        )

    async def _follow(self, pursuit: _Pursuit, targets: dict[InverseKinematics, Target]) -> None:
        tracker, in_tf = pursuit.tracker, pursuit.in_tf
        q = tracker.configuration
        # With an expired deadline, TF is not waited for.
        poses = [
            await self._frames.in_base(target, in_tf, q, ik.base, deadline=Deadline(0.0))
            for ik, target in targets.items()
        ]
        results = tracker.step(poses, pursuit.step)
        now = self._node.get_clock().now()
        self._publisher.publish(joint_state(in_tf.robot.tree, results[0].configuration, now))
        behind = [result for result in results if result.status is not IKStatus.CONVERGED]
        if not behind:
            pursuit.met = now
        elif (now - pursuit.met).nanoseconds / SECOND > LAG_TIME:
            self._warn(f"behind the target: {behind[0].message}")

    def _warn(self, text: str) -> None:
        self._node.get_logger().warning(text, throttle_duration_sec=WARNING_PERIOD)
