"""A simulated robot that follows trajectories like a real driver, or falls freely."""

import warnings
from collections.abc import Sequence

import numpy as np
from numpy.typing import ArrayLike

from rigid_tree_kinematics.arrays import Array
from rigid_tree_kinematics.dynamics import (
    check_inertias,
    forward_dynamics,
    gravity_torque,
    inverse_dynamics,
    mass_matrix,
    with_valid_inertias,
)
from rigid_tree_kinematics.dynamics.simulation import Integrator, within_limits
from rigid_tree_kinematics.errors import ConfigurationError, DescriptionWarning, ModelError
from rigid_tree_kinematics.kinematics.arguments import Tree
from rigid_tree_kinematics.kinematics.topology import difference
from rigid_tree_kinematics.model.configuration import random_configuration
from rigid_tree_kinematics.model.joints import CIRCLE
from rigid_tree_kinematics.trajectories import (
    Execution,
    JointTrajectory,
    Outcome,
    Tolerances,
    Waypoints,
)

MODES = ("kinematic", "dynamic", "free")
CONTROLLERS = ("computed_torque", "pd_gravity")
STEPS = {"kinematic": 1e-2, "free": 1e-3}  # s; nothing is integrated in kinematic mode
# s; the controllers of real arms run at 1 kHz, PD is stiffer.
CONTROL_STEPS = {"computed_torque": 1e-3, "pd_gravity": 5e-4}
BREAKAWAY = 1e-3  # rad/s or m/s of commanded velocity that overcomes a joint's friction
SAMPLES = 50  # configurations for the mean inertias
SLOWEST = 1e-3  # of a trajectory's speed; slower ones start at rest


class DrivenRobot:
    """The state of a moving robot, and the trajectories that it follows.

    Modes: "kinematic" follows its trajectory within the joints' velocity limits; "dynamic" moves
    by a controller's torques, clamped to the joints' effort limits; "free" has no torques.
    Controllers: "computed_torque" (Luh, Walker, Paul 1980) and "pd_gravity", both critically
    damped at ``bandwidth`` rad/s, with friction compensation. Velocity or effort limits of zero
    are ignored. With a ``jerk_limit`` (rad/s^3 or m/s^3; 0: none), joints whose trajectory is
    stopped come to rest within it.

    Raises ModelError for a robot whose dynamics are undefined in a mode that uses torques.

    Example:
        >>> driven = DrivenRobot(load_robot("double_pendulum"), [0.5, 0.0], mode="free")
        >>> driven.advance(0.2)  # s
        >>> print(driven.q.round(3))
        [0.298 0.215]
    """

    def __init__(
        self,
        tree: Tree,
        initial: ArrayLike | None = None,
        mode: str = "kinematic",
        controller: str = "computed_torque",
        bandwidth: float = 20.0,
    ) -> None:
        self.compiled, self._repairs = with_valid_inertias(tree)
        compiled = self.compiled
        self.time = 0.0  # s
        self.jerk_limit = 0.0
        self.executions: list[Execution] = []
        self._initial = compiled.home.copy()
        self._driven = np.flatnonzero(compiled.is_scalar)  # positions that motors move
        self._driven_slots = compiled.velocity_of_position[self._driven]
        self._kinds = compiled.position_kinds
        self.circular = self._kinds == CIRCLE
        self._speed = compiled.velocity_limit
        self._strength = np.zeros(compiled.velocity_count)  # nothing drives a floating joint
        effort = np.where(compiled.effort_limit > 0.0, compiled.effort_limit, np.inf)
        self._strength[self._driven_slots] = effort[self._driven_slots]
        self.effort = np.zeros(compiled.velocity_count)
        self._motion = Integrator(compiled, lambda time, q, v: self.effort)
        if initial is not None:
            self.set_initial(initial)
        self.reset()
        self.set_controller(controller, bandwidth)
        self.mode = "kinematic"
        self.set_mode(mode)

    # -- commands --------------------------------------------------------------------------------

    def set_mode(self, mode: str) -> None:
        """Change the mode; trajectories continue, except in mode "free"."""
        self.check_mode(mode)
        if mode != "kinematic" and self._repairs:
            warnings.warn(DescriptionWarning(self._repairs), stacklevel=2)
        if mode == "free":
            self.stop("the robot falls freely now")
            self.executions.clear()  # no deceleration
        if self.mode == "free":
            self._hold = self.q.copy()
        self.mode = mode

    def check_mode(self, mode: str) -> None:
        """Raise ConfigurationError or ModelError if the robot cannot move in that mode."""
        if mode not in MODES:
            raise ConfigurationError(f"mode must be one of {', '.join(MODES)}, not '{mode}'")
        if mode != "kinematic":
            check_inertias(self.compiled)
            forward_dynamics(self.compiled, self.q, self.v, self.effort)

    def set_controller(self, controller: str, bandwidth: float) -> None:
        """Change the controller of mode "dynamic" and its bandwidth (rad/s)."""
        if controller not in CONTROLLERS:
            raise ConfigurationError(
                f"controller must be one of {', '.join(CONTROLLERS)}, not '{controller}'"
            )
        self.controller, self.bandwidth = controller, bandwidth
        self._felt: Array | None = None  # depends on the bandwidth

    def set_initial(self, q: ArrayLike) -> None:
        """Change the state of ``reset``; raises ConfigurationError like ``set_state``."""
        self._initial = within_limits(self.compiled, q)

    def set_state(self, q: ArrayLike, v: ArrayLike | None = None) -> None:
        """Set the state, at rest unless ``v`` (nv,) is given; trajectories are stopped.

        Raises ConfigurationError for invalid numbers or positions outside the limits.
        """
        place = within_limits(self.compiled, q)
        rates = np.zeros(self.compiled.velocity_count)
        if v is not None:
            rates = np.array(v, dtype=np.float64)
            if rates.shape != self.compiled.rate_shape or not np.isfinite(rates).all():
                raise ConfigurationError(
                    f"velocities are {self.compiled.velocity_count} finite numbers"
                )
        self.stop("the state of the robot was set")
        self.executions.clear()
        self.q, self.v = place, rates
        self._hold = place.copy()

    def reset(self) -> None:
        """Return to the initial state, at rest."""
        self.set_state(self._initial)

    def stop(self, reason: str, names: Sequence[str] | None = None) -> None:
        """Stop within ``jerk_limit``, only executions that move ``names`` if given."""
        for execution in self.executions:
            if names is None or not set(names).isdisjoint(execution.names):
                execution.end(Outcome.STOPPED, reason)
        self._drop_ended()

    def follow(
        self, waypoints: Waypoints, start: float, tolerances: Tolerances, speed: float = 1.0
    ) -> Execution:
        """Follow waypoints from time ``start`` (s); replaces trajectories of the same joints.

        ``speed`` scales the velocities.

        Raises ConfigurationError like ``check_follow``.
        """
        self.check_follow(waypoints, start)
        moving = self.desired(self.time)
        for execution in self.executions:
            if not set(waypoints.names).isdisjoint(execution.names):
                execution.end(Outcome.REPLACED, "another trajectory replaced it")
        self._drop_ended(waypoints.names)
        # Until a later start the joints do not move.
        q, v, a = moving if start <= self.time else self.desired(self.time)
        slots = waypoints.slots
        rates = self.compiled.velocity_of_position[slots]
        # Rates by the trajectory's time, so that the velocity does not jump.
        scale = 1.0 / speed if speed > SLOWEST else 0.0
        moving_now = q[slots], scale * v[rates], scale**2 * a[rates]
        trajectory = JointTrajectory(waypoints, moving_now, self.circular[slots])
        execution = Execution(trajectory, start, tolerances)
        execution.set_speed(start, speed)
        self.executions.append(execution)
        return execution

    def check_follow(self, waypoints: Waypoints, start: float) -> None:
        """Raise ConfigurationError in mode "free", or if the trajectory is in the past."""
        if self.mode == "free":
            raise ConfigurationError("the robot falls freely: set parameter mode to kinematic")
        late = self.time - start - waypoints.times[-1]
        if late > 0.0:
            raise ConfigurationError(
                f"the trajectory ended {late:.3g} s ago by its stamp; a zero stamp starts it now"
            )

    # -- motion ----------------------------------------------------------------------------------

    def advance(self, duration: float) -> None:
        """Simulate ``duration`` (s).

        Raises ModelError if the motion is not finite; the robot is then at rest where it was.
        """
        step = CONTROL_STEPS[self.controller] if self.mode == "dynamic" else STEPS[self.mode]
        count = max(round(duration / step), 1)
        for _ in range(count):
            if self.mode == "kinematic":
                self._move(duration / count)
            else:
                self._swing(duration / count)
            self.time += duration / count
            for execution in self.executions:
                if self.time >= execution.start:
                    execution.judge(self.time, *self.errors(execution))
            self._drop_ended()

    def errors(self, execution: Execution) -> tuple[Array, Array]:
        """Return desired minus actual positions and velocities (k,) of an execution's joints."""
        q, v, _ = execution.desired(self.time)
        place = self.q.copy()
        place[execution.slots] = q
        apart = difference(self._kinds, self.q, place)[execution.slots]
        return apart, v - self.v[self.compiled.velocity_of_position[execution.slots]]

    def _move(self, step: float) -> None:
        """Move to the desired positions, within the velocity limits."""
        q, v, a = self.desired(self.time + step)
        wanted = difference(self._kinds, self.q, q)[self._driven]
        most = step * self._speed[self._driven_slots]
        # Rounding errors at the limit are ignored.
        late = np.abs(wanted) > most * (1.0 + 1e-9)
        moved = np.clip(wanted, -most, most)
        place = self.q.copy()
        place[self._driven] += moved
        speed = np.zeros_like(self.v)
        speed[self._driven_slots] = np.where(late, moved / step, v[self._driven_slots])
        a[self._driven_slots[late]] = 0.0
        self.q, self.v = place, speed
        self.effort = inverse_dynamics(self.compiled, place, speed, a) + self._rubbing(speed)
        self.effort[self._strength == 0.0] = 0.0

    def _swing(self, step: float) -> None:
        """Simulate the motors' torques for a control step."""
        before = self.q
        try:
            self.effort = np.zeros_like(self.v)
            if self.mode == "dynamic":
                self.effort = np.clip(self._torque(), -self._strength, self._strength)
            self.q, self.v = self._motion.runge_kutta(self.time, self.q, self.v, step)
            diverged = not (np.isfinite(self.q).all() and np.isfinite(self.v).all())
        except ConfigurationError:  # from the dynamics, if not finite
            diverged = True
        if diverged:
            self.set_state(before)
            raise ModelError(
                f"robot '{self.compiled.name}' diverges: the bandwidth is too high, or the "
                "inertias are too small for the damping"
            )

    def _torque(self) -> Array:
        q, v, a = self.desired(self.time)
        error = np.zeros_like(self.v)
        error[self._driven_slots] = difference(self._kinds, self.q, q)[self._driven]
        stiffness, damping = self.bandwidth**2, 2.0 * self.bandwidth
        wanted = stiffness * error + damping * (v - self.v)
        rubbing = self._rubbing(v + self.bandwidth * error)
        if self.controller == "computed_torque":
            wanted[self._strength == 0.0] = 0.0
            return inverse_dynamics(self.compiled, self.q, self.v, a + wanted) + rubbing
        return gravity_torque(self.compiled, self.q) + self._felt_inertias() * wanted + rubbing

    def _rubbing(self, v: Array) -> Array:
        """Return the torques of damping and friction at velocities ``v``."""
        compiled = self.compiled
        return compiled.damping * v + compiled.friction * np.tanh(v / BREAKAWAY)

    def _felt_inertias(self) -> Array:
        """Return the mean inertias (nv,) at the motors, reduced where PD would be unstable."""
        if self._felt is None:
            rng = np.random.default_rng(0)
            samples = [random_configuration(self.compiled, rng) for _ in range(SAMPLES)]
            matrices = mass_matrix(self.compiled, np.array(samples))
            inertias = np.diagonal(matrices, axis1=1, axis2=2).mean(axis=0)
            # Coupled joints respond more strongly to these gains than single ones.
            responses = np.abs(np.linalg.eigvals(np.linalg.inv(matrices) * inertias))
            response = responses.max(initial=0.0)
            gain = 2.0 * self.bandwidth * response * CONTROL_STEPS["pd_gravity"]
            self._felt = inertias / max(gain, 1.0)
        return self._felt

    def desired(self, time: float) -> tuple[Array, Array, Array]:
        """Return the commanded positions (nq,), velocities and accelerations (nv,)."""
        q, v, a = self._hold.copy(), np.zeros_like(self.v), np.zeros_like(self.v)
        for execution in self.executions:
            if time >= execution.start:
                rates = self.compiled.velocity_of_position[execution.slots]
                q[execution.slots], v[rates], a[rates] = execution.desired(time)
        return q, v, a

    def _drop_ended(self, taken: Sequence[str] = ()) -> None:
        """Drop finished executions; their joints come to rest unless another one moves them."""
        ended = [e for e in self.executions if e.outcome is not None]
        self.executions = [e for e in self.executions if e.outcome is None]
        for execution in ended:
            if self.time >= execution.start:
                self._hold[execution.slots] = execution.desired(self.time)[0]
                left = [k for k, name in enumerate(execution.names) if name not in taken]
                if self.jerk_limit and left:
                    self._come_to_rest(execution, left)

    def _come_to_rest(self, execution: Execution, left: list[int]) -> None:
        """Decelerate some joints of an execution, with cubic velocity profiles.

        A joint that would leave its limits exceeds the jerk limit.
        """
        slots = execution.slots[left]
        q, v, a = (rates[left] for rates in execution.desired(self.time))
        low, high = self.compiled.lower[slots], self.compiled.upper[slots]
        roots = np.sqrt(4.0 * a**2 + 6.0 * np.abs(v) * self.jerk_limit)
        time = float((2.0 * np.abs(a) + roots).max()) / self.jerk_limit
        while time > STEPS["kinematic"]:
            end = q + time * (v / 2.0 + time * a / 12.0)
            if ((end >= low) & (end <= high)).all():
                rest = np.zeros((1, len(left)))
                names = tuple(execution.names[k] for k in left)
                waypoints = Waypoints(names, slots, np.array([time]), end[None], rest, rest)
                anything = np.full(len(left), np.inf)
                tolerances = Tolerances(*4 * (anything,), goal_time=np.inf)
                trajectory = JointTrajectory(waypoints, (q, v, a), anything == 0.0)
                self.executions.append(Execution(trajectory, self.time, tolerances))
                return
            time *= 0.9
