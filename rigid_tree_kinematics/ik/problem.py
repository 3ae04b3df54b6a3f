"""The checked arguments of inverse kinematics, and the arrays of its kernels."""

from __future__ import annotations

import math
from collections.abc import Collection, Mapping, Sequence
from time import perf_counter
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from rigid_tree_kinematics.arrays import Array
from rigid_tree_kinematics.errors import ConfigurationError, ModelError
from rigid_tree_kinematics.ik.chain import (
    Chain,
    ChainArrays,
    IKResult,
    IKStatus,
    compile_chain,
    layout,
    natural,
    positions_outside,
    positive,
)
from rigid_tree_kinematics.ik.search import search, work_size
from rigid_tree_kinematics.model import CompiledTree, RigidBodyTree
from rigid_tree_kinematics.model.configuration import configuration_vector
from rigid_tree_kinematics.model.transforms import Pose, checked_pose

FLOAT64 = np.dtype(np.float64)

# Chain steps between two checks of the deadline: a fraction of a millisecond.
STEPS_BETWEEN_CLOCKS = 2000
LEAST_BUDGET = 32
WITHOUT_CLOCK = 2**62

STATUS_OF = {
    layout.CONVERGED: IKStatus.CONVERGED,
    layout.UNREACHABLE: IKStatus.UNREACHABLE,
}


class IKProblem:
    """The body to place, the joints that move it, tolerances and limits; immutable.

    The arguments are those of ``InverseKinematics``, and attributes of the same names. ``chain``
    and ``settings`` are read by the kernels; ``work_size`` is the length of a search's work array,
    ``budget`` its number of iterations between two checks of the deadline.

    Raises UnknownNameError and ModelError for invalid arguments.
    """

    def __init__(  # noqa: PLR0913 (the arguments of ``solve``)
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
        self.tool = checked_pose(np.eye(4) if tool is None else tool, "tool")
        self.weights = _checked_weights(weights)
        if isinstance(locked, str):
            raise ModelError(f"locked is a collection of joint names, not the name '{locked}'")
        self.locked = tuple(locked)
        if solver not in layout.METHODS:
            raise ModelError(f"unknown solver '{solver}'; use one of {', '.join(layout.METHODS)}")
        self.solver = solver
        self.position_tolerance = positive(position_tolerance, "position_tolerance")
        self.orientation_tolerance = positive(orientation_tolerance, "orientation_tolerance")
        self.timeout = timeout if timeout == math.inf else positive(timeout, "timeout")
        self.max_restarts = natural(max_restarts, "max_restarts")
        self.random_seed = natural(random_seed, "random_seed")
        self.chain = compile_chain(self.compiled, body, self.base, self.tool, self.locked)
        self.settings = self._settings(self.chain)
        rows = self.chain.steps.shape[0]
        self._involved = tuple(dict.fromkeys(int(e) for e in self.chain.free_entries))
        self.budget = max(LEAST_BUDGET, STEPS_BETWEEN_CLOCKS // rows)
        if self.timeout == math.inf:
            self.budget = WITHOUT_CLOCK
        self.work_size = work_size(
            rows,
            len(self.chain.variables),
            self.chain.ball_count,
            self.chain.free_count,
            self.compiled.position_count,
        )

    @property
    def joint_names(self) -> tuple[str, ...]:
        """The independent joints that a solution may move."""
        return tuple(
            name
            for name, (start, count) in self.compiled.joint_slots.items()
            if any(start <= entry < start + count for entry in self._involved)
        )

    @property
    def involved(self) -> tuple[int, ...]:
        """The entries of a configuration that a solution may change."""
        return self._involved

    def arrays(self, variables: Array | None = None) -> ChainArrays:
        """Return the arrays of one search; ``variables`` replace those of the chain."""
        chain = self.chain
        steps = chain.steps.copy() if chain.ball_count else chain.steps
        if variables is None:
            variables = chain.variables
        return ChainArrays(steps, variables, self.compiled.table, self.settings)

    def search(
        self,
        arrays: ChainArrays,
        target: Array,
        q: Array,
        work: Array,
        restarts: int,
        random_seed: int,
        mode: int,
    ) -> int:
        """Start or resume a search from q (nq,), in place; return the kernel's code."""
        return int(search(arrays, target, q, work, random_seed, restarts, self.budget, mode))

    def start(self, seed: ArrayLike | Mapping[str, Any] | None) -> Array:
        """Return a seed as a new vector, not yet clamped; None: the home configuration.

        Raises ConfigurationError.
        """
        if seed is None:
            return self.compiled.home.copy()
        if type(seed) is np.ndarray and seed.dtype is FLOAT64:
            q = seed.copy()
            if q.shape == self.compiled.home.shape:
                return q  # the kernel checks for NaN
        return configuration_vector(self.compiled, seed)

    def target_problem(self, target: Pose) -> str:
        """Return what is wrong with a target, or an empty string."""
        try:
            checked_pose(target, "target")
        except (ModelError, TypeError, ValueError) as error:
            return str(error) if isinstance(error, ModelError) else f"target: {error}"
        return ""

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
        """Return the result for a kernel's code and report."""
        remarkable = report[layout.CUT] or report[layout.OUT_OF_REACH]
        return self._result(
            status or STATUS_OF[code],
            q,
            report,
            seconds,
            self.random_seed if random_seed is None else random_seed,
            self._remark(report, seed) if remarkable else "",
        )

    def invalid(
        self, reason: str, started: float, random_seed: int, configuration: Array | None = None
    ) -> IKResult:
        """Return the result of invalid input."""
        q = self.compiled.home.copy() if configuration is None else configuration
        report = [math.nan, math.nan, 0.0, 0.0]
        seconds = perf_counter() - started
        return self._result(IKStatus.INVALID_INPUT, q, report, seconds, random_seed, reason)

    def _result(
        self,
        status: IKStatus,
        q: Array,
        report: list[float],
        seconds: float,
        random_seed: int,
        reason: str,
    ) -> IKResult:
        # The constructor of a frozen dataclass takes as long as a whole search may take.
        result = object.__new__(IKResult)
        result.__dict__.update(
            success=status is IKStatus.CONVERGED,
            status=status,
            configuration=q,
            position_error=report[layout.POSITION_ERROR],
            orientation_error=report[layout.ORIENTATION_ERROR],
            iterations=int(report[layout.ITERATIONS]),
            restarts=int(report[layout.RESTARTS]),
            seconds=seconds,
            random_seed=random_seed,
            compiled=self.compiled,
            involved=self._involved,
            reason=reason,
        )
        return result

    def _remark(self, report: list[float], seed: ArrayLike | Mapping[str, Any] | None) -> str:
        """Return remarks for the message of a result."""
        remarks = []
        if report[layout.OUT_OF_REACH]:
            remarks.append(
                f"The target is farther from '{self.base}' than the {self.chain.reach:.3g} m that "
                "the stretched chain reaches"
            )
        if report[layout.CUT]:
            names = positions_outside(self.compiled, self.start(seed))
            remarks.append(f"The seed was outside the limits and was clamped: {', '.join(names)}")
        return ". ".join(remarks)

    def seed_problem(self, seed: ArrayLike | Mapping[str, Any] | None) -> str:
        """Return why the kernel rejected a seed."""
        try:
            configuration_vector(self.compiled, self.start(seed))
        except ConfigurationError as error:
            return f"seed: {error}"
        return "seed: a quaternion in it is zero"

    def _settings(self, chain: Chain) -> Array:
        """Return the flat array that the kernels read; see layout.py."""
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
