"""Shapes of obstacles and links, and what contains them: spheres, convex hulls, voxels."""

from rigid_tree_kinematics.collision.shapes.cones import cone
from rigid_tree_kinematics.collision.shapes.enclosing import enclosing_sphere
from rigid_tree_kinematics.collision.shapes.fit_cache import (
    cache_folder,
    fitted_hulls,
    fitted_spheres,
    kept,
    shape_fingerprint,
)
from rigid_tree_kinematics.collision.shapes.hulls import Hull, hulls_of
from rigid_tree_kinematics.collision.shapes.obstacle_shapes import (
    FARTHEST,
    MOST_TRIANGLES,
    PointCloud,
    Prism,
    Shape,
    Triangles,
    Triangulation,
    checked_shape,
    convex_pieces,
    triangulation,
)
from rigid_tree_kinematics.collision.shapes.spheres import as_balls, inside_spheres
from rigid_tree_kinematics.collision.shapes.voxel_kernels import AXIS_BITS, FARTHEST_CUBE
from rigid_tree_kinematics.collision.shapes.voxels import (
    FINEST,
    MOST_BALLS,
    limited_cloud,
    voxel_cloud,
)

__all__ = [
    "AXIS_BITS",
    "FARTHEST",
    "FARTHEST_CUBE",
    "FINEST",
    "MOST_BALLS",
    "MOST_TRIANGLES",
    "Hull",
    "PointCloud",
    "Prism",
    "Shape",
    "Triangles",
    "Triangulation",
    "as_balls",
    "cache_folder",
    "checked_shape",
    "cone",
    "convex_pieces",
    "enclosing_sphere",
    "fitted_hulls",
    "fitted_spheres",
    "hulls_of",
    "inside_spheres",
    "kept",
    "limited_cloud",
    "shape_fingerprint",
    "triangulation",
    "voxel_cloud",
]
