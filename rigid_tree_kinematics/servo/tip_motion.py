"""Joint velocities of a tip's twist, and the condition number of its Jacobian."""

import numpy as np
from numpy.typing import NDArray

from rigid_tree_kinematics.arrays import Array
from rigid_tree_kinematics.kinematics import geometric_jacobian
from rigid_tree_kinematics.model import CompiledTree
from rigid_tree_kinematics.servo.kernels import TipArrays, condition, tip_velocity

INDEPENDENT = 1e-6  # least singular value of a direction of motion, relative to the largest
SAMPLES = 5  # configurations for the number of the tip's directions of motion


class TipMotion:
    """The differential kinematics of a tip and the joints that move it. Not thread-safe.

    ``columns`` and ``slots`` (k,) are the indices of the joints' velocities and positions.
    """

    def __init__(
        self,
        compiled: CompiledTree,
        tip: str,
        columns: NDArray[np.int64],
        slots: NDArray[np.int64],
    ) -> None:
        self._slots = slots
        count = len(columns)
        self._arrays = TipArrays(
            table=compiled.table,
            body=compiled.index_of(tip),
            columns=columns,
            slots=slots,
            end=np.empty(compiled.position_count),
            J=np.empty((6, compiled.velocity_count)),
            W=np.empty((count, 6)),
            V=np.empty((6, 6)),
            squares=np.empty(6),
        )
        # A planar arm never moves in all six directions, but is not always singular.
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
        tip_velocity(self._arrays, q, twist, period, out)
        return out

    def condition(self, q: Array) -> float:
        """Return the largest singular value of the Jacobian over the smallest one."""
        return float(condition(self._arrays, q, self._rank))

    def nears_singularity(self, q: Array, velocity: Array, period: float) -> bool:
        """Return whether the condition number increases along the motion."""
        ahead = q.copy()
        ahead[self._slots] += period * velocity
        return self.condition(ahead) > self.condition(q)
