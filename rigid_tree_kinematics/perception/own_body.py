"""The filter for points on a robot's own body and on attached obstacles, by convex hulls."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from rigid_tree_kinematics.arrays import Array
from rigid_tree_kinematics.collision import AttachedObstacle, PlacedShape, PointCloud
from rigid_tree_kinematics.collision.shapes import Hull, fitted_hulls
from rigid_tree_kinematics.collision.shapes.hulls import convex_hull
from rigid_tree_kinematics.errors import CollisionError
from rigid_tree_kinematics.kinematics import body_transforms
from rigid_tree_kinematics.model import RigidBodyTree
from rigid_tree_kinematics.model.transforms import Pose, checked_pose, inverse
from rigid_tree_kinematics.perception import point_kernels as kernel


@dataclass(frozen=True)
class Cells:
    """The cells of a cloud, and the number of points in no cell."""

    numbers: NDArray[np.int64]  # (m,) ascending, without duplicates
    not_finite: int
    on_the_robot: int
    too_far: int


class OwnBody:
    """The collision shapes of a robot, each contained in one or more hulls.

    Args:
        robot: the tree; later changes to it have no effect.
        padding: distance (m) from a hull's planes below which points are on the robot.

    Raises DescriptionError if a mesh cannot be read.

    Example:
        >>> robot = load_robot("ur5")
        >>> own = OwnBody(robot, padding=0.02)
        >>> points = [[0.8, 0.5, 0.3], [0.0, 0.0, 0.1]]  # m; the second is on the robot
        >>> cells = own.cells(points, np.eye(4), robot.home_configuration(), [], 0.05)
        >>> print(cell_centers(cells.numbers, 0.05).round(3))
        [[0.825 0.525 0.275]]
    """

    def __init__(self, robot: RigidBodyTree, padding: float) -> None:
        self._tree = robot
        self._compiled = robot.compiled()
        self._padding = padding
        self._own = [
            hull
            for body in (robot.base, *robot.bodies)
            for shape in body.collisions
            for hull in self._hulls(body.name, PlacedShape(shape.geometry, shape.origin))
        ]
        self._attached: dict[int, tuple[AttachedObstacle, list[_Hull]]] = {}

    def cells(
        self,
        points: ArrayLike,
        T_base_sensor: Pose,
        configuration: Array,
        attached: Iterable[AttachedObstacle],
        size: float,
    ) -> Cells:
        """Return the grid's cells that have points of a cloud, except points on the robot.

        Args:
            points: (n, 3) in the sensor's frame, m.
            T_base_sensor: (4, 4), the sensor's frame in the robot's base.
            configuration: of the robot when the points were seen (nq,), rad and m.
            attached: obstacles attached to the robot, whose points are left out too.
            size: of a cell, m.

        Raises CollisionError for points of another shape and a size that is not above 0.
        """
        cloud = np.ascontiguousarray(points, dtype=np.float64)
        if cloud.ndim != 2 or cloud.shape[1] != 3:
            raise CollisionError(f"points of a cloud are (n, 3), not of shape {cloud.shape}")
        if not 0.0 < size < np.inf:
            raise CollisionError(f"the size of cells must be finite and above 0, not {size!r}")
        placed = checked_pose(T_base_sensor, "T_base_sensor").copy()
        hulls = [*self._own, *self._hulls_of_attached(attached)]
        frames = body_transforms(self._tree, configuration)
        rows = np.zeros((len(hulls), kernel.HULL_COLUMNS))
        first = 0
        for row, hull in zip(rows, hulls, strict=True):
            T_body_sensor = inverse(frames[hull.body]) @ placed
            at, pose, bound = kernel.SPHERE, kernel.POSE, hull.bounding_sphere
            row[at : at + 3] = (inverse(T_body_sensor) @ np.append(bound[:3], 1.0))[:3]
            row[at + 3] = bound[3]
            row[pose : pose + 12] = T_body_sensor[:3].ravel()
            row[kernel.FIRST_PLANE], row[kernel.LAST_PLANE] = first, first + len(hull.planes)
            first += len(hull.planes)
        planes = np.concatenate([np.zeros((0, 4)), *(hull.planes for hull in hulls)])
        numbers = np.empty(len(cloud), dtype=np.int64)
        counts = np.zeros(3)
        row = placed[:3].reshape(1, 12)
        count = kernel.write_cells(cloud, row, rows, planes, size, numbers, counts)
        not_finite, on_the_robot, too_far = counts.astype(int).tolist()
        return Cells(np.unique(numbers[:count]), not_finite, on_the_robot, too_far)

    def _hulls_of_attached(self, attached: Iterable[AttachedObstacle]) -> list[_Hull]:
        """Return the hulls of attached obstacles; those of the previous call are cached."""
        before, self._attached = self._attached, {}
        for item in attached:
            self._attached[id(item)] = before.get(id(item)) or (
                item,
                [
                    hull
                    for part in item.obstacle.shapes
                    for hull in self._hulls(
                        item.body, PlacedShape(part.shape, item.T_body_obstacle @ part.pose)
                    )
                ],
            )
        return [hull for _, hulls in self._attached.values() for hull in hulls]

    def _hulls(self, body: str, placed: PlacedShape) -> list[_Hull]:
        shape, T = placed.shape, placed.pose
        if isinstance(shape, PointCloud):
            hulls = [Hull(shape.points, shape.radius)]
        else:
            hulls = fitted_hulls(shape)
        row = self._compiled.index_of(body)
        return [
            _hull(row, hull.corners @ T[:3, :3].T + T[:3, 3], hull.radius + self._padding)
            for hull in hulls
        ]


@dataclass(frozen=True, eq=False)
class _Hull:
    """A convex hull, grown by a radius, in the frame of body ``body`` (its index)."""

    body: int
    planes: Array  # (p, 4) outward normals and offsets; none: the sphere is used instead
    bounding_sphere: Array  # (4,) center and radius


def _hull(body: int, corners: Array, radius: float) -> _Hull:
    """Return the hull of corners (k, 3), grown by a radius."""
    center = 0.5 * (corners.min(axis=0) + corners.max(axis=0))
    reach = float(np.linalg.norm(corners - center, axis=1).max()) + radius
    hull = convex_hull(corners)  # None for a point, a line or a plane
    equations = np.zeros((0, 4)) if hull is None else np.unique(hull.equations.round(9), axis=0)
    planes = np.column_stack([equations[:, :3], radius - equations[:, 3]])
    return _Hull(body, planes, np.append(center, reach))
