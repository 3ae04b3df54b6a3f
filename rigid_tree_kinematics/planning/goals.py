"""Goals: configurations, poses of a body, and regions of poses, as configurations to reach."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, cast

import numpy as np
from numpy.typing import ArrayLike

from rigid_tree_kinematics.errors import PlanningError
from rigid_tree_kinematics.ik import InverseKinematics
from rigid_tree_kinematics.model import CompiledTree
from rigid_tree_kinematics.model.configuration import configuration_vector
from rigid_tree_kinematics.model.transforms import (
    Array,
    checked_transform,
    transform_from_xyz_rpy,
)
from rigid_tree_kinematics.planning.deadline import Deadline

MOST_SOLUTIONS = 16  # of one pose
SHARE_OF_TIME = 0.5  # of the time limit, for inverse kinematics
MOST_SECONDS = 0.5  # for the branches of one pose
REGION_POSES = 24  # tried of a region


@dataclass(frozen=True, eq=False)
class PoseGoal:
    """A body shall be at ``pose`` (4x4, base frame), within m and rad."""

    body: str
    pose: Array
    position_tolerance: float = 1e-6
    orientation_tolerance: float = 1e-6

    def __post_init__(self) -> None:
        object.__setattr__(self, "pose", checked_transform(self.pose, f"goal of '{self.body}'"))


@dataclass(frozen=True, eq=False)
class PoseRegion:
    """A body shall be anywhere around ``pose`` (4x4, base frame), within bounds (low, high).

    ``position_bounds`` (3, 2) m along, ``rotation_bounds`` (3, 2) rad about the pose's axes; the
    rotation is that of roll, pitch, yaw (URDF).
    """

    body: str
    pose: Array
    position_bounds: Array
    rotation_bounds: Array

    def __post_init__(self) -> None:
        object.__setattr__(self, "pose", checked_transform(self.pose, f"goal of '{self.body}'"))
        for name in ("position_bounds", "rotation_bounds"):
            bounds = np.array(getattr(self, name), dtype=np.float64)
            if bounds.shape != (3, 2) or not np.isfinite(bounds).all():
                raise PlanningError(f"{name} are finite and of shape (3, 2), not {bounds.shape}")
            if (bounds[:, 0] > bounds[:, 1]).any():
                raise PlanningError(f"{name}: each row is (low, high), not {bounds.tolist()}")
            object.__setattr__(self, name, bounds)


Goal = ArrayLike | Mapping[str, Any] | PoseGoal | PoseRegion


@dataclass(frozen=True, eq=False)
class GoalConfigurations:
    """Configurations, the goal that each belongs to, and why other goals have none."""

    configurations: list[Array]
    owners: list[int]
    unreachable: list[str]


def goal_list(goals: Goal | Sequence[Goal]) -> list[Goal]:
    """Return one goal or several as a list."""
    if isinstance(goals, Mapping | PoseGoal | PoseRegion):
        return [goals]
    if isinstance(goals, np.ndarray):
        return list(goals) if goals.ndim == 2 else [goals]
    listed = list(cast("Sequence[Any]", goals))
    if listed and all(np.isscalar(value) for value in listed):
        return [np.array(listed)]
    return listed


def goal_configurations(
    compiled: CompiledTree,
    goals: Sequence[Goal],
    start: Array,
    locked: Sequence[str],
    seed: int,
    deadline: Deadline,
) -> GoalConfigurations:
    """Return configurations that meet the goals, nearest to the start first for each pose."""
    found = GoalConfigurations([], [], [])
    for number, goal in enumerate(goals):
        if not isinstance(goal, PoseGoal | PoseRegion):
            found.configurations.append(configuration_vector(compiled, goal))
            found.owners.append(number)
            continue
        solutions, reason = _solutions(compiled, goal, start, locked, seed, deadline)
        if not solutions:
            found.unreachable.append(f"goal {number + 1}: {reason}")
        found.configurations.extend(solutions)
        found.owners.extend([number] * len(solutions))
    return found


def _solutions(
    compiled: CompiledTree,
    goal: PoseGoal | PoseRegion,
    start: Array,
    locked: Sequence[str],
    seed: int,
    deadline: Deadline,
) -> tuple[list[Array], str]:
    seconds = max(1e-3, min(MOST_SECONDS, SHARE_OF_TIME * deadline.left))
    tolerances = (1e-6, 1e-6)
    poses = [goal.pose]
    if isinstance(goal, PoseGoal):
        tolerances = (goal.position_tolerance, goal.orientation_tolerance)
    else:
        poses = _poses_of(goal, seed)
    solver = InverseKinematics(
        compiled,
        goal.body,
        locked=locked,
        position_tolerance=tolerances[0],
        orientation_tolerance=tolerances[1],
        timeout=seconds / len(poses),
        random_seed=seed % 2**31,
    )
    solutions: list[Array] = []
    reason = ""
    for pose in poses:
        results = solver.solve_all(
            pose,
            start,
            most=MOST_SOLUTIONS if len(poses) == 1 else 2,
            timeout=seconds / len(poses),
        )
        if not results and not reason:
            reason = solver.solve(pose, start).message
        solutions += [np.array(result.configuration) for result in results if result.success]
        if len(solutions) >= MOST_SOLUTIONS or deadline.over:
            break
    return solutions, reason


def _poses_of(region: PoseRegion, seed: int) -> list[Array]:
    """Return the region's middle, then random poses of it."""
    rng = np.random.default_rng(seed)
    poses = []
    for k in range(REGION_POSES):
        shares = np.full((2, 3), 0.5) if k == 0 else rng.random((2, 3))
        bounds = region.position_bounds, region.rotation_bounds
        shift, angles = (
            low + share * (high - low)
            for share, (low, high) in zip(shares, (b.T for b in bounds), strict=True)
        )
        poses.append(region.pose @ transform_from_xyz_rpy(shift.tolist(), angles.tolist()))
    return poses
