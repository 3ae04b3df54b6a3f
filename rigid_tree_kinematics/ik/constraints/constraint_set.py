"""Compiled constraints, with checks and projections for paths and goal regions."""

from __future__ import annotations

import itertools
import math
from collections.abc import Collection, Sequence
from functools import cached_property

import numpy as np

from rigid_tree_kinematics.arrays import Array, Mask
from rigid_tree_kinematics.deadline import Deadline
from rigid_tree_kinematics.ik.constraints.arrays import (
    REQUESTED,
    ConstraintWork,
    make_constraint_work,
)
from rigid_tree_kinematics.ik.constraints.compile import TIGHTEST, compile_constraints
from rigid_tree_kinematics.ik.constraints.constraints import (
    METER,
    RADIAN,
    Constraint,
    JointBounds,
    Violation,
)
from rigid_tree_kinematics.ik.constraints.kernels import (
    project,
    satisfied,
    write_misses,
    write_rows,
)
from rigid_tree_kinematics.kinematics import body_transforms
from rigid_tree_kinematics.kinematics.topology import between, difference
from rigid_tree_kinematics.model import CompiledTree
from rigid_tree_kinematics.model.configuration import random_configuration
from rigid_tree_kinematics.model.joints import INTERVAL

MOST_STEPS = 60  # of a projection from anywhere
CHECK_STEP = 0.02  # rad, m; between two checks for obstructions
LIMIT_ROUNDING = 1e-6  # rad, m
MOST_STARTS = 3_000  # of projections
SAME = 1e-3  # rad, m; solutions that differ by less are one


class ConstraintSet:
    """Compiled constraints of a robot, for thousands of checks and projections per second.

    Args:
        compiled: the robot.
        constraints: a configuration must satisfy all of them. Bounds narrower than 0.2 mm or mrad
            either way, and targets without a tolerance, are widened to that.
        locked: joints that a projection leaves where they are.
        tightest: instead of 0.2 mm and mrad.
        exact: for generalized inverse kinematics: nothing is widened, targets without a tolerance
            converge to them, weights scale, and JointBounds narrow no limits.

    An object belongs to one thread. Raises ModelError and UnknownNameError for constraints that do
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
        self.constraints = tuple(constraints)
        self.arrays, self._groups = compile_constraints(
            compiled, self.constraints, locked, tightest, exact
        )
        self.obstructable = tuple(one for one in self.constraints if one.can_be_obstructed)
        # Positions (nq,) of locked joints.
        self.locked: Mask = np.isin(compiled.joint_of_position, list(locked))

    @cached_property
    def work(self) -> ConstraintWork:
        """Work arrays for the kernels."""
        return make_constraint_work(self.arrays)

    def met(self, q: Array) -> bool:
        """Return whether a configuration (nq,) satisfies all constraints."""
        kept = self._in_limits(q) and bool(satisfied(self.arrays, REQUESTED, q, self.work))
        return kept and self.unobstructed(q)

    def unobstructed(self, q: Array) -> bool:
        """Return whether every sensor's view is free at ``q`` (nq,); projections ignore views."""
        return not any(amount > 0.0 for amount in self._obstructions(q))

    def _obstructions(self, q: Array) -> list[float]:
        if not self.obstructable:
            return []
        frames = body_transforms(self.compiled, q)
        return [one.obstruction(self.compiled, frames) for one in self.obstructable]

    def unobstructed_along(self, path: Array, deadline: Deadline) -> bool:
        """Return the same for the straight motions between configurations, (k, nq).

        They are checked every 0.02 rad or m of the position that moves most. Raises
        OutOfTimeError.
        """
        if not self.obstructable:
            return True
        kinds = self.compiled.position_kinds
        for number, (first, last) in enumerate(itertools.pairwise(path)):
            way = difference(kinds, first, last)
            steps = math.ceil(float(np.abs(way).max(initial=0.0)) / CHECK_STEP)
            for k in range(1, steps):
                deadline.check(number, len(path) - 1, "motions checked for obstructions")
                if not self.unobstructed(between(kinds, first, way, k / steps)):
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
        write_misses(self.arrays, REQUESTED, q, self.work, misses)
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
        rows = write_rows(self.arrays, REQUESTED, q, self.work)
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
    locked joints stand as in the seed. The first comes from the seed, if any does.

    Args:
        constraints: the constraints.
        seed: where to begin.
        most: how many to return at most.
        timeout: s, or a Deadline; at least the seed is tried.
        random_seed: of the random configurations.
        others: configurations (nq,) to begin at before random ones, such as meet a part of it all.

    Example:
        >>> robot = load_robot("panda")
        >>> table = CartesianBounds("panda_link8", (0.3, -0.3, 0.2), (0.7, 0.3, 0.2))
        >>> constraints = ConstraintSet(robot.compiled(), [table])
        >>> home = robot.home_configuration()
        >>> found = np.array(projected_solutions(constraints, home, most=3, timeout=10.0))
        >>> print(robot.get_transform(found, "panda_link8")[:, 2, 3].round(3))
        [0.2 0.2 0.2]
    """
    deadline = Deadline.of(timeout)
    rng = np.random.default_rng(random_seed)
    moving = constraints.moving
    found: list[Array] = []
    for number in range(MOST_STARTS):
        if number and (len(found) >= most or deadline.over):
            break
        start = np.array(seed, dtype=np.float64)
        if number > len(others):
            start[moving] = random_configuration(constraints.compiled, rng)[moving]
        elif number:
            start[moving] = others[number - 1][moving]
        q = constraints.projected(start)
        if q is not None and all(np.abs(q - other).max() > SAME for other in found):
            found.append(q)
    return found
