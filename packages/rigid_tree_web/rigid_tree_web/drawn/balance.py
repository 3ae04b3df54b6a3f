"""Contact points, support polygon and center of mass."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from rigid_tree_kinematics.arrays import Array
from rigid_tree_kinematics.description.meshes import visual_mesh
from rigid_tree_kinematics.errors import DescriptionError
from rigid_tree_kinematics.kinematics import body_transforms
from rigid_tree_kinematics.model import CompiledTree, RigidBodyTree

if TYPE_CHECKING:
    import viser

CONTACT_HEIGHT = 0.005  # m above the lowest point: points below are in contact
RADIUS = 0.015  # m, of the center's sphere
INSIDE, OUTSIDE = (47, 158, 68), (224, 49, 49)
CONTACT = (28, 126, 214)


def center_of_mass(compiled: CompiledTree, frames: Array) -> Array:
    """Return the center of mass (3,) of a robot, its bodies at ``frames`` (n, 4, 4)."""
    centers = np.einsum("nij,nj->ni", frames[:, :3, :3], compiled.center_of_mass)
    weighted: Array = compiled.mass @ (centers + frames[:, :3, 3]) / compiled.mass.sum()
    return weighted


class Support:
    """The vertices of a robot's bodies that can touch the ground: of visuals and leaf frames."""

    def __init__(self, tree: RigidBodyTree) -> None:
        from scipy.spatial import ConvexHull, QhullError

        rows, vertices = [], []
        for row, body in enumerate((tree.base, *tree.bodies)):
            if body.parent is not None and not body.children:
                vertices.append(np.zeros((1, 3)))
                rows.append(np.array([row]))
            for visual in body.visuals:
                try:
                    mesh = visual_mesh(visual)
                    found = mesh.vertices[ConvexHull(mesh.vertices).vertices]
                except (DescriptionError, QhullError):  # not drawn, so without contact
                    continue
                vertices.append(found)
                rows.append(np.full(len(found), row))
        self._vertices = np.concatenate([np.zeros((0, 3)), *vertices])
        self._rows = np.concatenate([np.zeros(0, dtype=int), *rows])

    def contacts(self, frames: Array) -> Array:
        """Return the vertices (n, 3) in contact with the ground; ``frames`` are T_world_body."""
        placed = frames[self._rows]
        points = np.einsum("nij,nj->ni", placed[:, :3, :3], self._vertices) + placed[:, :3, 3]
        if not len(points):
            return np.asarray(points)
        return np.asarray(points[points[:, 2] < points[:, 2].min() + CONTACT_HEIGHT])


def support_polygon(contacts: Array) -> Array:
    """Return the vertices (k, 2) of the horizontal hull of points (n, 3), counterclockwise."""
    from scipy.spatial import ConvexHull, QhullError

    flat = contacts[:, :2]
    try:
        return np.asarray(flat[ConvexHull(flat).vertices])
    except (QhullError, ValueError):  # fewer than three points, or collinear
        return flat[:0]


def is_inside(point: Array, polygon: Array) -> bool:
    """Return whether a point (x, y) is in a convex, counterclockwise polygon (k, 2)."""
    if len(polygon) < 3:
        return False
    edges = np.roll(polygon, -1, axis=0) - polygon
    to_point = point[:2] - polygon
    return bool((edges[:, 0] * to_point[:, 1] - edges[:, 1] * to_point[:, 0] >= 0.0).all())


class BalanceView:
    """Draws contacts, support polygon and center; the center is red outside the polygon."""

    def __init__(self, server: viser.ViserServer, name: str, tree: RigidBodyTree) -> None:
        self._server = server
        self._name = name
        self._tree = tree
        self._support: Support | None = None
        self._nodes: list[Any] = []
        self._shown: tuple[bytes, bytes] | None = None

    def show(self, q: Array, T_world_base: Array) -> None:
        """Draw a configuration (nq,), unless it is drawn already."""
        key = np.round(q, 4).tobytes(), np.round(T_world_base, 4).tobytes()
        if key == self._shown:
            return
        self._shown = key
        if self._support is None:
            self._support = Support(self._tree)
        frames = T_world_base @ body_transforms(self._tree, q)
        contacts = self._support.contacts(frames)
        polygon = support_polygon(contacts)
        center = center_of_mass(self._tree.compiled(), frames)
        ground = contacts[:, 2].min() if len(contacts) else 0.0
        self._clear()
        scene, name = self._server.scene, self._name
        color = INSIDE if is_inside(center, polygon) else OUTSIDE
        below = np.array([*center[:2], ground])
        self._nodes = [
            scene.add_icosphere(f"{name}/center", RADIUS, color=color, position=center),
            # Its projection on the ground: the center is inside most robots.
            scene.add_icosphere(f"{name}/below", RADIUS, color=color, position=below),
            scene.add_line_segments(
                f"{name}/plumb", np.array([[center, below]]), color, thickness=0.004
            ),
        ]
        if len(contacts):
            self._nodes.append(
                scene.add_point_cloud(f"{name}/contacts", contacts, CONTACT, point_size=0.008)
            )
        if len(polygon):
            rim = np.column_stack([polygon, np.full(len(polygon), ground + 0.002)])
            sides = np.stack([rim, np.roll(rim, -1, axis=0)], axis=1)
            self._nodes.append(
                scene.add_line_segments(f"{name}/polygon", sides, color, thickness=0.006)
            )

    def hide(self) -> None:
        """Remove the drawing."""
        self._shown = None
        self._clear()

    def _clear(self) -> None:
        for node in self._nodes:
            node.remove()
        self._nodes = []
