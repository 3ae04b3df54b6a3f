"""Compiled constraints, with checks and projections for paths and goal regions."""

import itertools
import math
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import replace
from functools import cached_property
from typing import Any

import numpy as np

import rigid_tree_kinematics.ik.constraints.arrays as arrays
from rigid_tree_kinematics.arrays import Array, Integers, Mask
from rigid_tree_kinematics.deadline import Deadline
from rigid_tree_kinematics.errors import ModelError
from rigid_tree_kinematics.ik.constraints.constraints import (
    METER,
    NO_PLANES,
    RADIAN,
    Constraint,
    ConstraintGroup,
    Item,
    JointBounds,
    Violation,
)
from rigid_tree_kinematics.ik.constraints.kernels import (
    project,
    satisfied,
    write_misses,
    write_rows,
)
from rigid_tree_kinematics.ik.constraints.pose_starts import PoseStarts
from rigid_tree_kinematics.kinematics import body_transforms
from rigid_tree_kinematics.kinematics.topology import between, difference
from rigid_tree_kinematics.model import CompiledTree
from rigid_tree_kinematics.model.configuration import random_configuration
from rigid_tree_kinematics.model.joints import CIRCLE, INTERVAL

MOST_STEPS = 60  # of a projection from any configuration
CHECK_STEP = 0.02  # rad, m; between two checks for obstructions
LIMIT_ROUNDING = 1e-6  # rad, m
MOST_STARTS = 3_000  # of projections
# A search ends after this many projections in a row that arrive at known solutions: one as easy to
# find as the rarest known one would have been found by then.
MOST_REPEATED = 60
# The smallest half width of bounds (m, rad) along a path, which consists of straight motions.
TIGHTEST = 2e-4
# How far the bounds of each level are inside those requested: a share of half their width, at most
# MOST_INSIDE (m, rad). MOTION allows for deviations between the points where a motion is checked,
# and where a driver connects points by curves; NODE leaves room for straight motions between them.
SHARES = (0.0, 0.05, 0.3, 0.4)
MOST_INSIDE = (0.0, 5e-4, 0.03, 0.04)
ROUNDING = 1e-6  # m, rad; misses by no more than this satisfy the requested bounds
SAME = 1e-3  # rad, m; solutions that differ by less are one


class ConstraintSet:
    """Compiled constraints of a robot, for thousands of checks and projections per second.

    Args:
        compiled: the robot.
        constraints: a configuration must satisfy all of them. Bounds narrower than +-0.2 mm or
            mrad, and targets without a tolerance, are widened to that.
        locked: joints that a projection does not move.
        tightest: replaces 0.2 mm and mrad.
        exact: for generalized inverse kinematics: nothing is widened, targets without a tolerance
            converge to them, weights scale, and JointBounds narrow no limits.

    Not thread-safe. Raises ModelError and UnknownNameError for constraints that do
    not fit the robot or cannot be compiled.

    Example:
        >>> robot = load_robot("panda")
        >>> upright = DirectionBounds("panda_link8", direction=(0, 0, -1), tolerance=0.1)
        >>> constraints = ConstraintSet(robot.compiled(), [upright])
        >>> q = np.array([1.0, 0.3, 0.0, -1.8, 0.0, 2.4, 0.785])
        >>> print(constraints.why(q))
        DirectionBounds of 'panda_link8': direction violated by 0.2 rad
        >>> constraints.met(constraints.projected(q))
        True
    """

    def __init__(
        self,
        compiled: CompiledTree,
        constraints: Sequence[Constraint],
        locked: Collection[str] = (),
        tightest: float = TIGHTEST,
        exact: bool = False,
    ) -> None:
        self.compiled = compiled
        if not isinstance(constraints, Iterable):
            raise ModelError(f"constraints must be in a list, not {constraints!r}")
        self.constraints = tuple(constraints)
        self.arrays, self._groups = _compiled(compiled, self.constraints, locked, tightest, exact)
        self.obstructable = tuple(one for one in self.constraints if one.can_be_obstructed)
        self._locked_names = tuple(locked)
        # Positions (nq,) of locked joints.
        self.locked: Mask = np.isin(compiled.joint_of_position, list(locked))

    @cached_property
    def pose_starts(self) -> PoseStarts:
        """Inverse kinematics of the pose targets, within the limits narrowed by JointBounds."""
        limited = replace(self.compiled, lower=self.arrays.lower, upper=self.arrays.upper)
        return PoseStarts(limited, self.constraints, self._locked_names)

    @cached_property
    def work(self) -> arrays.ConstraintWork:
        """Work arrays for the kernels."""
        return arrays.make_constraint_work(self.arrays)

    def met(self, q: Array) -> bool:
        """Return whether a configuration (nq,) satisfies all constraints."""
        if not self._in_limits(q):
            return False
        inside = bool(satisfied(self.arrays, arrays.REQUESTED, q, self.work))
        return inside and self.unobstructed(q)

    def unobstructed(self, q: Array) -> bool:
        """Return whether every sensor's view is free at ``q`` (nq,); projections ignore views."""
        return not any(amount > 0.0 for amount in self._obstructions(q))

    def _obstructions(self, q: Array) -> list[float]:
        if not self.obstructable:
            return []
        frames = body_transforms(self.compiled, q)
        return [one.obstruction(self.compiled, frames) for one in self.obstructable]

    def unobstructed_along(self, path: Array, deadline: Deadline) -> bool:
        """Return whether every view is free along straight motions between points (k, nq).

        Views are checked every 0.02 rad or m of the position that moves most. Raises
        OutOfTimeError.
        """
        if not self.obstructable:
            return True
        kinds = self.compiled.position_kinds
        for number, (first, last) in enumerate(itertools.pairwise(path)):
            change = difference(kinds, first, last)
            steps = math.ceil(float(np.abs(change).max(initial=0.0)) / CHECK_STEP)
            for k in range(1, steps):
                deadline.check(number, len(path) - 1, "motions checked for obstructions")
                if not self.unobstructed(between(kinds, first, change, k / steps)):
                    return False
        return all(self.unobstructed(q) for q in path)

    def miss(self, q: Array) -> float:
        """Return the violation (m and rad combined) of the constraints at a configuration (nq,).

        JointBounds are ignored.
        """
        return float(np.linalg.norm(self._misses(q)))

    def _misses(self, q: Array) -> Array:
        """Return the violation (m or rad) of each group of items."""
        misses = np.zeros(len(self._groups))
        write_misses(self.arrays, arrays.REQUESTED, q, self.work, misses)
        return misses

    def violations(self, q: Array) -> tuple[Violation, ...]:
        """Return the violations at a configuration (nq,), worst first."""
        found = [
            Violation(group.constraint, group.quantity, float(miss), group.unit)
            for group, miss in zip(self._groups, self._misses(q), strict=True)
        ]
        for one, depth in zip(self.obstructable, self._obstructions(q), strict=False):
            found.append(Violation(one, "line of sight", depth, METER))
        beyond = np.maximum(self.arrays.lower - q, q - self.arrays.upper)
        for constraint in self.constraints:
            for name in constraint.bounds if isinstance(constraint, JointBounds) else ():
                at = self.compiled.joint_slots[name][0]
                if beyond[at] > LIMIT_ROUNDING:
                    unit = RADIAN if self.compiled.is_angle[at] else METER
                    found.append(Violation(constraint, name, float(beyond[at]), unit))
        found = [violation for violation in found if not violation.amount <= 0.0]
        return tuple(sorted(found, key=lambda violation: -violation.amount))

    def why(self, q: Array) -> str:
        """Return the violations at a configuration (nq,) as text."""
        return "; ".join(str(violation) for violation in self.violations(q))

    def linearized(self, q: Array) -> tuple[float, Array, Array]:
        """Return half the squared error at ``q`` (nq,), its gradient and J^T J by velocities."""
        rows = write_rows(self.arrays, arrays.REQUESTED, q, self.work)
        error, J = self.work.errors[:rows], self.work.J[:rows]
        return 0.5 * float(error @ error), J.T @ error, J.T @ J

    def projected(self, q: Array) -> Array | None:
        """Return a configuration near ``q`` (nq,) that satisfies all constraints, or None."""
        limited = self.compiled.position_kinds == INTERVAL
        found = np.array(q, dtype=np.float64)
        clipped = np.clip(found, self.arrays.lower, self.arrays.upper)
        own = limited & self.moving
        found[own] = clipped[own]
        reached = project(self.arrays, found, MOST_STEPS, self.work)
        if not (reached and self._in_limits(found) and self.unobstructed(found)):
            return None
        return found

    @cached_property
    def moving(self) -> Mask:
        """Which positions (nq,) a projection may move."""
        return ~self.locked & (self.arrays.lower < self.arrays.upper)

    def _in_limits(self, q: Array) -> bool:
        """Return whether ``q`` is within the limits, narrowed by JointBounds."""
        lower, upper = self.arrays.lower, self.arrays.upper
        narrowed = (lower > self.compiled.lower) | (upper < self.compiled.upper)
        inside = (q >= lower - LIMIT_ROUNDING) & (q <= upper + LIMIT_ROUNDING)
        return bool(inside[narrowed].all())


def projected_solutions(
    constraints: ConstraintSet,
    seed: Array,
    *,
    most: int = 1,
    timeout: float | Deadline = 1.0,
    random_seed: int = 0,
    others: Sequence[Array] = (),
) -> list[Array]:
    """Return up to ``most`` configurations (nq,) that satisfy the constraints.

    They are projected from the seed (nq,), then from other and random configurations, in which the
    locked joints are as in the seed. The projection of the seed, if it succeeds, comes first.

    Args:
        constraints: the constraints.
        seed: the first start.
        most: maximum number of solutions.
        timeout: s, or a Deadline; at least the seed is tried.
        random_seed: of the random configurations.
        others: further starts (nq,) before random ones, such as solutions of some constraints.

    Example:
        >>> robot = load_robot("panda")
        >>> table = CartesianBounds("panda_link8", (0.3, -0.3, 0.2), (0.7, 0.3, 0.2))
        >>> constraints = ConstraintSet(robot.compiled(), [table])
        >>> home = robot.home_configuration()
        >>> found = projected_solutions(constraints, home, most=3, timeout=10.0)
        >>> [robot.get_transform(q, "panda_link8")[2, 3].round(3).item() for q in found]
        [0.2, 0.2, 0.2]
    """
    found = each_solution(
        constraints, seed, timeout=timeout, random_seed=random_seed, others=others
    )
    return list(itertools.islice(found, most))


def each_solution(
    constraints: ConstraintSet,
    seed: Array,
    *,
    timeout: float | Deadline = 1.0,
    random_seed: int = 0,
    others: Sequence[Array] = (),
) -> Iterator[Array]:
    """Yield the solutions of ``projected_solutions`` as they are found.

    Ends when the time is over, or when projections arrive only at known solutions.

    Example:
        >>> robot = load_robot("panda")
        >>> table = CartesianBounds("panda_link8", (0.3, -0.3, 0.2), (0.7, 0.3, 0.2))
        >>> constraints = ConstraintSet(robot.compiled(), [table])
        >>> q = next(each_solution(constraints, robot.home_configuration(), timeout=10.0))
        >>> print(robot.get_transform(q, "panda_link8")[2, 3].round(3))
        0.2
    """
    deadline = Deadline.of(timeout)
    rng = np.random.default_rng(random_seed)
    moving = constraints.moving
    found: list[Array] = []
    repeated = 0
    for number in range(MOST_STARTS):
        if number and (repeated >= MOST_REPEATED or deadline.over):
            return
        start = np.array(seed, dtype=np.float64)
        if number > len(others):
            start[moving] = random_configuration(constraints.compiled, rng)[moving]
        elif number:
            start[moving] = others[number - 1][moving]
        q = constraints.projected(constraints.pose_starts.moved(start))
        if q is None:
            continue
        if all(np.abs(q - other).max() > SAME for other in found):
            found.append(q)
            repeated = 0
            yield q
        else:
            repeated += 1


def _compiled(
    compiled: CompiledTree,
    constraints: Sequence[Constraint],
    locked: Collection[str],
    tightest: float,
    exact: bool,
) -> tuple[arrays.ConstraintArrays, list[ConstraintGroup]]:
    """Return constraints as arrays, and their groups in the order of the items."""
    for constraint in constraints:
        if not isinstance(constraint, Constraint):
            raise ModelError(f"a constraint is one such as PositionTarget, not {constraint!r}")
        constraint.check(compiled)
    for name in locked:
        compiled.slot_of(name)
    if exact:
        tightest = 0.0
    groups = [group for one in constraints for group in one.groups(compiled, exact)]
    numbered = [(number, item) for number, group in enumerate(groups) for item in group.items]
    items = np.zeros(len(numbered), arrays.ITEM)
    planes = [NO_PLANES]
    for row, (number, item) in zip(items, numbered, strict=True):
        _write_item(row, compiled, item, tightest)
        row["group"] = number
        row["weight"] = math.sqrt(groups[number].constraint.weight) if exact else 1.0
        first = sum(map(len, planes))
        row["planes"] = first, first + len(item.planes)
        planes.append(item.planes)
    lower, upper = compiled.lower.copy(), compiled.upper.copy()
    if not exact:
        _narrow_limits(compiled, constraints, tightest, lower, upper)
    moves = [
        compiled.joint_of_position[at] not in locked and lower[at] < upper[at]
        for at in compiled.position_of_velocity
    ]
    by_velocity = compiled.position_of_velocity
    slides = (compiled.position_kinds == INTERVAL)[by_velocity] & ~compiled.is_angle[by_velocity]
    made = arrays.ConstraintArrays(
        table=compiled.table.copy(),
        kinds=compiled.position_kinds.copy(),
        bodies=_needed_bodies(compiled, items),
        items=items,
        planes=np.vstack(planes),
        lower=lower,
        upper=upper,
        moves=np.array(moves, dtype=np.float64),
        slides=slides.astype(np.float64),
        position_of_velocity=compiled.position_of_velocity.copy(),
        mass=compiled.mass / max(compiled.mass.sum(), 1e-300),
        center=compiled.center_of_mass.copy(),
    )
    return made, groups


def _needed_bodies(compiled: CompiledTree, items: arrays.Items) -> Integers:
    """Return the rows of the bodies whose frames the items need, parents first."""
    if (items["kind"] == arrays.CENTER_OF_MASS).any():
        return np.arange(len(compiled.body_names))
    needed = {0, *items["body"].tolist(), *items["reference"].tolist()}
    for row in list(needed):
        while row > 0:
            needed.add(row)
            row = int(compiled.parents[row])
    return np.array(sorted(needed), dtype=np.int64)


def _narrow_limits(
    compiled: CompiledTree,
    constraints: Sequence[Constraint],
    tightest: float,
    lower: Array,
    upper: Array,
) -> None:
    """Narrow limits (nq,), in place, to JointBounds, except those of circles."""
    for constraint in constraints:
        if not isinstance(constraint, JointBounds):
            continue
        for name, (low, high) in constraint.bounds.items():
            at = compiled.joint_slots[name][0]
            if compiled.position_kinds[at] != CIRCLE:
                missing = max(0.0, tightest - 0.5 * (high - low))
                lower[at] = max(lower[at], low - missing)
                upper[at] = min(upper[at], high + missing)
    if (lower > upper).any():
        names = ", ".join(compiled.position_names[k] for k in np.flatnonzero(lower > upper))
        raise ModelError(f"JointBounds: the bounds and limits do not overlap for {names}")


def _write_item(row: Any, compiled: CompiledTree, item: Item, tightest: float) -> None:
    """Write an item to a row of ITEM, without its group, weight and planes."""
    row["kind"] = item.kind
    for key, name in (("body", item.body), ("reference", item.reference)):
        row[key] = 0 if name is None else compiled.index_of(name)
    row["position"], row["velocity"], row["middle"] = *item.joint, item.middle
    row["frame"], row["tool"] = item.frame[:3].ravel(), item.tool[:3].ravel()
    low, high = np.full(arrays.ROWS, -math.inf), np.full(arrays.ROWS, math.inf)
    low[: len(item.low)], high[: len(item.high)] = item.low, item.high
    # A length or an angle has no lower bound; its width is its upper bound.
    half = np.where(np.isneginf(low), high, 0.5 * (high - low))
    missing = np.maximum(0.0, tightest - half)
    low, high, half = low - missing, high + missing, half + missing
    for level, (share, most) in enumerate(zip(SHARES, MOST_INSIDE, strict=True)):
        inside = np.minimum(share * half, most) if level else np.full(3, -min(ROUNDING, tightest))
        row["lower"][level], row["upper"][level] = low + inside, high - inside
