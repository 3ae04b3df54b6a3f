"""What may be asked of a configuration, for ``GeneralizedInverseKinematics``.

Every constraint measures its violation as errors that are zero where it is satisfied, in metres
or radians, and knows the names of the bodies that it is about. A ``reference`` of None is the
tree's base. Weights scale a constraint against the others where not all can be met.
"""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import ClassVar

import numpy as np
from numpy.typing import ArrayLike

from rigid_tree_kinematics.arrays import Array
from rigid_tree_kinematics.errors import ConfigurationError, ModelError, UnknownNameError
from rigid_tree_kinematics.model import CompiledTree
from rigid_tree_kinematics.model.transforms import (
    checked_pose,
    checked_rotation,
    inverse,
    rotation_log,
)

METER, RADIAN = "m", "rad"

# A part of an error: (name, unit, first entry, last entry + 1). The last is EDGES where the
# entries are not a vector, whose length counts, but alternatives, of which the worst counts.
Quantity = tuple[str, str, int, int]
EDGES = -1
# A vector shorter than this (m, or without unit) points nowhere.
NO_LENGTH = 1e-9


@dataclass(frozen=True, eq=False)
class State:
    """A configuration with what follows from it."""

    compiled: CompiledTree
    q: Array  # (nq,)
    frames: Array  # (n, 4, 4) T_base_body
    center_of_mass: Array | None  # (3,) m, base frame; only if somebody needs it

    def pose(self, body: str, reference: str | None) -> Array:
        """Return T_reference_body (4x4): the body's frame in the reference's."""
        T = self.frames[self.compiled.index_of(body)]
        if reference is None:
            return T
        return inverse(self.frames[self.compiled.index_of(reference)]) @ T


class Constraint(ABC):
    """One demand on a configuration; ``quantities`` are the parts of its error."""

    quantities: ClassVar[tuple[Quantity, ...]] = ()
    needs_mass: ClassVar[bool] = False
    weight: float

    @property
    def label(self) -> str:
        """What the constraint is called in messages."""
        body = getattr(self, "body", None)
        return f"{type(self).__name__} of '{body}'" if body else type(self).__name__

    def parts(self, compiled: CompiledTree) -> tuple[Quantity, ...]:
        """Return the parts of the error, which may depend on the robot."""
        return self.quantities

    @property
    def is_judged(self) -> bool:
        """Whether there is an obstruction to look for, which no projection finds a way around."""
        return False

    def obstruction(self, state: State) -> float:
        """Return how much (m) of what no projection knows of is in the way; 0: nothing."""
        return 0.0

    @abstractmethod
    def errors(self, state: State) -> Array:
        """Return the errors (m, rad), all zero where the constraint is satisfied."""

    def check(self, compiled: CompiledTree) -> None:
        """Raise ModelError or UnknownNameError if the constraint does not fit the robot."""
        for name in (getattr(self, "body", None), getattr(self, "reference", None)):
            if name is not None:
                compiled.index_of(name)
        if not (math.isfinite(self.weight) and self.weight >= 0.0):
            raise ModelError(f"{self}: the weight must be >= 0, not {self.weight!r}")


@dataclass(frozen=True, eq=False)
class Violation:
    """By how much a constraint is not met: ``amount`` in ``unit`` (m, rad) of ``quantity``."""

    constraint: Constraint
    quantity: str
    amount: float
    unit: str

    def __str__(self) -> str:
        amount = f"{self.amount:.3g} {self.unit}"
        return f"{self.constraint.label}: {self.quantity} violated by {amount}"


@dataclass(frozen=True, eq=False)
class PoseTarget(Constraint):
    """The tool of ``body`` is at ``target``, T_reference_tool (4x4); ``tool`` is in the body."""

    body: str
    target: ArrayLike = field(repr=False)
    reference: str | None = None
    tool: ArrayLike | None = field(default=None, repr=False)
    weight: float = 1.0
    quantities: ClassVar[tuple[Quantity, ...]] = (
        ("position", METER, 0, 3),
        ("orientation", RADIAN, 3, 6),
    )

    def __post_init__(self) -> None:
        keep(self, target=checked_pose(self.target, "PoseTarget"))
        keep(self, tool=checked_pose(np.eye(4) if self.tool is None else self.tool, "tool"))

    def errors(self, state: State) -> Array:
        """Return the miss (m) and the rotation vector (rad) to the target."""
        T = np.asarray(self.target)
        found = state.pose(self.body, self.reference) @ np.asarray(self.tool)
        turn = rotation_log(T[:3, :3].T @ found[:3, :3])
        return np.concatenate([found[:3, 3] - T[:3, 3], turn])


@dataclass(frozen=True, eq=False)
class PositionTarget(Constraint):
    """A ``point`` of ``body`` (m, in the body) is at ``target`` (m, in the reference)."""

    body: str
    target: Sequence[float]
    reference: str | None = None
    point: Sequence[float] = (0.0, 0.0, 0.0)
    tolerance: float = 0.0  # m, radius of the ball around the target that is as good
    weight: float = 1.0
    quantities: ClassVar[tuple[Quantity, ...]] = (("position", METER, 0, 3),)

    def __post_init__(self) -> None:
        keep(self, target=vector(self.target, "target"), point=vector(self.point, "point"))

    def errors(self, state: State) -> Array:
        """Return the miss (m) beyond the tolerance."""
        T = state.pose(self.body, self.reference)
        miss = T[:3, :3] @ np.asarray(self.point) + T[:3, 3] - np.asarray(self.target)
        return beyond(miss, self.tolerance)


@dataclass(frozen=True, eq=False)
class OrientationTarget(Constraint):
    """``body`` is turned as ``target``, a rotation R_reference_body (3x3)."""

    body: str
    target: ArrayLike = field(repr=False)
    reference: str | None = None
    tolerance: float = 0.0  # rad, the angle around the target that is as good
    weight: float = 1.0
    quantities: ClassVar[tuple[Quantity, ...]] = (("orientation", RADIAN, 0, 3),)

    def __post_init__(self) -> None:
        keep(self, target=checked_rotation(self.target, "OrientationTarget"))

    def errors(self, state: State) -> Array:
        """Return the rotation vector (rad) beyond the tolerance."""
        R = state.pose(self.body, self.reference)[:3, :3]
        return beyond(rotation_log(np.asarray(self.target).T @ R), self.tolerance)


@dataclass(frozen=True, eq=False)
class AimingConstraint(Constraint):
    """The ``axis`` of ``body`` points at ``target`` (m, in the reference)."""

    body: str
    target: Sequence[float]
    reference: str | None = None
    axis: Sequence[float] = (0.0, 0.0, 1.0)
    tolerance: float = 0.0  # rad, half the opening of the cone that is as good
    weight: float = 1.0
    quantities: ClassVar[tuple[Quantity, ...]] = (("aim", RADIAN, 0, 3),)

    def __post_init__(self) -> None:
        axis = vector(self.axis, "axis")
        if np.linalg.norm(axis) < NO_LENGTH:
            raise ModelError("AimingConstraint: the axis is zero; give a direction")
        keep(self, target=vector(self.target, "target"), axis=axis / np.linalg.norm(axis))

    def errors(self, state: State) -> Array:
        """Return the turn (rad) that would bring the axis to the cone around the target."""
        T = state.pose(self.body, self.reference)
        way = np.asarray(self.target) - T[:3, 3]
        distance = float(np.linalg.norm(way))
        if distance < NO_LENGTH:
            return np.zeros(3)  # at the target: every direction points at it
        axis = T[:3, :3] @ np.asarray(self.axis)
        normal = np.cross(axis, way / distance)
        sine, cosine = float(np.linalg.norm(normal)), float(axis @ way) / distance
        if sine < NO_LENGTH and cosine < 0.0:  # straight away from it: any turn will do
            normal = np.cross(axis, np.eye(3)[int(np.argmin(np.abs(axis)))])
            sine = float(np.linalg.norm(normal))
            return beyond(math.pi * normal / sine, self.tolerance)
        scale = 1.0 if sine < NO_LENGTH else math.atan2(sine, cosine) / sine
        return beyond(scale * normal, self.tolerance)


@dataclass(frozen=True, eq=False)
class CartesianBounds(Constraint):
    """A ``point`` of ``body`` is inside a box: lower to upper (m) in ``box``, T_reference_box.

    The point (m) is in the body; by default it is the body's origin. A side may be zero.
    """

    body: str
    lower: Sequence[float]
    upper: Sequence[float]
    reference: str | None = None
    box: ArrayLike | None = field(default=None, repr=False)
    weight: float = 1.0
    point: Sequence[float] = (0.0, 0.0, 0.0)
    quantities: ClassVar[tuple[Quantity, ...]] = (("bounds", METER, 0, 3),)

    def __post_init__(self) -> None:
        lower = vector(self.lower, "lower", finite=False)
        upper = vector(self.upper, "upper", finite=False)
        if (lower > upper).any():
            raise ModelError(f"CartesianBounds: lower {lower} must not be above upper {upper}")
        box = checked_pose(np.eye(4) if self.box is None else self.box, "box")
        keep(self, lower=lower, upper=upper, box=box, point=vector(self.point, "point"))

    def errors(self, state: State) -> Array:
        """Return how far (m) the point is outside, along each axis of the box."""
        T = inverse(np.asarray(self.box)) @ state.pose(self.body, self.reference)
        at = T[:3, :3] @ np.asarray(self.point) + T[:3, 3]
        return outside(at, np.asarray(self.lower), np.asarray(self.upper))


@dataclass(frozen=True, eq=False)
class JointBounds(Constraint):
    """Joints stay inside narrower limits: {joint: (low, high)}, rad or m, one number each."""

    bounds: Mapping[str, tuple[float, float]]
    weight: float = 1.0

    def __post_init__(self) -> None:
        for name, (low, high) in self.bounds.items():
            if not low <= high:
                raise ModelError(f"JointBounds: '{name}': low {low} must not be above high {high}")

    def check(self, compiled: CompiledTree) -> None:
        """Raise UnknownNameError or ModelError for joints that cannot be bounded so."""
        super().check(compiled)
        for name in self.bounds:
            if name not in compiled.joint_slots:
                where = f"robot '{compiled.name}'"
                raise UnknownNameError("independent joint", name, compiled.joint_names, where)
            count = compiled.joint_slots[name][1]
            if count != 1:
                raise ModelError(f"JointBounds: joint '{name}' has {count} positions, not one")

    def parts(self, compiled: CompiledTree) -> tuple[Quantity, ...]:
        """Return one part for each joint."""
        angles = [compiled.is_angle[compiled.joint_slots[name][0]] for name in self.bounds]
        units = [RADIAN if angle else METER for angle in angles]
        return tuple(
            (n, u, k, k + 1) for k, (n, u) in enumerate(zip(self.bounds, units, strict=True))
        )

    def errors(self, state: State) -> Array:
        """Return how far (rad, m) each joint is outside its bounds."""
        q = np.array([state.q[state.compiled.joint_slots[name][0]] for name in self.bounds])
        limits = np.array(list(self.bounds.values()), dtype=np.float64).reshape(-1, 2)
        return outside(q, limits[:, 0], limits[:, 1])


@dataclass(frozen=True, eq=False)
class DistanceBounds(Constraint):
    """The origins of ``body`` and ``reference`` are between lower and upper (m) apart."""

    body: str
    reference: str | None
    lower: float = 0.0
    upper: float = math.inf
    weight: float = 1.0
    quantities: ClassVar[tuple[Quantity, ...]] = (("distance", METER, 0, 1),)

    def __post_init__(self) -> None:
        if not 0.0 <= self.lower <= self.upper:
            raise ModelError(f"DistanceBounds: 0 <= {self.lower} <= {self.upper} does not hold")

    def errors(self, state: State) -> Array:
        """Return how far (m) the distance is outside its bounds."""
        distance = np.linalg.norm(state.pose(self.body, self.reference)[:3, 3])
        return outside(np.array([distance]), np.array(self.lower), np.array(self.upper))


@dataclass(frozen=True, eq=False)
class CenterOfMassOverPolygon(Constraint):
    """The centre of mass is above a convex polygon, at least ``margin`` (m) inside its edges.

    ``corners`` (N, 2) are x, y in the reference body's frame, whose z axis counts as up.
    """

    corners: Sequence[Sequence[float]]
    reference: str | None = None
    margin: float = 0.0
    weight: float = 1.0
    quantities: ClassVar[tuple[Quantity, ...]] = (("centre of mass", METER, 0, EDGES),)
    needs_mass: ClassVar[bool] = True

    def __post_init__(self) -> None:
        corners = np.array(self.corners, dtype=np.float64)
        if corners.ndim != 2 or corners.shape[1] != 2 or not np.isfinite(corners).all():
            raise ModelError(f"corners are (N, 2) finite numbers, not of shape {corners.shape}")
        hull = _convex_hull(corners)
        if len(hull) < 3:
            raise ModelError("CenterOfMassOverPolygon: the corners span no area")
        keep(self, corners=hull)

    def check(self, compiled: CompiledTree) -> None:
        """Raise ModelError if the robot has no mass."""
        super().check(compiled)
        if compiled.mass.sum() <= 0.0:
            raise ModelError(f"robot '{compiled.name}' has no mass, so no centre of mass")

    def errors(self, state: State) -> Array:
        """Return how far (m) the centre of mass is outside each edge."""
        point = state.center_of_mass
        assert point is not None
        if self.reference is not None:
            T = inverse(state.frames[state.compiled.index_of(self.reference)])
            point = T[:3, :3] @ point + T[:3, 3]
        corners = np.asarray(self.corners)
        edges = np.roll(corners, -1, axis=0) - corners
        lengths = np.linalg.norm(edges, axis=1)
        offset = point[:2] - corners
        outside = (edges[:, 1] * offset[:, 0] - edges[:, 0] * offset[:, 1]) / lengths
        return np.maximum(0.0, outside + self.margin)


def keep(constraint: Constraint, **values: object) -> None:
    """Replace fields of a frozen constraint by their checked forms."""
    for name, value in values.items():
        object.__setattr__(constraint, name, value)


def vector(values: Sequence[float], what: str, finite: bool = True) -> Array:
    """Return three numbers as an array, or raise ConfigurationError."""
    vector = np.array(values, dtype=np.float64)
    bad = np.isnan(vector).any() if not finite else not np.isfinite(vector).all()
    if vector.shape != (3,) or bad:
        raise ConfigurationError(f"{what}: three numbers are needed, not {values!r}")
    return vector


def beyond(error: Array, tolerance: float) -> Array:
    """Return the part of an error vector that is beyond the tolerance."""
    size = float(np.linalg.norm(error))
    return error * max(0.0, 1.0 - tolerance / size) if size > 0.0 else error


def outside(value: Array, lower: Array, upper: Array) -> Array:
    """Return how far values are above (positive) or below (negative) their bounds."""
    return np.maximum(0.0, value - upper) + np.minimum(0.0, value - lower)


def _convex_hull(points: Array) -> Array:
    """Return the corners of the convex hull, counter-clockwise (Andrew's monotone chain, 1979)."""
    ordered = sorted({(float(x), float(y)) for x, y in points})

    def half(path: list[tuple[float, float]]) -> list[tuple[float, float]]:
        hull: list[tuple[float, float]] = []
        for x, y in path:
            while len(hull) > 1:
                (ax, ay), (bx, by) = hull[-2:]
                if (bx - ax) * (y - ay) - (by - ay) * (x - ax) > 0.0:
                    break
                hull.pop()
            hull.append((x, y))
        return hull[:-1]

    return np.array(half(ordered) + half(ordered[::-1])).reshape(-1, 2)
