"""Spheres contain shapes tightly and are cached on disk."""

from typing import Any

import numpy as np
import pytest
import trimesh

from harness.example_robots import ROBOTS, mesh_of
from rigid_tree_kinematics.collision import PointCloud, Prism, Triangles
from rigid_tree_kinematics.collision.shapes.enclosing import enclosing_sphere
from rigid_tree_kinematics.collision.shapes.spheres import fit_spheres
from rigid_tree_kinematics.model import Box, Cylinder, Mesh, Sphere

MESHES = (
    "panda_description/meshes/collision/link5.stl",
    "panda_description/meshes/collision/hand.stl",
    "ur_description/meshes/ur5/collision/forearm.stl",
    "so_arm_description/meshes/so101/upper_arm_so101_v1.stl",  # 60,000 triangles
)


U_PROFILE = 0.1 * np.array([(0, 0), (3, 0), (3, 2), (2, 2), (2, 1), (1, 1), (1, 2), (0, 2)])
RING, TORUS = trimesh.creation.annulus(0.2, 0.3, 0.1), trimesh.creation.torus(0.3, 0.05)
SHAPES = {
    "cube": Box((0.3, 0.3, 0.3)),
    "plate": Box((1.0, 1.6, 0.05)),
    "needle": Box((2.0, 0.01, 0.01)),
    "tube": Cylinder(0.05, 0.6),
    "disc": Cylinder(0.4, 0.02),
    "ball": Sphere(0.2),
    "profile": Prism(U_PROFILE, -0.2, 0.1),
    "ring": Triangles(RING.vertices, RING.faces),
    "torus": Triangles(TORUS.vertices, TORUS.faces),
}


def drawn(shape):
    """Return a shape as trimesh draws it."""
    if isinstance(shape, Triangles):
        return trimesh.Trimesh(shape.vertices, shape.faces)
    if not isinstance(shape, Prism):
        return mesh_of(shape)
    triangles = [(0, 1, 5), (0, 5, 6), (0, 6, 7), (1, 4, 5), (1, 3, 4), (1, 2, 3)]
    mesh = trimesh.creation.extrude_triangulation(U_PROFILE, triangles, 0.3)
    return mesh.apply_translation((0.0, 0.0, -0.2))


def outside(points, spheres):
    """Return by how much each point is outside of all spheres (negative: inside of one)."""
    gaps = np.full(len(points), np.inf)
    for x, y, z, radius in spheres:
        np.minimum(gaps, np.linalg.norm(points - (x, y, z), axis=1) - radius, out=gaps)
    return gaps


@pytest.mark.parametrize("name", SHAPES)
def test_surface_and_inside_are_contained_and_little_is_added(name):
    mesh, spheres = drawn(SHAPES[name]), fit_spheres(SHAPES[name])
    np.random.seed(1)
    surface = np.vstack([mesh.sample(20_000), mesh.vertices])
    assert outside(surface, spheres).max() <= 1e-9
    inside = outside(trimesh.sample.volume_mesh(mesh, 3_000), spheres)
    # A layer under the surface, thinner than any ball, may be left out; see inside_spheres.
    assert inside.max() <= 0.05 * mesh.extents.max()
    assert (inside <= 0.0).mean() > 0.97
    # No ball reaches as far beyond the shape as the shape is long.
    assert len(spheres) <= 40
    directions = np.random.default_rng(0).normal(size=(200, 3))
    directions /= np.linalg.norm(directions, axis=1)[:, None]
    for x, y, z, radius in spheres:
        beyond = -trimesh.proximity.signed_distance(mesh, directions * radius + (x, y, z))
        assert beyond.max() <= 0.5 * mesh.extents.max()
    assert (spheres[:, 3] ** 3).sum() <= 1.6 * enclosing_sphere(spheres)[3] ** 3


@pytest.mark.parametrize("file", MESHES)
def test_links_of_real_robots_are_contained(file):
    mesh: Any = trimesh.load(ROBOTS / file, force="mesh")
    spheres = fit_spheres(Mesh(str(ROBOTS / file)))
    np.random.seed(1)
    assert outside(np.vstack([mesh.sample(20_000), mesh.vertices]), spheres).max() <= 1e-9
    # Much tighter than the box around it would be.
    assert enclosing_sphere(spheres)[3] < 0.5 * np.linalg.norm(mesh.extents) + 0.05


def test_every_point_of_a_cloud_keeps_its_sphere():
    points = np.random.default_rng(3).normal(size=(50, 3))
    spheres = fit_spheres(PointCloud(points, 0.03))
    np.testing.assert_array_equal(spheres[:, :3], points)
    assert (spheres[:, 3] == 0.03).all()


def test_an_enclosing_sphere_encloses_and_is_small():
    rng = np.random.default_rng(4)
    for _ in range(50):
        balls = np.column_stack([rng.normal(size=(20, 3)), rng.uniform(0.01, 0.5, 20)])
        x, y, z, radius = enclosing_sphere(balls)
        gaps = np.linalg.norm(balls[:, :3] - (x, y, z), axis=1) + balls[:, 3]
        assert gaps.max() <= radius
        # At least the largest distance of two balls' far sides has to fit in.
        apart = np.linalg.norm(balls[:, None, :3] - balls[None, :, :3], axis=2)
        least = 0.5 * (apart + balls[:, 3] + balls[:, None, 3]).max()
        assert least - 1e-9 <= radius <= 1.25 * least
