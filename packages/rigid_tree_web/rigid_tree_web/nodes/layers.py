"""Layers of the page: markers, point clouds and maps of other nodes, drawn like in RViz."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable
from typing import TYPE_CHECKING, Any

import numpy as np
from geometry_msgs.msg import Quaternion
from nav_msgs.msg import OccupancyGrid
from sensor_msgs.msg import PointCloud2
from std_msgs.msg import ColorRGBA
from visualization_msgs.msg import Marker, MarkerArray

from rigid_tree_kinematics.arrays import Array
from rigid_tree_kinematics.description import load_mesh
from rigid_tree_kinematics.errors import ConfigurationError, RigidTreeError
from rigid_tree_kinematics.model import Mesh
from rigid_tree_kinematics.nodes.scene import coordinates, placed_pose, read_points
from rigid_tree_kinematics.text import plain
from rigid_tree_web.drawn import COLLISION
from rigid_tree_web.web import box_corners

if TYPE_CHECKING:
    import viser

FREE, BLOCKED, UNKNOWN = (245, 245, 245), (70, 80, 92), (190, 190, 190)
LARGEST = 1e6  # m
MOST_MARKERS, MOST_POINTS = 10_000, 1_000_000  # of a layer; of a marker
SHAPES = (Marker.CUBE, Marker.SPHERE, Marker.CYLINDER, Marker.TRIANGLE_LIST, Marker.MESH_RESOURCE)
CLOUD_POINT, CLOUD_COLOR = 0.02, (40, 160, 190)  # m


class Layer:
    """The content of one topic on the page; ``node_of`` returns the page's node of a frame."""

    def __init__(
        self,
        server: viser.ViserServer,
        name: str,
        node_of: Callable[[str], str],
        warn: Callable[[str], None],
    ) -> None:
        self._server, self._name, self._node_of = server, name, node_of
        self._warn: Callable[[str], None] = lambda message: warn(f"{name}: {message}")
        self._shown: dict[Any, Any] = {}  # handles by key
        self._colors: dict[Any, tuple[int, int, int]] = {}  # of shapes, by key
        self._corners: dict[Any, tuple[str, Array]] = {}  # of boxes (8, 3) in a frame, by key
        self._visible = True
        self.has_content = False  # or has had

    def corners(self, pose: Callable[[str], Array]) -> Array:
        """Return corners (n, 3) of boxes around the content; ``pose`` returns frames' 4x4."""
        placed = [np.zeros((0, 3))]
        for frame, corners in self._corners.values():
            T = pose(frame)
            placed.append(corners @ T[:3, :3].T + T[:3, 3])
        return np.concatenate(placed)

    def show(self, visible: bool) -> None:
        """Show or hide the layer."""
        self._visible = visible
        for handle in self._shown.values():
            handle.visible = visible

    def clear(self) -> None:
        """Remove all content."""
        for handle in self._shown.values():
            handle.remove()
        self._shown.clear()
        self._corners.clear()

    def _path(self, frame: str, suffix: str = "") -> str:
        """Return the name of a node in a frame."""
        return f"{self._node_of(frame)}/{self._name}{suffix}".replace("//", "/")

    def _store(self, key: Any, handle: Any, frame: str, points: Array) -> None:
        """Store a handle with the box around its points (n, 3) in a frame."""
        handle.visible = self._visible
        self._shown[key] = handle
        self._corners[key] = frame, box_corners(points)
        self.has_content = True


class MarkerLayer(Layer):
    """A topic of marker arrays; ``on_click`` is called with a clicked shape's namespace."""

    on_click: Callable[[str], None] | None = None

    def receive(self, message: MarkerArray) -> None:
        """Add, replace and delete markers."""
        with self._server.atomic():
            for marker in message.markers:
                self._apply(marker)

    def _apply(self, marker: Marker) -> None:
        key = (marker.ns, marker.id)
        if marker.action == Marker.DELETEALL:
            self.clear()
            return
        if key in self._shown:
            self._shown.pop(key).remove()
            del self._corners[key]
        if marker.action != Marker.DELETE:
            self._add(key, marker)

    def mark(self, names: Collection[str]) -> None:
        """Color the shapes of these namespaces, and no others, red."""
        for key, handle in self._shown.items():
            own = self._colors.get(key)
            color = COLLISION if key[0] in names else own
            if own is not None and color is not None and tuple(handle.color) != color:
                handle.color = color

    def _add(self, key: tuple[str, int], marker: Marker) -> None:
        problem = problem_of(marker)
        if len(self._shown) >= MOST_MARKERS:
            problem = f"more than {MOST_MARKERS} markers"
        if problem:
            self._warn(f"marker {marker.ns} {marker.id}: {problem}")
            return
        at, turn = marker.pose.position, marker.pose.orientation
        place = {"position": (at.x, at.y, at.z), "wxyz": wxyz_of(turn)}
        path = self._path(marker.header.frame_id, f" {marker.ns} {marker.id}")
        try:
            handle, points = self._draw(path, marker, place), marker_points(marker)
        except RigidTreeError as error:
            self._warn(str(error))
            return
        self._colors.pop(key, None)
        if marker.type in SHAPES:
            self._colors[key] = rgb(marker.color)
        if handle is None:
            self._warn(f"markers of type {marker.type} are not supported")
        else:
            self._store(key, handle, marker.header.frame_id, points)
            if key in self._colors and self.on_click is not None:
                click = self.on_click
                handle.on_click(lambda _: click(key[0]))

    def _draw(self, name: str, marker: Marker, place: dict[str, Any]) -> Any:
        """Return the handle of a drawn marker, None for types that are not supported."""
        scene, color = self._server.scene, rgb(marker.color)
        size = (marker.scale.x, marker.scale.y, marker.scale.z)
        opacity = None if marker.color.a >= 1.0 else float(marker.color.a)
        style: dict[str, Any] = {"color": color, "opacity": opacity, **place}
        points = coordinates(marker.points)
        match marker.type:
            case Marker.CUBE:
                return scene.add_box(name, dimensions=size, **style)
            case Marker.SPHERE:
                return scene.add_icosphere(name, 0.5, scale=size, **style)
            case Marker.CYLINDER:
                return scene.add_cylinder(name, 0.5, 1.0, scale=size, **style)
            case Marker.LINE_STRIP | Marker.LINE_LIST:
                if marker.type == Marker.LINE_STRIP:
                    points = np.repeat(points, 2, axis=0)[1:-1]
                ends = points[: len(points) // 2 * 2].reshape(-1, 2, 3)
                return scene.add_line_segments(name, ends, color, thickness=size[0], **place)
            case Marker.SPHERE_LIST | Marker.POINTS | Marker.CUBE_LIST:
                return add_points(self._server, name, points, color, size[0], **place)
            case Marker.TRIANGLE_LIST:
                faces = np.arange(len(points)).reshape(-1, 3)
                style |= {"flat_shading": True, "side": "double"}
                return scene.add_mesh_simple(name, points, faces, **style)
            case Marker.MESH_RESOURCE:
                mesh = load_mesh(Mesh(marker.mesh_resource, size))
                style["side"] = "double"
                return scene.add_mesh_simple(name, mesh.vertices, mesh.faces, **style)
            case Marker.TEXT_VIEW_FACING:
                return scene.add_label(name, plain(marker.text), **place)
        return None


class PointLayer(Layer):
    """The last message of a topic of point clouds."""

    def receive(self, message: PointCloud2) -> None:
        """Replace the cloud."""
        try:
            points = read_points(message)
        except ConfigurationError as error:
            self._warn(str(error))
            return
        points = points[(np.abs(points) <= LARGEST).all(axis=1)]  # without NaN
        with self._server.atomic():
            self.clear()
            if len(points):
                path = self._path(message.header.frame_id)
                handle = add_points(self._server, path, points, CLOUD_COLOR, CLOUD_POINT)
                self._store("cloud", handle, message.header.frame_id, points)


class MapLayer(Layer):
    """The last message of a topic of maps, as an image in the map's frame."""

    def receive(self, grid: OccupancyGrid) -> None:
        """Replace the map."""
        self.clear()
        info = grid.info
        corner = info.origin.position
        numbers = (corner.x, corner.y, corner.z, info.resolution)
        if len(grid.data) != info.height * info.width or not len(grid.data):
            self._warn(f"{info.height} x {info.width} cells, but {len(grid.data)} values")
            return
        if not are_drawable(numbers) or info.resolution <= 0.0:
            self._warn(f"invalid origin or resolution: {numbers}")
            return
        cells = np.array(grid.data, dtype=np.int16).reshape(info.height, info.width)
        image = np.empty((info.height, info.width, 3), dtype=np.uint8)
        image[:] = FREE
        image[cells >= 50] = BLOCKED
        image[cells < 0] = UNKNOWN
        width, height = info.width * info.resolution, info.height * info.resolution
        handle = self._server.scene.add_image(
            self._path(grid.header.frame_id),
            image[::-1],  # the first row of a map is its lowest
            render_width=width,
            render_height=height,
            position=(corner.x + 0.5 * width, corner.y + 0.5 * height, corner.z - 0.005),
            wxyz=(0.0, 1.0, 0.0, 0.0),  # images are upright with y down
        )
        far = (corner.x + width, corner.y + height, corner.z)
        ends = np.array([(corner.x, corner.y, corner.z), far])
        self._store("map", handle, grid.header.frame_id, ends)


def add_points(
    server: viser.ViserServer,
    name: str,
    points: Array,
    color: tuple[int, int, int],
    size: float,
    **place: Any,
) -> Any:
    """Add round points (n, 3) with a diameter (m) to the page."""
    place |= {"point_size": size, "point_shape": "circle", "precision": "float32"}
    return server.scene.add_point_cloud(name, points.astype(np.float32), color, **place)


def marker_points(marker: Marker) -> Array:
    """Return points (n, 3) that span a marker in its frame; RigidTreeError for a bad pose."""
    points = coordinates(marker.points)
    if not points.size:
        scale = marker.scale
        half = 0.5 * np.array([scale.x, scale.y, scale.z])
        points = box_corners(np.stack((half, -half)))
    T = placed_pose(marker.pose)
    placed: Array = points @ T[:3, :3].T + T[:3, 3]
    return placed


def problem_of(marker: Marker) -> str:
    """Return why a marker cannot be shown; empty if it can."""
    pose, scale, color = marker.pose, marker.scale, marker.color
    at, turn = pose.position, pose.orientation
    numbers = (at.x, at.y, at.z, turn.x, turn.y, turn.z, turn.w, scale.x, scale.y, scale.z)
    if not are_drawable((*numbers, color.r, color.g, color.b, color.a)):
        return f"pose, scale or color is not finite or exceeds {LARGEST:g}"
    if len(marker.points) > MOST_POINTS:
        return f"more than {MOST_POINTS} points"
    points = coordinates(marker.points)
    if points.size and not np.abs(points).max() <= LARGEST:  # or NaN
        return f"a point is not finite or exceeds {LARGEST:g} m"
    if marker.type == Marker.TRIANGLE_LIST and len(points) % 3:
        return f"{len(points)} points are not triangles"
    return ""


def are_drawable(numbers: Iterable[float]) -> bool:
    """Return whether all numbers are finite and within the page's range."""
    return all(abs(number) <= LARGEST for number in numbers)


def wxyz_of(turn: Quaternion) -> tuple[float, float, float, float]:
    """Return an orientation, the identity if it was not set."""
    is_set = turn.x or turn.y or turn.z or turn.w
    return (turn.w, turn.x, turn.y, turn.z) if is_set else (1.0, 0.0, 0.0, 0.0)


def rgb(color: ColorRGBA) -> tuple[int, int, int]:
    """Return red, green and blue, 0 to 255."""
    parts = np.clip((color.r, color.g, color.b), 0.0, 1.0)
    red, green, blue = (round(255 * part) for part in parts.tolist())
    return red, green, blue
