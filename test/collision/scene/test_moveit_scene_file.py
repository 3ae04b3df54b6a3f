"""Scenes in MoveIt's text format: read and written like MoveIt."""

import itertools

import numpy as np
import pytest

from harness.cases import case
from harness.example_robots import random_transform
from rigid_tree_kinematics.collision import (
    Obstacle,
    PlacedShape,
    PointCloud,
    Prism,
    Triangles,
    cone,
    load_scene,
    moveit_scene_text,
    read_moveit_scene,
)
from rigid_tree_kinematics.errors import CollisionError, DescriptionError
from rigid_tree_kinematics.model import Box, Cylinder, Sphere
from rigid_tree_kinematics.model.transforms import transform

# In the form of each of the two versions that moveit_core reads (its test_planning_scene.cpp).
NEW = """(noname)+
* work bench
0.5 0 0.2
0 0 0.707107 0.707107
2
box
2.58 1.36 0.31
1.5 1 0.17
0 0 0 1
0 0 1 0.3
cylinder
0.02 0.5
0.45 0.5 0.35
0 0.707107 0 0.707107
0 0 1 0.3
1
handle
0 0 1
0 0 0 1
* nothing
0 0 0
0 0 0 1
0
0
* hat
0 0 0
0 0 0 1
3
cone
0.1 0.4
0 0 1
0 0 0 1
0 0 0 0
sphere
0.3
1 0 0
0 0 0 1
0 0 0 0
mesh
4 2
0 0 0
1 0 0
0 1 0
0 0 1e-1
0 1 2
0 1 3
0 0 0
0 0 0 1
0 0 0 0
0
.
"""
OLD = """foobar_scene
* foo
2
box
.77 0.39 0.05
0 0 0.025
0 0 0 1
0.82 0.75 0.60 1
box
.77 0.39 0.05
0 0 1.445
0 0 0 1
0.82 0.75 0.60 1
.
"""


def by_name(text: str) -> dict[str, Obstacle]:
    return {obstacle.name: obstacle for obstacle in read_moveit_scene(text, "file.scene")}


def test_what_moveit_writes():
    found = by_name(NEW)
    assert list(found) == ["work bench", "hat"]
    bench = found["work bench"]
    turn = np.array([[0.0, -1.0, 0.0], [1.0, 0.0, 0.0], [0.0, 0.0, 1.0]])
    assert np.allclose(bench.pose, transform((0.5, 0.0, 0.2), turn), atol=1e-6)
    board, leg = bench.shapes
    assert board.shape == Box((2.58, 1.36, 0.31))
    assert np.allclose(board.pose, transform((1.5, 1.0, 0.17)))
    assert leg.shape == Cylinder(radius=0.02, length=0.5)
    assert np.allclose(leg.pose[:3, 2], (1.0, 0.0, 0.0), atol=1e-6)
    hat, ball, sheet = (placed.shape for placed in found["hat"].shapes)
    assert isinstance(hat, Triangles)
    assert np.allclose(hat.vertices[np.argmax(hat.vertices[:, 2])], (0.0, 0.0, 0.2))
    assert np.linalg.norm(hat.vertices[:-2, :2], axis=1) == pytest.approx(0.1, rel=0.01)
    assert ball == Sphere(0.3)
    assert isinstance(sheet, Triangles)
    assert sheet.vertices[3].tolist() == [0.0, 0.0, 0.1]
    assert sheet.faces.tolist() == [[0, 1, 2], [0, 1, 3]]


def test_files_whose_objects_have_no_pose():
    foo = by_name(OLD)["foo"]
    assert np.array_equal(foo.pose, np.eye(4))
    assert [placed.pose[2, 3] for placed in foo.shapes] == [0.025, 1.445]


def test_what_is_written_is_read_as_it_was():
    rng = np.random.default_rng(1)
    shapes = [
        Box((0.1, 1.0 / 3.0, 2e-5)),
        Sphere(0.1234567890123456),
        Cylinder(0.2, 0.7),
        cone(0.1, 0.4),
        Triangles(rng.normal(size=(5, 3)), np.array(list(itertools.combinations(range(5), 3)))),
    ]
    placed = tuple(PlacedShape(shape, random_transform(rng)) for shape in shapes)
    written = Obstacle("a * b .", placed, random_transform(rng))
    (read,) = read_moveit_scene(moveit_scene_text([written]))
    assert read.name == written.name
    assert np.allclose(read.pose, written.pose, rtol=0.0, atol=1e-14)
    for one, two in zip(read.shapes, written.shapes, strict=True):
        assert np.allclose(one.pose, two.pose, rtol=0.0, atol=1e-14)
        if isinstance(two.shape, Triangles):
            assert isinstance(one.shape, Triangles)
            assert np.array_equal(one.shape.vertices, two.shape.vertices)
            assert np.array_equal(one.shape.faces, two.shape.faces)
        else:
            assert one.shape == two.shape


def test_what_the_format_lacks_is_written_as_what_it_has():
    points = np.array([[0.1, 0.2, 0.3], [1.0, 0.0, 0.0]])
    prism = Prism(np.array([[0.0, 0.0], [2.0, 0.0], [0.0, 1.0]]), 0.0, 3.0)
    shapes = PlacedShape(PointCloud(points, 0.01)), PlacedShape(prism)
    (read,) = read_moveit_scene(moveit_scene_text([Obstacle("all", shapes)]))
    first, second, block = read.shapes
    assert first.shape == second.shape == Sphere(0.01)
    assert [first.pose[:3, 3].tolist(), second.pose[:3, 3].tolist()] == points.tolist()
    assert isinstance(block.shape, Triangles)
    corners = block.shape.vertices[block.shape.faces]
    volume = np.linalg.det(corners).sum() / 6.0  # the divergence theorem
    assert volume == pytest.approx(3.0)
    scene = load_scene("panda_pillars")
    assert set(by_name(moveit_scene_text(scene.obstacles.values()))) == set(scene.obstacles)


def test_names_that_the_format_cannot_hold():
    for name in ("two\nlines", " blank", "blank\t"):
        with case(name), pytest.raises(CollisionError, match="must not have line breaks"):
            moveit_scene_text([Obstacle.of(name, Sphere(0.1))])


def test_what_is_no_scene():
    for old, new, words in (
        ("2.58 1.36 0.31", "2.58 1.36", "file.scene:11: 'cylinder' is not a finite number"),
        ("2.58", "-2.58", "positive"),
        ("2.58", "nan", "file.scene:7: 'nan' is not a finite number"),
        ("0 0 0.707107 0.707107", "0 0 0 0", "quaternion"),
        ("0 0 0.707107 0.707107\n2", "0 0 0.707107 0.707107\n2.5", "number of shapes"),
        ("0 0 0.707107 0.707107\n2", "0 0 0.707107 0.707107\n99999999999", "number of shapes"),
        ("sphere", "octree", "not 'octree'"),
        ("sphere\n0.3", "plane\n0 0 1 0", "planes"),
        ("0 1 3", "0 1 4", "vertices 0 to 3"),
        ("* hat", "* work bench", "is repeated"),
        ("* hat", "hat", "not 'hat'"),
    ):
        assert old in NEW
        with case(new), pytest.raises(DescriptionError, match=words):
            by_name(NEW.replace(old, new, 1))
    with pytest.raises(DescriptionError, match=r"'\*' or '\.'"):
        by_name(NEW.removesuffix(".\n"))
    with pytest.raises(DescriptionError, match="ends"):
        by_name("")
    assert by_name("empty\n.\n") == {}
