"""Inverse kinematics with several constraints, like MathWorks' generalized IK."""

import math
from collections.abc import Mapping, Sequence
from copy import copy
from dataclasses import dataclass, field
from functools import cached_property
from time import perf_counter
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from rigid_tree_kinematics.arrays import Array
from rigid_tree_kinematics.deadline import Deadline
from rigid_tree_kinematics.errors import ModelError
from rigid_tree_kinematics.ik.chain import IKStatus, positive, unsigned
from rigid_tree_kinematics.ik.constraints.constraint_set import ConstraintSet
from rigid_tree_kinematics.ik.constraints.constraints import METER, RADIAN, Constraint, Violation
from rigid_tree_kinematics.kinematics.topology import integrated
from rigid_tree_kinematics.model import CompiledTree, RigidBodyTree
from rigid_tree_kinematics.model.configuration import (
    configuration_mapping,
    configuration_vector,
    random_configuration,
)

MOST_ITERATIONS = 150
# A descent ends when the squared error falls by less than this in WINDOW accepted steps.
WINDOW = 10
PROGRESS = 0.9
FIRST_DAMPING = 1e-3
LARGEST_DAMPING = 1e8
LEAST_DAMPING = 1e-12
LONGEST_STEP = 1.0  # rad; prismatic joints have no such limit


@dataclass(frozen=True, eq=False)
class GeneralizedIKResult:
    """The result; on success every constraint is satisfied within the tolerances."""

    success: bool
    status: IKStatus
    configuration: Array  # (nq,) the solution, or the best compromise found
    violations: tuple[Violation, ...]  # worst first; empty on success
    iterations: int
    restarts: int
    seconds: float
    random_seed: int
    compiled: CompiledTree = field(repr=False)

    @cached_property
    def by_name(self) -> dict[str, Any]:
        """{independent joint name: position}, arrays for joints with several numbers."""
        return configuration_mapping(self.compiled, self.configuration)

    @cached_property
    def message(self) -> str:
        """The outcome in one or two sentences."""
        effort = f"{self.iterations} iterations and {self.restarts} restarts"
        if self.success:
            return f"All constraints are satisfied after {effort}."
        late = "Out of time; " if self.status is IKStatus.OUT_OF_TIME else ""
        listed = "; ".join(str(violation) for violation in self.violations)
        return f"{late}not all constraints are satisfied after {effort}: {listed}."


class GeneralizedInverseKinematics:
    """Finds a configuration that satisfies several constraints within the joint limits.

    Minimizes the weighted squares of the constraints' errors (Levenberg-Marquardt over all
    joints, projected on the limits) from the seed, then from random starts.

    Args:
        tree: the robot, or its ``compiled()`` arrays.
        constraints: at least one.
        locked: names of joints that keep the seed's positions.
        position_tolerance: m; smaller errors satisfy a constraint.
        orientation_tolerance: rad, likewise.
        timeout: s, on a steady clock.
        max_restarts: random starts after the first descent.
        random_seed: of the restarts.

    Raises ModelError and UnknownNameError for constraints that do not fit the robot.

    Example:
        >>> down = OrientationTarget("tool0", np.diag([1.0, -1.0, -1.0]), tolerance=0.05)  # rad
        >>> above = CartesianBounds("tool0", (0.3, -0.1, 0.2), (0.5, 0.1, 0.3))  # m
        >>> solver = GeneralizedInverseKinematics(load_robot("ur5"), [down, above])
        >>> result = solver.solve([0, -1.2, 1.5, -1.8, -1.5, 0])
        >>> result.success, result.violations
        (True, ())
    """

    def __init__(
        self,
        tree: RigidBodyTree | CompiledTree,
        constraints: Sequence[Constraint],
        *,
        locked: Sequence[str] = (),
        position_tolerance: float = 1e-6,
        orientation_tolerance: float = 1e-6,
        timeout: float = 2.0,
        max_restarts: int = 20,
        random_seed: int = 0,
    ) -> None:
        self.compiled = tree if isinstance(tree, CompiledTree) else tree.compiled()
        self.constraints = tuple(constraints)
        if not self.constraints:
            raise ModelError("generalized inverse kinematics needs at least one constraint")
        self.tolerances = {
            METER: positive(position_tolerance, "position_tolerance"),
            RADIAN: positive(orientation_tolerance, "orientation_tolerance"),
        }
        self.timeout = positive(timeout, "timeout")
        self.max_restarts = unsigned(max_restarts, "max_restarts")
        self.random_seed = random_seed
        self._constraints = ConstraintSet(self.compiled, constraints, locked, exact=True)

    def solve(
        self,
        seed: ArrayLike | Mapping[str, Any] | None = None,
        *,
        timeout: float | Deadline | None = None,
    ) -> GeneralizedIKResult:
        """Return a configuration near the seed (None: home) that satisfies the constraints.

        Raises ConfigurationError for an invalid seed.
        """
        started = perf_counter()
        deadline = Deadline.of(self.timeout if timeout is None else timeout)
        compiled, constraints = self.compiled, copy(self._constraints)  # with its own work space
        q = compiled.home if seed is None else configuration_vector(compiled, seed)
        q = np.clip(q, compiled.lower, compiled.upper)
        rng = np.random.default_rng(self.random_seed)
        best, best_error, iterations, restarts = q, math.inf, 0, 0
        start, status = q, IKStatus.UNREACHABLE
        while True:
            found, error, used = self._descend(start, deadline, constraints)
            iterations += used
            if error < best_error:
                best, best_error = found, error
            violations = self._violations(found, constraints)
            if not violations:
                best, status = found, IKStatus.CONVERGED
                break
            late = deadline.over
            if late or restarts >= self.max_restarts:
                status = IKStatus.OUT_OF_TIME if late else status
                violations = self._violations(best, constraints)
                break
            restarts += 1
            start = np.where(constraints.locked, q, random_configuration(compiled, rng))
        return GeneralizedIKResult(
            success=status is IKStatus.CONVERGED,
            status=status,
            configuration=best.copy(),
            violations=violations,
            iterations=iterations,
            restarts=restarts,
            seconds=perf_counter() - started,
            random_seed=self.random_seed,
            compiled=compiled,
        )

    def _violations(self, q: Array, constraints: ConstraintSet) -> tuple[Violation, ...]:
        return tuple(
            found
            for found in constraints.violations(q)
            if found.constraint.weight > 0.0 and not found.amount <= self.tolerances[found.unit]
        )

    def _descend(
        self, q: Array, deadline: Deadline, constraints: ConstraintSet
    ) -> tuple[Array, float, int]:
        """Return (configuration, half the squared error, iterations) of a descent from q."""
        lower, upper = self.compiled.lower, self.compiled.upper
        arrays = constraints.arrays
        entries, moves = arrays.position_of_velocity, arrays.moves > 0.0
        turning = arrays.slides == 0.0
        value, gradient, H = constraints.linearized(q)
        damping, window_value, accepted = FIRST_DAMPING, math.inf, 0
        for iteration in range(MOST_ITERATIONS):
            if value <= 0.0 or deadline.over:
                return q, value, iteration
            stuck = ((q[entries] <= lower[entries]) & (gradient > 0.0)) | (
                (q[entries] >= upper[entries]) & (gradient < 0.0)
            )
            free = np.flatnonzero(moves & ~stuck)
            step = np.zeros(len(entries))
            damped = H[np.ix_(free, free)] + damping * np.eye(len(free))
            step[free] = -np.linalg.solve(damped, gradient[free])
            longest = float(np.abs(step[turning]).max(initial=0.0))
            step[turning] *= min(1.0, LONGEST_STEP / longest) if longest > 0.0 else 0.0
            trial = np.clip(integrated(self.compiled, q, step, 1.0), lower, upper)
            linearized = constraints.linearized(trial)
            if linearized[0] < value:
                q, (value, gradient, H) = trial, linearized
                damping = max(0.2 * damping, LEAST_DAMPING)
                accepted += 1
                if accepted % WINDOW == 0:
                    if value > PROGRESS * window_value:
                        return q, value, iteration + 1
                    window_value = value
            else:
                damping = 5.0 * max(damping, 1e-9)
                if damping > LARGEST_DAMPING:
                    return q, value, iteration + 1
        return q, value, MOST_ITERATIONS
