"""What solver, batch, branches and tracking stand on: checked arguments, kernels' arrays."""

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
    IKResult,
    IKStatus,
    compile_chain,
    positions_outside,
    quick_result,
)
from rigid_tree_kinematics.ik.chain import settings as layout
from rigid_tree_kinematics.ik.search import work_size
from rigid_tree_kinematics.model import CompiledTree, RigidBodyTree
from rigid_tree_kinematics.model.configuration import configuration_vector
from rigid_tree_kinematics.model.transforms import Pose, checked_pose

FLOAT64 = np.dtype(np.float64)

# The clock is looked at after about so many steps of a chain, a fraction of a millisecond's work.
STEPS_BETWEEN_CLOCKS = 2000
LEAST_BUDGET = 32

STATUS_OF = {
    layout.CONVERGED: IKStatus.CONVERGED,
    layout.UNREACHABLE: IKStatus.UNREACHABLE,
}


class IKProblem:
    """Which body to bring to a pose, by which joints, and how exactly; immutable.

    The arguments are those of ``InverseKinematics``, and attributes of the same names. ``chain``
    and ``settings`` are the arrays that the kernels read, ``work_size`` is how many numbers of
    work space a search needs, ``budget`` how many iterations it takes between two looks at the
    clock.

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
        self.timeout = positive(timeout, "timeout")
        self.max_restarts = natural(max_restarts, "max_restarts")
        self.random_seed = natural(random_seed, "random_seed")
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

    def seed_problem(self, seed: ArrayLike | Mapping[str, Any] | None) -> str:
        """Return what is wrong with a seed that the kernel refused."""
        try:
            configuration_vector(self.compiled, self.start(seed))
        except ConfigurationError as error:
            return f"seed: {error}"
        return "seed: a quaternion in it is zero"

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


def positive(value: float, name: str) -> float:
    """Return ``value`` as a float; ModelError naming ``name`` if it is not positive and finite."""
    number = float(value)
    if not (math.isfinite(number) and number > 0.0):
        raise ModelError(f"{name} must be a positive number, not {value!r}")
    return number


def natural(value: int, name: str) -> int:
    """Return ``value`` as an int; ModelError naming ``name`` unless it is 0 to 2^63 - 1."""
    if not (0 <= value < 2**63 and int(value) == value):
        raise ModelError(f"{name} must be a whole number from 0 to 2^63 - 1, not {value!r}")
    return int(value)
