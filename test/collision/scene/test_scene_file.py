"""Scenes from YAML: bundled ones, all shapes, and errors with their location."""

import numpy as np
import pytest

from harness.cases import case
from rigid_tree_kinematics.collision import (
    CollisionChecker,
    Obstacle,
    PointCloud,
    Prism,
    list_scenes,
    load_scene,
    read_scene,
)
from rigid_tree_kinematics.description.robots import load_robot
from rigid_tree_kinematics.errors import DescriptionError, UnknownNameError
from rigid_tree_kinematics.model import Box, Cylinder, Mesh, Sphere

EVERYTHING = """
constants: {h: 0.4}
obstacles:
  shelf:
    at: Translation(1, 0, h/2)
    shapes:
      - {box: [0.1, 0.2, h], at: "RotZ(pi/2)"}
      - {cylinder: [0.05, h]}
      - {sphere: 0.1, at: "Translation(0, 0, h)"}
      - {mesh: part.stl, scale: [2, 2, 2]}
      - {prism: [[0, 0], [1, 0], [0, h]], height: [-0.1, 0.1]}
      - {points: [[0, 0, 0], [0, 0, h]], radius: 0.02}
  tool:
    attached_to: panda_link8
    touch: [panda_link7]
    at: Translation(0, 0, 0.1)
    shapes:
      - {sphere: 0.05}
"""


def test_every_kind_of_shape():
    shelf = read_scene(EVERYTHING, directory="/somewhere").obstacles["shelf"]
    np.testing.assert_allclose(shelf.pose[:3, 3], [1.0, 0.0, 0.2])
    box, cylinder, sphere, mesh, prism, points = shelf.shapes
    assert (box.shape, cylinder.shape) == (Box((0.1, 0.2, 0.4)), Cylinder(0.05, 0.4))
    np.testing.assert_allclose(box.pose[:2, :2], [[0, -1], [1, 0]], atol=1e-15)
    assert (sphere.shape, sphere.pose[2, 3]) == (Sphere(0.1), 0.4)
    assert mesh.shape == Mesh("part.stl", (2.0, 2.0, 2.0), "/somewhere")
    assert isinstance(prism.shape, Prism)
    assert prism.shape.corners.shape == (3, 2)
    assert isinstance(points.shape, PointCloud)
    assert points.shape.radius == 0.02


def test_an_attached_obstacle_moves_with_its_body():
    scene = read_scene(EVERYTHING.replace("      - {mesh: part.stl, scale: [2, 2, 2]}\n", ""))
    tool = scene.attached["tool"]
    assert (tool.body, tool.touch_bodies) == ("panda_link8", ("panda_link7",))
    robot = load_robot("panda")
    q = robot.home_configuration()
    T = robot.get_transform(q, "panda_link8") @ tool.T_body_obstacle
    checker = CollisionChecker(robot, scene)
    assert checker.check(q).free
    scene.add(Obstacle.of("crate", Sphere(0.01), T))
    contacts = checker.check(q).contacts
    assert {"tool", "crate"} in [{contact.first, contact.second} for contact in contacts]


def test_scenes_are_found_by_name_and_by_path(tmp_path):
    for name in list_scenes():
        assert load_scene(name).obstacles, name
    path = tmp_path / "cell.yaml"
    path.write_text("obstacles: {ball: {shapes: [{sphere: 1}]}}")
    assert list(load_scene(path).obstacles) == ["ball"]
    with pytest.raises(UnknownNameError, match="panda_pillars"):
        load_scene("panda_pilars")


def test_mistakes_are_named_with_their_place():
    for text, *words in (
        ("obstacles: {a: {shapes: []}}", ":1:", "obstacle 'a'", "no shape"),
        ("obstacles: {a: {shapes: [{box: [1, 1]}]}}", "obstacle 'a'", "box", "3"),
        ("obstacles: {a: {shapes: [{box: [1, 1, -1]}]}}", "greater than zero"),
        ("obstacles: {a: {shapes: [{}]}}", "box", "prism", "points"),
        ("obstacles: {a: {shapes: [{sphere: 1, height: [0, 1]}]}}", "belong together"),
        ("obstacles: {a: {shapes: [{prism: [[0, 0], [1]], height: [0, 1]}]}}", "row 2"),
        (
            "obstacles: {a: {shapes: [{prism: [[0, 0], [1, 0], [2, 0]], height: [0, 1]}]}}",
            *("shapes 1", "collinear"),
        ),
        ("obstacles: {a: {touch: [b], shapes: [{sphere: 1}]}}", "attached_to"),
        ("obstacles: {a: {shape: [{sphere: 1}]}}", "'shape'", "shapes"),
        ("obstacle: {}", "obstacles"),
    ):
        with case(text), pytest.raises(DescriptionError) as caught:
            read_scene(text, "cell.yaml")
        for word in ("cell.yaml", *words):
            assert word in str(caught.value), text
