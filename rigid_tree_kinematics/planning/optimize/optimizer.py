"""Gauss-Newton optimization of a path.

As in TrajOpt (Schulman et al., "Motion planning with sequential convex optimization and convex
collision checking", IJRR 33(9), 2014), distances below a wanted clearance are linearized. The path
starts and ends as before, and is a sampled one, so that it usually is free already.
"""

from dataclasses import replace
from itertools import pairwise, starmap
from time import perf_counter

import numpy as np

from rigid_tree_kinematics.arrays import Array
from rigid_tree_kinematics.collision import CollisionChecker
from rigid_tree_kinematics.deadline import Deadline
from rigid_tree_kinematics.errors import RigidTreeError
from rigid_tree_kinematics.planning.optimize.costs import Costs
from rigid_tree_kinematics.planning.path import resample
from rigid_tree_kinematics.planning.problem import (
    PlanResult,
    PlanSettings,
    PlanStatus,
    Space,
    no_path,
)

SPACING = 0.2  # rad or m, between the points of a path
FEWEST_POINTS, MOST_POINTS = 12, 60
MOST_STEPS = 15
LONGEST_STEP = 0.2  # rad or m, of a position in a step: distances are not linear
SMALLEST_STEP = 0.01  # rad or m: then the path has converged


def optimized(
    checker: CollisionChecker,
    space: Space,
    result: PlanResult,
    settings: PlanSettings,
    deadline: Deadline,
) -> PlanResult:
    """Return a plan with its path improved, and the same ends.

    The path is unchanged if no step led to another free one before the deadline; see the message.
    """
    begin = perf_counter()
    try:
        costs = Costs(checker, space, settings)
    except RigidTreeError as error:
        return no_path(PlanStatus.INVALID_INPUT, f"posture: {error}", result.path.shape[1])
    if not _has_single_positions(checker, space):
        reason = "not optimized, as a planar or floating joint moves"
        return replace(result, message=f"{result.message}; {reason}")
    path = _best_path(checker, costs, _evenly(result.path), deadline)
    if path is None:
        reason = "not optimized, as no other free path was found"
        return replace(result, message=f"{result.message}; {reason}")
    if settings.resample_step is not None:
        path = resample(space, path, settings.resample_step)
    length = space.path_length(path)
    message = f"path of {len(path)} points, length {length:.3f}"
    shorten = result.seconds.shorten + perf_counter() - begin
    seconds = replace(result.seconds, shorten=shorten)
    return replace(result, message=message, path=path, length=length, seconds=seconds)


def _best_path(
    checker: CollisionChecker, costs: Costs, points: Array, deadline: Deadline
) -> Array | None:
    """Return the free path of least cost on the descent from ``points``, or None."""
    best, least = None, np.inf
    for _ in range(MOST_STEPS):
        if deadline.over:
            break
        gaps = costs.gaps(points)
        cost = costs.total(points, gaps)
        if cost < least and all(starmap(checker.motion_free, pairwise(points))):
            best, least = points, cost
        step = costs.descent(points, gaps)
        largest = float(np.abs(step).max())
        if largest < SMALLEST_STEP:
            break
        points = costs.within_limits(points + step * min(1.0, LONGEST_STEP / largest))
    return best


def _has_single_positions(checker: CollisionChecker, space: Space) -> bool:
    """Return whether the rates of all moving positions are velocities of joints."""
    slots = checker.compiled.joint_slots.values()
    several = {k for first, count in slots if count > 1 for k in range(first, first + count)}
    return several.isdisjoint(space.moving.tolist())


def _evenly(path: Array) -> Array:
    """Return points (n, nq) at equal distances along a path."""
    lengths = np.linalg.norm(np.diff(path, axis=0), axis=1)
    along = np.concatenate(([0.0], np.cumsum(lengths)))
    count = int(np.clip(np.ceil(along[-1] / SPACING) + 1, FEWEST_POINTS, MOST_POINTS))
    places = np.linspace(0.0, along[-1], count)
    points = np.column_stack([np.interp(places, along, column) for column in path.T])
    points[-1] = path[-1]  # the interpolation rounds
    return points
