"""Servo: the next positions of a robot's joints for the command that counts now."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from enum import IntEnum

import numpy as np
from numpy.typing import ArrayLike, NDArray

from rigid_tree_kinematics.collision import CollisionChecker
from rigid_tree_kinematics.errors import ConfigurationError, ModelError
from rigid_tree_kinematics.kinematics import body_transform
from rigid_tree_kinematics.model import RigidBodyTree
from rigid_tree_kinematics.model.poses import Pose, checked_pose
from rigid_tree_kinematics.model.transforms import rotation_log
from rigid_tree_kinematics.servo.braking import share_that_stops, stopping_time
from rigid_tree_kinematics.servo.obstacles import Nearness, approach_shares, look_around
from rigid_tree_kinematics.servo.settings import ServoSettings
from rigid_tree_kinematics.servo.tip_motion import TipMotion

Array = NDArray[np.float64]

POSE_GAIN = 5.0  # 1/s; a tip at 0.4 m/s slows down over the last 8 cm
RESTING = 1e-6  # rad/s or m/s
HALTED = 0.01  # share of the speed below which a motion counts as stopped
OVERRIDE_FROM = 0.01  # smaller velocity overrides mean none, as in moveit_servo
ALMOST_SINGULAR = 0.05  # share of the speed that is none, as the last of it would take for ever
SINGULARITY_LOOK = 0.01  # s along the way
MARGIN_SLACK = 2e-3  # rad or m; a stop in steps is a little longer than one without


class ServoStatus(IntEnum):
    """What holds a motion up: the codes of moveit_msgs/ServoStatus."""

    INVALID = -1
    NO_WARNING = 0
    DECELERATE_FOR_APPROACHING_SINGULARITY = 1
    HALT_FOR_SINGULARITY = 2
    DECELERATE_FOR_LEAVING_SINGULARITY = 3
    DECELERATE_FOR_COLLISION = 4
    HALT_FOR_COLLISION = 5
    JOINT_BOUND = 6


@dataclass(frozen=True, eq=False)
class ServoStep:
    """Where the joints are after a step: positions and velocities (k,), and what slows them."""

    positions: Array
    velocities: Array
    status: ServoStatus = ServoStatus.NO_WARNING
    message: str = "No warnings"

    @property
    def moves(self) -> bool:
        """Whether any joint moves."""
        return bool((np.abs(self.velocities) > RESTING).any())


class Servo:
    """Leads a group of joints, step by step, from where they are.

    Each step takes the velocities that a command asks for, makes them smaller where a joint's
    speed, a limit, a singularity, the robot itself or the scene calls for it, all by one factor
    so that the tip keeps its way, and changes the velocities by no more than the acceleration
    limit. Every step can be followed by a stop that is free of collisions, and inside the limits.

    Args:
        tree: the robot.
        joints: names of the joints that move, of one position each.
        tip: the body that twists and poses are about.
        settings: limits and rates.
        checker: of the robot in its scene; None: nothing is checked. It may be replaced at any
            time (attribute ``checker``).

    Raises ModelError for a joint of more positions, and UnknownNameError.
    """

    def __init__(
        self,
        tree: RigidBodyTree,
        joints: Sequence[str],
        tip: str,
        settings: ServoSettings | None = None,
        checker: CollisionChecker | None = None,
    ) -> None:
        self.settings = settings or ServoSettings()
        self.checker = checker
        self.joints = tuple(joints)
        self.tip = tree.get_body(tip).name
        self._compiled = compiled = tree.compiled()
        for name in joints:
            if tree.get_joint(name).position_count != 1:
                raise ModelError(f"joint '{name}' has several positions: it cannot be servoed")
        if not joints:
            raise ModelError("a servo moves at least one joint")
        if len(self.settings.joint_limit_margins) not in (1, len(joints)):
            raise ModelError(
                f"joint_limit_margins: one number, or {len(joints)} for as many joints, not "
                f"{len(self.settings.joint_limit_margins)}"
            )
        places = list(compiled.position_names)
        self._slots = np.array([places.index(name) for name in joints], dtype=np.int64)
        self._columns = compiled.velocity_of_position[self._slots]
        self._tip_motion = TipMotion(compiled, self.tip, self._columns, self._slots)
        speed = compiled.velocity_limit[self._columns]
        self._speed = np.where(speed > 0.0, speed, np.inf)
        self._near: Nearness | None = None
        self.reset(compiled.home)

    # -- where the joints are --------------------------------------------------------------------

    @property
    def configuration(self) -> Array:
        """Where the robot is led to, (nq,); not to be written to."""
        return self._q

    @property
    def velocities(self) -> Array:
        """How fast the joints move, (k,)."""
        return self._v

    @property
    def moves(self) -> bool:
        """Whether any joint moves."""
        return bool((np.abs(self._v) > RESTING).any())

    def positions_of(self, joints: Sequence[str]) -> Array:
        """Return where joints of one position each are led to."""
        places = list(self._compiled.position_names)
        return np.array([self._q[places.index(name)] for name in joints])

    def reset(self, configuration: ArrayLike) -> None:
        """Begin at a configuration (nq,), at rest. Raises ConfigurationError."""
        q = np.array(configuration, dtype=np.float64)
        if q.shape != (self._compiled.position_count,) or not np.isfinite(q).all():
            raise ConfigurationError(
                f"a configuration is {self._compiled.position_count} finite numbers"
            )
        self._q = q
        self._v = np.zeros(len(self._slots))
        self._near = None

    def stand(self, configuration: Array) -> None:
        """Take over where all joints are that are not led."""
        q = configuration.copy()
        q[self._slots] = self._q[self._slots]
        self._q = q

    def look(self) -> None:
        """Look how near things are; the steps that follow reckon with it."""
        self._near = (
            None
            if self.checker is None
            else look_around(
                self.checker, self._q, self.settings.self_distance, self.settings.scene_distance
            )
        )

    def in_base(self, twist: ArrayLike, T_base_frame: Array, about_tip: bool) -> Array:
        """Return a twist (6,) along a frame's axes as one along the base's, about the tip.

        It turns the tip about its own origin, or about the frame's.
        """
        given = _checked(twist, 6, "a twist")
        turn = T_base_frame[:3, :3]
        linear, angular = turn @ given[:3], turn @ given[3:]
        if not about_tip:
            arm = self.tip_pose()[:3, 3] - T_base_frame[:3, 3]
            linear = linear + np.cross(angular, arm)
        return np.concatenate([linear, angular])

    def tip_pose(self) -> Array:
        """Return T_base_tip, (4, 4)."""
        return body_transform(self._compiled, self._q, self.tip)

    # -- steps -----------------------------------------------------------------------------------

    def step_joints(self, velocities: ArrayLike) -> ServoStep:
        """Move the joints by velocities (k,), rad/s or m/s."""
        return self._step(_checked(velocities, len(self._slots), "joint velocities"))

    def step_twist(self, twist: ArrayLike) -> ServoStep:
        """Move the tip by a twist (6,): m/s and rad/s along the base's axes, about the tip."""
        wanted = _checked(twist, 6, "a twist")
        settings = self.settings
        if not wanted.any():
            return self._step(np.zeros(len(self._slots)))
        q = self._q
        velocity = self._tip_motion.velocity(q, wanted, settings.period)
        # Also where a stop would end, so that it ends in time.
        places = [q, self._after(self._v)[1]] if self.moves else [q]
        condition = max(self._tip_motion.condition(place) for place in places)
        first, last = (
            settings.lower_singularity_threshold,
            settings.hard_stop_singularity_threshold,
        )
        if condition <= first or not self._tip_motion.nears_singularity(
            q, velocity, SINGULARITY_LOOK
        ):
            return self._step(velocity)
        share = 1.0 - (condition - first) / (last - first)
        share = share if share > ALMOST_SINGULAR else 0.0
        step = self._step(share * velocity)
        if step.status is not ServoStatus.NO_WARNING:
            return step
        if share > 0.0:
            status = ServoStatus.DECELERATE_FOR_APPROACHING_SINGULARITY
            message = "Moving closer to a singularity, decelerating"
        else:
            status = ServoStatus.HALT_FOR_SINGULARITY
            message = "Very close to a singularity, emergency stop"
        return replace(step, status=status, message=f"{message}: condition number {condition:.0f}")

    def step_pose(self, pose: Pose) -> ServoStep:
        """Move the tip towards T_base_target, (4, 4). Raises ModelError for what is no pose."""
        now, pose = self.tip_pose(), checked_pose(pose, "target")
        error = np.concatenate(
            [pose[:3, 3] - now[:3, 3], rotation_log(pose[:3, :3] @ now[:3, :3].T)]
        )
        return self.step_twist(self.within_speeds(POSE_GAIN * error))

    def within_speeds(self, twist: ArrayLike) -> Array:
        """Return a twist (6,), cut at the speeds of the tip; a speed of 0 is no limit."""
        cut = _checked(twist, 6, "a twist")
        settings = self.settings
        for part, most in (
            (cut[:3], settings.linear_speed),
            (cut[3:], settings.rotational_speed),
        ):
            speed = float(np.linalg.norm(part))
            if 0.0 < most < speed:
                part *= most / speed
        return cut

    def halt(self) -> ServoStep:
        """Slow down to a stop."""
        return self._step(np.zeros(len(self._slots)))

    def stopping_points(self) -> list[tuple[float, Array, Array]]:
        """Return (time after the last step, positions, velocities) of the way on to a stop.

        First one more step as fast as now, so that the next step may come late.
        """
        if not self.moves:
            return []
        period, v = self.settings.period, self._v
        time = stopping_time(v, self.settings.acceleration_limit)
        on = self._within(self._q[self._slots] + period * v)
        end = self._within(on + 0.5 * time * v)
        return [(period, on, v), (period + time, end, np.zeros(len(v)))]

    # -- what a step is made of ------------------------------------------------------------------

    def _step(self, wanted: Array) -> ServoStep:
        """Move by velocities (k,) as far as nothing is in the way."""
        wanted, status, message = self._allowed(wanted)
        v = self._accelerated(wanted)
        # The velocities of before led to a stop that was free, and inside the limits.
        beyond = self._leaves_limits(v)
        if beyond.any():
            v = self._accelerated(np.zeros(len(v)))
            status, message = ServoStatus.JOINT_BOUND, self._bound_message(beyond)
        elif self._touches(v):
            v = self._accelerated(np.zeros(len(v)))
            status, message = _COLLISION_HALT, "Collision detected, emergency stop"
        self._q = self._after(v)[0]
        self._v = np.where(np.abs(v) > RESTING, v, 0.0)
        return ServoStep(self._q[self._slots], self._v, status, message)

    def _bound_message(self, which: NDArray[np.bool_]) -> str:
        names = ", ".join(np.array(self.joints)[which])
        return f"Close to a joint bound (position or velocity), halting: {names}"

    def _allowed(self, wanted: Array) -> tuple[Array, ServoStatus, str]:
        """Return wanted velocities (k,) as far as limits and obstacles let, and what did not."""
        settings = self.settings
        override = settings.velocity_override
        wanted = wanted * (override if override > OVERRIDE_FROM else 1.0)
        wanted = wanted / max(1.0, float((np.abs(wanted) / self._speed).max()))
        time = stopping_time(wanted, settings.acceleration_limit)
        status, message = ServoStatus.NO_WARNING, "No warnings"
        shares = self._limit_shares(wanted, time)
        if shares.min() < 1.0:
            status, message = ServoStatus.JOINT_BOUND, self._bound_message(shares < 1.0)
            wanted = wanted * (shares.min() if settings.halt_all_joints else shares)
        if self._near is not None and len(self._near.distances):
            rates = np.zeros(self._compiled.velocity_count)
            rates[self._columns] = wanted
            way = np.zeros(self._compiled.velocity_count)
            way[self._columns] = (self._q - self._near.q)[self._slots]
            time = stopping_time(wanted, settings.acceleration_limit)
            held = approach_shares(self._near, way, rates, time, settings.period)
            least = int(held.argmin())
            if held[least] < 1.0:
                wanted = wanted * held[least]
                halts = held[least] < HALTED
                status = _COLLISION_HALT if halts else ServoStatus.DECELERATE_FOR_COLLISION
                words = "Collision detected, emergency stop"
                words = words if halts else "Close to a collision, decelerating"
                message = f"{words}: {self._near.names[least]}"
        return wanted, status, message

    def _limit_shares(self, wanted: Array, time: float) -> Array:
        """Return which shares (k,) of velocities stop before the margins of the limits."""
        q = self._q[self._slots]
        low, high = self._bounds()
        room = np.where(wanted > 0.0, high - q, q - low)
        return share_that_stops(room, np.abs(wanted), time, self.settings.period)

    def _accelerated(self, wanted: Array) -> Array:
        """Return the velocities (k,) nearest to the wanted ones after a step."""
        change = wanted - self._v
        most = self.settings.acceleration_limit * self.settings.period
        largest = float(np.abs(change).max())
        return wanted if largest <= most else self._v + change * (most / largest)

    def _leaves_limits(self, v: Array) -> NDArray[np.bool_]:
        """Return which joints (k,) could not stop before their margins after a step."""
        end = self._after(v)[1][self._slots]
        low, high = self._bounds()
        return ((v > 0.0) & (end > high + MARGIN_SLACK)) | ((v < 0.0) & (end < low - MARGIN_SLACK))

    def _touches(self, v: Array) -> bool:
        """Return whether a step and the stop after it would touch what is not touched now."""
        if self.checker is None or not (np.abs(v) > RESTING).any():
            return False
        step, end = self._after(v)
        if self.checker.motion_free(self._q, step) and self.checker.motion_free(step, end):
            return False
        return self.checker.is_free(self._q)

    def _after(self, v: Array) -> tuple[Array, Array]:
        """Return the configurations (nq,) after a step that ends with ``v``, and after a stop."""
        step = self._q.copy()
        step[self._slots] = self._within(
            step[self._slots] + 0.5 * self.settings.period * (self._v + v)
        )
        end = step.copy()
        time = stopping_time(v, self.settings.acceleration_limit)
        end[self._slots] = self._within(end[self._slots] + 0.5 * time * v)
        return step, end

    def _bounds(self) -> tuple[Array, Array]:
        """Return where joints (k,) halt: their limits but for the margins."""
        low, high = self._compiled.lower[self._slots], self._compiled.upper[self._slots]
        # A joint of little range, such as a finger's, keeps most of it.
        margin = np.minimum(self.settings.joint_limit_margins, 0.1 * (high - low))
        return low + margin, high - margin

    def _within(self, positions: Array) -> Array:
        low, high = self._compiled.lower[self._slots], self._compiled.upper[self._slots]
        start = self._q[self._slots]
        # A joint that was beyond a limit is led back, not thrown back.
        return np.clip(positions, np.minimum(low, start), np.maximum(high, start))


_COLLISION_HALT = ServoStatus.HALT_FOR_COLLISION


def _checked(values: ArrayLike, count: int, what: str) -> Array:
    vector = np.array(values, dtype=np.float64)
    if vector.shape != (count,) or not np.isfinite(vector).all():
        raise ConfigurationError(f"{what}: {count} finite numbers, not {vector.tolist()}")
    return vector
