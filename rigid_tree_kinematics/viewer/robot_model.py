"""One robot on the page: a node of the scene for every body, with its visuals and its axes."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np

from rigid_tree_kinematics.description.meshes import GREY, visual_mesh
from rigid_tree_kinematics.errors import DescriptionError
from rigid_tree_kinematics.model import Box, Cylinder, RigidBodyTree, Sphere, Visual
from rigid_tree_kinematics.model.transforms import matrix_quaternion

if TYPE_CHECKING:
    import viser

Position = tuple[float, float, float]  # m
Quaternion = tuple[float, float, float, float]  # w, x, y, z

AXIS_LENGTH, AXIS_RADIUS = 0.08, 0.002  # m


class RobotModel:
    """The nodes of one robot; bodies hang on their parents, as in the tree.

    Args:
        server: of the page.
        name: of the robot's node, which is removed with all that is on it by ``remove``.
        tree: the robot.
        complain: is told of visuals that cannot be shown.
        picked: is told which body a user clicks, in a thread of the page.
    """

    def __init__(
        self,
        server: viser.ViserServer,
        name: str,
        tree: RigidBodyTree,
        complain: Callable[[str], None],
        picked: Callable[[str], None],
    ) -> None:
        self._server = server
        self.root = server.scene.add_frame(name, show_axes=False)
        self.paths: dict[str, str] = {}  # body -> name of its node
        self._bodies: dict[str, viser.FrameHandle] = {}
        self._labels: list[viser.LabelHandle] = []
        for body in (tree.base, *tree.bodies):
            above = self.paths[body.parent.name] if body.parent is not None else name
            path = self.paths[body.name] = f"{above}/{body.name}"
            self._bodies[body.name] = server.scene.add_frame(
                path,
                show_axes=False,
                axes_length=AXIS_LENGTH,
                axes_radius=AXIS_RADIUS,
                origin_radius=2.0 * AXIS_RADIUS,
            )
            label = server.scene.add_label(f"{path}/label", body.name, font_screen_scale=0.7)
            label.visible = False
            self._labels.append(label)
            for number, visual in enumerate(body.visuals):
                try:
                    shape = _add_visual(server, f"{path}/visual {number}", visual)
                    shape.on_click(_telling(picked, body.name))
                except DescriptionError as error:
                    complain(f"{body.name}: {error}")
        self._poses: dict[str, tuple[float, ...]] = {}

    def remove(self) -> None:
        """Take the robot off the page."""
        self.root.remove()

    def place(self, body: str, position: Position, wxyz: Quaternion) -> None:
        """Put a body somewhere in its parent, m; the base in the robot's node."""
        pose = (*position, *wxyz)
        if self._poses.get(body) == pose:
            return
        self._poses[body] = pose
        node = self._bodies[body]
        node.position, node.wxyz = position, wxyz

    def show_frames(self, shown: bool) -> None:
        """Show or hide every body's axes."""
        for node in self._bodies.values():
            node.show_axes = shown

    def show_names(self, shown: bool) -> None:
        """Show or hide every body's name."""
        for label in self._labels:
            label.visible = shown


def _telling(picked: Callable[[str], None], body: str) -> Callable[[Any], None]:
    return lambda _: picked(body)


def _add_visual(server: viser.ViserServer, name: str, visual: Visual) -> Any:
    """Add what a body looks like below its node; DescriptionError for an unreadable mesh."""
    x, y, z, w = matrix_quaternion(visual.origin[:3, :3]).tolist()
    place: dict[str, Any] = {"position": visual.origin[:3, 3], "wxyz": (w, x, y, z)}
    color = visual.material.color if visual.material is not None else None
    red, green, blue, alpha = color or GREY
    look: dict[str, Any] = {
        "color": tuple(round(255 * part) for part in (red, green, blue)),
        "opacity": None if alpha >= 1.0 else alpha,
    }
    geometry, scene = visual.geometry, server.scene
    if isinstance(geometry, Box):
        return scene.add_box(name, dimensions=geometry.size, **place, **look)
    if isinstance(geometry, Cylinder):
        return scene.add_cylinder(name, geometry.radius, geometry.length, **place, **look)
    if isinstance(geometry, Sphere):
        return scene.add_icosphere(name, geometry.radius, **place, **look)
    mesh = visual_mesh(visual)  # in the body's frame already
    colors: Any = mesh.visual.face_colors  # type: ignore[union-attr]  # always ColorVisuals
    if len(np.unique(colors, axis=0)) > 1:
        return scene.add_mesh_trimesh(name, mesh)
    look["color"] = tuple(int(part) for part in colors[0, :3])
    return scene.add_mesh_simple(name, mesh.vertices, mesh.faces, side="double", **look)
