"""Scenes in YAML; the format is in docs/planning.md."""

import os

import numpy as np

from rigid_tree_kinematics.collision.scene.scene import Obstacle, PlacedShape, Scene
from rigid_tree_kinematics.collision.shapes import PointCloud, Prism, Shape
from rigid_tree_kinematics.description.robots import PACKAGE, bundled_folder, local_path
from rigid_tree_kinematics.description.table import (
    GEOMETRY_KEYS,
    Constants,
    Section,
    read_entries,
    read_geometry,
    table_text,
)
from rigid_tree_kinematics.errors import CollisionError, UnknownNameError

SUFFIXES = (".yaml", ".yml")
FILE_KEYS = ("constants", "obstacles")
OBSTACLE_KEYS = ("at", "attached_to", "touch", "shapes")
MORE_SHAPES = {"prism": "height", "points": "radius"}  # and the key that each requires
SHAPE_KEYS = (*GEOMETRY_KEYS, *MORE_SHAPES, "scale", "height", "radius", "at")


def load_scene(name_or_path: str | os.PathLike[str]) -> Scene:
    """Load a scene.

    Args:
        name_or_path: a bundled scene's name (``list_scenes()``), the path of a .yaml file, or such
            a file in a ROS package ("package://my_arm/scenes/cell.yaml").

    Raises:
        UnknownNameError: neither a bundled scene nor a path.
        DescriptionError: the file is missing or invalid; names file, line, obstacle and key.

    Example:
        >>> scene = load_scene("panda_pillars")  # or "scenes/cell.yaml"
        >>> list(scene.obstacles)
        ['table', 'left_pillar', 'right_pillar']
    """
    text = os.fspath(name_or_path)
    if text in list_scenes():
        path = bundled_folder("scenes") / f"{text}.yaml"
    else:
        path = local_path(text)
        if path.suffix.lower() not in SUFFIXES and os.sep not in text:
            advice = f"A path must end in {' or '.join(SUFFIXES)}"
            raise UnknownNameError("scene", text, list_scenes(), PACKAGE, advice)
    return read_scene(table_text(path), str(path), directory=str(path.resolve().parent))


def list_scenes() -> list[str]:
    """Return the names of the bundled scenes, sorted.

    Example:
        >>> list_scenes()
        ['panda_pillars']
    """
    return sorted(path.stem for path in bundled_folder("scenes").glob("*.yaml"))


def read_scene(text: str, source: str = "<text>", directory: str | None = None) -> Scene:
    """Return the scene that a YAML text describes.

    Args:
        text: the YAML.
        source: its name in error messages.
        directory: where mesh files with relative names are looked up.

    Example:
        >>> scene = read_scene("obstacles: {ball: {at: 'TransZ(0.5)', shapes: [{sphere: 0.1}]}}")
        >>> print(scene.obstacles["ball"].pose[:3, 3])
        [0.  0.  0.5]
    """
    constants = Constants(source)
    file = Section(read_entries(text, source), "", source, constants.value, FILE_KEYS)
    constants.define(file.optional("constants").entries)
    constants.check()
    scene = Scene()
    obstacles = file.section("obstacles")
    for name in obstacles:
        section = obstacles.section(name, OBSTACLE_KEYS, "obstacle")
        shapes = [_placed(row, directory) for row in section.rows("shapes", SHAPE_KEYS)]
        at = section.transform("at", default="identity")
        body = section.text("attached_to", default="-")
        try:
            scene.add(Obstacle(name, tuple(shapes), at))
        except CollisionError as error:
            raise section.error(str(error)) from error
        if "attached_to" in section:
            scene.attach(name, body, at, section.texts("touch"))
        elif "touch" in section:
            raise section.error("only an obstacle with attached_to can have this key", "touch")
    return scene


def _placed(row: Section, directory: str | None) -> PlacedShape:
    for kind, needed in MORE_SHAPES.items():
        if (needed in row) != (kind in row):
            raise row.error(f"'{kind}' and '{needed}' belong together")
    try:
        return PlacedShape(_shape(row, directory), row.transform("at", default="identity"))
    except CollisionError as error:
        raise row.error(str(error)) from error


def _shape(row: Section, directory: str | None) -> Shape:
    kinds = [key for key in (*GEOMETRY_KEYS, *MORE_SHAPES) if key in row]
    if len(kinds) == 1 and kinds[0] == "prism":
        lower, upper = row.numbers("height", 2)
        return Prism(np.array(row.table("prism", 2)), lower, upper)
    if len(kinds) == 1 and kinds[0] == "points":
        return PointCloud(np.array(row.table("points", 3)), row.positive("radius"))
    return read_geometry(row, directory, (*GEOMETRY_KEYS, *MORE_SHAPES))
