"""Visuals as colored triangles."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rigid_tree_kinematics.description.meshes.mesh import load_mesh
from rigid_tree_kinematics.model import Box, Cylinder, Mesh, Sphere, Visual

if TYPE_CHECKING:
    import trimesh

GREY = (0.7, 0.7, 0.72, 1.0)  # without a color


def visual_mesh(visual: Visual) -> trimesh.Trimesh:
    """Return the colored triangles of a visual in its body's frame (m).

    A material's color replaces those of a mesh file; textures become their main color. Raises
    DescriptionError for a mesh file that cannot be read.
    """
    import trimesh

    geometry = visual.geometry
    triangles: trimesh.Trimesh
    if isinstance(geometry, Box):
        triangles = trimesh.creation.box(geometry.size)
    elif isinstance(geometry, Cylinder):
        triangles = trimesh.creation.cylinder(geometry.radius, geometry.length)
    elif isinstance(geometry, Sphere):
        triangles = trimesh.creation.icosphere(radius=geometry.radius)
    else:
        triangles = load_mesh(geometry)
    color = visual.material.color if visual.material is not None else None
    if color is not None or not (
        isinstance(geometry, Mesh) and getattr(triangles.visual, "defined", False)
    ):
        triangles.visual = trimesh.visual.ColorVisuals(
            triangles, face_colors=[round(255 * part) for part in color or GREY]
        )
    triangles.apply_transform(visual.origin)
    return triangles
