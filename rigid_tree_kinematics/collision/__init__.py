"""Collision checks of robots with themselves and with obstacles.

A conservative level proves configurations and motions free; the exact level decides the rest.
"""

from rigid_tree_kinematics.collision.checker import CollisionChecker
from rigid_tree_kinematics.collision.exact import Contact, Distance
from rigid_tree_kinematics.collision.free_start import nearest_free
from rigid_tree_kinematics.collision.pairs import LeftOut
from rigid_tree_kinematics.collision.report import CollisionReport
from rigid_tree_kinematics.collision.scene import (
    AllowedCollisions,
    AttachedObstacle,
    Obstacle,
    PlacedShape,
    Scene,
    list_scenes,
    load_scene,
    moveit_scene_text,
    read_moveit_scene,
    read_scene,
)
from rigid_tree_kinematics.collision.scene_checkers import SceneCheckers
from rigid_tree_kinematics.collision.shapes import (
    PointCloud,
    Prism,
    Shape,
    Triangles,
    cone,
    limited_cloud,
    voxel_cloud,
)

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
    "SceneCheckers",
    "Shape",
    "Triangles",
    "cone",
    "limited_cloud",
    "list_scenes",
    "load_scene",
    "moveit_scene_text",
    "nearest_free",
    "read_moveit_scene",
    "read_scene",
    "voxel_cloud",
]
