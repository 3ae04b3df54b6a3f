"""Inverse kinematics of one body: the class that people use."""

from __future__ import annotations

import math
from collections.abc import Collection, Mapping, Sequence
from time import perf_counter
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from rigid_tree_kinematics.errors import ConfigurationError, ModelError
from rigid_tree_kinematics.ik import settings as layout
from rigid_tree_kinematics.ik.batch import IKBatch, solve_batch
from rigid_tree_kinematics.ik.branches import all_solutions
from rigid_tree_kinematics.ik.chain import Chain, compile_chain
from rigid_tree_kinematics.ik.result import IKResult, IKStatus, positions_outside, quick_result
from rigid_tree_kinematics.ik.search import GIVE_UP, RESUME, START, search, work_size
from rigid_tree_kinematics.model.compiled import CompiledTree
from rigid_tree_kinematics.model.configuration import configuration_vector
from rigid_tree_kinematics.model.transforms import Array, checked_transform
from rigid_tree_kinematics.model.tree import RigidBodyTree

FLOAT64 = np.dtype(np.float64)

# The clock is looked at after about so many steps of a chain, a fraction of a millisecond's work.
STEPS_BETWEEN_CLOCKS = 2000
LEAST_BUDGET = 32

STATUS_OF = {
    layout.CONVERGED: IKStatus.CONVERGED,
    layout.UNREACHABLE: IKStatus.UNREACHABLE,
}


class InverseKinematics:
    """Finds the joint positions that bring a body to a pose.

    An object is immutable and may be used by many threads at once. It belongs to the tree as it
    was when the object was made; make a new one after an edit.

    Args:
        tree: the robot, or its ``compiled()`` arrays.
        body: name of the body to place.
        base: name of the body in whose frame targets are given; None is the tree's base. All
            joints between the two bodies take part, no others.
        tool: the frame to bring to the target, in the body (4x4); None is the body's own frame.
        weights: of the errors, 3 orientation and 3 position, about and along the axes of the
            *target's* frame. Zero means that the component does not count, neither for the
            search nor for the tolerances: (0, 0, 0, 1, 1, 1) is position only, (1, 1, 0, 1, 1, 1)
            leaves the turn about the target's z axis free. Where a target cannot be met the
            weights decide the compromise; a weight of 1 on a radian counts as much as 1 on half
            of the chain's length.
        locked: names of joints to keep where the seed has them.
        solver: "lm" (Levenberg-Marquardt) or "bfgs" (BFGS gradient projection).
        position_tolerance: m, of the norm of the position error.
        orientation_tolerance: rad, of the norm of the rotation vector.
        timeout: s, on a steady clock; kept to about a millisecond.
        max_restarts: random starts after the first descent, before the target is called
            unreachable.
        random_seed: of the restarts; equal seeds give equal answers.

    Raises UnknownNameError and ModelError for arguments that make no sense.
    """

    def __init__(
        self,
        tree: RigidBodyTree | CompiledTree,
        body: str,
        base: str | None = None,
        *,
        tool: ArrayLike | None = None,
        weights: Sequence[float] = (1.0, 1.0, 1.0, 1.0, 1.0, 1.0),
        locked: Collection[str] = (),
        solver: str = "lm",
        position_tolerance: float = 1e-6,
        orientation_tolerance: float = 1e-6,
        timeout: float = 0.05,
        max_restarts: int = 2000,
        random_seed: int = 0,
    ) -> None:
        self.compiled = tree if isinstance(tree, CompiledTree) else tree.compiled()
        self.body = body
        self.base = self.compiled.body_names[0] if base is None else base
        self.tool = checked_transform(np.eye(4) if tool is None else tool, "tool")
        self.weights = _checked_weights(weights)
        if isinstance(locked, str):
            raise ModelError(f"locked is a collection of joint names, not the name '{locked}'")
        self.locked = tuple(locked)
        if solver not in layout.METHODS:
            raise ModelError(f"unknown solver '{solver}'; use one of {', '.join(layout.METHODS)}")
        self.solver = solver
        self.position_tolerance = _positive(position_tolerance, "position_tolerance")
        self.orientation_tolerance = _positive(orientation_tolerance, "orientation_tolerance")
        self.timeout = _positive(timeout, "timeout")
        self.max_restarts = _natural(max_restarts, "max_restarts")
        self.random_seed = _natural(random_seed, "random_seed")
        self.chain = compile_chain(self.compiled, body, self.base, self.tool, self.locked)
        self.settings = self._settings(self.chain)
        rows = self.chain.steps.shape[0]
        self._involved = tuple(dict.fromkeys(int(e) for e in self.chain.free_entries))
        self.budget = max(LEAST_BUDGET, STEPS_BETWEEN_CLOCKS // rows)
        self.work_size = work_size(
            rows,
            len(self.chain.variables),
            self.chain.ball_count,
            self.chain.free_count,
            self.compiled.position_count,
        )

    def __repr__(self) -> str:
        return (
            f"InverseKinematics('{self.compiled.name}', body '{self.body}' in '{self.base}', "
            f"joints {', '.join(self.joint_names)}; {self.solver})"
        )

    @property
    def joint_names(self) -> tuple[str, ...]:
        """The independent joints that a solution may move."""
        return tuple(
            name
            for name, (start, count) in self.compiled.joint_slots.items()
            if any(start <= entry < start + count for entry in self._involved)
        )

    def solve(
        self,
        target: ArrayLike,
        seed: ArrayLike | Mapping[str, Any] | None = None,
        *,
        max_step: float | None = None,
        timeout: float | None = None,
        max_restarts: int | None = None,
        random_seed: int | None = None,
    ) -> IKResult:
        """Return the solution near the seed, or any other one, or the best configuration found.

        The first descent starts from the seed (cut at the limits) and keeps to its branch;
        restarts are drawn at random within the limits. A target or a seed that cannot be used
        does not raise: the status is INVALID_INPUT and the message says why.

        Args:
            target: T_base_tool (4x4), the pose of the tool in the base body's frame.
            seed: a configuration, by order or by joint name; None is the home configuration.
            max_step: rad or m; joints must not end farther from the seed than this, restarts
                included. None: wherever the limits allow.
            timeout, max_restarts, random_seed: instead of the object's, for this call.
        """
        started = perf_counter()
        if random_seed is None:
            random_seed = self.random_seed
        else:
            random_seed = _natural(random_seed, "random_seed")
        if max_restarts is None:
            max_restarts = self.max_restarts
        deadline = started + (self.timeout if timeout is None else timeout)
        compiled = self.compiled
        try:
            q = self.start(seed)
        except ConfigurationError as error:
            return self.invalid(f"seed: {error}", started, random_seed)
        T = target
        if type(T) is not np.ndarray or T.dtype is not FLOAT64 or not T.flags.carray:
            try:
                T = np.array(target, dtype=np.float64, order="C")
            except (TypeError, ValueError) as error:
                return self.invalid(f"target: {error}", started, random_seed)
        if T.shape != (4, 4):
            return self.invalid(
                f"target: a pose is a 4x4 matrix, not of shape {T.shape}", started, random_seed
            )

        chain = self.chain
        steps = chain.steps.copy() if chain.ball_count else chain.steps
        work = np.empty(self.work_size)
        table, variables, settings = compiled.table, chain.variables, self.settings
        if max_step is not None:
            cut = np.clip(q, compiled.lower, compiled.upper)
            way = np.full(len(q), _positive(max_step, "max_step"))
            variables = chain.variables_near(cut, way)
        code = search(
            steps, variables, table, settings, T, q, work,
            random_seed, max_restarts, self.budget, START,
        )  # fmt: skip
        status = None
        while code == layout.UNFINISHED:
            late = perf_counter() >= deadline
            code = search(
                steps, variables, table, settings, T, q, work,
                random_seed, max_restarts, self.budget, GIVE_UP if late else RESUME,
            )  # fmt: skip
            if late and code == layout.UNREACHABLE:
                status = IKStatus.OUT_OF_TIME
        if code >= layout.BAD_TARGET:
            bad_target = code == layout.BAD_TARGET
            reason = self.target_problem(T) if bad_target else self._bad_seed(seed)
            return self.invalid(reason, started, random_seed)
        report = work[: layout.REPORT].tolist()
        return self.result_of(code, q, report, perf_counter() - started, seed, status, random_seed)

    def result_of(
        self,
        code: int,
        q: Array,
        report: list[float],
        seconds: float,
        seed: ArrayLike | Mapping[str, Any] | None,
        status: IKStatus | None = None,
        random_seed: int | None = None,
    ) -> IKResult:
        """Return the result that a kernel's code and report stand for."""
        remarkable = report[layout.CUT] or report[layout.OUT_OF_REACH]
        return quick_result(
            code == layout.CONVERGED,
            status or STATUS_OF[code],
            q,
            report,
            seconds,
            self.random_seed if random_seed is None else random_seed,
            self.compiled,
            self._involved,
            self._remark(report, seed) if remarkable else "",
        )

    def solve_batch(
        self, targets: ArrayLike, seeds: ArrayLike | None = None, *, threads: int | None = None
    ) -> IKBatch:
        """Solve for many targets, on all cores.

        Args:
            targets: (N, 4, 4).
            seeds: (N, nq), or one (nq,) for all; None is the home configuration.
            threads: how many to use; None: one a core.

        Raises ConfigurationError for arrays of another shape; what a single target or seed has
        wrong is told in its result.
        """
        return solve_batch(self, targets, seeds, threads)

    def solve_all(
        self,
        target: ArrayLike,
        seed: ArrayLike | Mapping[str, Any] | None = None,
        *,
        most: int = 16,
        separation: float = 1e-3,
        timeout: float = 1.0,
    ) -> list[IKResult]:
        """Return several distinct solutions, nearest to the seed first; none: see ``solve``.

        Arms with a closed form (6R with a spherical wrist, or with three parallel axes and two
        that meet; planar 2R and 3R) give all branches that exist inside the limits; others are
        sampled, which finds all branches of most arms without redundant joints, and for those
        with redundant joints some of the infinitely many. Every solution is polished and checked
        like one of ``solve``, and of those that are whole turns apart only the one nearest to
        the seed is returned.

        Args:
            target: T_base_tool (4x4).
            seed: a configuration, by order or by joint name; None is the home configuration.
            most: how many to return at most.
            separation: rad or m; solutions of which no joint differs by more are the same.
            timeout: s, for all of it.
        """
        return all_solutions(self, target, seed, most, separation, timeout)

    def target_problem(self, target: ArrayLike) -> str:
        """Return what is wrong with a target, or an empty string."""
        try:
            checked_transform(target, "target")
        except (ModelError, TypeError, ValueError) as error:
            return str(error) if isinstance(error, ModelError) else f"target: {error}"
        return ""

    @property
    def involved(self) -> tuple[int, ...]:
        """The entries of a configuration that a solution may change."""
        return self._involved

    def start(self, seed: ArrayLike | Mapping[str, Any] | None) -> Array:
        """Return a seed as a new vector, not yet cut at the limits; None: the home configuration.

        Raises ConfigurationError.
        """
        if seed is None:
            return self.compiled.home.copy()
        if type(seed) is np.ndarray and seed.dtype is FLOAT64:
            q = seed.copy()
            if q.shape == self.compiled.home.shape:
                return q  # the kernel looks for NaN
        return configuration_vector(self.compiled, seed)

    def _remark(self, report: list[float], seed: ArrayLike | Mapping[str, Any] | None) -> str:
        """Return what to add to the message of a result."""
        remarks = []
        if report[layout.OUT_OF_REACH]:
            remarks.append(
                f"The target is farther from '{self.base}' than the {self.chain.reach:.3g} m that "
                "the stretched chain reaches"
            )
        if report[layout.CUT]:
            names = positions_outside(self.compiled, self.start(seed))
            remarks.append(f"The seed was outside the limits and was cut: {', '.join(names)}")
        return ". ".join(remarks)

    def _bad_seed(self, seed: ArrayLike | Mapping[str, Any] | None) -> str:
        """Return what is wrong with a seed that the kernel refused."""
        try:
            configuration_vector(self.compiled, self.start(seed))
        except ConfigurationError as error:
            return f"seed: {error}"
        return "seed: a quaternion in it is zero"

    def invalid(
        self, reason: str, started: float, random_seed: int, configuration: Array | None = None
    ) -> IKResult:
        """Return the result of an input that cannot be used."""
        nan = math.nan
        return quick_result(
            False,
            IKStatus.INVALID_INPUT,
            self.compiled.home.copy() if configuration is None else configuration,
            [nan, nan, 0.0, 0.0],
            perf_counter() - started,
            random_seed,
            self.compiled,
            self._involved,
            reason,
        )

    def _settings(self, chain: Chain) -> Array:
        """Return the flat array that the kernels read; see settings.py."""
        compiled = self.compiled
        count = compiled.position_count
        settings = np.zeros(layout.LIMITS + 2 * count)
        radian = 0.5 * chain.reach if 0.0 < chain.reach < math.inf else 1.0
        settings[:3] = np.sqrt(self.weights[:3])
        settings[3:6] = np.sqrt(self.weights[3:]) / radian
        settings[layout.POSITION_TOLERANCE] = self.position_tolerance
        settings[layout.ORIENTATION_TOLERANCE] = self.orientation_tolerance
        settings[layout.PARTIAL_ORIENTATION] = len(set(self.weights[:3])) > 1
        settings[layout.FREE_COUNT] = chain.free_count
        settings[layout.BASE_ROW] = chain.base_row
        settings[layout.TIP_ROW] = chain.tip_row
        settings[layout.METHOD] = layout.METHODS.index(self.solver)
        settings[layout.REACH] = math.inf
        if all(self.weights[3:]):
            settings[layout.REACH] = chain.reach + self.position_tolerance
        settings[layout.CENTER : layout.CENTER + 3] = chain.center
        settings[layout.TOOL : layout.TOOL + 12] = self.tool[:3].ravel()
        settings[layout.LIMITS : layout.LIMITS + count] = compiled.lower
        settings[layout.LIMITS + count :] = compiled.upper
        settings.flags.writeable = False
        return settings


def _checked_weights(weights: Sequence[float]) -> Array:
    values = np.array(weights, dtype=np.float64)
    if values.shape != (6,) or not np.isfinite(values).all() or (values < 0).any():
        raise ModelError(
            f"weights are six numbers >= 0 (3 orientation, 3 position), not {weights!r}"
        )
    if not values.any():
        raise ModelError("all six weights are zero, so any configuration would do")
    values.flags.writeable = False
    return values


def _positive(value: float, name: str) -> float:
    number = float(value)
    if not (math.isfinite(number) and number > 0.0):
        raise ModelError(f"{name} must be a positive number, not {value!r}")
    return number


def _natural(value: int, name: str) -> int:
    if not (0 <= value < 2**63 and int(value) == value):
        raise ModelError(f"{name} must be a whole number from 0 to 2^63 - 1, not {value!r}")
    return int(value)
