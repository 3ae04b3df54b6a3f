"""Obstacles as arrays that follow a scene, and the arrays of the conservative kernels."""

from rigid_tree_kinematics.collision.world.arrays import (
    CLOUD,
    ENTITY_COLUMNS,
    EVERYWHERE,
    FIRST,
    HULL_COLUMNS,
    HULL_FIRST,
    HULL_LAST,
    HULL_RADIUS,
    MAP_CELLS,
    MAP_COLUMNS,
    MAP_FIRST,
    MAP_LOW,
    MAP_POSITION,
    MAP_WIDTH,
    MAP_WRAPS,
    PAIR_COLUMNS,
    ConservativeModel,
    Work,
    empty_model,
    make_work,
)
from rigid_tree_kinematics.collision.world.box_tree import near_boxes, points_in_box
from rigid_tree_kinematics.collision.world.pieces import is_closed, is_convex
from rigid_tree_kinematics.collision.world.world import World
from rigid_tree_kinematics.collision.world.world_kernels import BALL

__all__ = [
    "BALL",
    "CLOUD",
    "ENTITY_COLUMNS",
    "EVERYWHERE",
    "FIRST",
    "HULL_COLUMNS",
    "HULL_FIRST",
    "HULL_LAST",
    "HULL_RADIUS",
    "MAP_CELLS",
    "MAP_COLUMNS",
    "MAP_FIRST",
    "MAP_LOW",
    "MAP_POSITION",
    "MAP_WIDTH",
    "MAP_WRAPS",
    "PAIR_COLUMNS",
    "ConservativeModel",
    "Work",
    "World",
    "empty_model",
    "is_closed",
    "is_convex",
    "make_work",
    "near_boxes",
    "points_in_box",
]
