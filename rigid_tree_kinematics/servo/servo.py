"""Servo: computes the next joint positions for the current command."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import replace
from importlib import import_module
from itertools import pairwise
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike

from rigid_tree_kinematics.arrays import Array
from rigid_tree_kinematics.collision import CollisionChecker
from rigid_tree_kinematics.errors import ConfigurationError, ModelError
from rigid_tree_kinematics.kinematics import body_transform
from rigid_tree_kinematics.kinematics.polyline import corners
from rigid_tree_kinematics.model import RigidBodyTree
from rigid_tree_kinematics.model.transforms import Pose, checked_pose, inverse
from rigid_tree_kinematics.servo.kernels import JointArrays, StepTiming, go_and_stop, limit
from rigid_tree_kinematics.servo.obstacles import Nearness, find_near_pairs, nothing_near
from rigid_tree_kinematics.servo.pose_stream import PoseStream
from rigid_tree_kinematics.servo.settings import SLIDE, ServoSettings
from rigid_tree_kinematics.servo.smoothing import MovingAverage
from rigid_tree_kinematics.servo.status import HALTING, RESTING, SLOWING, ServoStatus, ServoStep
from rigid_tree_kinematics.servo.tip_motion import TipMotion

if TYPE_CHECKING:
    from rigid_tree_kinematics.servo.sliding import Sliding

HALTED = 0.01  # share of the speed below which a motion is considered stopped
OVERRIDE_FROM = 0.01  # smaller velocity overrides mean none, as in moveit_servo
ALMOST_SINGULAR = 0.05  # share of the speed that becomes 0; it would approach 0 only slowly
SINGULARITY_LOOK = 0.01  # s of motion ahead


class Servo:
    """Moves a group of joints step by step.

    Each step starts from the commanded velocities. Speed limits, joint limits, singularities,
    self-collisions and obstacles scale all of them by one factor, which keeps the tip's direction,
    or the robot slides along limits and obstacles. Accelerations are limited, and jerks by a
    moving average. After every step, a collision-free stop within the limits is possible.

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
        self.checker = checker
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
        self._speed = compiled.velocity_limit[self._columns]
        self._own_acceleration = self._own(compiled.acceleration_limit, acceleration_limits)
        self._own_jerk = self._own(compiled.jerk_limit, jerk_limits)
        self._lower, self._upper = compiled.lower[self._slots], compiled.upper[self._slots]
        self._beyond = np.empty(len(joints), dtype=np.bool_)
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
        # Joints with a small range, such as fingers, keep most of it.
        margin = np.minimum(margins, 0.1 * (self._upper - self._lower))
        low, high = self._lower + margin, self._upper - margin
        own, jerk = self._own_acceleration, self._own_jerk
        most = np.where(np.isinf(own), settings.acceleration_limit, own)
        self._arrays = JointArrays(
            self._slots, self._speed, most, self._lower, self._upper, low, high
        )
        self._timing = StepTiming(settings.period, settings.halt_all_joints)
        self._sliding: Sliding | None = None
        if settings.when_blocked == SLIDE:  # loads kernels, before the first step
            import_module("rigid_tree_kinematics.servo.sliding")
        self._settings = settings
        jerk = np.where(np.isinf(jerk), settings.jerk_limit or math.inf, jerk)
        window = float((2.0 * most / jerk).max())
        self._average_count = max(1, math.ceil(window / settings.period - 1e-9))

    def _own(self, of_robot: Array, given: Mapping[str, float] | None) -> Array:
        """Return the joints' own limits (k,): those given by name, or the robot's (nv,)."""
        limits = of_robot[self._columns]
        for name, own in (given or {}).items():
            if not own > 0.0:
                raise ConfigurationError(f"the limits of '{name}' must be above 0, not {own}")
            if name in self.joints:
                limits[self.joints.index(name)] = own
        return limits

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
        self._v = np.zeros(len(self._slots))
        self.moves = False  # whether any joint does
        self._stream: PoseStream | None = None  # of the last steps
        self._average = MovingAverage(self._average_count, q[self._slots])
        self._near: Nearness = nothing_near(q, len(self._slots))
        self._sliding = None

    def update_other_joints(self, configuration: Array) -> None:
        """Update the positions of the joints outside the group."""
        q = configuration.copy()
        q[self._slots] = self._q[self._slots]
        self._q = q

    def update_distances(self) -> None:
        """Update the distances to obstacles, which the following steps use."""
        if self.checker is None or self.settings.when_blocked == SLIDE:
            self._near = nothing_near(self._q, len(self._slots))
            return
        settings = self._settings
        within = settings.self_distance, settings.scene_distance
        self._near = find_near_pairs(self.checker, self._q, self._columns, *within)

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
        self._stream = None
        return self._step(_checked(velocities, len(self._slots), "joint velocities"))

    def step_twist(self, twist: ArrayLike) -> ServoStep:
        """Move the tip by a twist (6,): m/s and rad/s along the base's axes, about the tip."""
        self._stream = None
        return self._step_twist(_checked(twist, 6, "a twist"))

    def _step_twist(self, wanted: Array) -> ServoStep:
        settings = self.settings
        if not wanted.any():
            return self._step(np.zeros(len(self._slots)))
        q = self._q
        velocity = self._tip_motion.velocity(q, wanted, settings.period)
        _checked(velocity, len(velocity), f"joint velocities of the twist {wanted.tolist()}")
        # Also at the end of a stop, so that it starts in time.
        places = [q, self._after(self._v)[1]] if self._v.any() else [q]
        condition = max(self._tip_motion.condition(place) for place in places)
        first = settings.lower_singularity_threshold
        nears = self._tip_motion.nears_singularity
        if condition <= first or not nears(q, velocity, SINGULARITY_LOOK):
            return self._step(velocity, of_tip=True)
        share = 1.0 - (condition - first) / (settings.hard_stop_singularity_threshold - first)
        share = share if share > ALMOST_SINGULAR else 0.0
        step = self._step(share * velocity, of_tip=True)
        if step.status is not ServoStatus.NO_WARNING:
            return step
        if share > 0.0:
            status = ServoStatus.DECELERATE_FOR_APPROACHING_SINGULARITY
            message = "Moving closer to a singularity, decelerating"
        else:
            status = ServoStatus.HALT_FOR_SINGULARITY
            message = "Very close to a singularity, emergency stop"
        return replace(step, status=status, message=f"{message}: condition number {condition:.0f}")

    def step_pose(
        self, pose: Pose, frame: Pose | None = None, stamp: float | None = None
    ) -> ServoStep:
        """Move the tip toward a target; poses that follow each other are followed without a lag.

        Args:
            pose: T_frame_target, (4, 4).
            frame: T_base_frame; None: the base. Its own motion is followed with a lag.
            stamp: time of the pose, s; None: that of the first step with this pose.

        Raises ModelError for an invalid pose.
        """
        T_base_frame = np.eye(4) if frame is None else checked_pose(frame, "frame")
        target = np.array(checked_pose(pose, "target"))
        tip = inverse(T_base_frame) @ body_transform(self._compiled, self._q, self.tip)
        self._stream = self._stream or PoseStream(target, stamp)
        twist = self._stream.twist(target, stamp, tip, self.settings.period, self.within_speeds)
        return self._step_twist(
            self.within_speeds(self.in_base(twist, T_base_frame, about_tip=True))
        )

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
        self._stream = None
        return self._step(np.zeros(len(self._slots)))

    def stopping_points(self) -> list[tuple[float, Array, Array]]:
        """Return (time after the last step, positions, velocities) of the motion to a stop.

        It starts with one more step at the current velocity, so that the next step can be late.
        """
        if not self.moves:
            return []
        period, v = self._settings.period, self._v
        on, end, _ = self._after(v)
        time = self._stopping_time(v) + (len(self._average) - 1) * period
        mean = self._average.after(np.array([[on[self._slots], v]]))[0]
        return [(period, *mean), (period + time, end[self._slots], np.zeros(len(v)))]

    # -- parts of a step -------------------------------------------------------------------------

    def _step(self, wanted: Array, of_tip: bool = False) -> ServoStep:
        """Move by velocities (k,), which a tip's motion can be, unless obstacles block it."""
        if len(self._average) != self._average_count and not self.moves:
            self._average = MovingAverage(self._average_count, self._q[self._slots])
        override = self._settings.velocity_override
        wanted = wanted * (override if override > OVERRIDE_FROM else 1.0)
        if self._settings.when_blocked == SLIDE and wanted.any():
            wanted, status, message = self._slid(wanted, of_tip)
        else:
            wanted, status, message = self._allowed(wanted)
        v = self._accelerated(wanted)
        q, end, leaves = self._after(v)
        # The previous velocities allow a stop that is free and inside the limits.
        if leaves:
            status, message = self._bound()
        elif self._touches(v, q, end):
            status, message = ServoStatus.HALT_FOR_COLLISION, HALTING
            leaves = True
        if leaves:
            v = self._accelerated(np.zeros(len(v)))
            q, _, _ = self._after(v)
        self._q = q
        self._v = np.where(np.abs(v) > RESTING, v, 0.0)
        self._average.add(q[self._slots], self._v)
        positions, velocities = self._average.state
        step = ServoStep(positions, velocities, status, message)
        self.moves = step.moves
        return step

    def _bound(self) -> tuple[ServoStatus, str]:
        """Return the status by the joints that their limits slow down."""
        names = ", ".join(np.array(self.joints)[self._beyond])
        if not names:
            return ServoStatus.NO_WARNING, "No warnings"
        message = f"Close to a joint bound (position or velocity), halting: {names}"
        return ServoStatus.JOINT_BOUND, message

    def _allowed(self, wanted: Array) -> tuple[Array, ServoStatus, str]:
        """Return the velocities (k,) allowed by limits and obstacles, and why they are reduced."""
        near = self._near
        moved = (self._q - near.q)[self._slots]
        pair, share = limit(
            self._arrays, self._timing, self._q, wanted, near.pairs, moved, self._beyond
        )
        if pair >= 0:
            status, reason = ServoStatus.DECELERATE_FOR_COLLISION, SLOWING
            if share < HALTED:
                status, reason = ServoStatus.HALT_FOR_COLLISION, HALTING
            return wanted, status, f"{reason}: {near.names[int(pair)]}"
        return wanted, *self._bound()

    def _slid(self, wanted: Array, of_tip: bool) -> tuple[Array, ServoStatus, str]:
        """Return the velocities (k,) that slide along limits and obstacles, and along which."""
        from rigid_tree_kinematics.servo.sliding import Sliding

        if self._sliding is None or self._sliding.checker is not self.checker:
            self._sliding = Sliding(
                self._compiled, self.joints, self.tip, self._arrays, self._settings, self.checker
            )
        # Without limits and obstacles in the way, the direction is kept, as when halting.
        wanted = self._accelerated(wanted / max(1.0, (np.abs(wanted) / self._speed).max()))
        slide = self._sliding.like_tip if of_tip else self._sliding.like_joints
        wanted, bodies = slide(self._q, self._v, wanted, self._beyond)
        if bodies:
            status = ServoStatus.DECELERATE_FOR_COLLISION
            return wanted, status, f"Close to a collision, sliding along: {', '.join(bodies)}"
        return wanted, *self._bound()

    def _accelerated(self, wanted: Array) -> Array:
        """Return the velocities (k,) closest to the requested ones after a step."""
        change = wanted - self._v
        steps = self._stopping_time(change) / self._settings.period
        return wanted if steps <= 1.0 else self._v + change / steps

    def _touches(self, v: Array, step: Array, end: Array) -> bool:
        """Return whether a step and the stop after it would cause a new collision."""
        if self.checker is None or not (self.moves or (np.abs(v) > RESTING).any()):
            return False
        now = self.configuration
        if len(self._average) == 1:
            waypoints = [now, step, end]
        else:
            stop = step[self._slots], end[self._slots], v, self._stopping_time(v)
            means = self._average.after_stop(*stop, self._settings.period)
            positions = np.vstack((now[self._slots], means[:, 0]))
            waypoints = [self._with(corner) for corner in corners(positions)]
        if all(self.checker.motion_free(a, b) for a, b in pairwise(waypoints)):
            return False
        return self.checker.is_free(now)

    def _stopping_time(self, v: Array) -> float:
        return float((np.abs(v) / self._arrays.acceleration).max())

    def _with(self, positions: Array) -> Array:
        """Return the configuration (nq,) with these positions (k,) of the joints that move."""
        q: Array = self._q.copy()
        q[self._slots] = positions
        return q

    def _after(self, v: Array) -> tuple[Array, Array, bool]:
        """Return the configurations (nq,) after a step that ends with ``v``, and after a stop.

        Also returns whether the stop ends outside the margins of joints, which ``_beyond`` marks.
        """
        step, end = np.empty((2, len(self._q)))
        states = self._q, self._v, v, step, end
        return step, end, bool(go_and_stop(self._arrays, self._timing, *states, self._beyond))


def _checked(values: ArrayLike, count: int, what: str) -> Array:
    vector = np.array(values, dtype=np.float64)
    if vector.shape != (count,) or not np.isfinite(vector).all():
        raise ConfigurationError(f"{what}: {count} finite numbers, not {vector.tolist()}")
    return vector
