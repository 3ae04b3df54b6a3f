"""Spheres contain shapes tightly and are cached on disk."""

from typing import Any

import numpy as np
import pytest
import trimesh

from harness.example_robots import ROBOTS
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


def known(mesh):
    return Triangles(np.array(mesh.vertices), np.array(mesh.faces))


def u_profile():
    corners = [(0, 0), (3, 0), (3, 2), (2, 2), (2, 1), (1, 1), (1, 2), (0, 2)]
    return np.array(corners, dtype=float) * 0.1


SHAPES = {
    "cube": (Box((0.3, 0.3, 0.3)), trimesh.creation.box((0.3, 0.3, 0.3))),
    "plate": (Box((1.0, 1.6, 0.05)), trimesh.creation.box((1.0, 1.6, 0.05))),
    "needle": (Box((2.0, 0.01, 0.01)), trimesh.creation.box((2.0, 0.01, 0.01))),
    "tube": (Cylinder(0.05, 0.6), trimesh.creation.cylinder(0.05, 0.6)),
    "disc": (Cylinder(0.4, 0.02), trimesh.creation.cylinder(0.4, 0.02)),
    "ball": (Sphere(0.2), trimesh.creation.icosphere(radius=0.2)),
    "profile": (
        Prism(u_profile(), -0.2, 0.1),
        trimesh.creation.extrude_triangulation(
            u_profile(),
            [(0, 1, 5), (0, 5, 6), (0, 6, 7), (1, 4, 5), (1, 3, 4), (1, 2, 3)],
            0.3,
            transform=trimesh.transformations.translation_matrix((0, 0, -0.2)),
        ),
    ),
    "ring": (
        known(trimesh.creation.annulus(0.2, 0.3, 0.1)),
        trimesh.creation.annulus(0.2, 0.3, 0.1),
    ),
    "torus": (
        known(trimesh.creation.torus(0.3, 0.05)),
        trimesh.creation.torus(0.3, 0.05),
    ),
}


def outside(points, spheres):
    """Return by how much each point is outside of all spheres (negative: inside of one)."""
    gaps = np.full(len(points), np.inf)
    for x, y, z, radius in spheres:
        np.minimum(gaps, np.linalg.norm(points - (x, y, z), axis=1) - radius, out=gaps)
    return gaps


@pytest.mark.parametrize("name", SHAPES)
def test_surface_and_inside_are_contained(name):
    shape, mesh = SHAPES[name]
    spheres = fit_spheres(shape)
    np.random.seed(1)
    surface = np.vstack([mesh.sample(20_000), mesh.vertices])
    assert outside(surface, spheres).max() <= 1e-9
    inside = trimesh.sample.volume_mesh(mesh, 3_000)
    # A layer under the surface, thinner than any ball, may be left out; see inside_spheres.
    size = mesh.extents.max()
    assert outside(inside, spheres).max() <= 0.05 * size
    assert (outside(inside, spheres) <= 0.0).mean() > 0.97


@pytest.mark.parametrize("name", SHAPES)
def test_little_is_added(name):
    shape, mesh = SHAPES[name]
    spheres = fit_spheres(shape)
    assert len(spheres) <= 40
    beyond = []
    for x, y, z, radius in spheres:
        points = np.random.default_rng(0).normal(size=(200, 3))
        points = points / np.linalg.norm(points, axis=1)[:, None] * radius + (x, y, z)
        beyond.append(-trimesh.proximity.signed_distance(mesh, points))
    # No ball reaches as far beyond the shape as the shape is long.
    assert np.max(beyond) <= 0.5 * mesh.extents.max()
    volume = sum(4.0 / 3.0 * np.pi * radius**3 for *_, radius in spheres)
    whole = enclosing_sphere(spheres)[3]
    assert volume <= 4.0 / 3.0 * np.pi * whole**3 * 1.6


@pytest.mark.parametrize("file", MESHES)
def test_links_of_real_robots_are_contained(file):
    shape = Mesh(str(ROBOTS / file))
    mesh: Any = trimesh.load(ROBOTS / file, force="mesh")
    spheres = fit_spheres(shape)
    np.random.seed(1)
    surface = np.vstack([mesh.sample(20_000), mesh.vertices])
    assert outside(surface, spheres).max() <= 1e-9
    sides = mesh.extents
    # Much tighter than the box around it would be.
    assert enclosing_sphere(spheres)[3] < 0.5 * np.linalg.norm(sides) + 0.05


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
