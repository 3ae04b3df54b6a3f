"""From a tip's twist to joint velocities, and how near the arm is to a singularity."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from rigid_tree_kinematics.arrays import Array
from rigid_tree_kinematics.kinematics import geometric_jacobian
from rigid_tree_kinematics.model import CompiledTree
from rigid_tree_kinematics.servo import kernels

INDEPENDENT = 1e-6  # share of the largest singular value that a direction of motion has
SAMPLES = 5  # configurations that tell how many directions the tip can move in


class TipMotion:
    """The differential kinematics of a tip and the joints that move it. Not thread-safe.

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
        self._table = compiled.table
        self._body = compiled.index_of(tip)
        self._columns = columns
        self._slots = slots
        count = len(columns)
        # What the kernels work in: a Jacobian, its factors and the squares of their values.
        self._work = (
            np.empty((6, compiled.velocity_count)),
            np.empty((count, 6)),
            np.empty((6, 6)),
            np.empty(6),
        )
        self._end = np.empty(compiled.position_count)
        # A planar arm never moves in all six directions, which makes it not singular.
        rng = np.random.default_rng(0)
        ranks = []
        for _ in range(SAMPLES):
            q = compiled.home.copy()
            q[slots] += rng.uniform(-1.0, 1.0, count)
            J = geometric_jacobian(compiled, q, tip)[:, columns]
            values = np.linalg.svd(J, compute_uv=False)
            ranks.append(int(np.sum(values > INDEPENDENT * values[0])))
        self._rank = max(1, *ranks)

    def velocity(self, q: Array, twist: Array, period: float) -> Array:
        """Return joint velocities (k,) that move the tip by a twist (6,) at the end of a step."""
        out = np.empty(len(self._slots))
        kernels.tip_velocity(
            self._table,
            q,
            self._body,
            self._columns,
            self._slots,
            twist,
            period,
            self._end,
            *self._work,
            out,
        )
        return out

    def condition(self, q: Array) -> float:
        """Return the largest singular value of the Jacobian over the smallest one."""
        return float(
            kernels.condition(self._table, q, self._body, self._columns, self._rank, *self._work)
        )

    def nears_singularity(self, q: Array, velocity: Array, period: float) -> bool:
        """Return whether the condition number grows on the way."""
        ahead = q.copy()
        ahead[self._slots] += period * velocity
        return self.condition(ahead) > self.condition(q)
