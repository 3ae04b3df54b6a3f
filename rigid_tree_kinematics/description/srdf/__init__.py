"""SRDF: planning groups, named states, end effectors; MoveIt's configuration packages."""

from rigid_tree_kinematics.description.srdf.joint_limits import Bounds, with_joint_limits
from rigid_tree_kinematics.description.srdf.moveit_config import (
    MoveItConfig,
    read_initial_positions,
    read_moveit_config,
)
from rigid_tree_kinematics.description.srdf.semantics import (
    CollisionRules,
    Group,
    Semantics,
    chain_groups,
    default_semantics,
    group_urdf,
    read_collision_rules,
    read_semantics,
    srdf_text,
)
