"""Where a body is, from the joints of the tree itself, one after the other.

For single transforms in scripts. ``kinematics`` has the fast way, for whole configurations and
batches of them, over the compiled tree.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from rigid_tree_kinematics.model.body import RigidBody
from rigid_tree_kinematics.model.joint import Joint
from rigid_tree_kinematics.model.mimic import resolve_mimic
from rigid_tree_kinematics.model.transforms import (
    Array,
    axis_angle_matrix,
    quaternion_matrix,
    rotation_taking_z_to,
    transform,
)


def joint_motion(joint: Joint, position: Array) -> Array:
    """Return what a position (rad, m; ``position_count`` entries) moves the joint frame by, 4x4.

    A planar joint moves in the plane through the joint frame's origin whose normal is the axis,
    along the axes that ``rotation_taking_z_to(axis)`` makes of x and y.
    """
    if joint.type == "fixed":
        return np.eye(4)
    if joint.type == "prismatic":
        return transform(position[0] * joint.axis)
    if joint.type == "planar":
        shift = rotation_taking_z_to(joint.axis) @ (position[0], position[1], 0.0)
        return transform(shift, axis_angle_matrix(joint.axis, position[2]))
    if joint.type == "floating":
        return transform(position[:3], quaternion_matrix(position[3:]))
    return transform(rotation=axis_angle_matrix(joint.axis, position[0]))


def base_from_body(
    body: RigidBody, joints: dict[str, Joint], positions: Mapping[str, Any], tree_name: str
) -> Array:
    """Return T_base_body (4x4).

    Args:
        body: in a tree.
        joints: all joints of that tree by name.
        positions: of the independent joints by name: a number (rad, m), or an array of several.
        tree_name: for messages.

    Raises ModelError for a mimic joint without a source.
    """
    T = np.eye(4)
    parent = body.parent
    while parent is not None:
        joint = body.joint
        T = joint.child_to_joint @ T
        if joint.position_count:
            source, multiplier, offset = resolve_mimic(joint, joints, tree_name)
            position = multiplier * np.atleast_1d(positions[source.name]) + offset
            T = joint_motion(joint, position) @ T
        T = joint.joint_to_parent @ T
        body, parent = parent, parent.parent
    return T
