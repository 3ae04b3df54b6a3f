"""The obstacles of a world as solids of coal."""

from typing import Any

import numpy as np

from rigid_tree_kinematics.arrays import Array, Integers
from rigid_tree_kinematics.collision.robot.solids import (
    Solid,
    coal_pose,
    points_solid,
    solids_of_placed,
)
from rigid_tree_kinematics.collision.world import World
from rigid_tree_kinematics.collision.world.arrays import CLOUD
from rigid_tree_kinematics.collision.world.box_tree import near_boxes, points_in_box
from rigid_tree_kinematics.collision.world.pieces import Piece
from rigid_tree_kinematics.model.transforms import inverse

ANYWHERE = 1e300  # m; in place of infinity, as infinity times zero is not a number


class WorldSolids:
    """The solids of a world, one for each of its rows; poses are in the base frame."""

    def __init__(self, world: World) -> None:
        self._world = world
        self._coal_poses: dict[int, Any] = {}
        self.poses = world.poses  # (W, 4, 4)
        # Of boxes and spheres around the solids, which contain the radius of a cloud's points.
        self.box_centers = 0.5 * (world.boxes[:, :3] + world.boxes[:, 3:])  # (W, 3)
        self.box_halves = 0.5 * (world.boxes[:, 3:] - world.boxes[:, :3])  # (W, 3)
        self.spheres: Array = world.arrays.obstacles["sphere"]  # (W, 4)

    def name(self, row: int) -> str:
        """Return an obstacle's name."""
        return self._world.pieces[row].obstacle

    def coal_pose(self, row: int) -> Any:
        """Return coal's form of a pose, cached."""
        if row not in self._coal_poses:
            self._coal_poses[row] = coal_pose(self.poses[row])
        return self._coal_poses[row]

    def is_cloud(self, row: int) -> bool:
        """Return whether an obstacle is a cloud, whose solids are made by ``points_near``."""
        return self._world.pieces[row].piece.kind == CLOUD

    def solid(self, row: int) -> Solid:
        """Return an obstacle's solid."""
        placed = self._world.pieces[row]
        return solids_of_placed(placed.shape)[placed.number]

    def points_near(self, row: int, frame: Array, center: Array, half: Array) -> Solid | None:
        """Return a solid of the points of a cloud that reach into a box; None without any.

        The box has a ``center`` and ``half`` sizes (3,) in a ``frame`` (4, 4).
        """
        cloud = self._world.pieces[row].piece
        radius = cloud.size[0]
        points = _points_near(cloud, inverse(self.poses[row]) @ frame, center, half + radius)
        return points_solid(points, radius) if len(points) else None

    def near(self, boxes: Array) -> Integers:
        """Return the pairs (k, 2) of ``boxes`` (n, 6) and obstacles' boxes that overlap."""
        world = self._world
        found = np.empty((256, 2), dtype=np.int64)
        while True:
            count = near_boxes(world.arrays.tree, world.arrays.order, world.boxes, boxes, found)
            if count <= len(found):
                return found[:count]
            found = np.empty((count, 2), dtype=np.int64)


def _points_near(cloud: Piece, T: Array, center: Array, half: Array) -> Array:
    """Return the points (k, 3) of a cloud in a box at pose ``T`` (4, 4) in the cloud's frame."""
    half = np.minimum(half, ANYWHERE)
    middle = T[:3, :3] @ center + T[:3, 3]
    around = np.abs(T[:3, :3]) @ half
    box = np.concatenate([middle - around, middle + around])
    found = np.empty((1024, 3))
    while True:
        count = points_in_box(cloud.nodes, cloud.points, box, found)
        if count <= len(found):
            break
        found = np.empty((count, 3))
    points = found[:count]
    inside = np.abs((points - middle) @ T[:3, :3]) <= half
    return points[inside.all(axis=1)]
