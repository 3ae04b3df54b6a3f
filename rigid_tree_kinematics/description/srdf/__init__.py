"""SRDF: planning groups, named states, end effectors; MoveIt's configuration packages."""

from rigid_tree_kinematics.description.srdf.collision_rules import (
    CollisionRules,
    read_collision_rules,
)
from rigid_tree_kinematics.description.srdf.group_urdf import group_urdf
from rigid_tree_kinematics.description.srdf.moveit_config import MoveItConfig, read_moveit_config
from rigid_tree_kinematics.description.srdf.srdf_groups import (
    Group,
    Semantics,
    chain_groups,
    default_semantics,
    read_semantics,
    srdf_text,
)

__all__ = [
    "CollisionRules",
    "Group",
    "MoveItConfig",
    "Semantics",
    "chain_groups",
    "default_semantics",
    "group_urdf",
    "read_collision_rules",
    "read_moveit_config",
    "read_semantics",
    "srdf_text",
]
