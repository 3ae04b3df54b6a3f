"""Shapes of obstacles and links, and their bounding spheres, convex hulls and voxels."""

from rigid_tree_kinematics.collision.shapes.fit_cache import fitted_hulls
from rigid_tree_kinematics.collision.shapes.hulls import Hull
from rigid_tree_kinematics.collision.shapes.obstacle_shapes import (
    PointCloud,
    Prism,
    Shape,
    Triangles,
    cone,
    triangulation,
)
from rigid_tree_kinematics.collision.shapes.voxels import limited_cloud, voxel_cloud
