"""Conversion of obstacles from and to messages; the scene that nodes share.

``__all__`` lists what the nodes of other packages use: ``SceneKeeper`` and the ``changes`` of its
scene; ``read_scene``, ``obstacle_message``, ``primitive_message``, ``read_primitive``: scenes and
their parts; ``read_points``: point clouds; ``placed_pose``: poses whose quaternion may be zero or
not normalized; ``coordinates``: points as an array.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from rigid_tree_kinematics.lazy_names import lazy_names

if TYPE_CHECKING:
    from rigid_tree_kinematics.nodes.scene.clouds import cloud_message, read_points
    from rigid_tree_kinematics.nodes.scene.keeper import SceneKeeper
    from rigid_tree_kinematics.nodes.scene.listener import SceneListener
    from rigid_tree_kinematics.nodes.scene.markers import line_marker, shape_marker
    from rigid_tree_kinematics.nodes.scene.messages import (
        DIMENSIONS,
        coordinates,
        obstacle_message,
        placed_pose,
        placed_target,
        point_of,
        points_of,
        primitive_message,
        read_changes,
        read_primitive,
        read_scene,
        scene_message,
    )

__all__ = [
    "SceneKeeper",
    "changes",
    "coordinates",
    "obstacle_message",
    "placed_pose",
    "primitive_message",
    "read_points",
    "read_primitive",
    "read_scene",
]

# Only the scene keeper needs the collision library.
__getattr__ = lazy_names(__name__)
