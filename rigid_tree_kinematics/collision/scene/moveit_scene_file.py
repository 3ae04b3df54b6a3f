"""Read and write obstacles in MoveIt's text format (.scene files).

The format is that of ``PlanningScene::saveGeometryToStream`` (moveit_core) and ``saveAsText``
(geometric_shapes). Older files, whose objects have no poses of their own, are read too; colors
and subframes are left out.
"""

import itertools
import math
import re
from collections.abc import Iterable, Iterator

import numpy as np

from rigid_tree_kinematics.arrays import Array
from rigid_tree_kinematics.collision.scene.scene import Obstacle, PlacedShape
from rigid_tree_kinematics.collision.shapes import (
    PointCloud,
    Shape,
    Triangles,
    cone,
    triangulation,
)
from rigid_tree_kinematics.description.meshes import MOST_POINTS, MOST_TRIANGLES
from rigid_tree_kinematics.errors import (
    CollisionError,
    DescriptionError,
    RigidTreeError,
)
from rigid_tree_kinematics.model import Box, Cylinder, Sphere
from rigid_tree_kinematics.model.transforms import matrix_quaternion, quaternion_matrix, transform

NAME = "scene"  # of written scenes
MOST_WRITTEN_POINTS = 10_000  # of a cloud, each of which becomes a sphere
NO_COLOR = "0 0 0 0"
WORD = re.compile(r"\S+")
# The sizes of each shape, in the order of the file.
SIZES = {"box": 3, "sphere": 1, "cylinder": 2, "cone": 2}


def read_moveit_scene(text: str, source: str = "<text>") -> list[Obstacle]:
    """Return the obstacles of a .scene text, their poses in the robot's base frame.

    Cones become triangles, and objects without shapes are ignored. Raises DescriptionError with
    the line for a text that is not a scene, ends early, or has invalid shapes.

    Example:
        >>> text = moveit_scene_text(load_scene("panda_pillars").obstacles.values())
        >>> [obstacle.name for obstacle in read_moveit_scene(text)]
        ['table', 'left_pillar', 'right_pillar']
    """
    reader = _Reader(text, source)
    try:
        return reader.obstacles()
    except DescriptionError:
        raise
    except RigidTreeError as error:  # invalid names, poses or shapes
        raise reader.error(str(error)) from error


def moveit_scene_text(obstacles: Iterable[Obstacle]) -> str:
    """Return obstacles as a .scene text.

    Meshes and prisms are written as triangles, the points of a cloud as spheres. Raises
    CollisionError for a name that the format does not allow or a cloud with too many points, and
    DescriptionError for a mesh file that cannot be read.

    Example:
        >>> text = moveit_scene_text(load_scene("panda_pillars").obstacles.values())
        >>> print(text.splitlines()[1])
        * table
    """
    lines = [NAME]
    for obstacle in obstacles:
        name = obstacle.name
        if name != name.strip() or len(name.splitlines()) != 1:
            raise CollisionError(
                f"obstacle '{name}': names in a .scene file must not have line breaks "
                "or surrounding blanks"
            )
        shapes = list(itertools.chain.from_iterable(map(_writable, obstacle.shapes)))
        lines += [f"* {name}", *_pose_lines(obstacle.pose), str(len(shapes))]
        for placed in shapes:
            lines += [*_shape_lines(placed.shape), *_pose_lines(placed.pose), NO_COLOR]
        lines.append("0")  # subframes
    return "\n".join([*lines, ".", ""])


class _Reader:
    """Reads words and lines, with line numbers for error messages."""

    def __init__(self, text: str, source: str) -> None:
        self._text, self._source = text, source
        self._at = 0

    def obstacles(self) -> list[Obstacle]:
        """Return the objects of the whole text that have shapes."""
        self.line()  # the scene's name
        obstacles: dict[str, Obstacle] = {}
        posed = self.objects_have_poses()
        while (marker := self.next_word("'*' or '.'")) != ".":
            if marker != "*":
                raise self.error(f"'*' starts an object and '.' ends the scene, not '{marker}'")
            name = self.line().strip()
            if name in obstacles:
                raise self.error(f"the object name '{name}' is repeated")
            pose = self.pose() if posed else np.eye(4)
            shapes = tuple(self.placed_shape() for _ in range(self.count("shapes")))
            for _ in range(self.count("subframes") if posed else 0):
                self.next_word("a subframe's name")
                self.pose()
            if shapes:
                obstacles[name] = Obstacle(name, shapes, pose)
        return list(obstacles.values())

    def error(self, message: str) -> DescriptionError:
        """Return an error at the current line."""
        line = self._text.count("\n", 0, self._at) + 1
        return DescriptionError(message, self._source, line)

    def line(self) -> str:
        """Return the rest of the line."""
        end = self._text.find("\n", self._at)
        end = len(self._text) if end < 0 else end
        found = self._text[self._at : end]
        self._at = min(end + 1, len(self._text))
        return found

    def next_word(self, what: str) -> str:
        found = WORD.search(self._text, self._at)
        if found is None:
            self._at = len(self._text)
            raise self.error(f"the text ends before {what}")
        self._at = found.end()
        return found.group()

    def objects_have_poses(self) -> bool:
        """Return whether the objects' names are followed by poses (not by numbers of shapes)."""
        first = re.compile(r"^\*.*\n(.*)", re.MULTILINE).search(self._text, self._at)
        return first is not None and len(first.group(1).split()) > 1

    def number(self) -> float:
        text = self.next_word("a number")
        try:
            value = float(text)
        except ValueError:
            value = math.nan
        if not math.isfinite(value):
            raise self.error(f"'{text}' is not a finite number")
        return value

    def numbers(self, count: int) -> Array:
        return np.array([self.number() for _ in range(count)])

    def count(self, what: str, most: int = MOST_POINTS) -> int:
        text = self.next_word(f"the number of {what}")
        if not (text.isascii() and text.isdigit() and int(text) <= most):
            raise self.error(f"the number of {what} must be in 0 to {most}, not '{text}'")
        return int(text)

    def pose(self) -> Array:
        return transform(self.numbers(3), quaternion_matrix(self.numbers(4)))

    def placed_shape(self) -> PlacedShape:
        placed = PlacedShape(self._shape(), self.pose())
        self.numbers(4)  # the color
        return placed

    def _shape(self) -> Shape:
        kind = self.next_word("a shape")
        if kind == "mesh":
            corners = self.count("vertices")
            triangles = self.count("triangles", MOST_TRIANGLES)
            vertices = self.numbers(3 * corners).reshape(-1, 3)
            return Triangles(vertices, self.numbers(3 * triangles).reshape(-1, 3).astype(np.int64))
        if kind == "plane":
            raise self.error("planes are not supported; use a thin box")
        if kind not in SIZES:
            known = ", ".join([*SIZES, "mesh"])
            raise self.error(f"a shape must be one of {known}, not '{kind}'")
        sizes = self.numbers(SIZES[kind]).tolist()
        if kind == "box":
            return Box((sizes[0], sizes[1], sizes[2]))
        if kind == "sphere":
            return Sphere(sizes[0])
        return Cylinder(*sizes) if kind == "cylinder" else cone(*sizes)


def _writable(placed: PlacedShape) -> Iterator[PlacedShape]:
    """Yield a shape as shapes of the format."""
    shape = placed.shape
    if isinstance(shape, Box | Sphere | Cylinder | Triangles):
        yield placed
    elif isinstance(shape, PointCloud):
        if len(shape.points) > MOST_WRITTEN_POINTS:
            raise CollisionError(
                f"a cloud of {len(shape.points)} points cannot be written; the maximum is "
                f"{MOST_WRITTEN_POINTS}"
            )
        for point in shape.points:
            yield PlacedShape(Sphere(shape.radius), placed.pose @ transform(point))
    else:
        yield PlacedShape(Triangles(*triangulation(shape)), placed.pose)


def _shape_lines(shape: Shape) -> list[str]:
    if isinstance(shape, Box):
        return ["box", _row(shape.size)]
    if isinstance(shape, Sphere):
        return ["sphere", _row([shape.radius])]
    if isinstance(shape, Cylinder):
        return ["cylinder", _row([shape.radius, shape.length])]
    assert isinstance(shape, Triangles)
    return [
        "mesh",
        f"{len(shape.vertices)} {len(shape.faces)}",
        *map(_row, shape.vertices.tolist()),
        *(" ".join(map(str, face)) for face in shape.faces.tolist()),
    ]


def _pose_lines(T: Array) -> list[str]:
    return [_row(T[:3, 3].tolist()), _row(matrix_quaternion(T).tolist())]


def _row(numbers: Iterable[float]) -> str:
    """Return numbers with all their digits."""
    return " ".join(repr(float(number)) for number in numbers)
