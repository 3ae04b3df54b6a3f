"""Inverse kinematics: joint positions for poses, within joint limits."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rigid_tree_kinematics.ik.branches import free_solutions
from rigid_tree_kinematics.ik.chain import IKResult, IKStatus
from rigid_tree_kinematics.ik.constraints import (
    AimingConstraint,
    CartesianBounds,
    CenterOfMassOverPolygon,
    Constraint,
    ConstraintSet,
    DirectionBounds,
    DistanceBounds,
    GeneralizedIKResult,
    GeneralizedInverseKinematics,
    JointBounds,
    OrientationBounds,
    OrientationTarget,
    PoseTarget,
    PositionTarget,
    RegionBounds,
    ViewBounds,
    Violation,
    VisibilityBounds,
    each_solution,
    loop_constraints,
    projected_solutions,
)
from rigid_tree_kinematics.ik.solver import IKBatch, InverseKinematics
from rigid_tree_kinematics.lazy_names import lazy_names

if TYPE_CHECKING:
    from rigid_tree_kinematics.ik.differential import (
        CollisionBarrier,
        ComTask,
        DifferentialIK,
        DifferentialStep,
        FrameTask,
        JointVelocityTask,
        LookAtTask,
        PlaneBarrier,
        PositionBarrier,
        PostureTask,
        RelativeFrameTask,
        StepStatus,
    )
    from rigid_tree_kinematics.ik.tracking import IKTracker, MultiIKTracker

# The names of release 0.1, for one more release.
HeldConstraints = ConstraintSet
held_solutions = projected_solutions

__all__ = [
    "AimingConstraint",
    "CartesianBounds",
    "CenterOfMassOverPolygon",
    "CollisionBarrier",
    "ComTask",
    "Constraint",
    "ConstraintSet",
    "DifferentialIK",
    "DifferentialStep",
    "DirectionBounds",
    "DistanceBounds",
    "FrameTask",
    "GeneralizedIKResult",
    "GeneralizedInverseKinematics",
    "IKBatch",
    "IKResult",
    "IKStatus",
    "IKTracker",
    "InverseKinematics",
    "JointBounds",
    "JointVelocityTask",
    "LookAtTask",
    "MultiIKTracker",
    "OrientationBounds",
    "OrientationTarget",
    "PlaneBarrier",
    "PoseTarget",
    "PositionBarrier",
    "PositionTarget",
    "PostureTask",
    "RegionBounds",
    "RelativeFrameTask",
    "StepStatus",
    "ViewBounds",
    "Violation",
    "VisibilityBounds",
    "each_solution",
    "free_solutions",
    "loop_constraints",
    "projected_solutions",
]

# Imported on first use: its kernels are compiled only for those who use it.
__getattr__ = lazy_names(__name__)
