"""Simplified meshes contain the original tightly."""

from typing import Any

import numpy as np
import pytest
import trimesh

from rigid_tree_kinematics.collision.shapes import simplified as module
from rigid_tree_kinematics.collision.shapes.simplified import simplified


def wavy(subdivisions=5):
    ball = trimesh.creation.icosphere(subdivisions)
    points = np.array(ball.vertices)
    bumps = 0.3 + 0.05 * np.sin(7.0 * points[:, :1]) * np.cos(5.0 * points[:, 1:2])
    return points * bumps, np.array(ball.faces)


def bar_with_wires():
    """A thin bar, a wire that becomes a segment, and a speck that becomes a point."""
    bar = trimesh.creation.box((1.0, 0.02, 0.02)).subdivide_to_size(0.02)
    wire = trimesh.creation.box((0.0004, 0.0004, 0.1)).subdivide_to_size(0.01)
    speck = trimesh.creation.box((0.0004, 0.0004, 0.0004))
    wire.apply_translation((0.0, 0.2, 0.2))
    speck.apply_translation((0.0, -0.2, 0.2))
    whole: Any = trimesh.util.concatenate([bar, wire, speck])
    return np.array(whole.vertices), np.array(whole.faces)


def distances(points, corners, steps):
    """Return the distances (n, m) of points (n, 3) to triangles (m, 3, 3), by dense samples."""
    grid = [(i, j, steps - i - j) for i in range(steps + 1) for j in range(steps + 1 - i)]
    samples = np.einsum("wk,mkc->mwc", np.array(grid) / steps, corners)
    apart = [np.linalg.norm(samples - point, axis=2).min(axis=1) for point in points]
    return np.array(apart)


@pytest.mark.parametrize("surface", [wavy(), bar_with_wires()])
def test_the_surface_is_contained_and_nothing_is_far_from_it(surface, monkeypatch):
    monkeypatch.setattr(module, "MOST_TRIANGLES", 800)
    vertices, faces = surface
    means, fewer, radii = simplified(vertices, faces)
    assert len(fewer) <= 800 < len(faces)
    rng = np.random.default_rng(0)
    chosen = vertices[faces[rng.choice(len(faces), 60)]]
    points = np.einsum("nk,nkc->nc", rng.dirichlet((1.0, 1.0, 1.0), 60), chosen)
    # The last vertices are the speck's, and before them are the wire's.
    points = np.concatenate([points, vertices[-20:]])
    corners = means[fewer]
    sides = np.linalg.norm(corners - np.roll(corners, 1, axis=1), axis=2).max()
    # A point is within half the distance of two samples of the nearest one.
    assert (distances(points, corners, 12) <= radii + sides / 12.0).any(axis=1).all()
    size = float(np.ptp(vertices, axis=0).max())
    assert radii.max() < 0.1 * size
    back = distances(corners.mean(axis=1)[:60], vertices[faces], 4).min(axis=1)
    assert (back <= radii[:60] + 0.01 * size).all()


def test_thin_parts_become_segments_and_points(monkeypatch):
    monkeypatch.setattr(module, "MOST_TRIANGLES", 800)
    means, fewer, _ = simplified(*bar_with_wires())
    assert (means[fewer][:, :, 2].mean(axis=1) > 0.15).sum() >= 2
    assert any(len(set(face)) < 3 for face in fewer.tolist())


def test_small_surfaces_are_unchanged():
    vertices, faces = wavy(3)
    same, own, radii = simplified(vertices, faces)
    assert same is vertices
    assert own is faces
    assert not radii.any()
