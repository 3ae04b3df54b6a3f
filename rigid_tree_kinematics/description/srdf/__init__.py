"""SRDF: planning groups, named states, end effectors; MoveIt's configuration packages."""

from rigid_tree_kinematics.description.srdf.collision_rules import (
    CollisionRules,
    read_collision_rules,
)
from rigid_tree_kinematics.description.srdf.document import srdf_text
from rigid_tree_kinematics.description.srdf.joint_limits import Bounds, with_joint_limits
from rigid_tree_kinematics.description.srdf.moveit_config import (
    MoveItConfig,
    read_initial_positions,
    read_moveit_config,
)
from rigid_tree_kinematics.description.srdf.semantics import (
    Group,
    Semantics,
    chain_groups,
    default_semantics,
    group_urdf,
    read_semantics,
)
