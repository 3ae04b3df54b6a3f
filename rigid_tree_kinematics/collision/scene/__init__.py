"""The scene around a robot: obstacles, allowed collisions, and scene files."""

from rigid_tree_kinematics.collision.scene.allowed import AllowedCollisions
from rigid_tree_kinematics.collision.scene.moveit_scene_file import (
    moveit_scene_text,
    read_moveit_scene,
)
from rigid_tree_kinematics.collision.scene.scene import (
    AttachedObstacle,
    Obstacle,
    PlacedShape,
    Scene,
)
from rigid_tree_kinematics.collision.scene.scene_file import list_scenes, load_scene, read_scene
