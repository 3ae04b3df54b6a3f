"""Collisions: robots against themselves and the world.

A conservative level answers "free for certain" or "in doubt"; the exact level settles doubts.
"""

from rigid_tree_kinematics.collision.allowed import AllowedCollisions
from rigid_tree_kinematics.collision.checker import CollisionChecker, CollisionReport
from rigid_tree_kinematics.collision.cones import cone
from rigid_tree_kinematics.collision.contacts import Contact, Distance
from rigid_tree_kinematics.collision.moveit_scene_file import moveit_scene_text, read_moveit_scene
from rigid_tree_kinematics.collision.pairs import LeftOut
from rigid_tree_kinematics.collision.scene import (
    AttachedObstacle,
    Obstacle,
    PlacedShape,
    Scene,
)
from rigid_tree_kinematics.collision.scene_file import list_scenes, load_scene, read_scene
from rigid_tree_kinematics.collision.shapes import PointCloud, Prism, Shape, Triangles
from rigid_tree_kinematics.collision.voxels import voxel_cloud

__all__ = [
    "AllowedCollisions",
    "AttachedObstacle",
    "CollisionChecker",
    "CollisionReport",
    "Contact",
    "Distance",
    "LeftOut",
    "Obstacle",
    "PlacedShape",
    "PointCloud",
    "Prism",
    "Scene",
    "Shape",
    "Triangles",
    "cone",
    "list_scenes",
    "load_scene",
    "moveit_scene_text",
    "read_moveit_scene",
    "read_scene",
    "voxel_cloud",
]
