"""The obstacles of a scene in the page, below the nodes of the bodies that they move with."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from rigid_tree_kinematics.arrays import Array
from rigid_tree_kinematics.collision import PointCloud, Scene, Shape
from rigid_tree_kinematics.collision.shapes import triangulation
from rigid_tree_kinematics.model import Box, Cylinder, Sphere
from rigid_tree_kinematics.model.transforms import matrix_quaternion
from rigid_tree_web.drawn.drawn_robot import node_name
from rigid_tree_web.drawn.ghost import COLLISION
from rigid_tree_web.web import box_corners

if TYPE_CHECKING:
    import viser

COLOR = (191, 191, 204)


class DrawnScene:
    """The obstacles of a scene; ``paths`` are the bodies' nodes, ``base`` is the base's name.

    Raises DescriptionError for a mesh file that cannot be read.
    """

    def __init__(
        self, server: viser.ViserServer, paths: Mapping[str, str], base: str, scene: Scene
    ) -> None:
        self._shapes: dict[str, list[Any]] = {}  # handles by obstacle
        self._marked: frozenset[str] = frozenset()
        corners = [np.zeros((0, 3))]
        placed = [(base, each.pose, each) for each in scene.obstacles.values()]
        placed += [(a.body, a.T_body_obstacle, a.obstacle) for a in scene.attached.values()]
        for row, (body, T, obstacle) in enumerate(placed):
            handles = self._shapes[obstacle.name] = []
            for number, part in enumerate(obstacle.shapes):
                name = f"{paths[body]}/obstacle {node_name(row, obstacle.name)} {number}"
                handle, box = _add_shape(server, name, part.shape, T @ part.pose)
                handles.append(handle)
                if body == base:
                    corners.append(box)
        self.corners: Array = np.concatenate(corners)  # (k, 3) of boxes, in the base frame

    def mark(self, names: Collection[str]) -> None:
        """Color these obstacles, and no others, red."""
        marked = frozenset(names) & self._shapes.keys()
        for name in marked ^ self._marked:
            for handle in self._shapes[name]:
                if hasattr(handle, "color"):  # points have a color each
                    handle.color = COLLISION if name in marked else COLOR
        self._marked = marked


def _add_shape(server: viser.ViserServer, name: str, shape: Shape, T: Array) -> tuple[Any, Array]:
    """Add a shape at T; return its handle and the corners (8, 3) of its box, in T's parent."""
    x, y, z, w = matrix_quaternion(T[:3, :3]).tolist()
    place: dict[str, Any] = {"position": T[:3, 3], "wxyz": (w, x, y, z)}
    scene: Any = server.scene
    ends = np.zeros((1, 3))
    if isinstance(shape, Box):
        half = 0.5 * np.array(shape.size)
        handle = scene.add_box(name, dimensions=shape.size, color=COLOR, **place)
    elif isinstance(shape, Cylinder):
        half = np.array([shape.radius, shape.radius, 0.5 * shape.length])
        handle = scene.add_cylinder(name, shape.radius, shape.length, color=COLOR, **place)
    elif isinstance(shape, Sphere):
        half = np.full(3, shape.radius)
        handle = scene.add_icosphere(name, shape.radius, color=COLOR, **place)
    elif isinstance(shape, PointCloud):
        half, ends = np.full(3, shape.radius), shape.points
        place |= {"point_size": 2.0 * shape.radius, "point_shape": "circle"}
        handle = scene.add_point_cloud(name, ends.astype(np.float32), COLOR, **place)
    else:
        half = np.zeros(3)
        ends, faces = triangulation(shape)
        handle = scene.add_mesh_simple(name, ends, faces, color=COLOR, side="double", **place)
    corners = box_corners(np.stack((ends.min(axis=0) - half, ends.max(axis=0) + half)))
    return handle, corners @ T[:3, :3].T + T[:3, 3]
