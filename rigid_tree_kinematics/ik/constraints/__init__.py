"""Constraints, generalized inverse kinematics, and projection onto constraints."""

from rigid_tree_kinematics.ik.constraints.arrays import (
    MOTION,
    NODE,
    REQUESTED,
    make_constraint_work,
    no_constraints,
)
from rigid_tree_kinematics.ik.constraints.bounds import (
    RPY,
    CartesianBounds,
    CenterOfMassOverPolygon,
    DirectionBounds,
    DistanceBounds,
    OrientationBounds,
    RegionBounds,
    ViewBounds,
)
from rigid_tree_kinematics.ik.constraints.constraint_set import (
    ConstraintSet,
    each_solution,
    projected_solutions,
)
from rigid_tree_kinematics.ik.constraints.constraints import (
    AimingConstraint,
    Constraint,
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
from rigid_tree_kinematics.ik.constraints.kernels import satisfied
from rigid_tree_kinematics.ik.constraints.loops import loop_constraints
from rigid_tree_kinematics.ik.constraints.visibility import VisibilityBounds
