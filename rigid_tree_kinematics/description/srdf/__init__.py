"""SRDF: planning groups, named states and end effectors."""

from rigid_tree_kinematics.description.srdf.group_urdf import group_urdf
from rigid_tree_kinematics.description.srdf.srdf_groups import (
    Group,
    default_semantics,
    read_semantics,
    srdf_text,
)

__all__ = [
    "Group",
    "default_semantics",
    "group_urdf",
    "read_semantics",
    "srdf_text",
]
