"""A joint, which connects a body to its parent."""

from __future__ import annotations

import copy
import math
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from rigid_tree_kinematics.arrays import Array
from rigid_tree_kinematics.errors import ModelError
from rigid_tree_kinematics.model.joints.joint_data import (
    Calibration,
    JointDynamics,
    Mimic,
    SafetyController,
)
from rigid_tree_kinematics.model.joints.joint_types import JOINT_TYPES, JointType
from rigid_tree_kinematics.model.transforms.matrices import (
    checked_transform,
    dh_transform,
    mdh_transform,
    normalize_quaternion,
)


class Joint:
    """A joint of one of six types, with its axis, limits, home position and fixed transforms.

    ``T_parent_child(q) = joint_to_parent @ motion(q) @ child_to_joint``. Values are checked when
    they are set; an invalid one raises ModelError and changes nothing.

    Args:
        name: unique in the tree.
        joint_type: fixed, revolute, continuous, prismatic, planar or floating.
        axis: rotation axis, sliding direction or plane normal in the joint frame; normalized.
        limits: (low, high), rad or m, each a number for all positions or one for each; ``None``
            takes the type's default, see JOINT_TYPES. Quaternions have no limits.

    Example:
        >>> joint = Joint("elbow", "revolute", axis=(0, 0, 1), limits=(-2.5, 2.5))
        >>> joint.velocity_limit = 3.0  # rad/s
        >>> joint.set_fixed_transform([0.3, 0, 0, 0], "dh")  # a, alpha, d, theta
        >>> joint.position_limits, joint.home_position
        ((-2.5, 2.5), 0.0)
    """

    def __init__(
        self,
        name: str,
        joint_type: str = "fixed",
        axis: ArrayLike = (0.0, 0.0, 1.0),
        limits: Sequence[float] | None = None,
    ) -> None:
        if not isinstance(name, str) or not name:
            raise ModelError(f"a joint's name must be a non-empty string, not {name!r}")
        if joint_type not in JOINT_TYPES:
            raise ModelError(
                f"joint '{name}': unknown type '{joint_type}'; known: {', '.join(JOINT_TYPES)}"
            )
        self._name = name
        self._type = JOINT_TYPES[joint_type]
        self._on_change: Callable[[Joint, dict[str, Any]], None] | None = None
        self._home: Array | None = None
        self._mimic: Mimic | None = None
        self._velocity_limit = math.inf
        self._effort_limit = math.inf
        self._armature = 0.0
        self._acceleration_limit = math.inf
        self._deceleration_limit: float | None = None
        self._jerk_limit = math.inf
        self._dynamics: JointDynamics | None = None
        self.calibration: Calibration | None = None
        self._safety_controller: SafetyController | None = None
        self._joint_to_parent = checked_transform(np.eye(4), name)
        self._child_to_joint = self._joint_to_parent
        self._low, self._high = self._checked_limits(self._type.default_limits)
        self._axis = self._checked_axis(axis)
        if limits is not None:
            self.position_limits = limits

    def __repr__(self) -> str:
        return f"Joint('{self._name}', '{self._type.name}')"

    def copy(self, name: str | None = None) -> Joint:
        """Return an independent copy outside any tree, optionally with a new name."""
        twin = copy.copy(self)
        twin._on_change = None
        if name is not None:
            twin._name = name
        return twin

    @property
    def name(self) -> str:
        """The joint's name. To rename, replace the joint with ``joint.copy(new_name)``."""
        return self._name

    @property
    def type(self) -> str:
        """fixed, revolute, continuous, prismatic, planar or floating."""
        return self._type.name

    @property
    def layout(self) -> JointType:
        """The meaning of this joint type's positions and velocities."""
        return self._type

    @property
    def position_count(self) -> int:
        """Number of entries of the joint's position, also for a mimic joint."""
        return self._type.position_count

    @property
    def velocity_count(self) -> int:
        """Number of entries of the joint's velocity."""
        return self._type.velocity_count

    @property
    def position_names(self) -> tuple[str, ...]:
        """The joint's name, or ``name/x`` and so on for a joint with several positions."""
        return tuple(
            f"{self._name}/{position.suffix}" if position.suffix else self._name
            for position in self._type.positions
        )

    @property
    def axis(self) -> Array:
        """Unit vector in the joint frame: rotation axis, sliding direction or plane normal."""
        return self._axis

    @axis.setter
    def axis(self, axis: ArrayLike) -> None:
        self._set(_axis=self._checked_axis(axis))

    @property
    def position_limits(self) -> tuple[Any, Any]:
        """(low, high): two floats (rad or m), or two arrays for a planar or floating joint."""
        if self.position_count == 1:
            return float(self._low[0]), float(self._high[0])
        return self._low.copy(), self._high.copy()

    @position_limits.setter
    def position_limits(self, limits: Sequence[Any]) -> None:
        low, high = self._checked_limits(limits)
        if self._home is not None and ((self._home < low) | (self._home > high)).any():
            raise self._error(
                f"the home position {self._home} is outside the new limits {limits}; set "
                "home_position to None or to a value within them first"
            )
        self._set(_low=low, _high=high)

    @property
    def soft_limits(self) -> tuple[Any, Any]:
        """``position_limits`` narrowed to the soft limits of the safety controller, if any.

        They bound inverse kinematics, planning and servoing, like in MoveIt. Soft limits that
        leave no range, and those of joints without one position and limits, are ignored.
        """
        soft = self._safety_controller
        if soft is None or self.position_count != 1 or not self._type.may_have_limits:
            return self.position_limits
        low = max(float(self._low[0]), soft.soft_lower_limit)
        high = min(float(self._high[0]), soft.soft_upper_limit)
        return (low, high) if low < high else self.position_limits

    @property
    def safety_controller(self) -> SafetyController | None:
        """The soft limits and the gains of URDF's safety controller, or None."""
        return self._safety_controller

    @safety_controller.setter
    def safety_controller(self, controller: SafetyController | None) -> None:
        self._set(_safety_controller=controller)

    @property
    def home_position(self) -> Any:
        """The home position, within the limits: a float, or an array for several numbers.

        If none was set: zero where the limits allow it, else the middle of the limits.
        """
        home = self._default_home() if self._home is None else self._home
        return float(home[0]) if self.position_count == 1 else home.copy()

    @home_position.setter
    def home_position(self, position: ArrayLike | None) -> None:
        self._set(_home=None if position is None else self._checked_home(position))

    @property
    def velocity_limit(self) -> float:
        """Maximum speed (rad/s or m/s); infinite or 0 if unknown."""
        return self._velocity_limit

    @velocity_limit.setter
    def velocity_limit(self, limit: float) -> None:
        self._set(_velocity_limit=self._not_negative(limit, "velocity limit"))

    @property
    def effort_limit(self) -> float:
        """Maximum torque (N m) or force (N); infinite if unknown."""
        return self._effort_limit

    @effort_limit.setter
    def effort_limit(self, limit: float) -> None:
        self._set(_effort_limit=self._not_negative(limit, "effort limit"))

    @property
    def armature(self) -> float:
        """Inertia of the motor at the joint (kg m^2 or kg), 0 if unknown.

        The rotor's inertia times the squared gear ratio, for each of the joint's velocities.
        """
        return self._armature

    @armature.setter
    def armature(self, armature: float) -> None:
        number = self._not_negative(armature, "armature")
        if math.isinf(number):
            raise self._error("the armature must be finite")
        self._set(_armature=number)

    @property
    def acceleration_limit(self) -> float:
        """Maximum acceleration (rad/s^2 or m/s^2); infinite or 0 if unknown."""
        return self._acceleration_limit

    @acceleration_limit.setter
    def acceleration_limit(self, limit: float) -> None:
        self._set(_acceleration_limit=self._not_negative(limit, "acceleration limit"))

    @property
    def deceleration_limit(self) -> float:
        """Maximum deceleration; ``acceleration_limit`` by default."""
        own = self._deceleration_limit
        return self._acceleration_limit if own is None else own

    @deceleration_limit.setter
    def deceleration_limit(self, limit: float) -> None:
        self._set(_deceleration_limit=self._not_negative(limit, "deceleration limit"))

    @property
    def jerk_limit(self) -> float:
        """Maximum jerk (rad/s^3 or m/s^3); infinite or 0 if unknown."""
        return self._jerk_limit

    @jerk_limit.setter
    def jerk_limit(self, limit: float) -> None:
        self._set(_jerk_limit=self._not_negative(limit, "jerk limit"))

    @property
    def dynamics(self) -> JointDynamics | None:
        """Damping and friction, or None if not specified."""
        return self._dynamics

    @dynamics.setter
    def dynamics(self, dynamics: JointDynamics | None) -> None:
        self._set(_dynamics=dynamics)

    @property
    def mimic(self) -> Mimic | None:
        """The mimic relation, or None; only for joints with one position."""
        return self._mimic

    @mimic.setter
    def mimic(self, mimic: Mimic | None) -> None:
        if mimic is not None and self.position_count != 1:
            raise self._error(f"a {self.type} joint cannot mimic another")
        if mimic is not None and mimic.joint == self._name:
            raise ModelError(f"joint '{self._name}' cannot mimic itself")
        self._set(_mimic=mimic)

    @property
    def joint_to_parent(self) -> Array:
        """The joint frame in the parent body's frame (4x4, read-only)."""
        return self._joint_to_parent

    @property
    def child_to_joint(self) -> Array:
        """The child body's frame in the (moved) joint frame (4x4, read-only)."""
        return self._child_to_joint

    def set_fixed_transform(self, value: ArrayLike, convention: str = "matrix") -> None:
        """Set the fixed transforms from a 4x4 matrix or from four DH or mDH parameters.

        Args:
            value: a 4x4 (``"matrix"``), or (a, alpha, d, theta) in m and rad (``"dh"``,
                ``"mdh"``; MathWorks' order). theta, or d for a prismatic joint,
                is the offset to which the joint position is added.
            convention: "matrix" and "mdh" set ``joint_to_parent``, "dh" sets ``child_to_joint``;
                the other one becomes the identity.
        """
        what = f"joint '{self._name}'"
        if convention == "matrix":
            first, second = checked_transform(value, what), np.eye(4)
        elif convention in ("dh", "mdh"):
            parameters = np.asarray(value, dtype=np.float64)
            if parameters.shape != (4,) or not np.isfinite(parameters).all():
                raise ModelError(f"{what}: {convention} takes four numbers (a, alpha, d, theta)")
            if self.position_count == 1 and abs(self._axis[2]) < 1.0:
                raise ModelError(f"{what}: {convention} joints move about or along z")
            if convention == "dh":
                first, second = np.eye(4), dh_transform(*parameters)
            else:
                first, second = mdh_transform(*parameters), np.eye(4)
        else:
            raise ModelError(f"{what}: unknown convention '{convention}'; use matrix, dh or mdh")
        self.set_transforms(first, second)

    def set_transforms(self, joint_to_parent: ArrayLike, child_to_joint: ArrayLike) -> None:
        """Set both fixed transforms (4x4 each) at once."""
        what = f"joint '{self._name}'"
        self._set(
            _joint_to_parent=checked_transform(joint_to_parent, what),
            _child_to_joint=checked_transform(child_to_joint, what),
        )

    def _error(self, problem: str) -> ModelError:
        return ModelError(f"joint '{self._name}': {problem}")

    def _set(self, **values: Any) -> None:
        """Set attributes, after a check by the joint's tree, if any."""
        if self._on_change is not None:
            self._on_change(self, values)
        for key, value in values.items():
            setattr(self, key, value)

    def _checked_axis(self, axis: ArrayLike) -> Array:
        vector = np.array(axis, dtype=np.float64)
        if vector.shape != (3,) or not np.isfinite(vector).all():
            raise self._error(f"an axis must be three finite numbers, not {axis!r}")
        vector /= max(1.0, float(np.abs(vector).max()))  # squares of large numbers overflow
        norm = float(np.linalg.norm(vector))
        if norm < 1e-9:
            raise self._error("the axis is zero; give a direction")
        # Unit vectors are kept unchanged.
        unit = vector if abs(norm - 1.0) < 1e-15 else vector / norm
        unit.flags.writeable = False
        return unit

    def _checked_limits(self, limits: Sequence[Any]) -> tuple[Array, Array]:
        try:
            low, high = (
                np.broadcast_to(np.asarray(side, dtype=np.float64), (self.position_count,)).copy()
                for side in limits
            )
        except (TypeError, ValueError) as error:
            raise self._error(f"limits must be (low, high), rad or m, not {limits!r}") from error
        quaternion = self._type.quaternion
        for side, bound, widest in ((limits[0], low, -1.0), (limits[1], high, 1.0)):
            if np.ndim(side) and (bound[quaternion] * widest < 1.0).any():
                raise self._error(
                    "a quaternion has no limits; use -inf and inf for its four numbers"
                )
            bound[quaternion] = widest * math.inf
        if np.isnan(low).any() or np.isnan(high).any() or (low > high).any():
            raise self._error(f"limits must be (low, high) with low <= high, not {limits!r}")
        if (low == np.inf).any() or (high == -np.inf).any():
            raise self._error(f"the limits {limits!r} allow no position")
        if not self._type.may_have_limits and (np.isfinite(low).any() or np.isfinite(high).any()):
            raise self._error(f"a {self.type} joint has no limits; make it revolute")
        return low, high

    def _checked_home(self, position: ArrayLike) -> Array:
        home = np.atleast_1d(np.array(position, dtype=np.float64))
        if home.shape != (self.position_count,) or not np.isfinite(home).all():
            raise self._error(
                f"a home position of a {self.type} joint is {self.position_count} finite "
                f"number(s), not {position!r}"
            )
        if ((home < self._low) | (home > self._high)).any():
            limits = self.position_limits
            raise self._error(f"the home position {position!r} is outside the limits {limits}")
        quaternion = home[self._type.quaternion]
        if len(quaternion) and not normalize_quaternion(quaternion):
            raise self._error("the home quaternion is zero or too large")
        return home

    def _default_home(self) -> Array:
        home = np.array([position.home for position in self._type.positions])
        outside = (home < self._low) | (home > self._high)
        with np.errstate(invalid="ignore"):
            middle = 0.5 * (self._low + self._high)
        # If one limit is infinite, the finite one is nearest to zero.
        nearest = np.clip(home, self._low, self._high)
        return np.where(outside, np.where(np.isfinite(middle), middle, nearest), home)

    def _not_negative(self, value: float, what: str) -> float:
        number = float(value)
        if math.isnan(number) or number < 0:
            raise self._error(f"the {what} must be >= 0, not {value}")
        return number
