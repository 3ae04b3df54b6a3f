"""Constraints, generalized inverse kinematics, and projection onto constraints."""

from rigid_tree_kinematics.ik.constraints.arrays import (
    ASKED,
    MOTION,
    NODE,
    make_held_work,
    nothing_held,
)
from rigid_tree_kinematics.ik.constraints.bounds import (
    RPY,
    DirectionBounds,
    OrientationBounds,
    RegionBounds,
    ViewBounds,
)
from rigid_tree_kinematics.ik.constraints.constrained_configurations import HeldConstraints
from rigid_tree_kinematics.ik.constraints.constraints import (
    AimingConstraint,
    CartesianBounds,
    CenterOfMassOverPolygon,
    Constraint,
    DistanceBounds,
    JointBounds,
    OrientationTarget,
    PoseTarget,
    PositionTarget,
    Violation,
)
from rigid_tree_kinematics.ik.constraints.generalized import (
    GeneralizedIKResult,
    GeneralizedInverseKinematics,
)
from rigid_tree_kinematics.ik.constraints.kernels import holds
from rigid_tree_kinematics.ik.constraints.solutions import held_solutions
from rigid_tree_kinematics.ik.constraints.visibility import VisibilityBounds

__all__ = [
    "ASKED",
    "MOTION",
    "NODE",
    "RPY",
    "AimingConstraint",
    "CartesianBounds",
    "CenterOfMassOverPolygon",
    "Constraint",
    "DirectionBounds",
    "DistanceBounds",
    "GeneralizedIKResult",
    "GeneralizedInverseKinematics",
    "HeldConstraints",
    "JointBounds",
    "OrientationBounds",
    "OrientationTarget",
    "PoseTarget",
    "PositionTarget",
    "RegionBounds",
    "ViewBounds",
    "Violation",
    "VisibilityBounds",
    "held_solutions",
    "holds",
    "make_held_work",
    "nothing_held",
]
