"""From a tip's twist to joint velocities, and how near the arm is to a singularity."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from rigid_tree_kinematics.kinematics import geometric_jacobian
from rigid_tree_kinematics.model import CompiledTree

Array = NDArray[np.float64]

# Share of the largest singular value: below the condition number 30 it changes velocities by
# less than 0.1 %, and at a singularity it keeps them finite.
DAMPING = 1e-3
INDEPENDENT = 1e-6  # share of the largest singular value that a direction of motion has
SAMPLES = 5  # configurations that tell how many directions the tip can move in


class TipMotion:
    """The differential kinematics of a tip and the joints that move it.

    Args:
        compiled: the robot.
        tip: name of the body.
        columns: (k,) places of the joints' velocities.
        slots: (k,) places of their positions.
    """

    def __init__(
        self,
        compiled: CompiledTree,
        tip: str,
        columns: NDArray[np.int64],
        slots: NDArray[np.int64],
    ) -> None:
        self._compiled = compiled
        self._tip = tip
        self._columns = columns
        self._slots = slots
        # A planar arm never moves in all six directions, which makes it not singular.
        rng = np.random.default_rng(0)
        ranks = []
        for _ in range(SAMPLES):
            q = compiled.home.copy()
            q[slots] += rng.uniform(-1.0, 1.0, len(slots))
            values = np.linalg.svd(self.jacobian(q), compute_uv=False)
            ranks.append(int(np.sum(values > INDEPENDENT * values[0])))
        self._rank = max(ranks)

    def jacobian(self, q: Array) -> Array:
        """Return J (6, k) at a configuration (nq,)."""
        return geometric_jacobian(self._compiled, q, self._tip)[:, self._columns]

    def velocity(self, q: Array, twist: Array, period: float) -> Array:
        """Return joint velocities (k,) that move the tip by a twist (6,) at the end of a step.

        The Jacobian is that of the end, which keeps the tip on its way.
        """
        first = self._inverse(q, twist)
        end = q.copy()
        end[self._slots] += period * first
        return self._inverse(end, twist)

    def condition(self, q: Array) -> float:
        """Return the largest singular value of the Jacobian over the smallest one."""
        values = np.linalg.svd(self.jacobian(q), compute_uv=False)[: self._rank]
        return float(values[0] / values[-1]) if values[-1] > 0.0 else np.inf

    def nears_singularity(self, q: Array, velocity: Array, period: float) -> bool:
        """Return whether the condition number grows on the way."""
        ahead = q.copy()
        ahead[self._slots] += period * velocity
        return self.condition(ahead) > self.condition(q)

    def _inverse(self, q: Array, twist: Array) -> Array:
        """Return damped least-squares velocities (Wampler 1986)."""
        left, values, right = np.linalg.svd(self.jacobian(q), full_matrices=False)
        damping = DAMPING * values[0]
        gains = values / (values**2 + damping**2) if values[0] > 0.0 else values
        return np.asarray((gains * (left.T @ twist)) @ right)
