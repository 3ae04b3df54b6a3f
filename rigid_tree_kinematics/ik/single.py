"""Inverse kinematics of one target: checked arguments, the search, its result."""

import math
from collections.abc import Collection, Mapping, Sequence
from time import perf_counter
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from rigid_tree_kinematics.arrays import Array
from rigid_tree_kinematics.deadline import Deadline
from rigid_tree_kinematics.errors import ConfigurationError, ModelError
from rigid_tree_kinematics.ik.chain import (
    RADIANS,
    ChainArrays,
    IKResult,
    IKStatus,
    compile_chain,
    layout,
    positive,
    unsigned,
)
from rigid_tree_kinematics.ik.search import GIVE_UP, RESUME, START, search, work_size
from rigid_tree_kinematics.model import CompiledTree, RigidBodyTree
from rigid_tree_kinematics.model.configuration import configuration_vector
from rigid_tree_kinematics.model.transforms import Pose, checked_pose, pose_array

Seed = ArrayLike | Mapping[str, Any] | None

FLOAT64 = np.dtype(np.float64)
# Chain steps between two checks of the deadline: a fraction of a millisecond.
STEPS_BETWEEN_CLOCKS = 2000
LEAST_BUDGET = 32
WITHOUT_CLOCK = 2**62
NO_REPORT = [np.nan, np.nan, *[0.0] * (layout.REPORT - 2)]  # without errors: nothing was solved
# A search that ends with errors below this (rad, and share of the chain's length) beyond the
# tolerances proves nothing about the target.
NEAR = 1e-4
# A failed search tries the position alone, to explain the failure, with so few random starts.
FEW_RESTARTS = 20
STATUS_OF = {layout.CONVERGED: IKStatus.CONVERGED, layout.UNREACHABLE: IKStatus.UNREACHABLE}


class SingleTargetIK:
    """Solves for one target; arguments and attributes of ``InverseKinematics``."""

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
        self.max_restarts = unsigned(max_restarts, "max_restarts")
        self.random_seed = unsigned(random_seed, "random_seed")
        # Arguments of the kernels.
        self.chain = compile_chain(self.compiled, body, self.base, self.tool, self.locked)
        self.settings = self._settings()
        self.work_size = work_size(self.chain, self.compiled.position_count)
        # Iterations between two checks of the deadline.
        self.budget = max(LEAST_BUDGET, STEPS_BETWEEN_CLOCKS // len(self.chain.steps))
        if self.timeout == math.inf:
            self.budget = WITHOUT_CLOCK
        # The entries of a configuration that a solution may change.
        self.involved = tuple(dict.fromkeys(self.chain.free_entries.tolist()))

    @property
    def joint_names(self) -> tuple[str, ...]:
        """The independent joints that a solution may move."""
        joints = self.compiled.joint_of_position
        return tuple(dict.fromkeys(joints[entry] for entry in sorted(self.involved)))

    def solve(
        self,
        target: Pose,
        seed: Seed = None,
        *,
        max_step: float | None = None,
        timeout: float | Deadline | None = None,
        max_restarts: int | None = None,
        random_seed: int | None = None,
    ) -> IKResult:
        """Return a solution, preferably near the seed, or the best configuration found.

        The first descent starts from the seed (clamped to the limits) and stays on its branch;
        restarts are random within the limits.

        Args:
            target: T_base_tool (4x4), the pose of the tool in the base body's frame.
            seed: a configuration, by order or by joint name; None is the home configuration.
            max_step: rad or m; maximum distance of every joint from the seed, also for restarts.
                None: anywhere within the limits.
            timeout (s or a Deadline), max_restarts, random_seed: override those of the object.

        Raises ModelError for an invalid target, ConfigurationError for an invalid seed.

        Example:
            >>> from rigid_tree_kinematics.model.transforms import transform_from_xyz_rpy
            >>> robot = load_robot("ur5")
            >>> target = transform_from_xyz_rpy((0.4, 0.2, 0.3), (np.pi, 0, 0))  # m, rad
            >>> ik = InverseKinematics(robot, "tool0")
            >>> result = ik.solve(target, robot.home_configuration())
            >>> print(result.status.value, result.configuration.round(2))
            converged [ 0.22 -1.64  1.98 -1.91 -1.57 -1.35]
        """
        started = perf_counter()
        number = self.random_seed if random_seed is None else unsigned(random_seed, "random_seed")
        restarts = self.max_restarts if max_restarts is None else max_restarts
        deadline = Deadline.of(self.timeout if timeout is None else timeout)
        try:
            q = self.start(seed)
        except ConfigurationError as error:
            raise ConfigurationError(f"seed: {error}") from error
        T = _target_array(target)
        variables = None if max_step is None else self._variables_near(q, max_step)
        chain, work = self.arrays(variables), np.empty(self.work_size)
        code = search(chain, T, q, work, number, restarts, self.budget, START)
        if code == layout.BAD_TARGET:
            T = checked_pose(T, "target").copy()  # if its digits are only rounded
            code = search(chain, T, q, work, number, restarts, self.budget, START)
        late = False
        while code == layout.UNFINISHED:
            late = deadline.over
            mode = GIVE_UP if late else RESUME
            code = search(chain, T, q, work, number, restarts, self.budget, mode)
        if code == layout.BAD_SEED:
            raise self._refusal(q)
        status = IKStatus.OUT_OF_TIME if late and code == layout.UNREACHABLE else STATUS_OF[code]
        report, reason = work[: layout.REPORT].tolist(), ""
        if code != layout.CONVERGED:
            reason = self._orientation_remark(chain, T, self.start(seed))
        return self.result(status, q, report, perf_counter() - started, seed, number, reason)

    def start(self, seed: Seed) -> Array:
        """Return a seed as a new vector, not clamped; None: the home configuration.

        Raises ConfigurationError.
        """
        if seed is None:
            return np.array(self.compiled.home)
        if type(seed) is np.ndarray and seed.dtype is FLOAT64:
            q: Array = seed.copy()
            if q.shape == self.compiled.vector_shape:
                return q  # the kernel checks for NaN
        return configuration_vector(self.compiled, seed)

    def _variables_near(self, q: Array, max_step: float) -> Array:
        """Return the table of variables with limits at most ``max_step`` from the seed q."""
        farthest = np.full(len(q), positive(max_step, "max_step"))
        clamped = np.clip(q, self.compiled.lower, self.compiled.upper)
        return self.chain.variables_near(clamped, farthest)

    def arrays(self, variables: Array | None = None) -> ChainArrays:
        """Return the arrays of one search, optionally with other ``variables``."""
        chain = self.chain
        steps = chain.steps.copy() if chain.ball_count else chain.steps
        own = chain.variables if variables is None else variables
        return ChainArrays(steps, own, self.compiled.table, self.settings)

    def result(
        self,
        status: IKStatus,
        q: Array,
        report: list[float],
        seconds: float,
        seed: Seed = None,
        random_seed: int | None = None,
        reason: str = "",
    ) -> IKResult:
        """Return the result of a search from the kernel's report."""
        if report[layout.CUT] or report[layout.OUT_OF_REACH]:
            reason = self._remark(report, seed, reason)
        if status is IKStatus.UNREACHABLE and self._is_near(report):
            status = IKStatus.NOT_CONVERGED
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
            random_seed=self.random_seed if random_seed is None else random_seed,
            compiled=self.compiled,
            involved=self.involved,
            reason=reason,
        )
        return result

    def _is_near(self, report: list[float]) -> bool:
        """Return whether a failed search ended close enough that the target may be reachable."""
        turn, away = report[layout.ORIENTATION_ERROR], report[layout.POSITION_ERROR]
        return (
            not report[layout.OUT_OF_REACH]
            and turn <= self.orientation_tolerance + NEAR
            and away <= self.position_tolerance + NEAR * self.chain.length
        )

    def _orientation_remark(self, chain: ChainArrays, T: Array, q: Array) -> str:
        """Return a remark if the position of a target that was not reached is reachable.

        ``q`` is the seed, which is overwritten.
        """
        if not (self.weights[:3].any() and self.weights[3:].any()):
            return ""
        settings = chain.settings.copy()
        settings[:3] = settings[layout.PARTIAL_ORIENTATION] = 0.0
        settings.flags.writeable = False
        chain, work = chain._replace(settings=settings), np.empty(self.work_size)
        limits = self.random_seed, FEW_RESTARTS, WITHOUT_CLOCK
        if search(chain, T, q, work, *limits, START) != layout.CONVERGED:
            return ""
        if self.chain.free_count >= len(self.weights):
            return "The position can be reached, but not with this orientation"
        return (
            f"The position can be reached, but {self.chain.free_count} joints cannot choose the "
            "orientation as well; set the weights of free directions to 0, such as "
            "(0, 0, 0, 1, 1, 1) for any orientation"
        )

    def _remark(self, report: list[float], seed: Seed, reason: str) -> str:
        """Return remarks for the message of a result, ``reason`` first."""
        remarks = [reason] if reason else []
        if report[layout.OUT_OF_REACH]:
            remarks.append(
                f"The target is farther from '{self.base}' than the {self.chain.reach:.3g} m that "
                "the stretched chain reaches"
            )
        if report[layout.CUT]:
            q, compiled = self.start(seed), self.compiled
            outside = np.flatnonzero((q < compiled.lower) | (q > compiled.upper))
            names = ", ".join(compiled.position_names[i] for i in outside)
            remarks.append(f"The seed was outside the limits and was clamped: {names}")
        return ". ".join(remarks)

    def _refusal(self, q: Array) -> ConfigurationError:
        """Return the error of a seed that the kernel rejected."""
        try:
            configuration_vector(self.compiled, q)
        except ConfigurationError as error:
            return ConfigurationError(f"seed: {error}")
        return ConfigurationError("seed: a quaternion is zero")

    def _settings(self) -> Array:
        """Return the flat array that the kernels read; see layout.py."""
        chain, count = self.chain, self.compiled.position_count
        settings = np.zeros(layout.LIMITS + 2 * count)
        radian = RADIANS * chain.length
        settings[:3] = np.sqrt(self.weights[:3])
        settings[3:6] = np.sqrt(self.weights[3:]) / radian
        settings[layout.POSITION_TOLERANCE] = self.position_tolerance
        settings[layout.ORIENTATION_TOLERANCE] = self.orientation_tolerance
        settings[layout.PARTIAL_ORIENTATION] = len(set(self.weights[:3])) > 1
        settings[layout.FREE_COUNT] = chain.free_count
        settings[layout.BASE_ROW], settings[layout.TIP_ROW] = chain.base_row, chain.tip_row
        settings[layout.METHOD] = layout.METHODS.index(self.solver)
        whole = all(self.weights[3:])
        settings[layout.REACH] = chain.reach + self.position_tolerance if whole else math.inf
        settings[layout.CENTER : layout.CENTER + 3] = chain.center
        settings[layout.TOOL : layout.TOOL + 12] = self.tool[:3].ravel()
        settings[layout.LIMITS :] = np.concatenate([self.compiled.lower, self.compiled.upper])
        settings.flags.writeable = False
        return settings


def _target_array(target: Pose) -> Array:
    """Return a target as an array for the kernel; raises ModelError for another shape."""
    T = target
    if type(T) is not np.ndarray or T.dtype is not FLOAT64 or not T.flags.carray:
        try:
            T = pose_array(target)
        except ModelError as error:
            raise ModelError(f"target: {error}") from error
    if T.shape == (4, 4):
        return T
    hint = f", not of shape {T.shape}"
    if T.shape == (3,):
        hint = "; for a position, use transform((x, y, z)) and weights=(0, 0, 0, 1, 1, 1)"
    raise ModelError(f"target: a pose must be a 4x4 matrix{hint}")


def _checked_weights(weights: Sequence[float]) -> Array:
    values = np.array(weights, dtype=np.float64)
    if values.shape != (6,) or not np.isfinite(values).all() or (values < 0).any():
        raise ModelError(
            f"weights must be six numbers >= 0 (3 orientation, 3 position), not {weights!r}"
        )
    if not values.any():
        raise ModelError("all six weights are zero, so every configuration is a solution")
    values.flags.writeable = False
    return values
