"""Results of the solvers, and checks of the numbers that they take."""

import enum
import math
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

from rigid_tree_kinematics.arrays import Array
from rigid_tree_kinematics.errors import ModelError
from rigid_tree_kinematics.model import CompiledTree
from rigid_tree_kinematics.model.configuration import configuration_mapping


class IKStatus(enum.Enum):
    """The outcome of a search; the value is for display."""

    CONVERGED = "converged"
    UNREACHABLE = "unreachable"
    NOT_CONVERGED = "not_converged"  # all restarts failed, but the best one is near the target
    OUT_OF_TIME = "out_of_time"
    FOLLOWING = "following"  # a tracker moves towards the target
    INVALID_INPUT = "invalid_input"


@dataclass(frozen=True, eq=False)
class IKResult:
    """The result for one target.

    ``configuration`` is the solution, or the best one found. Joints outside the chain keep the
    seed's positions. Errors include only components with a weight. For INVALID_INPUT the
    configuration is the seed (or home) and the errors are NaN.
    """

    success: bool
    status: IKStatus
    configuration: Array  # (nq,) rad, m
    position_error: float  # m
    orientation_error: float  # rad
    iterations: int
    restarts: int
    seconds: float
    random_seed: int
    compiled: CompiledTree = field(repr=False)
    involved: tuple[int, ...] = field(repr=False)  # entries that could move
    reason: str = ""  # why an input is invalid, or how a valid one was changed

    @cached_property
    def by_name(self) -> dict[str, Any]:
        """{independent joint name: position}, arrays for joints with several numbers."""
        return configuration_mapping(self.compiled, self.configuration)

    @cached_property
    def joints_at_limits(self) -> tuple[str, ...]:
        """Names of the movable positions that are at a limit."""
        names, q = self.compiled.position_names, self.configuration
        lower, upper = self.compiled.lower, self.compiled.upper
        return tuple(names[i] for i in self.involved if q[i] <= lower[i] or q[i] >= upper[i])

    @cached_property
    def message(self) -> str:
        """The outcome in one or two sentences."""
        if self.status is IKStatus.INVALID_INPUT:
            return f"Invalid input: {self.reason}."
        effort = f"{self.iterations} iterations and {self.restarts} restarts"
        error = self.position_error
        length = f"{1e3 * error:.3g} mm" if error < 1.0 else f"{error:.3g} m"
        errors = f"{length} and {self.orientation_error:.3g} rad"
        if self.success:
            text = f"Converged within {errors} after {effort}."
        elif self.status is IKStatus.FOLLOWING:
            text = f"Following: the target is still {errors} away."
        elif self.status is IKStatus.OUT_OF_TIME:
            text = (
                f"Out of time after {1e3 * self.seconds:.1f} ms ({effort}); the best "
                f"configuration found misses the target by {errors}."
            )
        elif self.status is IKStatus.NOT_CONVERGED:
            text = (
                f"Not converged after {effort}: the best configuration found is near the target, "
                f"but misses it by {errors}, more than the tolerances."
            )
        else:
            text = (
                f"Found no solution in {effort}; the target seems unreachable within the joint "
                f"limits, and the best configuration found misses it by {errors}."
            )
        if not self.success and self.joints_at_limits:
            text += f" At a limit: {', '.join(self.joints_at_limits)}."
        return f"{text} {self.reason}." if self.reason else text


def positive(value: float, name: str) -> float:
    """Return ``value`` as a float; raises ModelError unless it is positive and finite."""
    number = float(value)
    if not (math.isfinite(number) and number > 0.0):
        raise ModelError(f"{name} must be a positive number, not {value!r}")
    return number


def unsigned(value: int, name: str) -> int:
    """Return ``value`` as an int; raises ModelError unless it is in 0 to 2^63 - 1."""
    if not (0 <= value < 2**63 and int(value) == value):
        raise ModelError(f"{name} must be a whole number from 0 to 2^63 - 1, not {value!r}")
    return int(value)
