"""Inverse kinematics for several demands at once, after the source document's generalized IK."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from time import perf_counter
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from rigid_tree_kinematics.arrays import Array
from rigid_tree_kinematics.deadline import Deadline
from rigid_tree_kinematics.errors import ConfigurationError, ModelError
from rigid_tree_kinematics.ik.chain import IKStatus
from rigid_tree_kinematics.ik.constraints.constraints import (
    EDGES,
    METER,
    Constraint,
    State,
    Violation,
)
from rigid_tree_kinematics.kinematics import body_transforms, center_of_mass
from rigid_tree_kinematics.kinematics.topology import between
from rigid_tree_kinematics.model import CompiledTree, RigidBodyTree
from rigid_tree_kinematics.model.configuration import (
    configuration_mapping,
    configuration_vector,
    random_configuration,
)

DIFFERENCE = 1e-6  # rad or m, of the central differences; their error is about its square
MOST_ITERATIONS = 150
# A descent ends when the squared error falls by less than this in WINDOW accepted steps.
WINDOW = 10
PROGRESS = 0.9
FIRST_DAMPING = 1e-3
LARGEST_DAMPING = 1e8
LEAST_DAMPING = 1e-12
LONGEST_STEP = 1.0  # rad or m


@dataclass(frozen=True, eq=False)
class GeneralizedIKResult:
    """The answer: success means that every constraint is met within the tolerances."""

    success: bool
    status: IKStatus
    configuration: Array  # (nq,) the solution, or the best compromise found
    violations: tuple[Violation, ...]  # what is not met, worst first; empty on success
    iterations: int
    restarts: int
    seconds: float
    random_seed: int
    compiled: CompiledTree = field(repr=False)
    reason: str = ""

    @cached_property
    def by_name(self) -> dict[str, Any]:
        """{independent joint name: position}, arrays for joints with several numbers."""
        return configuration_mapping(self.compiled, self.configuration)

    @cached_property
    def message(self) -> str:
        """What happened, in a sentence or two."""
        effort = f"{self.iterations} iterations and {self.restarts} restarts"
        if self.status is IKStatus.INVALID_INPUT:
            return f"Invalid input: {self.reason}."
        if self.success:
            return f"All constraints are met after {effort}."
        late = "Out of time; " if self.status is IKStatus.OUT_OF_TIME else ""
        listed = "; ".join(str(violation) for violation in self.violations)
        return f"{late}not all constraints are met after {effort}: {listed}."


class GeneralizedInverseKinematics:
    """Finds a configuration that meets several constraints, inside the joint limits.

    Minimises the weighted squares of the constraints' errors (Levenberg-Marquardt over all
    joints, projected on the limits) from the seed, then from random starts until all are met.

    Args:
        tree: the robot, or its ``compiled()`` arrays.
        constraints: see constraints.py.
        locked: names of joints to keep where the seed has them.
        position_tolerance: m, below which an error in metres counts as met.
        orientation_tolerance: rad, likewise.
        timeout: s, on a steady clock.
        max_restarts: random starts after the first descent.
        random_seed: of the restarts.

    Raises ModelError and UnknownNameError for constraints that do not fit the robot.
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
        for constraint in self.constraints:
            constraint.check(self.compiled)
        for name, value in (
            ("position_tolerance", position_tolerance),
            ("orientation_tolerance", orientation_tolerance),
            ("timeout", timeout),
        ):
            if not (math.isfinite(value) and value > 0.0):
                raise ModelError(f"{name} must be a positive number, not {value!r}")
        if max_restarts < 0:
            raise ModelError(f"max_restarts must be >= 0, not {max_restarts!r}")
        self.tolerances = {METER: position_tolerance}
        self._angle_tolerance = orientation_tolerance
        self.timeout = timeout
        self.max_restarts = max_restarts
        self.random_seed = random_seed
        unknown = [name for name in locked if name not in self.compiled.joint_slots]
        if unknown:
            raise ModelError(
                f"robot '{self.compiled.name}' has no independent joint {', '.join(unknown)}"
            )
        self._moves = np.array(
            [
                entry
                for entry in self.compiled.position_of_velocity
                if self.compiled.joint_of_position[entry] not in locked
            ],
            dtype=np.int64,
        )
        self._locked = tuple(locked)
        self._needs_mass = any(constraint.needs_mass for constraint in self.constraints)

    def solve(
        self,
        seed: ArrayLike | Mapping[str, Any] | None = None,
        *,
        timeout: float | Deadline | None = None,
    ) -> GeneralizedIKResult:
        """Return a configuration near the seed (None: home) that meets the constraints."""
        started = perf_counter()
        deadline = Deadline.of(self.timeout if timeout is None else timeout)
        compiled = self.compiled
        try:
            q = compiled.home if seed is None else configuration_vector(compiled, seed)
        except ConfigurationError as refusal:
            return self._result(
                compiled.home, (), 0, 0, started, IKStatus.INVALID_INPUT, f"seed: {refusal}"
            )
        q = np.clip(q, compiled.lower, compiled.upper)
        locked = np.isin(compiled.joint_of_position, self._locked)
        rng = np.random.default_rng(self.random_seed)
        best, best_error, iterations, restarts = q, math.inf, 0, 0
        start = q
        while True:
            found, error, used = self._descend(start, deadline)
            iterations += used
            if error < best_error:
                best, best_error = found, error
            violations = self._violations(found)
            if not violations:
                return self._result(found, (), iterations, restarts, started, IKStatus.CONVERGED)
            late = deadline.over
            if late or restarts >= self.max_restarts:
                break
            restarts += 1
            start = np.where(locked, q, random_configuration(compiled, rng))
        status = IKStatus.OUT_OF_TIME if late else IKStatus.UNREACHABLE
        return self._result(best, self._violations(best), iterations, restarts, started, status)

    def _result(
        self,
        q: Array,
        violations: tuple[Violation, ...],
        iterations: int,
        restarts: int,
        started: float,
        status: IKStatus,
        reason: str = "",
    ) -> GeneralizedIKResult:
        return GeneralizedIKResult(
            success=status is IKStatus.CONVERGED,
            status=status,
            configuration=q.copy(),
            violations=violations,
            iterations=iterations,
            restarts=restarts,
            seconds=perf_counter() - started,
            random_seed=self.random_seed,
            compiled=self.compiled,
            reason=reason,
        )

    def _state(self, q: Array, frames: Array) -> State:
        mass = center_of_mass(self.compiled, q) if self._needs_mass else None
        return State(self.compiled, q, frames, mass)

    def _errors(self, q: Array, frames: Array | None = None) -> Array:
        """Return the weighted errors of all constraints."""
        frames = body_transforms(self.compiled, q) if frames is None else frames
        state = self._state(q, frames)
        parts = [math.sqrt(c.weight) * c.errors(state) for c in self.constraints]
        return np.concatenate(parts)

    def _violations(self, q: Array) -> tuple[Violation, ...]:
        state = self._state(q, body_transforms(self.compiled, q))
        found = []
        for constraint in self.constraints:
            errors = constraint.errors(state)
            if constraint.weight == 0.0:
                continue
            for quantity, unit, first, last in constraint.parts(self.compiled):
                part = errors[first : len(errors) if last == EDGES else last]
                # Of several edges or bounds at once the worst counts, of a vector its length.
                amount = (
                    float(np.abs(part).max()) if last == EDGES else float(np.linalg.norm(part))
                )
                tolerance = self.tolerances.get(unit, self._angle_tolerance)
                if not amount <= tolerance:
                    found.append(Violation(constraint, quantity, amount, unit))
        return tuple(sorted(found, key=lambda violation: -violation.amount))

    def _jacobian(self, q: Array) -> Array:
        """Return the derivative of the weighted errors, by central differences."""
        shifted = np.array(
            [
                self._moved(q, sign * unit)
                for unit in DIFFERENCE * np.eye(len(self._moves))
                for sign in (1.0, -1.0)
            ]
        )
        frames = body_transforms(self.compiled, shifted)
        errors = np.array([self._errors(*pair) for pair in zip(shifted, frames, strict=True)])
        return (errors[0::2] - errors[1::2]).T / (2.0 * DIFFERENCE)

    def _moved(self, q: Array, step: Array) -> Array:
        """Return a configuration moved by a step (rad, m) of the free entries.

        The steps of a quaternion's x, y and z are a rotation vector, in the parent's axes.
        """
        way = np.zeros(len(q))
        way[self._moves] = step
        return between(self.compiled.position_kinds, q, way)

    def _descend(self, q: Array, deadline: Deadline) -> tuple[Array, float, int]:
        """Return (configuration, half the squared error, iterations) of a descent from q."""
        lower, upper = self.compiled.lower, self.compiled.upper
        entries = self._moves
        error = self._errors(q)
        value = 0.5 * float(error @ error)
        damping, window_value, accepted = FIRST_DAMPING, math.inf, 0
        J = self._jacobian(q)
        for iteration in range(MOST_ITERATIONS):
            if value <= 0.0 or deadline.over:
                return q, value, iteration
            gradient = J.T @ error
            stuck = ((q[entries] <= lower[entries]) & (gradient > 0.0)) | (
                (q[entries] >= upper[entries]) & (gradient < 0.0)
            )
            free = ~stuck
            H = J[:, free].T @ J[:, free]
            step = np.zeros(len(entries))
            step[free] = -np.linalg.solve(H + damping * np.eye(len(H)), gradient[free])
            longest = float(np.abs(step).max(initial=0.0))
            step *= min(1.0, LONGEST_STEP / longest) if longest > 0.0 else 0.0
            trial = np.clip(self._moved(q, step), lower, upper)
            trial_error = self._errors(trial)
            trial_value = 0.5 * float(trial_error @ trial_error)
            if trial_value < value:
                q, error, value = trial, trial_error, trial_value
                damping = max(0.2 * damping, LEAST_DAMPING)
                J = self._jacobian(q)
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
