"""Shapes for obstacles only: triangles, point clouds, prisms, cones."""

import math
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from rigid_tree_kinematics.arrays import Array
from rigid_tree_kinematics.description.meshes import (
    FARTHEST,
    MOST_POINTS,
    MOST_TRIANGLES,
    load_triangles,
)
from rigid_tree_kinematics.errors import CollisionError
from rigid_tree_kinematics.model import Box, Cylinder, Mesh, Sphere
from rigid_tree_kinematics.text import told_apart

# From a grain of dust to a mountain; outside this range, numbers lose precision.
SMALLEST_SIZE, LARGEST_SIZE = 1e-5, 1e4  # m
MOST_CORNERS = 500  # of a prism
CONE_SIDES = 32

Triangulation = tuple[Array, NDArray[np.int64]]  # vertices (n, 3) m, faces (m, 3)


@dataclass(frozen=True, eq=False)
class Triangles:
    """A mesh given by its vertices (n, 3), m, and faces (m, 3), indices into them.

    Example:
        >>> vertices = [(0, 0, 0), (1, 0, 0), (0, 1, 0), (0, 0, 0.5)]  # m
        >>> ramp = Triangles(vertices, [(0, 2, 1), (0, 1, 3), (1, 2, 3), (0, 3, 2)])
        >>> Obstacle.of("ramp", ramp).shapes[0].shape.faces.shape
        (4, 3)
    """

    vertices: Array
    faces: NDArray[np.int64]

    def __post_init__(self) -> None:
        if len(self.faces) > MOST_TRIANGLES:
            raise CollisionError(
                f"a mesh has at most {MOST_TRIANGLES} triangles, not {len(self.faces)}"
            )
        vertices = _points(self.vertices, 3, "vertices")
        faces = np.array(self.faces, dtype=np.int64).reshape(-1, 3)
        if not len(faces):
            raise CollisionError("a mesh needs at least one triangle")
        if faces.min() < 0 or faces.max() >= len(vertices):
            raise CollisionError(
                f"triangles refer to vertices 0 to {len(vertices) - 1}, not to "
                f"{faces.min() if faces.min() < 0 else faces.max()}"
            )
        object.__setattr__(self, "vertices", vertices)
        object.__setattr__(self, "faces", faces)


@dataclass(frozen=True, eq=False)
class PointCloud:
    """Points (n, 3), m, each the center of a sphere of ``radius``, m.

    Example:
        >>> robot = load_robot("ur5")
        >>> home = robot.home_configuration()
        >>> points = robot.get_transform(home, "tool0")[:3, 3] + [[0, 0, 0.02], [0, 0, 0.04]]  # m
        >>> scene = Scene([Obstacle.of("seen", PointCloud(points, radius=0.03))])
        >>> CollisionChecker(robot, scene).is_free(home)
        False
    """

    points: Array
    radius: float

    def __post_init__(self) -> None:
        object.__setattr__(self, "points", _points(self.points, 3, "points"))
        _sizes("the radius of a point cloud", self.radius)


@dataclass(frozen=True, eq=False)
class Prism:
    """A polygon in the x-y plane, corners (n, 2) in order, extruded from z = lower to upper.

    It may be concave; its sides must not cross each other.

    Example:
        >>> corners = [(0, 0), (0.4, 0), (0.4, 0.1), (0.1, 0.1), (0.1, 0.4), (0, 0.4)]
        >>> shelf = Obstacle.of("shelf", Prism(corners, lower=0.5, upper=0.52))
        >>> shelf.shapes[0].shape.corners.shape
        (6, 2)
    """

    corners: Array
    lower: float
    upper: float

    def __post_init__(self) -> None:
        corners = _points(self.corners, 2, "corners")
        if len(corners) < 3:
            raise CollisionError(f"a prism needs at least 3 corners, not {len(corners)}")
        if not (math.isfinite(self.lower) and math.isfinite(self.upper)):
            raise CollisionError("a prism's lower and upper ends must be finite")
        if self.upper <= self.lower:
            raise CollisionError(
                f"a prism's upper end ({self.upper}) must be above its lower end ({self.lower})"
            )
        _near("a prism's lower and upper ends", self.lower, self.upper)
        _sizes("the height of a prism", self.upper - self.lower)
        if len(corners) > MOST_CORNERS:
            raise CollisionError(f"a prism has at most {MOST_CORNERS} corners, not {len(corners)}")
        if _signed_area(corners) < 0.0:
            corners = corners[::-1].copy()
        crossing = _crossing_sides(corners)
        if crossing is not None:
            raise CollisionError(
                "a prism's sides intersect: those that start at corners "
                f"{crossing[0]} and {crossing[1]}"
            )
        if _signed_area(corners) < 1e-12:
            raise CollisionError("a prism's corners are collinear")
        object.__setattr__(self, "corners", corners)


Shape = Box | Cylinder | Sphere | Mesh | Triangles | PointCloud | Prism


def checked_shape(shape: Shape) -> Shape:
    """Return the shape, or raise CollisionError if its sizes are invalid."""
    if isinstance(shape, Box):
        _sizes("the size of a box", *shape.size)
    elif isinstance(shape, Cylinder):
        _sizes("the radius of a cylinder", shape.radius)
        _sizes("the length of a cylinder", shape.length)
    elif isinstance(shape, Sphere):
        _sizes("the radius of a sphere", shape.radius)
    elif isinstance(shape, Mesh):
        _sizes("the scale of a mesh", *map(abs, shape.scale), unit="")
    elif not isinstance(shape, Triangles | PointCloud | Prism):
        raise CollisionError(
            "a shape is a Box, Cylinder, Sphere, Mesh, Triangles, PointCloud or Prism, not "
            f"{type(shape).__name__}"
        )
    return shape


def triangulation(shape: Mesh | Triangles | Prism) -> Triangulation:
    """Return a shape's surface as triangles, in its own frame.

    Raises DescriptionError if a mesh file is missing, cannot be read or is too large.
    """
    if isinstance(shape, Triangles):
        return shape.vertices, shape.faces
    if isinstance(shape, Mesh):
        return load_triangles(shape)
    return _prism_surface(shape)


def cone(radius: float, height: float) -> Triangles:
    """Return a faceted cone about z, tip up, with the origin at half its height.

    ``radius`` and ``height`` are in m; the sides contain the round cone. Raises CollisionError for
    invalid sizes.

    Example:
        >>> tip = cone(radius=0.05, height=0.2)
        >>> print(tip.vertices[:, 2].min(), tip.vertices[:, 2].max())
        -0.1 0.1
    """
    half = 0.5 * height
    ring = np.column_stack([radius * circle(CONE_SIDES), np.full(CONE_SIDES, -half)])
    ends = [[0.0, 0.0, half], [0.0, 0.0, -half]]
    k = np.arange(CONE_SIDES)
    after = (k + 1) % CONE_SIDES
    sides = np.column_stack([k, after, np.full(CONE_SIDES, CONE_SIDES)])
    base = np.column_stack([after, k, np.full(CONE_SIDES, CONE_SIDES + 1)])
    return Triangles(np.vstack([ring, ends]), np.stack([sides, base], 1).reshape(-1, 3))


def circle(sides: int) -> Array:
    """Return the corners (sides, 2) of a polygon that contains the unit circle."""
    angles = np.linspace(0.0, 2.0 * math.pi, sides, endpoint=False)
    return np.column_stack([np.cos(angles), np.sin(angles)]) / math.cos(math.pi / sides)


def convex_pieces(prism: Prism) -> list[Array]:
    """Return the cross-section as convex polygons, counterclockwise corners (k, 2)."""
    if _is_convex(prism.corners):
        return [prism.corners]
    return [prism.corners[list(triangle)] for triangle in _clip_ears(prism.corners)]


def _prism_surface(prism: Prism) -> Triangulation:
    corners = prism.corners
    count = len(corners)
    low = np.column_stack([corners, np.full(count, prism.lower)])
    high = np.column_stack([corners, np.full(count, prism.upper)])
    caps = _clip_ears(corners)
    faces = [(c, b, a) for a, b, c in caps]
    faces += [(a + count, b + count, c + count) for a, b, c in caps]
    for k in range(count):
        after = (k + 1) % count
        faces += [(k, after, after + count), (k, after + count, k + count)]
    return np.vstack([low, high]), np.array(faces, dtype=np.int64)


def _clip_ears(corners: Array) -> list[tuple[int, int, int]]:
    """Return triangles of a simple counterclockwise polygon (Meisters 1975)."""
    left = list(range(len(corners)))
    triangles = []
    while len(left) > 3:
        for k in range(len(left)):
            a, b, c = left[k - 1], left[k], left[(k + 1) % len(left)]
            others = [corners[i] for i in left if i not in (a, b, c)]
            if _turn(corners[a], corners[b], corners[c]) > 0.0 and not any(
                _inside(point, corners[a], corners[b], corners[c]) for point in others
            ):
                triangles.append((a, b, c))
                del left[k]
                break
        else:
            straight = [
                k
                for k in range(len(left))
                if _turn(*(corners[left[j % len(left)]] for j in (k - 1, k, k + 1))) == 0.0
            ]
            if not straight:
                raise CollisionError("a prism's sides intersect")
            del left[straight[0]]
    triangles.append((left[0], left[1], left[2]))
    return triangles


def _turn(a: Array, b: Array, c: Array) -> float:
    return float((b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0]))


def _inside(point: Array, a: Array, b: Array, c: Array) -> bool:
    return _turn(a, b, point) >= 0.0 and _turn(b, c, point) >= 0.0 and _turn(c, a, point) >= 0.0


def _crossing_sides(corners: Array) -> tuple[int, int] | None:
    """Return the first two sides that intersect, by the index of their first corner."""
    along = np.roll(corners, -1, axis=0) - corners
    to = corners[np.newaxis] - corners[:, np.newaxis]
    # side[i, j]: on which side of side i corner j lies
    side = np.sign(along[:, :1] * to[..., 1] - along[:, 1:] * to[..., 0])
    parts = side * np.roll(side, -1, axis=1) < 0.0
    crossing = np.argwhere(parts & parts.T)
    return (int(crossing[0, 0]), int(crossing[0, 1])) if len(crossing) else None


def _is_convex(corners: Array) -> bool:
    count = len(corners)
    return all(
        _turn(corners[k - 1], corners[k], corners[(k + 1) % count]) >= 0.0 for k in range(count)
    ) and all(_turn(corners[0], corners[k], corners[k + 1]) >= 0.0 for k in range(1, count - 1))


def _signed_area(corners: Array) -> float:
    x, y = corners.T
    return 0.5 * float(x @ np.roll(y, -1) - y @ np.roll(x, -1))


def _points(values: ArrayLike, columns: int, what: str) -> Array:
    try:
        points = np.array(values, dtype=np.float64)
    except (TypeError, ValueError) as error:
        raise CollisionError(f"{what} must be numbers: {error}") from error
    check_points(points, columns, what)
    return points


def check_points(points: NDArray[Any], columns: int, what: str) -> None:
    """Raise CollisionError unless an array (n, columns) has finite points within FARTHEST."""
    if points.ndim != 2 or points.shape[1] != columns or not len(points):
        raise CollisionError(f"{what} take an array of shape (n, {columns}), not {points.shape}")
    if len(points) > MOST_POINTS:
        raise CollisionError(f"there may be at most {MOST_POINTS} {what}, not {len(points)}")
    low, high = points.min(), points.max()
    if not (math.isfinite(low) and math.isfinite(high)):
        raise CollisionError(f"{what} must be finite")
    _near(what, low, high)


def _sizes(what: str, *values: float, unit: str = " m") -> None:
    for value in values:
        if not (math.isfinite(value) and value > 0.0):
            raise CollisionError(f"{what} must be positive and finite, not {value}")
        if not SMALLEST_SIZE <= value <= LARGEST_SIZE:
            number, low, high = told_apart(value, SMALLEST_SIZE, LARGEST_SIZE)
            raise CollisionError(f"{what} must be between {low} and {high}{unit}, not {number}")


def _near(what: str, *values: float) -> None:
    for value in values:
        if not abs(value) <= FARTHEST:
            number, most = told_apart(value, FARTHEST)
            raise CollisionError(f"{what} must be within {most} m, not {number}")
