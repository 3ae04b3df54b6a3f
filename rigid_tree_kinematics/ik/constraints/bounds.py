"""Constraints that leave room: an orientation about each axis, a direction, regions of space.

They are the usual constraints of paths.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import ClassVar

import numpy as np
from numpy.typing import ArrayLike

from rigid_tree_kinematics.arrays import Array
from rigid_tree_kinematics.errors import ModelError
from rigid_tree_kinematics.ik.constraints.constraints import (
    METER,
    NO_LENGTH,
    RADIAN,
    Constraint,
    Quantity,
    State,
    beyond,
    keep,
    outside,
    vector,
)
from rigid_tree_kinematics.model import Box, Cylinder, Sphere
from rigid_tree_kinematics.model.transforms import (
    checked_pose,
    checked_rotation,
    inverse,
    matrix_rpy,
    rotation_log,
    rotation_taking_z_to,
)

XYZ, RPY, ROTATION_VECTOR = "xyz", "rpy", "rotation_vector"
# A turn about an axis that may be this large may have any size: people write pi as 3.14.
FREE_TURN = 3.14


@dataclass(frozen=True, eq=False)
class OrientationBounds(Constraint):
    """``body`` is turned as ``target``, R_reference_body (3x3), within bounds about each axis.

    ``tolerances`` are three numbers (rad), or rows (low, high); from 3.14 on an axis is free.
    ``angles`` says what they bound: "xyz", the turns about x, the new y and the new z, or "rpy",
    roll, pitch and yaw (URDF), both of R_target_body; or "rotation_vector", the rotation from the
    target to the body in the axes of the reference, or in ``axes``, R_reference_axes (3x3).
    """

    body: str
    target: ArrayLike = field(repr=False)
    tolerances: ArrayLike
    reference: str | None = None
    angles: str = XYZ
    weight: float = 1.0
    axes: ArrayLike | None = field(default=None, repr=False)
    quantities: ClassVar[tuple[Quantity, ...]] = (("orientation", RADIAN, 0, 3),)

    def __post_init__(self) -> None:
        bounds = np.array(self.tolerances, dtype=np.float64)
        if bounds.shape == (3,):
            bounds = np.column_stack([-bounds, bounds])
        if bounds.shape != (3, 2) or not (bounds[:, 0] <= bounds[:, 1]).all():
            raise ModelError(
                "OrientationBounds: tolerances are three numbers that are not negative, or three "
                f"rows (low, high), not {self.tolerances!r}"
            )
        if self.angles not in (XYZ, RPY, ROTATION_VECTOR):
            raise ModelError(
                f"OrientationBounds: angles are '{XYZ}', '{RPY}' or '{ROTATION_VECTOR}', not "
                f"'{self.angles}'"
            )
        bounds[bounds <= -FREE_TURN] = -math.inf
        bounds[bounds >= FREE_TURN] = math.inf
        keep(self, tolerances=bounds)
        for name, R in (("target", self.target), ("axes", self.axes)):
            rotation = np.eye(3) if R is None else R
            keep(self, **{name: checked_rotation(rotation, f"OrientationBounds: {name}")})

    def errors(self, state: State) -> Array:
        """Return how far (rad) each angle is outside its bounds."""
        R = state.pose(self.body, self.reference)[:3, :3]
        target = np.asarray(self.target)
        if self.angles == ROTATION_VECTOR:
            found = np.asarray(self.axes).T @ rotation_log(R @ target.T)
        elif self.angles == RPY:
            found = np.array(matrix_rpy(target.T @ R))
        else:
            # R = Rx Ry Rz; its transpose is the product of the opposite turns in the other order.
            found = -np.array(matrix_rpy(R.T @ target))
        return outside(found, *np.asarray(self.tolerances).T)


@dataclass(frozen=True, eq=False)
class DirectionBounds(Constraint):
    """The ``axis`` of ``body`` points along ``direction`` of the reference: a glass kept upright.

    ``tolerance`` (rad) is half the opening of the cone around the direction that is as good.
    """

    body: str
    direction: Sequence[float]
    tolerance: float
    axis: Sequence[float] = (0.0, 0.0, 1.0)
    reference: str | None = None
    weight: float = 1.0
    quantities: ClassVar[tuple[Quantity, ...]] = (("direction", RADIAN, 0, 3),)

    def __post_init__(self) -> None:
        if not 0.0 <= self.tolerance <= math.pi:
            raise ModelError(
                f"DirectionBounds: the tolerance lies in 0 to pi, not {self.tolerance!r}"
            )
        for name in ("axis", "direction"):
            values = vector(getattr(self, name), name)
            length = float(np.linalg.norm(values))
            if length < NO_LENGTH:
                raise ModelError(f"DirectionBounds: the {name} is zero; give a direction")
            keep(self, **{name: values / length})

    def errors(self, state: State) -> Array:
        """Return the turn (rad) from the cone to the axis."""
        R = state.pose(self.body, self.reference)[:3, :3]
        found = R @ np.asarray(self.axis)
        return beyond(_turn_between(np.asarray(self.direction), found), self.tolerance)


@dataclass(frozen=True, eq=False)
class ViewBounds(Constraint):
    """A ``point`` of ``body`` (m, in the body) is in the view of a camera, however far away.

    ``camera``, T_reference_camera (4x4), looks along z; ``tolerance`` (rad) is the largest angle
    between that axis and the way to the point.
    """

    body: str
    camera: ArrayLike = field(repr=False)
    tolerance: float
    reference: str | None = None
    point: Sequence[float] = (0.0, 0.0, 0.0)
    weight: float = 1.0
    quantities: ClassVar[tuple[Quantity, ...]] = (("view", RADIAN, 0, 1),)

    def __post_init__(self) -> None:
        if not 0.0 <= self.tolerance <= math.pi:
            raise ModelError(f"ViewBounds: the tolerance lies in 0 to pi, not {self.tolerance!r}")
        keep(self, camera=checked_pose(self.camera, "ViewBounds"))
        keep(self, point=vector(self.point, "point"))

    def errors(self, state: State) -> Array:
        """Return how far (rad) the point is out of view."""
        T = inverse(np.asarray(self.camera)) @ state.pose(self.body, self.reference)
        x, y, z = T[:3, :3] @ np.asarray(self.point) + T[:3, 3]
        return np.array([max(0.0, math.atan2(math.hypot(x, y), z) - self.tolerance)])


# A region's shape: one of the model's, or the corners (N, 3) of a convex hull, m.
RegionShape = Box | Sphere | Cylinder | Array


@dataclass(frozen=True, eq=False)
class RegionBounds(Constraint):
    """A ``point`` of ``body`` (m, in the body) is in one of several ``regions``.

    A region is a box, a sphere, a cylinder, or the convex hull of corners (N, 3), with its place,
    T_reference_region (4x4). A box may be flat: its plane, or line, then.
    """

    body: str
    regions: Sequence[tuple[RegionShape, ArrayLike]] = field(repr=False)
    reference: str | None = None
    point: Sequence[float] = (0.0, 0.0, 0.0)
    weight: float = 1.0
    quantities: ClassVar[tuple[Quantity, ...]] = (("position", METER, 0, 3),)

    def __post_init__(self) -> None:
        if not len(self.regions):
            raise ModelError("RegionBounds: at least one region is needed")
        regions = [
            (_checked_shape(shape), checked_pose(T, "RegionBounds")) for shape, T in self.regions
        ]
        keep(self, regions=tuple(regions), point=vector(self.point, "point"))

    def errors(self, state: State) -> Array:
        """Return the way (m) from the nearest region to the point, zero inside of one."""
        T = state.pose(self.body, self.reference)
        at = T[:3, :3] @ np.asarray(self.point) + T[:3, 3]
        ways = []
        for shape, place in self.regions:
            T_region = np.asarray(place)
            local = inverse(T_region)[:3] @ np.append(at, 1.0)
            ways.append(T_region[:3, :3] @ _way_outside(shape, local))
        return min(ways, key=lambda way: float(np.linalg.norm(way)))


def hull_planes(corners: Array) -> Array:
    """Return the planes (n, 4) of a convex hull: outward normals and offsets, n x <= offset.

    Raises ModelError for corners that span no volume.
    """
    from scipy.spatial import ConvexHull, QhullError

    try:
        equations = np.unique(np.round(ConvexHull(corners).equations, 12), axis=0)
    except (QhullError, ValueError):
        raise ModelError("RegionBounds: the corners of a hull span no volume") from None
    return np.column_stack([equations[:, :3], -equations[:, 3]])


def _checked_shape(shape: RegionShape) -> RegionShape:
    if isinstance(shape, Box | Sphere | Cylinder):
        sizes: tuple[float, ...] = shape.size if isinstance(shape, Box) else (shape.radius,)
        if isinstance(shape, Cylinder):
            sizes = (shape.radius, shape.length)
        if not all(math.isfinite(size) and size >= 0.0 for size in sizes):
            raise ModelError(f"RegionBounds: sizes must be finite and not negative: {shape}")
        return shape
    corners = np.array(shape, dtype=np.float64)
    if corners.ndim != 2 or corners.shape[1] != 3 or not np.isfinite(corners).all():
        raise ModelError(f"RegionBounds: corners are (N, 3) finite, not of shape {corners.shape}")
    hull_planes(corners)
    return corners


def _way_outside(shape: RegionShape, at: Array) -> Array:
    """Return how far, and where to, a point (3,) lies outside a shape, in the shape's axes."""
    if isinstance(shape, Box):
        half = 0.5 * np.array(shape.size)
        return outside(at, -half, half)
    if isinstance(shape, Sphere):
        return beyond(at, shape.radius)
    if isinstance(shape, Cylinder):
        end = 0.5 * shape.length
        along = outside(at[2:], np.array(-end), np.array(end))
        return np.append(beyond(at[:2], shape.radius), along)
    planes = hull_planes(shape)
    heights = planes[:, :3] @ at - planes[:, 3]
    worst = int(np.argmax(heights))
    return max(0.0, float(heights[worst])) * planes[worst, :3]


def _turn_between(first: Array, second: Array) -> Array:
    """Return the smallest rotation vector that takes one unit vector to another."""
    normal = np.cross(first, second)
    sine, cosine = float(np.linalg.norm(normal)), float(first @ second)
    if sine < NO_LENGTH:
        # Any axis across will do for half a turn.
        return math.pi * rotation_taking_z_to(first)[:, 0] if cosine < 0.0 else np.zeros(3)
    return math.atan2(sine, cosine) / sine * normal
