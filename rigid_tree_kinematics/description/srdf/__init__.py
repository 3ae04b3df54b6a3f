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
