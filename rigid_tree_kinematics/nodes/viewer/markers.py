"""Markers and maps that other nodes publish, drawn on the page as RViz draws them."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING, Any

import numpy as np
from nav_msgs.msg import OccupancyGrid
from std_msgs.msg import ColorRGBA
from visualization_msgs.msg import Marker, MarkerArray

from rigid_tree_kinematics.arrays import Array
from rigid_tree_kinematics.description import load_mesh
from rigid_tree_kinematics.errors import RigidTreeError, plain
from rigid_tree_kinematics.model import Mesh
from rigid_tree_kinematics.nodes.scene import coordinates

if TYPE_CHECKING:
    import viser


FREE, BLOCKED, UNKNOWN = (245, 245, 245), (70, 80, 92), (190, 190, 190)
LARGEST = 1e6  # m
MOST_MARKERS, MOST_POINTS = 10_000, 1_000_000  # of a layer; of a marker
POINT_DETAIL = 1  # subdivisions of a sphere that stands for a point

# Returns the name of the node that a frame has on the page.
NodeOf = Callable[[str], str]


class MarkerLayer:
    """What one topic of markers shows.

    Args:
        server: of the page.
        name: of this layer, part of its nodes' names.
        node_of: returns the node that markers of a frame hang on.
        complain: is told what cannot be shown.
    """

    def __init__(
        self,
        server: viser.ViserServer,
        name: str,
        node_of: NodeOf,
        complain: Callable[[str], None],
    ) -> None:
        self._scene = server.scene
        self._name = name
        self._node_of = node_of
        self._complain = complain
        self._shown: dict[tuple[str, int], Any] = {}
        self._visible = True

    def show(self, visible: bool) -> None:
        """Show or hide the layer."""
        self._visible = visible
        for handle in self._shown.values():
            handle.visible = visible

    def clear(self) -> None:
        """Remove everything."""
        for handle in self._shown.values():
            handle.remove()
        self._shown.clear()

    def take(self, message: MarkerArray) -> None:
        """Do what a message says."""
        for marker in message.markers:
            key = (marker.ns, marker.id)
            if marker.action == Marker.DELETEALL:
                self.clear()
                continue
            if key in self._shown:
                self._shown.pop(key).remove()
            if marker.action == Marker.DELETE:
                continue
            trouble = trouble_of(marker)
            if len(self._shown) >= MOST_MARKERS:
                trouble = f"more than {MOST_MARKERS} markers"
            if trouble:
                self._complain(f"{self._name}: marker {marker.ns} {marker.id}: {trouble}")
            else:
                self._add(key, marker)

    def _add(self, key: tuple[str, int], marker: Marker) -> None:
        frame = self._node_of(marker.header.frame_id)
        name = f"{frame}/{self._name} {marker.ns} {marker.id}".replace("//", "/")
        at, turn = marker.pose.position, marker.pose.orientation
        place: dict[str, Any] = {
            "position": (at.x, at.y, at.z),
            "wxyz": (turn.w, turn.x, turn.y, turn.z) if any_turn(turn) else (1.0, 0.0, 0.0, 0.0),
        }
        try:
            handle = self._draw(name, marker, place)
        except RigidTreeError as error:
            self._complain(f"{self._name}: {error}")
            return
        if handle is None:
            self._complain(f"{self._name}: markers of type {marker.type} are not shown")
            return
        handle.visible = self._visible
        self._shown[key] = handle

    def _draw(self, name: str, marker: Marker, place: dict[str, Any]) -> Any:
        scene, size = self._scene, marker.scale
        look: dict[str, Any] = {"color": rgb(marker.color), "opacity": opacity(marker.color)}
        if marker.type == Marker.CUBE:
            return scene.add_box(name, dimensions=(size.x, size.y, size.z), **look, **place)
        if marker.type == Marker.SPHERE:
            scale = (size.x, size.y, size.z)
            return scene.add_icosphere(name, 0.5, scale=scale, **look, **place)
        if marker.type == Marker.CYLINDER:
            scale = (size.x, size.y, size.z)
            return scene.add_cylinder(name, 0.5, 1.0, scale=scale, **look, **place)
        points = coordinates(marker.points)
        if marker.type in (Marker.LINE_STRIP, Marker.LINE_LIST):
            ends = segments(points, marker.type == Marker.LINE_STRIP)
            return scene.add_line_segments(
                name, ends, rgb(marker.color), thickness=size.x, **place
            )
        if marker.type in (Marker.SPHERE_LIST, Marker.POINTS, Marker.CUBE_LIST):
            return scene.add_point_cloud(
                name,
                points.astype(np.float32),
                rgb(marker.color),
                point_size=size.x,
                point_shape="circle",
                precision="float32",
                **place,
            )
        if marker.type == Marker.TRIANGLE_LIST:
            faces = np.arange(len(points)).reshape(-1, 3)
            return scene.add_mesh_simple(
                name, points, faces, flat_shading=True, side="double", **look, **place
            )
        if marker.type == Marker.MESH_RESOURCE:
            mesh = load_mesh(Mesh(marker.mesh_resource, (size.x, size.y, size.z)))
            return scene.add_mesh_simple(
                name, mesh.vertices, mesh.faces, side="double", **look, **place
            )
        if marker.type == Marker.TEXT_VIEW_FACING:
            return scene.add_label(name, plain(marker.text), **place)
        return None


class MapLayer:
    """A map, as a picture in its frame."""

    def __init__(
        self,
        server: viser.ViserServer,
        name: str,
        node_of: NodeOf,
        complain: Callable[[str], None],
    ) -> None:
        self._scene = server.scene
        self._name = name
        self._node_of = node_of
        self._complain = complain
        self._shown: Any = None

    def clear(self) -> None:
        """Remove the map."""
        if self._shown is not None:
            self._shown.remove()
            self._shown = None

    def take(self, grid: OccupancyGrid) -> None:
        """Show a map in the place of the one before."""
        self.clear()
        info = grid.info
        corner = info.origin.position
        numbers = (corner.x, corner.y, corner.z, info.resolution)
        if len(grid.data) != info.height * info.width or not len(grid.data):
            self._complain(
                f"{self._name}: {info.height} x {info.width} cells, but {len(grid.data)} numbers"
            )
            return
        if not are_sizes(numbers) or info.resolution <= 0.0:
            self._complain(f"{self._name}: origin and resolution are no sizes: {numbers}")
            return
        cells = np.array(grid.data, dtype=np.int16).reshape(info.height, info.width)
        picture = np.empty((info.height, info.width, 3), dtype=np.uint8)
        picture[:] = FREE
        picture[cells >= 50] = BLOCKED
        picture[cells < 0] = UNKNOWN
        width, height = info.width * info.resolution, info.height * info.resolution
        self._shown = self._scene.add_image(
            f"{self._node_of(grid.header.frame_id)}/{self._name}".replace("//", "/"),
            picture[::-1],  # a map's first row is its lowest
            render_width=width,
            render_height=height,
            position=(corner.x + 0.5 * width, corner.y + 0.5 * height, corner.z - 0.005),
            # A picture hangs upright, y down: laid on its back.
            wxyz=(0.0, 1.0, 0.0, 0.0),
        )


def trouble_of(marker: Marker) -> str:
    """Return why a marker cannot be shown; empty if it can."""
    pose, scale, color = marker.pose, marker.scale, marker.color
    at, turn = pose.position, pose.orientation
    numbers = (at.x, at.y, at.z, turn.x, turn.y, turn.z, turn.w, scale.x, scale.y, scale.z)
    if not are_sizes(numbers) or not are_sizes((color.r, color.g, color.b, color.a)):
        return "pose, scale or color are no sizes"
    if len(marker.points) > MOST_POINTS:
        return f"more than {MOST_POINTS} points"
    points = coordinates(marker.points)
    if points.size and not np.abs(points).max() <= LARGEST:  # NaN is neither
        return "a point is no place"
    if marker.type == Marker.TRIANGLE_LIST and len(points) % 3:
        return f"triangles of {len(points)} points"
    return ""


def are_sizes(numbers: Iterable[float]) -> bool:
    """Return whether all numbers are finite, and nothing that a page cannot draw."""
    return all(abs(number) <= LARGEST for number in numbers)


def any_turn(turn: Any) -> bool:
    """Return whether an orientation was filled in."""
    return bool(turn.x or turn.y or turn.z or turn.w)


def rgb(color: ColorRGBA) -> tuple[int, int, int]:
    """Return red, green and blue, 0 to 255."""
    red, green, blue = (
        round(255 * min(max(part, 0.0), 1.0)) for part in (color.r, color.g, color.b)
    )
    return red, green, blue


def opacity(color: ColorRGBA) -> float | None:
    """Return the opacity; None where nothing shines through."""
    return None if color.a >= 1.0 else float(color.a)


def segments(points: Array, strip: bool) -> Array:
    """Return lines as pairs of ends, (n, 2, 3)."""
    if strip:
        return np.stack((points[:-1], points[1:]), axis=1)
    return points[: len(points) // 2 * 2].reshape(-1, 2, 3)
