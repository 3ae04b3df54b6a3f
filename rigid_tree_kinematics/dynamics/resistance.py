"""Impulses of dry friction and of stops at the joint limits."""

from rigid_tree_kinematics.arrays import Array
from rigid_tree_kinematics.kernels import MATRIX, READ_1D, VECTOR, kernel, types

SWEEPS = 50  # of the iteration, at most
CONVERGED = 1e-12  # of its largest change of a velocity (rad/s, m/s)


@kernel(types.boolean(MATRIX, READ_1D, READ_1D, VECTOR, VECTOR))
def resist(inverse: Array, low: Array, high: Array, impulse: Array, v: Array) -> bool:
    """Reduce ``v`` (nv,) by impulses within [low, high] (N m s, N s), without reversing it.

    ``inverse`` is the inverse of the mass matrix. Each impulse brings its own velocity to zero, or
    is at a bound: projected Gauss-Seidel (Moreau 1988; Catto, "Iterative dynamics with temporal
    coherence", GDC 2005). ``impulse`` (nv,) is an initial guess within the bounds, then the
    result. Returns whether the iteration converged.
    """
    count = v.shape[0]
    for i in range(count):
        for k in range(count):
            v[k] += inverse[k, i] * impulse[i]
    for _ in range(SWEEPS):
        largest = 0.0
        for i in range(count):
            if low[i] == 0.0 and high[i] == 0.0:
                continue
            wanted = impulse[i] - v[i] / inverse[i, i]
            change = min(max(wanted, low[i]), high[i]) - impulse[i]
            impulse[i] += change
            for k in range(count):
                v[k] += inverse[k, i] * change
            largest = max(largest, abs(change) * inverse[i, i])
        if largest < CONVERGED:
            return True
    return False
