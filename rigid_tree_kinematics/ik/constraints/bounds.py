"""Constraints with bounds, as paths have: orientations, directions, regions of space."""

import math
from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import ArrayLike

from rigid_tree_kinematics.arrays import Array
from rigid_tree_kinematics.errors import ModelError
from rigid_tree_kinematics.ik.constraints import arrays
from rigid_tree_kinematics.ik.constraints.constraints import (
    METER,
    NO_PLANES,
    ORDER,
    RADIAN,
    Constraint,
    ConstraintGroup,
    Item,
    Numbers,
    are_bounds,
    at_most,
    check_sizes,
    direction,
    hull_planes,
    keep,
    move_inward,
    near_pose,
    vector,
)
from rigid_tree_kinematics.model import Box, CompiledTree, Cylinder, Sphere
from rigid_tree_kinematics.model.transforms import (
    checked_rotation,
    inverse,
    rotation_taking_z_to,
    transform,
)

XYZ, RPY, ROTATION_VECTOR = "xyz", "rpy", "rotation_vector"
KINDS = {XYZ: arrays.XYZ_ANGLES, RPY: arrays.RPY_ANGLES, ROTATION_VECTOR: arrays.ROTATION_VECTOR}
# Rotations about an axis with a tolerance of at least this are free: pi is often written as 3.14.
FREE_TURN = 3.14
NO_VOLUME = "RegionBounds: the vertices of a hull enclose no volume"


@dataclass(frozen=True, eq=False)
class OrientationBounds(Constraint):
    """``body`` has orientation ``target``, R_reference_body (3x3), within bounds.

    ``tolerances`` are three numbers (rad), or rows (low, high); an axis with at least 3.14 is
    free. ``angles`` selects the bounded quantities: "xyz", the rotations about x, the new y and
    the new z, or "rpy", roll, pitch and yaw (URDF), both of R_target_body; or "rotation_vector",
    the rotation from the target to the body in the axes of the reference, or in ``axes``,
    R_reference_axes (3x3). ``tool``, R_body_tool (3x3), replaces the body's frame by one fixed to
    it.

    Example:
        >>> turning = OrientationBounds("tool0", np.diag([1.0, -1.0, -1.0]), (0.01, 0.01, np.pi))
        >>> robot = load_robot("ur5")
        >>> q = GeneralizedInverseKinematics(robot, [turning]).solve().configuration
        >>> robot.get_transform(q, "tool0")[2, 2].round(3).item()  # z down, any rotation about it
        -1.0
    """

    body: str
    target: ArrayLike = field(repr=False)
    tolerances: ArrayLike
    reference: str | None = None
    angles: str = XYZ
    weight: float = 1.0
    axes: ArrayLike | None = field(default=None, repr=False)
    tool: ArrayLike | None = field(default=None, repr=False)

    def __post_init__(self) -> None:
        bounds = np.array(self.tolerances, dtype=np.float64)
        if bounds.shape == (3,):
            bounds = np.column_stack([-bounds, bounds])
        if bounds.shape != (3, 2) or not are_bounds(*bounds.T):
            raise ModelError(
                "OrientationBounds: tolerances must be three numbers, not negative, or three "
                f"rows (low, high), not {self.tolerances!r}"
            )
        if self.angles not in KINDS:
            names = f"'{XYZ}', '{RPY}' or '{ROTATION_VECTOR}'"
            raise ModelError(f"OrientationBounds: angles must be {names}, not '{self.angles}'")
        low, high = bounds.T
        low[low <= -FREE_TURN] = -math.inf
        high[high >= FREE_TURN] = math.inf
        keep(self, tolerances=bounds)
        for name, R in (("target", self.target), ("axes", self.axes), ("tool", self.tool)):
            rotation = np.eye(3) if R is None else R
            keep(self, **{name: checked_rotation(rotation, f"OrientationBounds: {name}")})

    def groups(self, compiled: CompiledTree, exact: bool) -> list[ConstraintGroup]:
        """Return the three angles."""
        frame, tool = inverse(transform(rotation=self.target)), transform(rotation=self.tool)
        if self.angles == ROTATION_VECTOR:
            axes = transform(rotation=self.axes)
            frame, tool = inverse(axes), tool @ frame @ axes
        bounds = (KINDS[self.angles], *np.asarray(self.tolerances).T)
        return self.group("orientation", RADIAN, bounds, frame, tool)


@dataclass(frozen=True, eq=False)
class DirectionBounds(Constraint):
    """The ``axis`` of ``body`` points along ``direction`` of the reference: an upright glass.

    ``tolerance`` (rad) is half the opening angle of the allowed cone around the direction.

    Example:
        >>> upright = DirectionBounds("panda_link8", direction=(0, 0, -1), tolerance=0.1)
        >>> constraints = ConstraintSet(load_robot("panda").compiled(), [upright])
        >>> constraints.met(np.array([1.0, 0.3, 0.0, -1.8, 0.0, 2.1, 0.785]))
        True
    """

    body: str
    direction: Sequence[float]
    tolerance: float
    axis: Sequence[float] = (0.0, 0.0, 1.0)
    reference: str | None = None
    weight: float = 1.0

    def __post_init__(self) -> None:
        _check_angle(self, self.tolerance)
        for name in ("axis", "direction"):
            keep(self, **{name: direction(getattr(self, name), "DirectionBounds", name)})

    def groups(self, compiled: CompiledTree, exact: bool) -> list[ConstraintGroup]:
        """Return the angle between the axis and the direction."""
        bounds = at_most(self.tolerance, exact, arrays.CONE, arrays.CONE_VECTOR)
        frame = inverse(transform(rotation=rotation_taking_z_to(self.direction)))
        tool = transform(rotation=rotation_taking_z_to(self.axis))
        return self.group("direction", RADIAN, bounds, frame, tool)


@dataclass(frozen=True, eq=False)
class ViewBounds(Constraint):
    """A ``point`` of ``body`` (m, in the body) is in the view of a camera, at any distance.

    ``camera``, T_reference_camera (4x4), looks along z; ``tolerance`` (rad) is the largest angle
    between that axis and the direction to the point.

    Example:
        >>> from rigid_tree_kinematics.model.transforms import transform_from_xyz_rpy
        >>> camera = transform_from_xyz_rpy((0.5, 0, 1.5), (np.pi, 0, 0))  # looks down
        >>> seen = ViewBounds("tool0", camera, tolerance=0.2)
        >>> GeneralizedInverseKinematics(load_robot("ur5"), [seen]).solve().success
        True
    """

    body: str
    camera: ArrayLike = field(repr=False)
    tolerance: float
    reference: str | None = None
    point: Sequence[float] = (0.0, 0.0, 0.0)
    weight: float = 1.0

    def __post_init__(self) -> None:
        _check_angle(self, self.tolerance)
        camera = near_pose(self.camera, "ViewBounds")
        keep(self, camera=camera, point=vector(self.point, "point"))

    def groups(self, compiled: CompiledTree, exact: bool) -> list[ConstraintGroup]:
        """Return the angle between the camera's axis and the direction to the point."""
        bounds = at_most(self.tolerance, exact, arrays.SIGHT, arrays.SIGHT_VECTOR)
        return self.group("view", RADIAN, bounds, inverse(self.camera), transform(self.point))


@dataclass(frozen=True, eq=False)
class CartesianBounds(Constraint):
    """A ``point`` of ``body`` is in a box: lower to upper (m) in ``box``, T_reference_box.

    The point (m) is in the body; by default it is the body's origin. A side may be zero.

    Example:
        >>> robot = load_robot("ur5")
        >>> inside = CartesianBounds("tool0", lower=(0.3, -0.1, 0.2), upper=(0.5, 0.1, 0.2))
        >>> q = GeneralizedInverseKinematics(robot, [inside]).solve().configuration
        >>> robot.get_transform(q, "tool0")[2, 3].round(3).item()  # m, a box of no height
        0.2
    """

    body: str
    lower: Sequence[float]
    upper: Sequence[float]
    reference: str | None = None
    box: ArrayLike | None = field(default=None, repr=False)
    weight: float = 1.0
    point: Sequence[float] = (0.0, 0.0, 0.0)

    def __post_init__(self) -> None:
        lower = vector(self.lower, "lower", math.inf)
        upper = vector(self.upper, "upper", math.inf)
        if not are_bounds(lower, upper):
            raise ModelError(f"CartesianBounds: {ORDER}, not {lower} to {upper}")
        box = near_pose(np.eye(4) if self.box is None else self.box, "box")
        keep(self, lower=lower, upper=upper, box=box, point=vector(self.point, "point"))

    def groups(self, compiled: CompiledTree, exact: bool) -> list[ConstraintGroup]:
        """Return the coordinates in the box."""
        bounds, frame = (arrays.POINT, self.lower, self.upper), inverse(np.asarray(self.box))
        return self.group("bounds", METER, bounds, frame, transform(self.point))


@dataclass(frozen=True, eq=False)
class DistanceBounds(Constraint):
    """The origins of ``body`` and ``reference`` are between lower and upper (m) apart.

    Example:
        >>> robot = load_robot("ur5")
        >>> near = DistanceBounds("tool0", "base_link", upper=0.4)
        >>> q = GeneralizedInverseKinematics(robot, [near]).solve().configuration
        >>> print(np.linalg.norm(robot.get_transform(q, "tool0")[:3, 3]).round(3))
        0.379
    """

    body: str
    reference: str | None
    lower: float = 0.0
    upper: float = math.inf
    weight: float = 1.0

    def __post_init__(self) -> None:
        if not (self.lower >= 0.0 and are_bounds(self.lower, self.upper)):
            raise ModelError(f"DistanceBounds: {ORDER}, not {self.lower} to {self.upper}")

    def groups(self, compiled: CompiledTree, exact: bool) -> list[ConstraintGroup]:
        """Return the distance."""
        return self.group("distance", METER, (arrays.BALL, [self.lower], [self.upper]))


@dataclass(frozen=True, eq=False)
class CenterOfMassOverPolygon(Constraint):
    """The center of mass is above a convex polygon, at least ``margin`` (m) inside its edges.

    ``vertices`` (N, 2) are x, y in the reference body's frame, whose z axis points up.

    Example:
        >>> foot = [(0.1, 0.05), (-0.05, 0.05), (-0.05, -0.05), (0.1, -0.05)]  # m
        >>> balance = CenterOfMassOverPolygon(foot, reference="l_sole", margin=0.01)
        >>> GeneralizedInverseKinematics(load_robot("nao"), [balance]).solve().success
        True
    """

    vertices: Sequence[Sequence[float]]
    reference: str | None = None
    margin: float = 0.0
    weight: float = 1.0

    def __post_init__(self) -> None:
        check_sizes(self, "margin")
        vertices = np.array(self.vertices, dtype=np.float64)
        if vertices.ndim != 2 or vertices.shape[1] != 2 or not np.isfinite(vertices).all():
            raise ModelError(f"vertices are (N, 2) finite numbers, not of shape {vertices.shape}")
        hull_planes(vertices, "CenterOfMassOverPolygon: the vertices enclose no area")
        keep(self, vertices=vertices)

    def check(self, compiled: CompiledTree) -> None:
        """Raise ModelError if the robot has no mass."""
        super().check(compiled)
        if compiled.mass.sum() <= 0.0:
            raise ModelError(f"robot '{compiled.name}' has no mass, so no center of mass")

    def groups(self, compiled: CompiledTree, exact: bool) -> list[ConstraintGroup]:
        """Return the distance outside the farthest edge."""
        planes = hull_planes(np.asarray(self.vertices), "")
        planes[:, 3] -= self.margin
        depth = move_inward(planes, np.append(np.mean(self.vertices, axis=0), 0.0))
        bounds = arrays.CENTER_OF_MASS, [-math.inf], [depth]
        item = Item(*bounds, reference=self.reference, planes=planes)
        return [ConstraintGroup(self, "center of mass", METER, [item])]


# A region's shape: one of the model's, or the vertices (N, 3) of a convex hull, m.
RegionShape = Box | Sphere | Cylinder | Array


@dataclass(frozen=True, eq=False)
class RegionBounds(Constraint):
    """A ``point`` of ``body`` (m, in the body) is in one of several ``regions``.

    A region is a box, a sphere, a cylinder, or the convex hull of vertices (N, 3), with its pose
    T_reference_region (4x4). A flat box is a rectangle or a line.

    Example:
        >>> from rigid_tree_kinematics.model import Box, Sphere
        >>> from rigid_tree_kinematics.model.transforms import transform
        >>> shelf = Box((0.2, 0.2, 0.1)), transform((0.4, 0.3, 0.2))
        >>> bin = Sphere(0.1), transform((0.4, -0.3, 0.2))
        >>> either = RegionBounds("tool0", [shelf, bin])
        >>> GeneralizedInverseKinematics(load_robot("ur5"), [either]).solve().success
        True
    """

    body: str
    regions: Sequence[tuple[RegionShape, ArrayLike]] = field(repr=False)
    reference: str | None = None
    point: Sequence[float] = (0.0, 0.0, 0.0)
    weight: float = 1.0

    def __post_init__(self) -> None:
        if not len(self.regions):
            raise ModelError("RegionBounds: at least one region is needed")
        regions = [
            (_checked_shape(shape), near_pose(T, "RegionBounds")) for shape, T in self.regions
        ]
        keep(self, regions=tuple(regions), point=vector(self.point, "point"))

    def groups(self, compiled: CompiledTree, exact: bool) -> list[ConstraintGroup]:
        """Return one item for each region."""
        items = []
        for shape, place in self.regions:
            low: Numbers = [-math.inf]
            high: Numbers
            planes = NO_PLANES
            if isinstance(shape, Box):
                high = 0.5 * np.array(shape.size)
                kind, low = arrays.POINT, -high
            elif isinstance(shape, Sphere):
                kind, high = arrays.BALL, [shape.radius]
            elif isinstance(shape, Cylinder):
                high = [shape.radius, 0.5 * shape.length]
                kind, low = arrays.CYLINDER, [-math.inf, -high[1]]
            else:
                planes = hull_planes(shape, NO_VOLUME)
                kind, high = arrays.PLANES, [move_inward(planes, np.mean(shape, axis=0))]
            frame, tool = inverse(place), transform(self.point)
            items.append(Item(kind, low, high, self.body, self.reference, frame, tool, planes))
        return [ConstraintGroup(self, "position", METER, items)]


def _checked_shape(shape: RegionShape) -> RegionShape:
    if isinstance(shape, Box | Sphere | Cylinder):
        sizes = np.hstack(list(vars(shape).values()))
        if not (np.isfinite(sizes).all() and (sizes >= 0.0).all()):
            raise ModelError(f"RegionBounds: sizes must be finite and not negative: {shape}")
        return shape
    vertices = np.array(shape, dtype=np.float64)
    if vertices.ndim != 2 or vertices.shape[1] != 3 or not np.isfinite(vertices).all():
        raise ModelError(f"RegionBounds: vertices are (N, 3) finite, not {vertices.shape}")
    hull_planes(vertices, NO_VOLUME)
    return vertices


def _check_angle(constraint: Constraint, tolerance: float) -> None:
    if not 0.0 <= tolerance <= math.pi:
        name = type(constraint).__name__
        raise ModelError(f"{name}: the tolerance must be in 0 to pi, not {tolerance!r}")
