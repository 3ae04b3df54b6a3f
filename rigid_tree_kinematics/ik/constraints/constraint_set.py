"""Compiled constraints: satisfied or not, and projection onto them, for paths and goal regions."""

from __future__ import annotations

import itertools
import math
from collections.abc import Collection, Sequence
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from rigid_tree_kinematics.arrays import Array
from rigid_tree_kinematics.deadline import Deadline
from rigid_tree_kinematics.errors import UnknownNameError
from rigid_tree_kinematics.ik.constraints.arrays import (
    BODY,
    REFERENCE,
    REQUESTED,
    ConstraintArrays,
    ConstraintWork,
    make_constraint_work,
)
from rigid_tree_kinematics.ik.constraints.compile import TIGHTEST, items_of, narrowed_limits
from rigid_tree_kinematics.ik.constraints.constraints import EDGES, Constraint, State, Violation
from rigid_tree_kinematics.ik.constraints.kernels import project, satisfied, violation_of
from rigid_tree_kinematics.kinematics import body_transforms
from rigid_tree_kinematics.kinematics.topology import between, difference
from rigid_tree_kinematics.model import CompiledTree
from rigid_tree_kinematics.model.joints import INTERVAL

MOST_STEPS = 60  # of a projection from anywhere
LOOK_STEP = 0.02  # rad, m; between two looks at what may be in the way
LIMIT_ROUNDING = 1e-6  # rad, m


class ConstraintSet:
    """Compiled constraints of a robot, for thousands of checks and projections a second.

    Args:
        compiled: the robot.
        constraints: a configuration must satisfy all of them. Bounds narrower than 0.2 mm or mrad
            either way, and targets without a tolerance, are widened to that.
        locked: joints that a projection leaves where they are.
        tightest: instead of 0.2 mm and mrad.

    An object belongs to one thread. Raises ModelError and UnknownNameError for constraints that do
    not fit the robot or cannot be compiled.
    """

    def __init__(
        self,
        compiled: CompiledTree,
        constraints: Sequence[Constraint],
        locked: Collection[str] = (),
        tightest: float = TIGHTEST,
    ) -> None:
        self.compiled = compiled
        self.constraints = tuple(constraints)
        for constraint in self.constraints:
            constraint.check(compiled)
        self.judged = tuple(item for item in self.constraints if item.is_judged)
        for name in locked:
            if name not in compiled.joint_slots:
                where = f"robot '{compiled.name}'"
                raise UnknownNameError("independent joint", name, compiled.joint_names, where)
        self._locked = list(locked)
        items, planes = items_of(compiled, self.constraints, tightest)
        lower, upper = narrowed_limits(compiled, self.constraints, tightest)
        needed = {0, *items[:, BODY].astype(int), *items[:, REFERENCE].astype(int)}
        for row in list(needed):
            while row > 0:
                needed.add(row)
                row = int(compiled.parents[row])
        moves = np.array(
            [
                float(compiled.joint_of_position[at] not in locked and lower[at] < upper[at])
                for at in compiled.position_of_velocity
            ]
        )
        self.arrays = ConstraintArrays(
            compiled.table.copy(),
            compiled.position_kinds.copy(),
            np.array(sorted(needed), dtype=np.int64),
            items,
            planes,
            lower,
            upper,
            moves,
            compiled.position_of_velocity.copy(),
        )

    @cached_property
    def work(self) -> ConstraintWork:
        """Work arrays for the kernels."""
        return make_constraint_work(self.arrays)

    def met(self, q: Array) -> bool:
        """Return whether a configuration (nq,) meets all constraints."""
        kept = self._in_limits(q) and bool(satisfied(self.arrays, REQUESTED, q, self.work))
        return kept and self.unobstructed(q)

    def unobstructed(self, q: Array) -> bool:
        """Return whether nothing is in the way that no projection avoids, at ``q`` (nq,)."""
        if not self.judged:
            return True
        state = State(self.compiled, q, body_transforms(self.compiled, q), None)
        return all(constraint.obstruction(state) <= 0.0 for constraint in self.judged)

    def unobstructed_along(self, path: Array, deadline: Deadline) -> bool:
        """Return the same for the straight ways between configurations, (k, nq), looked at often.

        That is every 0.02 rad or m of the position that moves most. Raises OutOfTimeError.
        """
        if not self.judged:
            return True
        kinds = self.compiled.position_kinds
        for number, (first, last) in enumerate(itertools.pairwise(path)):
            way = difference(kinds, first, last)
            steps = math.ceil(float(np.abs(way).max(initial=0.0)) / LOOK_STEP)
            for k in range(1, steps):
                deadline.check(number, len(path) - 1, "motions looked at for obstructions")
                if not self.unobstructed(between(kinds, first, way, k / steps)):
                    return False
        return all(self.unobstructed(q) for q in path)

    def miss(self, q: Array) -> float:
        """Return by how much (m and rad together) a configuration (nq,) misses constraints.

        Those of joints do not count.
        """
        return float(violation_of(self.arrays, REQUESTED, q, self.work))

    def violations(self, q: Array) -> tuple[Violation, ...]:
        """Return what a configuration (nq,) does not meet, worst first; empty if it is met."""
        if self.met(q):
            return ()
        state = State(self.compiled, q, body_transforms(self.compiled, q), None)
        found = []
        for constraint in self.constraints:
            errors = constraint.errors(state)
            for quantity, unit, first, last in constraint.parts(self.compiled):
                part = errors[first : len(errors) if last == EDGES else last]
                amount = float(np.linalg.norm(part))
                if amount > 0.0:
                    found.append(Violation(constraint, quantity, amount, unit))
        return tuple(sorted(found, key=lambda violation: -violation.amount))

    def why(self, q: Array) -> str:
        """Return what a configuration (nq,) does not meet, in words; empty if it is met."""
        return "; ".join(str(violation) for violation in self.violations(q))

    def projected(self, q: Array) -> Array | None:
        """Return a configuration near ``q`` (nq,) that meets all constraints, or None."""
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
    def moving(self) -> NDArray[np.bool_]:
        """Which positions (nq,) a projection may move."""
        stands = np.isin(self.compiled.joint_of_position, self._locked)
        return ~stands & ~(self.arrays.lower >= self.arrays.upper)

    def _in_limits(self, q: Array) -> bool:
        """Return whether JointBounds are met, where they are limits."""
        lower, upper = self.arrays.lower, self.arrays.upper
        narrowed = (lower > self.compiled.lower) | (upper < self.compiled.upper)
        inside = (q >= lower - LIMIT_ROUNDING) & (q <= upper + LIMIT_ROUNDING)
        return bool(inside[narrowed].all())
