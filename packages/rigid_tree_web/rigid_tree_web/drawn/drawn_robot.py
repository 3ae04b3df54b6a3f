"""One robot on the page: a scene node for each body with its visuals, axes and name."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np

from rigid_tree_kinematics.arrays import Array
from rigid_tree_kinematics.description.meshes import GREY, visual_mesh
from rigid_tree_kinematics.errors import DescriptionError
from rigid_tree_kinematics.kinematics import body_transforms, poses_in_parents
from rigid_tree_kinematics.model import Box, Cylinder, RigidBodyTree, Sphere, Visual
from rigid_tree_kinematics.model.transforms import matrix_quaternion
from rigid_tree_web.web import box_corners

if TYPE_CHECKING:
    import viser

Position = tuple[float, float, float]  # m
Quaternion = tuple[float, float, float, float]  # w, x, y, z

AXES: dict[str, Any] = {"axes_length": 0.08, "axes_radius": 0.002, "origin_radius": 0.004}  # m
SAME_PLACE = 0.01  # m, between bodies that share a label
MOST_NAMES = 3  # in a label
# Labels of neighbors are on different sides of their points, so that they do not overlap.
ANCHORS = ("bottom-right", "top-left", "top-right", "bottom-left")


class DrawnRobot:
    """The scene nodes of one robot, in a tree like its bodies; ``name`` is that of its node.

    ``warn`` is called with messages about visuals that cannot be shown, ``on_click`` in a thread
    of the page with the body that a user clicks.
    """

    def __init__(
        self,
        server: viser.ViserServer,
        name: str,
        tree: RigidBodyTree,
        warn: Callable[[str], None],
        on_click: Callable[[str], None],
    ) -> None:
        self._server, self._tree = server, tree
        self.root = server.scene.add_frame(name, show_axes=False)
        self.paths: dict[str, str] = {}  # names of the bodies' nodes
        self.not_drawn: list[str] = []  # reasons, one for each visual
        self._bodies: dict[str, viser.FrameHandle] = {}
        self._labels: list[viser.LabelHandle] = []
        self._corners: list[Array] = []  # of each body's visuals and its origin, in its frame
        for row, body in enumerate((tree.base, *tree.bodies)):
            above = self.paths[body.parent.name] if body.parent is not None else name
            path = self.paths[body.name] = f"{above}/{node_name(row, body.name)}"
            self._bodies[body.name] = server.scene.add_frame(path, show_axes=False, **AXES)
            corners = [np.zeros((1, 3))]
            for number, visual in enumerate(body.visuals):
                try:
                    shape, vertices = _add_visual(server, f"{path}/visual {number}", visual)
                    shape.on_click(lambda _, name=body.name: on_click(name))
                    corners.append(box_corners(vertices))
                except DescriptionError as error:
                    self.not_drawn.append(f"{body.name}: {error}")
                    warn(self.not_drawn[-1])
            self._corners.append(np.concatenate(corners))
        for number, names in enumerate(_names_by_place(tree)):
            text = ", ".join(names[:MOST_NAMES])
            text += f" +{len(names) - MOST_NAMES}" if len(names) > MOST_NAMES else ""
            path = f"{self.paths[names[0]]}/label"
            style: dict[str, Any] = {"font_screen_scale": 0.7, "anchor": ANCHORS[number % 4]}
            label = server.scene.add_label(path, text, visible=False, **style)
            self._labels.append(label)
        self._poses: dict[str, tuple[float, ...]] = {}

    def corners(self, frames: Array) -> Array:
        """Return corners (k, 3) of boxes around all visuals; ``frames`` are T_world_body."""
        pairs = zip(self._corners, frames, strict=True)
        return np.concatenate([corners @ T[:3, :3].T + T[:3, 3] for corners, T in pairs])

    def remove(self) -> None:
        """Remove the robot from the page."""
        self.root.remove()

    def place(self, body: str, position: Position, wxyz: Quaternion) -> None:
        """Set a body's pose in its parent (m), the base's in the robot's node."""
        pose = (*position, *wxyz)
        if self._poses.get(body) == pose:
            return
        self._poses[body] = pose
        node = self._bodies[body]
        node.position, node.wxyz = position, wxyz

    def show(self, q: Array) -> None:
        """Set the poses of all bodies but the base at a configuration (nq,)."""
        poses = poses_in_parents(self._tree, q)[1:].tolist()
        for (a, b, c, x, y, z, w), body in zip(poses, self._tree.bodies, strict=True):
            self.place(body.name, (a, b, c), (w, x, y, z))

    def show_frames(self, shown: bool) -> None:
        """Show or hide the bodies' axes."""
        for node in self._bodies.values():
            node.show_axes = shown

    def show_names(self, shown: bool) -> None:
        """Show or hide the bodies' names."""
        for label in self._labels:
            label.visible = shown


def node_name(number: int, name: str) -> str:
    """Return a node's name for any text: only nodes of bodies begin with a number.

    Slashes would make it a node in a node.
    """
    return f"{number} {name.replace('/', ' ')}"


def _names_by_place(tree: RigidBodyTree) -> list[list[str]]:
    """Return the bodies' names, those whose origins stay together in one list.

    Joints of a shoulder or wrist often have one origin, and their labels would cover each other.
    """
    samples = [tree.home_configuration(), *(tree.random_configuration(k) for k in range(2))]
    origins = np.stack([body_transforms(tree, q)[:, :3, 3] for q in samples], axis=1)
    groups: list[tuple[Array, list[str]]] = []
    for body, at in zip((tree.base, *tree.bodies), origins, strict=True):
        for place, names in groups:
            if np.linalg.norm(at - place, axis=1).max() < SAME_PLACE:
                names.append(body.name)
                break
        else:
            groups.append((at, [body.name]))
    return [names for _, names in groups]


def _add_visual(server: viser.ViserServer, name: str, visual: Visual) -> tuple[Any, Array]:
    """Add a visual to the scene; return its handle and points (k, 3) of its box, body frame.

    Raises DescriptionError for an unreadable mesh.
    """
    x, y, z, w = matrix_quaternion(visual.origin[:3, :3]).tolist()
    place: dict[str, Any] = {"position": visual.origin[:3, 3], "wxyz": (w, x, y, z)}
    color = visual.material.color if visual.material is not None else None
    red, green, blue, alpha = color or GREY
    style: dict[str, Any] = {
        "color": tuple(round(255 * part) for part in (red, green, blue)),
        "opacity": None if alpha >= 1.0 else alpha,
    }
    geometry, scene = visual.geometry, server.scene
    shape: Any = None
    if isinstance(geometry, Box):
        size = np.array(geometry.size)
        shape = scene.add_box(name, dimensions=geometry.size, **place, **style)
    elif isinstance(geometry, Cylinder):
        radius, length = geometry.radius, geometry.length
        size = np.array([2.0 * radius, 2.0 * radius, length])
        shape = scene.add_cylinder(name, radius, length, **place, **style)
    elif isinstance(geometry, Sphere):
        size = np.full(3, 2.0 * geometry.radius)
        shape = scene.add_icosphere(name, geometry.radius, **place, **style)
    if shape is not None:
        corners = box_corners(np.stack((-0.5 * size, 0.5 * size)))
        return shape, corners @ visual.origin[:3, :3].T + visual.origin[:3, 3]
    mesh = visual_mesh(visual)  # in the body's frame
    colors: Any = mesh.visual.face_colors  # type: ignore[union-attr]  # always ColorVisuals
    if len(np.unique(colors, axis=0)) > 1:
        return scene.add_mesh_trimesh(name, mesh), mesh.vertices
    style["color"] = tuple(int(part) for part in colors[0, :3])
    shape = scene.add_mesh_simple(name, mesh.vertices, mesh.faces, side="double", **style)
    return shape, mesh.vertices
