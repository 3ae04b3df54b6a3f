"""Differential inverse kinematics: joint velocities for several tasks, limits and barriers."""

from rigid_tree_kinematics.ik.differential.barriers import PlaneBarrier, PositionBarrier
from rigid_tree_kinematics.ik.differential.differential_ik import DifferentialIK
from rigid_tree_kinematics.ik.differential.joint_tasks import JointVelocityTask, PostureTask
from rigid_tree_kinematics.ik.differential.near import CollisionBarrier
from rigid_tree_kinematics.ik.differential.result import DifferentialStep, StepStatus
from rigid_tree_kinematics.ik.differential.tasks import (
    ComTask,
    FrameTask,
    LookAtTask,
    RelativeFrameTask,
    Task,
)

__all__ = [
    "CollisionBarrier",
    "ComTask",
    "DifferentialIK",
    "DifferentialStep",
    "FrameTask",
    "JointVelocityTask",
    "LookAtTask",
    "PlaneBarrier",
    "PositionBarrier",
    "PostureTask",
    "RelativeFrameTask",
    "StepStatus",
    "Task",
]
