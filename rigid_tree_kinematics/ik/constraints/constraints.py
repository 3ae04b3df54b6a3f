"""Constraints for ``GeneralizedInverseKinematics`` and ``ConstraintSet``.

Every constraint describes itself as items of ``arrays.py``, which the kernels measure in meters or
radians. A ``reference`` of None is the tree's base. Weights set the compromise between
contradicting constraints.
"""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from rigid_tree_kinematics.arrays import Array
from rigid_tree_kinematics.description.meshes import FARTHEST
from rigid_tree_kinematics.errors import ConfigurationError, ModelError
from rigid_tree_kinematics.ik.constraints import arrays
from rigid_tree_kinematics.ik.constraints.arrays import ROWS
from rigid_tree_kinematics.model import CompiledTree
from rigid_tree_kinematics.model.joints import CIRCLE
from rigid_tree_kinematics.model.transforms import (
    Pose,
    checked_pose,
    checked_rotation,
    inverse,
    rotation_taking_z_to,
    transform,
)

METER, RADIAN = "m", "rad"

# A shorter vector (m, or without unit) has no direction.
NO_LENGTH = 1e-9
IDENTITY = np.eye(4)
NO_PLANES = np.zeros((0, 4))
ORDER = "low must be below infinity and not above high"

Numbers = Sequence[float] | Array


class Item(NamedTuple):
    """One item of ``arrays.py``: up to three values and their bounds."""

    kind: int
    low: Numbers  # shorter than three: the other values are free
    high: Numbers
    body: str | None = None
    reference: str | None = None
    frame: Array = IDENTITY  # T_frame_reference
    tool: Array = IDENTITY  # T_body_tool
    planes: Array = NO_PLANES
    joint: tuple[int, int] = (0, 0)  # its position and velocity
    middle: float = 0.0  # of its bounds


class ConstraintGroup(NamedTuple):
    """Alternative items, of which one must be satisfied, and their quantity."""

    constraint: Constraint
    quantity: str
    unit: str
    items: Sequence[Item]


class Constraint(ABC):
    """One condition on a configuration."""

    weight: float
    body: str | None  # of most constraints, like the reference
    reference: str | None

    @property
    def label(self) -> str:
        """The name of the constraint in messages."""
        body = getattr(self, "body", None)
        return f"{type(self).__name__} of '{body}'" if body else type(self).__name__

    @property
    def can_be_obstructed(self) -> bool:
        """Whether bodies can obstruct a sensor's view, which projections do not avoid."""
        return False

    def obstruction(self, compiled: CompiledTree, frames: Array) -> float:
        """Return the depth (m) of obstructing bodies, given the bodies' frames (n, 4, 4)."""
        return 0.0

    def group(
        self,
        quantity: str,
        unit: str,
        bounds: tuple[int, Numbers, Numbers],
        frame: Array = IDENTITY,
        tool: Array = IDENTITY,
    ) -> list[ConstraintGroup]:
        """Return one item: its kind and bounds, of the body's tool in the reference's frame."""
        item = Item(*bounds, self.body, self.reference, frame, tool)
        return [ConstraintGroup(self, quantity, unit, [item])]

    @abstractmethod
    def groups(self, compiled: CompiledTree, exact: bool) -> list[ConstraintGroup]:
        """Return the groups of items; with ``exact``, targets have no tolerance."""

    def check(self, compiled: CompiledTree) -> None:
        """Raise ModelError or UnknownNameError if the constraint does not fit the robot."""
        for name in (getattr(self, "body", None), getattr(self, "reference", None)):
            if name is not None:
                compiled.index_of(name)
        if not (math.isfinite(self.weight) and self.weight >= 0.0):
            raise ModelError(f"{self}: the weight must be >= 0, not {self.weight!r}")


@dataclass(frozen=True, eq=False)
class Violation:
    """The ``amount`` in ``unit`` (m, rad) by which a constraint's ``quantity`` is violated."""

    constraint: Constraint
    quantity: str
    amount: float
    unit: str

    def __str__(self) -> str:
        amount = f"{self.amount:.3g} {self.unit}"
        return f"{self.constraint.label}: {self.quantity} violated by {amount}"


@dataclass(frozen=True, eq=False)
class PoseTarget(Constraint):
    """The tool of ``body`` is at ``target``, T_reference_tool (4x4); ``tool`` is in the body.

    Example:
        >>> robot = load_robot("ur5")
        >>> target = robot.get_transform([0.3, -1.2, 1.5, -0.8, 0.9, 0.2], "tool0")
        >>> GeneralizedInverseKinematics(robot, [PoseTarget("tool0", target)]).solve().success
        True
    """

    body: str
    target: ArrayLike = field(repr=False)
    reference: str | None = None
    tool: ArrayLike | None = field(default=None, repr=False)
    weight: float = 1.0

    def __post_init__(self) -> None:
        keep(self, target=near_pose(self.target, "PoseTarget"))
        keep(self, tool=near_pose(np.eye(4) if self.tool is None else self.tool, "tool"))

    def groups(self, compiled: CompiledTree, exact: bool) -> list[ConstraintGroup]:
        """Return the position and the orientation."""
        T, tool = np.asarray(self.target), np.asarray(self.tool)
        place = PositionTarget(self.body, T[:3, 3].tolist(), self.reference, tool[:3, 3].tolist())
        turn = OrientationTarget(self.body, T[:3, :3] @ tool[:3, :3].T, self.reference)
        groups = place.groups(compiled, exact) + turn.groups(compiled, exact)
        return [group._replace(constraint=self) for group in groups]


@dataclass(frozen=True, eq=False)
class PositionTarget(Constraint):
    """A ``point`` of ``body`` (m, in the body) is at ``target`` (m, in the reference).

    Example:
        >>> robot = load_robot("ur5")
        >>> there = PositionTarget("tool0", (0.4, 0.2, 0.3))
        >>> q = GeneralizedInverseKinematics(robot, [there]).solve().configuration
        >>> print(robot.get_transform(q, "tool0")[:3, 3].round(3))
        [0.4 0.2 0.3]
    """

    body: str
    target: Sequence[float]
    reference: str | None = None
    point: Sequence[float] = (0.0, 0.0, 0.0)
    tolerance: float = 0.0  # m, radius of the allowed ball around the target
    weight: float = 1.0

    def __post_init__(self) -> None:
        check_sizes(self, "tolerance")
        keep(self, target=vector(self.target, "target"), point=vector(self.point, "point"))

    def groups(self, compiled: CompiledTree, exact: bool) -> list[ConstraintGroup]:
        """Return the distance, or the coordinates of the error."""
        bounds = at_most(self.tolerance, exact, arrays.BALL, arrays.POINT)
        frame, tool = inverse(transform(self.target)), transform(self.point)
        return self.group("position", METER, bounds, frame, tool)


@dataclass(frozen=True, eq=False)
class OrientationTarget(Constraint):
    """``body`` has the orientation ``target``, R_reference_body (3x3).

    Example:
        >>> down = OrientationTarget("tool0", np.diag([1.0, -1.0, -1.0]))  # z down
        >>> robot = load_robot("ur5")
        >>> q = GeneralizedInverseKinematics(robot, [down]).solve().configuration
        >>> robot.get_transform(q, "tool0")[2, 2].round(3).item()
        -1.0
    """

    body: str
    target: ArrayLike = field(repr=False)
    reference: str | None = None
    tolerance: float = 0.0  # rad, the allowed angle from the target
    weight: float = 1.0

    def __post_init__(self) -> None:
        check_sizes(self, "tolerance")
        keep(self, target=checked_rotation(self.target, "OrientationTarget"))

    def groups(self, compiled: CompiledTree, exact: bool) -> list[ConstraintGroup]:
        """Return the angle, or the rotation vector."""
        bounds = at_most(self.tolerance, exact, arrays.ANGLE, arrays.ROTATION_VECTOR)
        frame = inverse(transform(rotation=self.target))
        return self.group("orientation", RADIAN, bounds, frame)


@dataclass(frozen=True, eq=False)
class AimingConstraint(Constraint):
    """The ``axis`` of ``body`` points at ``target`` (m, in the reference).

    Example:
        >>> robot = load_robot("panda")
        >>> aimed = AimingConstraint("panda_link8", target=(1, 0, 0))
        >>> q = GeneralizedInverseKinematics(robot, [aimed]).solve().configuration
        >>> T = robot.get_transform(q, "panda_link8")
        >>> print(np.cross(T[:3, 2], [1, 0, 0] - T[:3, 3]).round(3) + 0.0)  # parallel
        [0. 0. 0.]
    """

    body: str
    target: Sequence[float]
    reference: str | None = None
    axis: Sequence[float] = (0.0, 0.0, 1.0)
    tolerance: float = 0.0  # rad, half the opening angle of the allowed cone
    weight: float = 1.0

    def __post_init__(self) -> None:
        check_sizes(self, "tolerance")
        axis = direction(self.axis, "AimingConstraint", "axis")
        keep(self, target=vector(self.target, "target"), axis=axis)

    def groups(self, compiled: CompiledTree, exact: bool) -> list[ConstraintGroup]:
        """Return the angle between the axis and the direction to the target."""
        bounds = at_most(self.tolerance, exact, arrays.SIGHT, arrays.SIGHT_VECTOR)
        # The target as seen from the body, whose frame has the axis as z.
        frame = inverse(transform(rotation=rotation_taking_z_to(self.axis)))
        item = Item(*bounds, self.reference, self.body, frame, transform(self.target))
        return [ConstraintGroup(self, "aim", RADIAN, [item])]


@dataclass(frozen=True, eq=False)
class JointBounds(Constraint):
    """Joints stay within narrower limits: {joint: (low, high)}, rad or m, scalar joints only.

    Example:
        >>> elbow = JointBounds({"elbow_joint": (0.5, 1.5)})
        >>> result = GeneralizedInverseKinematics(load_robot("ur5"), [elbow]).solve(np.zeros(6))
        >>> result.configuration[2].round(3).item()
        0.5
    """

    bounds: Mapping[str, tuple[float, float]]
    weight: float = 1.0

    def __post_init__(self) -> None:
        for name, (low, high) in self.bounds.items():
            if not are_bounds(low, high):
                raise ModelError(f"JointBounds: '{name}': {ORDER}, not {low} to {high}")

    def check(self, compiled: CompiledTree) -> None:
        """Raise UnknownNameError or ModelError for unknown or non-scalar joints."""
        super().check(compiled)
        for name in self.bounds:
            count = compiled.slot_of(name)[1]
            if count != 1:
                raise ModelError(f"JointBounds: joint '{name}' has {count} positions, not one")

    def groups(self, compiled: CompiledTree, exact: bool) -> list[ConstraintGroup]:
        """Return the positions; unless ``exact``, only those of circles, which have no limits."""
        groups = []
        for name, (low, high) in self.bounds.items():
            at = compiled.joint_slots[name][0]
            circle = compiled.position_kinds[at] == CIRCLE and high - low < 2.0 * math.pi
            if not (exact or circle):
                continue
            kind, middle = (
                (arrays.JOINT, 0.0) if exact else (arrays.CIRCLE_JOINT, 0.5 * (low + high))
            )
            joint = at, int(compiled.velocity_of_position[at])
            item = Item(kind, [low - middle], [high - middle], joint=joint, middle=middle)
            groups.append(
                ConstraintGroup(self, name, RADIAN if compiled.is_angle[at] else METER, [item])
            )
        return groups


def keep(constraint: Constraint, **values: object) -> None:
    """Replace fields of a frozen constraint by checked values."""
    for name, value in values.items():
        object.__setattr__(constraint, name, value)


def check_sizes(constraint: Constraint, *names: str) -> None:
    """Raise ModelError unless these fields are finite and not negative."""
    for name in names:
        value = getattr(constraint, name)
        if not 0.0 <= value < math.inf:
            kind = type(constraint).__name__
            raise ModelError(f"{kind}: {name} must be finite and not negative, not {value!r}")


def are_bounds(low: ArrayLike, high: ArrayLike) -> bool:
    """Return whether low <= high, with finite numbers between them."""
    low, high = np.asarray(low, dtype=np.float64), np.asarray(high, dtype=np.float64)
    return bool(((low <= high) & (low < math.inf) & (high > -math.inf)).all())


def vector(values: ArrayLike, what: str, most: float = FARTHEST) -> Array:
    """Return three numbers of at most ``most``, or raise ConfigurationError."""
    found = np.array(values, dtype=np.float64)
    if found.shape != (3,) or not (np.abs(found) <= most).all():
        raise ConfigurationError(f"{what}: three numbers up to {most:g}, not {values!r}")
    return found


def near_pose(pose: Pose, what: str) -> Array:
    """Return a checked pose (4, 4) that is not farther than FARTHEST."""
    T = checked_pose(pose, what)
    vector(T[:3, 3], what)
    return T


def direction(values: Sequence[float], what: str, name: str) -> Array:
    """Return a unit vector; raises an error of the constraint ``what`` for a zero vector."""
    given = vector(values, name)
    length = float(np.linalg.norm(given))
    if length < NO_LENGTH:
        raise ModelError(f"{what}: the {name} is zero; give a direction")
    return np.asarray(given / length)


def at_most(
    tolerance: float, exact: bool, length: int, components: int
) -> tuple[int, Numbers, Numbers]:
    """Return the kind and bounds of a length, or of a vector if it must be exactly zero."""
    if exact and tolerance == 0.0:
        return components, np.zeros(ROWS), np.zeros(ROWS)
    return length, [-math.inf], [tolerance]


def hull_planes(vertices: Array, refusal: str) -> Array:
    """Return the planes (n, 4) of a convex hull: outward normals and offsets, n x <= offset.

    Raises ModelError(refusal) for vertices that span no volume, or no area if they are (N, 2).
    """
    from scipy.spatial import ConvexHull, QhullError

    try:
        equations = np.unique(np.round(ConvexHull(vertices).equations, 12), axis=0)
    except (QhullError, ValueError):
        raise ModelError(refusal) from None
    planes = np.zeros((len(equations), 4))
    planes[:, : vertices.shape[1]] = equations[:, :-1]
    planes[:, 3] = -equations[:, -1]
    return planes


def move_inward(planes: Array, inside: Array) -> float:
    """Move planes inward, in place, to a point (3,) inside; return the distance (m)."""
    depth = max(0.0, float(np.min(planes[:, 3] - planes[:, :3] @ inside)))
    planes[:, 3] -= depth
    return depth
