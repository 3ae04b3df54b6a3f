"""Markers of planners: shapes and lines.

They are locked to their frames: RViz draws others only if TF has the frame when they arrive.
"""

import numpy as np
from std_msgs.msg import ColorRGBA
from visualization_msgs.msg import Marker

from rigid_tree_kinematics.arrays import Array
from rigid_tree_kinematics.collision import PointCloud, Prism, Shape, Triangles, voxel_cloud
from rigid_tree_kinematics.collision.shapes import triangulation
from rigid_tree_kinematics.collision.shapes.voxels import FINEST, MOST_SPHERES
from rigid_tree_kinematics.model import Box, Cylinder, Mesh, Sphere
from rigid_tree_kinematics.nodes.scene.messages import points_of
from rigid_tree_kinematics.nodes.tf import pose_of

MOST_TRIANGLES = 100_000  # of a marker; larger meshes are drawn as spheres around the vertices


def line_marker(name: str, number: int, frame: str, width: float, color: ColorRGBA) -> Marker:
    """Return a marker for lines of a width (m) in a frame, without points."""
    marker = Marker(ns=name, id=number, type=Marker.LINE_STRIP, color=color, frame_locked=True)
    marker.pose = pose_of(np.eye(4))
    marker.header.frame_id = frame
    marker.scale.x = width
    return marker


def shape_marker(shape: Shape, T: Array, color: ColorRGBA) -> Marker:
    """Return a marker of a shape at T, without frame, stamp and name."""
    marker = Marker(color=color, pose=pose_of(T), frame_locked=True)
    scale = marker.scale
    scale.x = scale.y = scale.z = 1.0
    if isinstance(shape, Box):
        marker.type = Marker.CUBE
        scale.x, scale.y, scale.z = shape.size
    elif isinstance(shape, Sphere):
        marker.type = Marker.SPHERE
        scale.x = scale.y = scale.z = 2.0 * shape.radius
    elif isinstance(shape, Cylinder):
        marker.type = Marker.CYLINDER
        scale.x = scale.y = 2.0 * shape.radius
        scale.z = shape.length
    elif isinstance(shape, PointCloud):
        marker.type = Marker.SPHERE_LIST
        scale.x = scale.y = scale.z = 2.0 * shape.radius
        marker.points = points_of(shape.points)
    elif isinstance(shape, Mesh) and "://" in shape.filename:
        marker.type = Marker.MESH_RESOURCE
        marker.mesh_resource = shape.filename
        scale.x, scale.y, scale.z = shape.scale
    elif isinstance(shape, Mesh | Triangles | Prism):
        vertices, faces = triangulation(shape)
        if len(faces) > MOST_TRIANGLES:
            return shape_marker(voxel_cloud(vertices, FINEST, most=MOST_SPHERES), T, color)
        marker.type = Marker.TRIANGLE_LIST
        marker.points = points_of(vertices[faces].reshape(-1, 3))
    return marker
