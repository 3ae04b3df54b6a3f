"""Servo: computes the next joint positions for the current command."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import replace
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from rigid_tree_kinematics.arrays import Array
from rigid_tree_kinematics.collision import CollisionChecker
from rigid_tree_kinematics.errors import ConfigurationError, ModelError
from rigid_tree_kinematics.ik.differential import (
    CollisionBarrier,
    DifferentialIK,
    DifferentialStep,
    FrameVelocityTask,
    JointVelocityTask,
)
from rigid_tree_kinematics.kinematics import body_transform
from rigid_tree_kinematics.kinematics.polyline import corners
from rigid_tree_kinematics.model import RigidBodyTree
from rigid_tree_kinematics.model.transforms import Pose, checked_pose
from rigid_tree_kinematics.servo.settings import SLIDE, ServoSettings
from rigid_tree_kinematics.servo.smoothing import MovingAverage
from rigid_tree_kinematics.servo.status import (
    FREE,
    HALTING,
    RESTING,
    ServoStatus,
    ServoStep,
    status_of,
)
from rigid_tree_kinematics.servo.tip_motion import FollowedPose, TipMotion

OVERRIDE_FROM = 0.01  # smaller velocity overrides mean none, as in moveit_servo
ALMOST_SINGULAR = 0.05  # share of the speed that becomes 0; it would approach 0 only slowly
CLEARANCE = 0.001  # m, distance at which approaching motions have stopped
MOVED = 1e-4  # m, added to distances: other joints move meanwhile
WITHIN = 0.1  # m, beyond the distances of the settings, for pairs with a barrier
FULL_SPEED = 0.4  # m/s, if the settings have no linear speed
MOST = 1e100  # of a command's numbers
ITERATIONS = 2  # of a step, so that the tip follows twists exactly


class Servo:
    """Moves a group of joints step by step.

    A step is one of ``DifferentialIK``. Limits of speeds, positions and accelerations slow all
    joints down together, which keeps the tip's direction; singularities, self-collisions and
    obstacles do so too, or the robot slides along obstacles. Jerks are limited by a moving average
    of the steps. After every step, a collision-free stop within the limits is possible.

    Args:
        tree: the robot.
        joints: names of the joints that move, with one position each.
        tip: the body that twists and poses refer to.
        settings: limits and rates.
        checker: for the robot in its scene; None disables the check. It can be replaced at any
            time (attribute ``checker``).
        acceleration_limits, jerk_limits: of joints by name (rad, m and s); they override those of
            the robot, which override those of the settings.

    Raises ModelError for a joint that is given twice, mimics another, is fixed or has several
    positions, and UnknownNameError.

    Example:
        >>> robot = load_robot("panda")
        >>> servo = Servo(robot, robot.joint_names, "panda_link8")
        >>> for _ in range(100):  # 1 s in steps of 0.01 s
        ...     step = servo.step_twist([0, 0, 0.05, 0, 0, 0])  # 0.05 m/s upwards
        >>> print(step.status.name, servo.tip_pose()[2, 3].round(3))
        NO_WARNING 0.64
    """

    def __init__(
        self,
        tree: RigidBodyTree,
        joints: Sequence[str],
        tip: str,
        settings: ServoSettings | None = None,
        checker: CollisionChecker | None = None,
        acceleration_limits: Mapping[str, float] | None = None,
        jerk_limits: Mapping[str, float] | None = None,
    ) -> None:
        settings = settings or ServoSettings()
        self._checker = checker
        self.joints = tuple(joints)
        self.tip = tree.get_body(tip).name
        self._compiled = compiled = tree.compiled()
        for name in joints:
            joint = tree.get_joint(name)
            if joint.position_count != 1 or joint.mimic:
                raise ModelError(f"joint '{name}' has not one position of its own to be servoed")
        if not joints or len(set(joints)) < len(joints):
            raise ModelError(f"a servo moves at least one joint, each given once, not {joints}")
        self._slots = np.array([compiled.slot_of(name)[0] for name in joints], dtype=np.int64)
        self._columns = compiled.velocity_of_position[self._slots]
        self._tip_motion = TipMotion(compiled, self.tip, self._columns, self._slots)
        self._own_acceleration = self._own(compiled.acceleration_limit, acceleration_limits)
        self._own_jerk = self._own(compiled.jerk_limit, jerk_limits)
        self.settings = settings
        self.reset(compiled.home)

    @property
    def settings(self) -> ServoSettings:
        """Limits and rates, which can be replaced between steps; raises ModelError."""
        return self._settings

    @settings.setter
    def settings(self, settings: ServoSettings) -> None:
        margins = settings.joint_limit_margins
        if len(margins) not in (1, len(self.joints)):
            raise ModelError(
                f"joint_limit_margins: one number, or {len(self.joints)} for as many joints, not "
                f"{len(margins)}"
            )
        compiled, slots, own = self._compiled, self._slots, self._own_acceleration
        lower, upper = compiled.lower.copy(), compiled.upper.copy()
        accelerations = np.full(compiled.velocity_count, np.inf)
        # Joints with a small range, such as fingers, keep most of it.
        margin = np.minimum(margins, 0.1 * (upper - lower)[slots])
        lower[slots] += margin
        upper[slots] -= margin
        most = np.where(np.isinf(own), settings.acceleration_limit, own)
        accelerations[self._columns] = self._acceleration = most
        self._limits = replace(
            compiled, lower=lower, upper=upper, acceleration_limit=accelerations
        )
        self._settings = settings
        jerk = np.where(np.isinf(self._own_jerk), settings.jerk_limit or math.inf, self._own_jerk)
        window = float((2.0 * most / jerk).max())
        self._average_count = max(1, math.ceil(window / settings.period - 1e-9))
        self._engines: dict[type, tuple[DifferentialIK, Any]] = {}

    @property
    def checker(self) -> CollisionChecker | None:
        """The collision checker; None disables the check."""
        return self._checker

    @checker.setter
    def checker(self, checker: CollisionChecker | None) -> None:
        if checker is not self._checker:
            self._checker, self._engines = checker, {}

    def _own(self, of_robot: Array, given: Mapping[str, float] | None) -> Array:
        """Return the joints' own limits (k,): those given by name, or the robot's (nv,)."""
        limits = of_robot[self._columns]
        for name, own in (given or {}).items():
            if not own > 0.0:
                raise ConfigurationError(f"the limits of '{name}' must be above 0, not {own}")
            if name in self.joints:
                limits[self.joints.index(name)] = own
        return limits

    def _engine(self, kind: type[FrameVelocityTask | JointVelocityTask]) -> tuple[Any, Any]:
        """Return the engine for a kind of command, and its task."""
        if kind not in self._engines:
            settings = self._settings
            if kind is FrameVelocityTask:
                task: Any = FrameVelocityTask(self.tip)
            else:
                task = JointVelocityTask(dict.fromkeys(self.joints, 1.0))
            engine = DifferentialIK(
                self._limits,
                [task],
                barriers=self._barriers(),
                locked=[name for name in self._limits.joint_names if name not in self.joints],
            )
            engine.keeps_direction = settings.halt_all_joints
            self._engines[kind] = engine, task
        return self._engines[kind]

    def _barriers(self) -> list[CollisionBarrier]:
        settings, checker = self._settings, self._checker
        if checker is None:
            return []
        distances = settings.self_distance, settings.scene_distance
        within = max(distances) + WITHIN
        if settings.near_collisions == SLIDE:
            kept = [distance + MOVED for distance in distances]
            return [CollisionBarrier(checker, kept, within=within)]
        speed = settings.linear_speed or FULL_SPEED
        rates = [speed / distance for distance in distances]
        return [CollisionBarrier(checker, CLEARANCE, within=within, decay_rate=rates, halts=True)]

    # -- state -----------------------------------------------------------------------------------

    @property
    def configuration(self) -> Array:
        """The commanded configuration (nq,)."""
        return self._with(self._average.state[0])

    @property
    def velocities(self) -> Array:
        """The commanded velocities (k,)."""
        return np.asarray(self._average.state[1])

    def positions_of(self, joints: Sequence[str]) -> Array:
        """Return the commanded positions of joints with one position; raises UnknownNameError."""
        q = self.configuration
        return np.array([q[self._compiled.slot_of(name)[0]] for name in joints])

    def reset(self, configuration: ArrayLike) -> None:
        """Restart at rest at a configuration (nq,). Raises ConfigurationError."""
        self._q = q = _checked(configuration, self._compiled.position_count, "a configuration")
        self._v = np.zeros(self._compiled.velocity_count)
        self._others = np.zeros_like(self._v)  # velocities of the joints outside the group
        self.moves = False  # whether any joint does
        self._average = MovingAverage(self._average_count, q[self._slots])
        self._followed: FollowedPose | None = None
        self._engines.clear()

    def update_other_joints(self, configuration: Array) -> None:
        """Update the positions of the joints outside the group.

        If they have moved, obstacles and they are approached half as fast.
        """
        q = configuration.copy()
        q[self._slots] = self._q[self._slots]
        scalar = np.flatnonzero(self._compiled.is_scalar)
        moved = (q - self._q)[scalar] / self._settings.period
        self._others[self._compiled.velocity_of_position[scalar]] = moved
        self._q = q

    def in_base(self, twist: ArrayLike, T_base_frame: Array, about_tip: bool) -> Array:
        """Return a twist (6,) along a frame's axes as one along the base's, about the tip.

        It rotates the tip about its own origin, or about the frame's.
        """
        turned: Array = _checked(twist, 6, "a twist").reshape(2, 3) @ T_base_frame[:3, :3].T
        if not about_tip:
            arm = self.tip_pose()[:3, 3] - T_base_frame[:3, 3]
            turned[0] += np.cross(turned[1], arm)
        return turned.ravel()

    def tip_pose(self) -> Array:
        """Return T_base_tip, (4, 4)."""
        return body_transform(self._compiled, self.configuration, self.tip)

    # -- steps -----------------------------------------------------------------------------------

    def step_joints(self, velocities: ArrayLike) -> ServoStep:
        """Move the joints by velocities (k,), rad/s or m/s."""
        wanted = np.zeros(len(self._v))
        wanted[self._columns] = _checked(velocities, len(self._slots), "joint velocities")
        self._followed = None
        return self._step(JointVelocityTask, wanted)

    def step_twist(self, twist: ArrayLike) -> ServoStep:
        """Move the tip by a twist (6,): m/s and rad/s along the base's axes, about the tip."""
        self._followed = None
        return self._step_twist(_checked(twist, 6, "a twist"))

    def step_pose(self, pose: Pose) -> ServoStep:
        """Move the tip toward T_base_target, (4, 4). Raises ModelError for an invalid pose.

        The tip follows a stream of poses without a lag.
        """
        now = body_transform(self._compiled, self._q, self.tip)
        target = np.array(checked_pose(pose, "target"))
        followed = self._followed or FollowedPose(target)
        self._followed = followed
        twist = followed.twist(target, now, self._settings.period)
        return self._step_twist(self.within_speeds(twist))

    def within_speeds(self, twist: ArrayLike) -> Array:
        """Return a twist (6,) clamped to the speeds of the tip; a speed of 0 is no limit."""
        cut = _checked(twist, 6, "a twist")
        settings = self.settings
        speeds = settings.linear_speed, settings.rotational_speed
        for part, most in zip((cut[:3], cut[3:]), speeds, strict=True):
            speed = float(np.linalg.norm(part))
            if 0.0 < most < speed:
                part *= most / speed
        return cut

    def halt(self) -> ServoStep:
        """Decelerate to a stop."""
        self._followed = None
        engine, _ = self._engine(JointVelocityTask)
        return self._take(self._braked(engine), ServoStatus.NO_WARNING, FREE)

    def stopping_points(self) -> list[tuple[float, Array, Array]]:
        """Return (time after the last step, positions, velocities) of the motion to a stop.

        It starts with one more step at the current velocity, so that the next step can be late.
        """
        if not self.moves:
            return []
        period, v = self._settings.period, self._v[self._columns]
        on = self._q[self._slots] + period * v
        means = self._average.after(self._stop(on, v))
        return [(period, *means[0]), (period * len(means), means[-1, 0], np.zeros(len(v)))]

    # -- parts of a step -------------------------------------------------------------------------

    def _step_twist(self, wanted: Array) -> ServoStep:
        if not wanted.any():
            return self._step(FrameVelocityTask, wanted)
        condition, share = self._condition(wanted)
        step = self._step(FrameVelocityTask, share * wanted)
        if share == 1.0 or step.status is not ServoStatus.NO_WARNING:
            return step
        if share > 0.0:
            status = ServoStatus.DECELERATE_FOR_APPROACHING_SINGULARITY
            message = "Moving closer to a singularity, decelerating"
        else:
            status = ServoStatus.HALT_FOR_SINGULARITY
            message = "Very close to a singularity, emergency stop"
        return replace(step, status=status, message=f"{message}: condition number {condition:.0f}")

    def _condition(self, twist: Array) -> tuple[float, float]:
        """Return the condition number, and the share of a twist (6,) that it allows."""
        settings, v = self._settings, self._v[self._columns]
        time = float((np.abs(v) / self._acceleration).max())
        # At the end of a stop, so that it starts in time.
        end = self._with(self._q[self._slots] + 0.5 * time * v)
        condition = self._tip_motion.condition(end)
        first = settings.lower_singularity_threshold
        if condition <= first or not self._tip_motion.nears_singularity(end, twist):
            return condition, 1.0
        share = 1.0 - (condition - first) / (settings.hard_stop_singularity_threshold - first)
        return condition, share if share > ALMOST_SINGULAR else 0.0

    def _step(self, kind: type[FrameVelocityTask | JointVelocityTask], wanted: Array) -> ServoStep:
        """Move by velocities unless limits or obstacles block the motion."""
        if len(self._average) != self._average_count and not self.moves:
            self._average = MovingAverage(self._average_count, self._q[self._slots])
        override = self._settings.velocity_override
        engine, task = self._engine(kind)
        task.set_target(wanted * (override if override > OVERRIDE_FROM else 1.0))
        engine.place(self._q, self._v + self._others)
        step = engine.step(self._settings.period, ITERATIONS)
        status, message = status_of(step)
        if self._touches(step):
            status, message, step = ServoStatus.HALT_FOR_COLLISION, HALTING, self._braked(engine)
        return self._take(step, status, message)

    def _braked(self, engine: DifferentialIK) -> DifferentialStep:
        engine.place(self._q, self._v)
        return engine.brake(self._settings.period)

    def _take(self, step: DifferentialStep, status: ServoStatus, message: str) -> ServoStep:
        """Make a step the present state, and return its average."""
        self._q = step.configuration
        self._v = np.where(np.abs(step.velocity) > RESTING, step.velocity, 0.0)
        self._average.add(self._q[self._slots], self._v[self._columns])
        positions, velocities = self._average.state
        taken = ServoStep(positions, velocities, status, message)
        self.moves = taken.moves
        return taken

    def _touches(self, step: DifferentialStep) -> bool:
        """Return whether the average of a step and its stop would cause a new collision."""
        checker = self._checker
        if checker is None or len(self._average) == 1:  # checked by the engine
            return False
        states = self._stop(step.configuration[self._slots], step.velocity[self._columns])
        now = self.configuration
        positions = np.vstack((now[self._slots], self._average.after(states)[:, 0]))
        waypoints = [self._with(corner) for corner in corners(positions)]
        if all(checker.motion_free(a, b) for a, b in pairwise(waypoints)):
            return False
        return checker.is_free(now)

    def _stop(self, q: Array, v: Array) -> Array:
        """Return the states (m, 2, k) of a stop from the first one, until averages rest too."""
        period = self._settings.period
        count = float((np.abs(v) / self._acceleration).max()) / period  # of steps
        whole = math.ceil(count) + len(self._average)
        shares = np.maximum(1.0 - np.arange(whole)[:, np.newaxis] / max(count, 1e-9), 0.0)
        velocities = shares * v
        positions = q + period * (velocities.cumsum(axis=0) - v)
        lower, upper = self._limits.lower[self._slots], self._limits.upper[self._slots]
        positions = np.clip(positions, np.minimum(lower, q), np.maximum(upper, q))
        return np.stack((positions, velocities), axis=1)

    def _with(self, positions: Array) -> Array:
        """Return the configuration (nq,) with these positions (k,) of the joints that move."""
        q: Array = self._q.copy()
        q[self._slots] = positions
        return q


def _checked(values: ArrayLike, count: int, what: str) -> Array:
    vector = np.array(values, dtype=np.float64)
    if vector.shape != (count,) or not (np.abs(vector) <= MOST).all():
        raise ConfigurationError(f"{what}: {count} finite numbers, not {vector.tolist()}")
    return vector
