"""The model of a robot: a tree of rigid bodies, editable by names, and its compiled arrays."""

from rigid_tree_kinematics.model.body import RigidBody
from rigid_tree_kinematics.model.chains import longest_chain_end
from rigid_tree_kinematics.model.compiled import (
    AXIS,
    CHILD_TRANSFORM,
    FIXED_TRANSFORM,
    KIND,
    MULTIPLIER,
    OFFSET,
    PARENT,
    POSITION,
    CompiledTree,
)
from rigid_tree_kinematics.model.configuration import (
    UNLIMITED_LENGTH,
    configuration_mapping,
    configuration_vector,
    normalise,
    position_of_pose,
    random_configuration,
)
from rigid_tree_kinematics.model.frames import parent_from_body
from rigid_tree_kinematics.model.geometry import (
    Box,
    Collision,
    Cylinder,
    Geometry,
    Inertia,
    Material,
    Mesh,
    Sphere,
    Visual,
)
from rigid_tree_kinematics.model.joints import (
    Calibration,
    Joint,
    JointDynamics,
    Mimic,
    SafetyController,
)
from rigid_tree_kinematics.model.tree import RigidBodyTree
from rigid_tree_kinematics.model.tree_frames import TreeFrames

__all__ = [
    "AXIS",
    "CHILD_TRANSFORM",
    "FIXED_TRANSFORM",
    "KIND",
    "MULTIPLIER",
    "OFFSET",
    "PARENT",
    "POSITION",
    "UNLIMITED_LENGTH",
    "Box",
    "Calibration",
    "Collision",
    "CompiledTree",
    "Cylinder",
    "Geometry",
    "Inertia",
    "Joint",
    "JointDynamics",
    "Material",
    "Mesh",
    "Mimic",
    "RigidBody",
    "RigidBodyTree",
    "SafetyController",
    "Sphere",
    "TreeFrames",
    "Visual",
    "configuration_mapping",
    "configuration_vector",
    "longest_chain_end",
    "normalise",
    "parent_from_body",
    "position_of_pose",
    "random_configuration",
]
