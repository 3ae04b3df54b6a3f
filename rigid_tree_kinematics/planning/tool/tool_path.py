"""Tool paths: straight lines and arcs that rotate about one axis."""

import math
from abc import ABC, abstractmethod
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import ArrayLike

from rigid_tree_kinematics.arrays import Array
from rigid_tree_kinematics.description.meshes import FARTHEST
from rigid_tree_kinematics.errors import PlanningError
from rigid_tree_kinematics.model.transforms import (
    Pose,
    axis_angle_matrix,
    checked_pose,
    rotation_log,
)
from rigid_tree_kinematics.text import told_apart

RADIUS_TOLERANCE = 0.01  # m, between the distances of start and goal from a center
SMALLEST_RADIUS = 1e-4  # m
SMALLEST_SINE = 1e-4  # of the angle of three points that span a plane


@dataclass(frozen=True, eq=False)
class ToolPath(ABC):
    """A path from ``start`` to ``end`` (4x4, base frame) that rotates evenly about one axis."""

    start: Array
    end: Array

    def __post_init__(self) -> None:
        for name in ("start", "end"):
            object.__setattr__(self, name, checked_pose(getattr(self, name), name))

    @property
    @abstractmethod
    def length(self) -> float:
        """The length of the path, m."""

    @abstractmethod
    def position(self, share: float) -> Array:
        """Return the tool's position (3,) at a share of the path, 0 to 1."""

    @cached_property
    def rotation(self) -> Array:
        """The rotation from start to end as a vector (3,) in the start's frame, rad."""
        return rotation_log(self.start[:3, :3].T @ self.end[:3, :3])

    @cached_property
    def angle(self) -> float:
        """The angle of the rotation, rad, at most pi."""
        return float(np.linalg.norm(self.rotation))

    def pose(self, share: float) -> Array:
        """Return T_base_tool (4x4) at a share of the path, 0 to 1."""
        if share == 1.0:
            return np.array(self.end)
        pose = np.array(self.start)
        pose[:3, 3] = self.position(share)
        if self.angle > 0.0:
            pose[:3, :3] @= axis_angle_matrix(self.rotation / self.angle, share * self.angle)
        return pose


@dataclass(frozen=True, eq=False)
class ToolLine(ToolPath):
    """A straight line.

    Example:
        >>> from rigid_tree_kinematics.model.transforms import transform
        >>> line = ToolLine(transform((0.4, 0, 0.3)), transform((0.4, 0.2, 0.3)))
        >>> print(round(line.length, 3), line.pose(0.5)[:3, 3])
        0.2 [0.4 0.1 0.3]
    """

    @cached_property
    def length(self) -> float:
        """The length of the path, m."""
        return float(np.linalg.norm(self.end[:3, 3] - self.start[:3, 3]))

    def position(self, share: float) -> Array:
        """Return the tool's position (3,) at a share of the path, 0 to 1."""
        first: Array = self.start[:3, 3]
        return first + share * (self.end[:3, 3] - first)


@dataclass(frozen=True, eq=False)
class ToolArc(ToolPath):
    """A path around ``center`` (3,) by ``sweep`` rad about the unit vector ``axis`` (3,).

    Example:
        >>> from rigid_tree_kinematics.model.transforms import transform
        >>> start, end = transform((0.4, 0, 0.3)), transform((0, 0.4, 0.3))
        >>> arc = ToolArc(start, end, np.array([0, 0, 0.3]), np.array([0, 0, 1]), np.pi / 2)
        >>> print(round(arc.length, 3), arc.position(0.5).round(3))
        0.628 [0.283 0.283 0.3  ]
    """

    center: Array
    axis: Array
    sweep: float

    @cached_property
    def length(self) -> float:
        """The length of the path, m."""
        return float(np.linalg.norm(self.start[:3, 3] - self.center)) * self.sweep

    def position(self, share: float) -> Array:
        """Return the tool's position (3,) at a share of the path, 0 to 1."""
        spoke = self.start[:3, 3] - self.center
        place: Array = self.center + axis_angle_matrix(self.axis, share * self.sweep) @ spoke
        return place


def arc_about(start: Pose, end: Pose, center: ArrayLike) -> ToolArc:
    """Return the shorter arc about a center (3,).

    A center whose distances from both ends differ by up to RADIUS_TOLERANCE is corrected. Raises
    PlanningError if there is no such arc, or more than one.

    Example:
        >>> from rigid_tree_kinematics.model.transforms import transform
        >>> start, end = transform((0.4, 0, 0.3)), transform((0, 0.4, 0.3))
        >>> arc = arc_about(start, end, np.array([0, 0, 0.3]))
        >>> print(arc.position(0.5).round(3))
        [0.283 0.283 0.3  ]
    """
    start, end = checked_pose(start, "start"), checked_pose(end, "end")
    a, b, center = start[:3, 3], end[:3, 3], _point(center, "center")
    first, last = float(np.linalg.norm(a - center)), float(np.linalg.norm(b - center))
    if abs(first - last) > RADIUS_TOLERANCE:
        near, far = told_apart(first, last, digits=4)
        raise PlanningError(
            f"the goal is not on the circle: the start is {near} m from the center, the goal "
            f"{far} m"
        )
    if min(first, last) < SMALLEST_RADIUS:
        raise PlanningError("the center of the circle coincides with the start and the goal")
    normal = np.cross(a - center, b - center)
    sine = float(np.linalg.norm(normal)) / (first * last)
    if sine < SMALLEST_SINE:
        raise PlanningError(
            "start, center and goal are collinear: give a point on the path ('interim') instead"
        )
    along = (b - a) / np.linalg.norm(b - a)
    middle = center + ((0.5 * (a + b) - center) @ along) * along
    sweep = _angle_about(normal / np.linalg.norm(normal), a - middle, b - middle)
    return ToolArc(start, end, middle, normal / np.linalg.norm(normal), sweep)


def arc_through(start: Pose, end: Pose, interim: ArrayLike) -> ToolArc:
    """Return the arc through an interim point (3,); raises PlanningError without one.

    Example:
        >>> from rigid_tree_kinematics.model.transforms import transform
        >>> start, end = transform((0.4, -0.1, 0.3)), transform((0.4, 0.1, 0.3))
        >>> arc = arc_through(start, end, np.array([0.5, 0, 0.3]))
        >>> print(arc.center.round(3), round(arc.length, 3))
        [0.4 0.  0.3] 0.314
    """
    start, end = checked_pose(start, "start"), checked_pose(end, "end")
    a, b, interim = start[:3, 3], end[:3, 3], _point(interim, "interim point")
    first, whole = interim - a, b - a
    normal = np.cross(first, whole)
    sizes = float(np.linalg.norm(first) * np.linalg.norm(whole) * np.linalg.norm(b - interim))
    if sizes < SMALLEST_RADIUS**3:
        raise PlanningError(
            "two of start, interim point and goal coincide: split a full circle into two arcs"
        )
    area = float(np.linalg.norm(normal))
    if area < SMALLEST_SINE * float(np.linalg.norm(first) * np.linalg.norm(whole)):
        raise PlanningError("start, interim point and goal are collinear: there is no circle")
    # The circumcenter of a triangle, from two of its edges.
    squares = (first @ first) * whole - (whole @ whole) * first
    spoke = np.cross(squares, normal) / (2.0 * area**2)
    center = a + spoke
    sweep = _angle_about(normal / area, -spoke, b - center)
    return ToolArc(start, end, center, normal / area, sweep)


def _point(values: ArrayLike, name: str) -> Array:
    point = np.array(values, dtype=np.float64)
    if point.shape != (3,) or not (np.abs(point) <= FARTHEST).all():
        raise PlanningError(f"the {name} is three numbers up to {FARTHEST:g} m, not {values!r}")
    return point


def _angle_about(axis: Array, first: Array, last: Array) -> float:
    """Return the angle about an axis from one spoke to another, 0 to 2 pi."""
    angle = math.atan2(float(axis @ np.cross(first, last)), float(first @ last))
    return angle % (2.0 * math.pi)
