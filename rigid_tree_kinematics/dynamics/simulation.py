"""Simulation of a robot's motion."""

import math
import warnings
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike
from tqdm import tqdm

from rigid_tree_kinematics.arrays import Array
from rigid_tree_kinematics.dynamics.functions import (
    forward_dynamics,
    kinetic_energy,
    mass_matrix,
    potential_energy,
)
from rigid_tree_kinematics.dynamics.inertias import check_inertias, with_valid_inertias
from rigid_tree_kinematics.dynamics.resistance import resist
from rigid_tree_kinematics.errors import (
    ConfigurationError,
    DescriptionWarning,
    ModelError,
)
from rigid_tree_kinematics.kinematics.arguments import Tree
from rigid_tree_kinematics.kinematics.topology import integrated, position_rates
from rigid_tree_kinematics.model import CompiledTree
from rigid_tree_kinematics.model.configuration import (
    LIMIT_SLACK,
    configuration_vector,
    normalize,
)
from rigid_tree_kinematics.text import told_apart

# Takes time (s), positions and velocities; returns torques (N m, N).
TorqueLaw = Callable[[float, Array, Array], ArrayLike]

METHODS = ("rk4", "semi_implicit_euler", "adaptive")
# The adaptive method needs continuous friction: it fades below this velocity (rad/s, m/s).
FRICTION_FADES = 1e-3
ADAPTIVE_TOLERANCE = 1e-10  # relative, of positions and velocities
# With such steps, the energy of a chaotic double pendulum is constant to 1e-6 for a minute.
LONGEST_STEP = 5e-4  # s, of rk4
MOST_STEPS = 10_000_000  # of a simulation: more than an hour with rk4
ENERGY_ROWS = 10_000  # whose mass matrices are in memory at once
LONG = 2.0  # s of computing before a progress bar appears on a terminal


@dataclass(frozen=True, eq=False)
class Simulation:
    """A simulated motion, with one row for each of ``times``."""

    times: Array  # (N,) s
    positions: Array  # (N, nq)
    velocities: Array  # (N, nv)
    kinetic_energy: Array  # (N,) J
    potential_energy: Array  # (N,) J

    @property
    def energy(self) -> Array:
        """Sum of kinetic and potential energy (J), (N,)."""
        return self.kinetic_energy + self.potential_energy


def simulate(
    tree: Tree,
    q0: ArrayLike,
    v0: ArrayLike,
    torque: ArrayLike | TorqueLaw | None,
    duration: float,
    step: float = 1e-3,
    method: str = "rk4",
) -> Simulation:
    """Integrate the equation of motion, with the joints' damping and friction.

    Joints stop at their limits in inelastic impacts, which act on all coupled joints. A progress
    bar appears on a terminal if it takes long.

    Args:
        tree: the robot, or its ``compiled()`` arrays.
        q0: initial positions within the limits, (nq,) or by joint name.
        v0: initial velocities, (nv,).
        torque: of the joints (N m, N): constant (nv,), a function of (time, q, v), or None.
        duration: s.
        step: s, between two rows of the result.
        method: "rk4" (fourth-order Runge-Kutta, in steps of at most 0.5 ms),
            "semi_implicit_euler" (cheap; first order, one step per row), or "adaptive" (SciPy's
            DOP853, to 1e-10; without stops: raises ModelError if a joint exceeds a limit).

    A body with an impossible inertia is simulated with the nearest possible one, and a
    DescriptionWarning names it (see ``repair_inertias``). Raises ConfigurationError for invalid
    arguments and more than 10 million steps, and ModelError for a negative mass.

    Example:
        >>> motion = simulate(load_robot("double_pendulum"), [0.5, 0], [0, 0], None, duration=1.0)
        >>> print(motion.times[-1], motion.positions[-1].round(3))
        1.0 [-0.392 -0.07 ]
    """
    compiled, remark = with_valid_inertias(tree)
    q = within_limits(compiled, q0)
    v = np.array(v0, dtype=np.float64)
    if v.shape != (compiled.velocity_count,) or not np.isfinite(v).all():
        raise ConfigurationError(
            f"v0 must be {compiled.velocity_count} finite numbers, not {np.asarray(v0).tolist()}"
        )
    _check_steps(duration, step, method)
    check_inertias(compiled)
    if remark:
        warnings.warn(DescriptionWarning(remark), stacklevel=2)
    motion = Integrator(compiled, torque)
    times = np.linspace(0.0, duration, max(round(duration / step), 1) + 1)
    if method == "adaptive":
        positions, velocities = _adaptive(motion, q, v, times)
    else:
        advance = motion.runge_kutta if method == "rk4" else motion.semi_implicit_euler
        positions = np.empty((len(times), len(q)))
        velocities = np.empty((len(times), len(v)))
        positions[0], velocities[0] = q, v
        for k in tqdm(range(1, len(times)), delay=LONG, disable=None, unit="step", leave=False):
            q, v = advance(times[k - 1], q, v, times[k] - times[k - 1])
            positions[k], velocities[k] = q, v
    return Simulation(times, positions, velocities, *_energies(compiled, positions, velocities))


def _energies(compiled: CompiledTree, positions: Array, velocities: Array) -> Array:
    """Return the kinetic and the potential energy (2, k) of each row."""
    energies = np.empty((2, len(positions)))
    for first in range(0, len(positions), ENERGY_ROWS):
        rows = slice(first, first + ENERGY_ROWS)
        energies[0, rows] = kinetic_energy(compiled, positions[rows], velocities[rows])
        energies[1, rows] = potential_energy(compiled, positions[rows])
    return energies


def _check_steps(duration: float, step: float, method: str) -> None:
    """Raise ConfigurationError for an unknown method, invalid times and too many steps."""
    if method not in METHODS:
        raise ConfigurationError(f"unknown method '{method}'; known: {', '.join(METHODS)}")
    if not (np.isfinite([duration, step]).all() and duration >= 0.0 and step > 0.0):
        raise ConfigurationError(f"duration {duration} and step {step} are not positive times")
    inner = min(step, LONGEST_STEP) if method == "rk4" else step
    with np.errstate(over="ignore"):
        steps = float(np.float64(duration) / inner)
    if steps > MOST_STEPS:
        raise ConfigurationError(
            f"{duration:g} s in steps of {inner:g} s are {steps:.3g} steps; at most "
            f"{MOST_STEPS:,} are possible: choose a longer step or a shorter duration, and "
            "continue from the last positions and velocities"
        )


def within_limits(compiled: CompiledTree, q: ArrayLike) -> Array:
    """Return a configuration (nq,), clamped to limits that it exceeds by rounding only.

    Raises ConfigurationError with the limits of a position outside of them.
    """
    vector = configuration_vector(compiled, q)
    low, high = compiled.lower, compiled.upper
    outside = np.flatnonzero((vector < low - LIMIT_SLACK) | (vector > high + LIMIT_SLACK))
    if len(outside):
        k = int(outside[0])
        value, lowest, highest = told_apart(vector[k], low[k], high[k])
        raise ConfigurationError(
            f"{compiled.position_names[k]} = {value} is outside its limits [{lowest}, {highest}]"
        )
    return np.clip(vector, low, high)


class Integrator:
    """Integration steps of a robot's motion under torque, friction and joint stops."""

    def __init__(self, compiled: CompiledTree, torque: ArrayLike | TorqueLaw | None) -> None:
        self.compiled = compiled
        self._law = torque if callable(torque) else None
        self._constant = np.zeros(compiled.velocity_count)
        if torque is not None and self._law is None:
            self._constant = np.array(torque, dtype=np.float64)
            if self._constant.shape != (compiled.velocity_count,):
                raise ConfigurationError(
                    f"torque is not {compiled.velocity_count} numbers: {self._constant.tolist()}"
                )
        self._damped = bool(compiled.damping.any())
        self._rubs = bool(compiled.friction.any())
        self._impulse = np.zeros(compiled.velocity_count)
        self._plain = bool(compiled.is_scalar.all())
        # Positions with a stop, and the velocities that lead there.
        limited = np.isfinite(compiled.lower) | np.isfinite(compiled.upper)
        self._stops = np.flatnonzero(limited & compiled.is_scalar)
        self._stop_slots = compiled.velocity_of_position[self._stops]

    def acceleration(self, time: float, q: Array, v: Array) -> Array:
        """Return the joint accelerations without friction and stops."""
        torque = self._constant
        if self._law is not None:
            torque = np.asarray(self._law(time, q, v), dtype=np.float64)
        if self._damped:
            torque = torque - self.compiled.damping * v
        return forward_dynamics(self.compiled, q, v, torque)

    def position_rates(self, q: Array, v: Array) -> Array:
        """Return the rates of the positions (nq,): the velocities, except for floating joints."""
        return v if self._plain else position_rates(self.compiled, q, v)

    def rates(self, time: float, q: Array, v: Array) -> tuple[Array, Array]:
        """Return how the positions (nq,) and the velocities (nv,) change."""
        return self.position_rates(q, v), self.acceleration(time, q, v)

    def runge_kutta(self, time: float, q: Array, v: Array, step: float) -> tuple[Array, Array]:
        """Return the next positions and velocities, by the fourth-order method."""
        parts = max(math.ceil(step / LONGEST_STEP * (1.0 - 1e-9)), 1)
        for part in range(parts):
            q, v = self._runge_kutta(time + part * step / parts, q, v, step / parts)
        return q, v

    def _runge_kutta(self, time: float, q: Array, v: Array, step: float) -> tuple[Array, Array]:
        half = 0.5 * step
        r1, a1 = self.rates(time, q, v)
        r2, a2 = self.rates(time + half, q + half * r1, v + half * a1)
        r3, a3 = self.rates(time + half, q + half * r2, v + half * a2)
        r4, a4 = self.rates(time + step, q + step * r3, v + step * a3)
        q = q + step / 6.0 * (r1 + 2.0 * (r2 + r3) + r4)
        v = v + step / 6.0 * (a1 + 2.0 * (a2 + a3) + a4)
        resisted = self.resisted(q, v, step)
        if resisted is v:
            return self.bounded(q), v
        # The impulse acts as a constant force over the step, so that joints at rest do not creep;
        # joints that reached a stop stay there.
        at = self._stops
        stopped = (q[at] <= self.compiled.lower[at]) | (q[at] >= self.compiled.upper[at])
        eased = q + half * self.position_rates(q, resisted - v)
        eased[at[stopped]] = q[at[stopped]]
        return self.bounded(eased), resisted

    def semi_implicit_euler(
        self, time: float, q: Array, v: Array, step: float
    ) -> tuple[Array, Array]:
        """Return the next positions and velocities; velocities are updated first."""
        v = self.resisted(q, v + step * self.acceleration(time, q, v), step)
        return self.bounded(integrated(self.compiled, q, v, step)), v

    def resisted(self, q: Array, v: Array, step: float) -> Array:
        """Return the velocities after dry friction and the stops."""
        lower, upper = self.compiled.lower[self._stops], self.compiled.upper[self._stops]
        at, towards = q[self._stops], v[self._stop_slots]
        low_hit = self._stop_slots[(at <= lower) & (towards < 0.0)]
        high_hit = self._stop_slots[(at >= upper) & (towards > 0.0)]
        if not (self._rubs or len(low_hit) or len(high_hit)):
            return v
        most = step * self.compiled.friction
        low, high = -most, most
        high[low_hit] = np.inf
        low[high_hit] = -np.inf
        v = v.copy()
        # With the last step's friction as the initial guess, joints come to rest exactly.
        self._impulse = np.clip(self._impulse, -most, most)
        inverse = np.asarray(np.linalg.inv(mass_matrix(self.compiled, q)), dtype=np.float64)
        resist(inverse, low, high, self._impulse, v)
        return v

    def bounded(self, q: Array) -> Array:
        """Return positions clamped to the limits, with unit quaternions."""
        at = self._stops
        q[at] = np.clip(q[at], self.compiled.lower[at], self.compiled.upper[at])
        normalize(self.compiled, q)
        return q


def _adaptive(motion: Integrator, q: Array, v: Array, times: Array) -> tuple[Array, Array]:
    count = len(q)
    compiled = motion.compiled
    if times[-1] == 0.0:  # which solve_ivp does not integrate
        return np.tile(q, (len(times), 1)), np.tile(v, (len(times), 1))

    def rates(time: float, state: Array) -> Array:
        q, v = state[:count].copy(), state[count:]
        normalize(compiled, q)
        a = motion.acceleration(time, q, v)
        if compiled.friction.any():
            faded = compiled.friction * np.tanh(v / FRICTION_FADES)
            a = a - np.linalg.solve(mass_matrix(compiled, q), faded)
        return np.concatenate((motion.position_rates(q, v), a))

    from scipy.integrate import solve_ivp  # slow to import, and not used by nodes

    solution = solve_ivp(
        rates,
        (0.0, times[-1]),
        np.concatenate((q, v)),
        method="DOP853",
        t_eval=times,
        rtol=ADAPTIVE_TOLERANCE,
        atol=ADAPTIVE_TOLERANCE,
    )
    if not solution.success:
        raise ModelError(f"the integration ended at {solution.t[-1]:g} s: {solution.message}")
    positions, velocities = solution.y[:count].T.copy(), solution.y[count:].T.copy()
    passed = ((positions < compiled.lower - 1e-9) | (positions > compiled.upper + 1e-9)).any(0)
    if passed.any():
        names = ", ".join(np.array(compiled.position_names)[passed])
        raise ModelError(
            f"the method 'adaptive' has no stops and exceeded the limits of {names}; use 'rk4'"
        )
    for row in positions:
        normalize(compiled, row)
    return positions, velocities
