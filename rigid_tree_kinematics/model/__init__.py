"""The model of a robot: a tree of rigid bodies with names, and its compiled arrays."""

from rigid_tree_kinematics.model.body import RigidBody
from rigid_tree_kinematics.model.compiled import CompiledTree
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
from rigid_tree_kinematics.model.loops import Loop
from rigid_tree_kinematics.model.tree import RigidBodyTree

__all__ = [
    "Box",
    "Calibration",
    "Collision",
    "CompiledTree",
    "Cylinder",
    "Geometry",
    "Inertia",
    "Joint",
    "JointDynamics",
    "Loop",
    "Material",
    "Mesh",
    "Mimic",
    "RigidBody",
    "RigidBodyTree",
    "SafetyController",
    "Sphere",
    "Visual",
]
