"""Transparent copies of a robot: the goal of a plan, and one that moves along a path."""

from __future__ import annotations

from collections.abc import Collection
from typing import TYPE_CHECKING, Any

import numpy as np

from rigid_tree_kinematics.arrays import Array
from rigid_tree_kinematics.description.meshes import visual_mesh
from rigid_tree_kinematics.errors import DescriptionError
from rigid_tree_kinematics.kinematics import body_transforms
from rigid_tree_kinematics.model import RigidBodyTree
from rigid_tree_kinematics.model.transforms import matrix_quaternion
from rigid_tree_web.drawn.drawn_robot import node_name

if TYPE_CHECKING:
    import viser

Color = tuple[int, int, int]

# Magenta, as no bundled robot has it.
GOAL, PATH, COLLISION = (204, 0, 190), (28, 126, 214), (224, 49, 49)
OPACITY = 0.45
SKIN = 0.002  # m, offset of the ghost's surface, so that a robot inside does not show through
PAUSE = 0.7  # s, at the end of a path


class Ghost:
    """One mesh for each body with visuals, below the node of a robot's base.

    It is hidden, and not drawn at all, until it is first shown.
    """

    def __init__(
        self, server: viser.ViserServer, base: str, name: str, tree: RigidBodyTree, color: Color
    ) -> None:
        self._server, self._tree, self._color = server, tree, color
        self._path = f"{base}/{name}"
        self._meshes: dict[str, Any] = {}  # by body
        self._rows: dict[str, int] = {}
        self._red: frozenset[str] = frozenset()
        self.visible = False

    def show(self, q: Array) -> None:
        """Show the robot at a configuration (nq,)."""
        frames = body_transforms(self._tree, q)
        with self._server.atomic():
            if not self._meshes:
                self._add()
            for name, mesh in self._meshes.items():
                T = frames[self._rows[name]]
                x, y, z, w = matrix_quaternion(T[:3, :3]).tolist()
                mesh.position, mesh.wxyz = T[:3, 3], (w, x, y, z)
            self._set_visible(True)

    def hide(self) -> None:
        """Hide the robot."""
        self._set_visible(False)

    def _set_visible(self, visible: bool) -> None:
        if visible != self.visible:
            self.visible = visible
            for mesh in self._meshes.values():
                mesh.visible = visible

    def _add(self) -> None:
        for row, body in enumerate((self._tree.base, *self._tree.bodies)):
            vertices, faces, count = [], [], 0
            for visual in body.visuals:
                try:
                    mesh = visual_mesh(visual)
                except DescriptionError:  # the robot's model has issued a warning
                    continue
                vertices.append(mesh.vertices + SKIN * mesh.vertex_normals)
                faces.append(mesh.faces + count)
                count += len(mesh.vertices)
            if vertices:
                self._rows[body.name] = row
                self._meshes[body.name] = self._server.scene.add_mesh_simple(
                    f"{self._path}/{node_name(row, body.name)}",
                    np.concatenate(vertices),
                    np.concatenate(faces),
                    color=self._color,
                    opacity=OPACITY,
                    visible=False,
                )
        self._paint()

    def mark(self, bodies: Collection[str]) -> None:
        """Color bodies in collision, and no others, red."""
        red = frozenset(bodies)
        if red != self._red:
            self._red = red
            self._paint()

    def _paint(self) -> None:
        for name, mesh in self._meshes.items():
            color = COLLISION if name in self._red else self._color
            if tuple(mesh.color) != color:
                mesh.color = color

    def remove(self) -> None:
        """Remove the ghost from the page."""
        for mesh in self._meshes.values():
            mesh.remove()
        self._meshes.clear()


class PathGhost:
    """Plays configurations (k, nq) at times (k,), with linear interpolation, in a loop."""

    def __init__(self, server: viser.ViserServer, base: str, tree: RigidBodyTree) -> None:
        self._ghost = Ghost(server, base, "path", tree, PATH)
        self._times, self._rows = np.zeros(0), np.zeros((0, 0))
        self._start: float | None = None  # None: it stays at ``time``
        self.time = 0.0  # s, of the path, as shown

    def play(self, now: float, times: Array, rows: Array) -> None:
        """Start another path at a time (s) of a steady clock."""
        self._start, self._times, self._rows = now, times, rows

    def hold(self, time: float) -> None:
        """Stay at a time (s) of the path."""
        self._start, self.time = None, time

    def replay(self, now: float) -> None:
        """Go on from the shown time at a time (s) of a steady clock."""
        self._start = now - self.time

    def update(self, now: float) -> None:
        """Show the configuration of a time (s)."""
        if not len(self._times):
            return
        if self._start is not None:
            at = (now - self._start) % (self._times[-1] + PAUSE)
            self.time = min(at, float(self._times[-1]))
        columns = self._rows.T
        self._ghost.show(np.array([np.interp(self.time, self._times, row) for row in columns]))

    def stop(self) -> None:
        """Hide the ghost."""
        self._times = np.zeros(0)
        self._ghost.hide()

    def remove(self) -> None:
        """Remove the ghost from the page."""
        self.stop()
        self._ghost.remove()
