"""Results of steps."""

import enum
from collections.abc import Callable
from dataclasses import dataclass, field

import numpy as np

import rigid_tree_kinematics.ik.differential.steps.layout as layout
from rigid_tree_kinematics.arrays import Array, Integers
from rigid_tree_kinematics.model import CompiledTree


class StepStatus(enum.Enum):
    """The outcome of a step; the value is for display."""

    FOLLOWED = "followed"  # all constraints hold
    RELAXED = "relaxed"  # constraints and barriers contradict the limits: least violation
    BRAKED = "braked"  # no safe solution: the joints slow down


STATUSES = {
    layout.FOLLOWED: StepStatus.FOLLOWED,
    layout.RELAXED: StepStatus.RELAXED,
    layout.BRAKED: StepStatus.BRAKED,
}
LIMITS = {
    layout.AT_POSITION: "position",
    layout.AT_VELOCITY: "velocity",
    layout.AT_ACCELERATION: "acceleration",
}


@dataclass(frozen=True, eq=False)
class DifferentialStep:
    """The state after a step."""

    numbers: Array = field(repr=False)  # the kernel's state
    compiled: CompiledTree = field(repr=False)
    barrier_names: Callable[["DifferentialStep"], tuple[str, ...]] = field(repr=False)
    near: Integers | None = field(default=None, repr=False)  # rows of near bodies

    @property
    def configuration(self) -> Array:
        """The positions (nq,), rad or m."""
        return self.numbers[: self.compiled.position_count]

    @property
    def velocity(self) -> Array:
        """The velocities (nv,) during the step, rad/s or m/s."""
        nq = self.compiled.position_count
        return self.numbers[nq : nq + self.compiled.velocity_count]

    @property
    def status(self) -> StepStatus:
        """The outcome."""
        compiled = self.compiled
        return STATUSES[int(self.numbers[compiled.position_count + compiled.velocity_count])]

    @property
    def active(self) -> tuple[str, ...]:
        """The limits and barriers that keep the step from its targets."""
        compiled = self.compiled
        nq, nv = compiled.position_count, compiled.velocity_count
        limits = self.numbers[nq + nv + 1 : nq + 2 * nv + 1]
        names = [compiled.position_names[k] for k in compiled.position_of_velocity]
        found = [
            f"{'upper' if limits[k] > 0 else 'lower'} {LIMITS[abs(int(limits[k]))]} limit of "
            f"'{names[k]}'"
            for k in np.flatnonzero(limits)
        ]
        return (*found, *self.active_barriers)

    @property
    def active_barriers(self) -> tuple[str, ...]:
        """The barriers among them."""
        nq, nv = self.compiled.position_count, self.compiled.velocity_count
        active = np.flatnonzero(self.numbers[nq + 2 * nv + 1 :])
        names = self.barrier_names(self) if len(active) else ()
        return tuple(names[k] for k in active)

    @property
    def message(self) -> str:
        """The outcome in a sentence."""
        active = f" Active: {', '.join(self.active)}." if self.active else ""
        return f"{self.status.value.capitalize()}.{active}"
