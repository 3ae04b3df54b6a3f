"""Differential kinematics: how the bodies move when the joints do."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from rigid_tree_kinematics.arrays import Array
from rigid_tree_kinematics.errors import ConfigurationError
from rigid_tree_kinematics.kinematics import kernels
from rigid_tree_kinematics.kinematics.arguments import (
    Tree,
    as_positions,
    compiled_of,
    direct_call,
    in_threads,
    output,
    refuse_non_finite,
)

_one_configuration = direct_call(kernels.jacobian)


def geometric_jacobian(
    tree: Tree, positions: ArrayLike, body: str, axes: str = "base", out: Array | None = None
) -> Array:
    """Return J with ``J @ v`` = the body's spatial velocity: linear (m/s), then angular (rad/s).

    The linear part is the velocity of the body frame's origin. ``v`` has ``velocity_count``
    entries: one for a simple joint, the rates of (x, y, theta) for a planar one, and (linear,
    angular) in the moved joint frame for a floating one.

    Args:
        tree: a tree, or its ``compiled()`` arrays.
        positions: one configuration (nq,), or a batch (N, nq).
        body: name of the body.
        axes: express the result along the axes of the "base" or of the "body".
        out: where to write the result.

    Returns:
        (6, nv), or (N, 6, nv). Raises UnknownNameError and ConfigurationError.
    """
    compiled = compiled_of(tree)
    q = as_positions(compiled, positions)
    row = compiled.index_of(body)
    in_base = axes == "base"
    if not in_base and axes != "body":
        raise ConfigurationError(f"axes are 'base' or 'body', not '{axes}'")
    table, columns = compiled.table, compiled.velocity_count
    if q.ndim == 1:
        result = output(out, (6, columns))
        finite = _one_configuration(table, q, row, in_base, result)
    else:
        result = output(out, (q.shape[0], 6, columns))
        finite = in_threads(
            lambda a, b: kernels.jacobian_batch(table, q[a:b], row, in_base, result[a:b]),
            q.shape[0],
        )
    if not finite:
        refuse_non_finite(compiled, q)
    return result


def body_velocity(
    tree: Tree, positions: ArrayLike, velocities: ArrayLike, body: str, axes: str = "base"
) -> Array:
    """Return a body's spatial velocity: linear (m/s) of its origin, then angular (rad/s).

    ``velocities`` is (nv,), or (N, nv) with a batch of positions; the result is (6,) or (N, 6).
    """
    J = geometric_jacobian(tree, positions, body, axes)
    v = np.asarray(velocities, dtype=np.float64)
    if v.shape != (*J.shape[:-2], J.shape[-1]):
        raise ConfigurationError(
            f"velocities must have shape {(*J.shape[:-2], J.shape[-1])}, not {v.shape}"
        )
    return (J @ v[..., None])[..., 0]
