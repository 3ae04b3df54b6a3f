"""Differential kinematics: how the bodies move when the joints do."""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache

import numpy as np
from numpy.typing import ArrayLike

from rigid_tree_kinematics.arrays import Array
from rigid_tree_kinematics.errors import ConfigurationError
from rigid_tree_kinematics.kinematics import kernels
from rigid_tree_kinematics.kinematics.arguments import Tree, compiled_of
from rigid_tree_kinematics.kinematics.tree_function import NUMBER, POSITIONS, TREES, TreeFunction
from rigid_tree_kinematics.model import CompiledTree


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

    Example:
        >>> robot = load_robot("panda")
        >>> J = geometric_jacobian(robot, robot.home_configuration(), "panda_link8")
        >>> twist = np.array([0.0, 0, 0.1, 0, 0, 0])  # m/s and rad/s: upwards
        >>> v = np.linalg.pinv(J) @ twist
        >>> print((J @ v).round(3) + 0.0)
        [0.  0.  0.1 0.  0.  0. ]
    """
    compiled = compiled_of(tree)
    in_base = axes == "base"
    if not in_base and axes != "body":
        raise ConfigurationError(f"axes are 'base' or 'body', not '{axes}'")
    return _jacobian(compiled)(positions, compiled.index_of(body), in_base, out)


@lru_cache(maxsize=TREES)
def _jacobian(compiled: CompiledTree) -> Callable[..., Array]:
    return TreeFunction(
        compiled,
        kernels.jacobian_batch,
        fixed=(compiled.table,),
        inputs=(POSITIONS, NUMBER, NUMBER),
        result=(6, compiled.velocity_count),
    ).with_shortcut(kernels.jacobian)


def body_velocity(
    tree: Tree, positions: ArrayLike, velocities: ArrayLike, body: str, axes: str = "base"
) -> Array:
    """Return a body's spatial velocity: linear (m/s) of its origin, then angular (rad/s).

    ``velocities`` is (nv,), or (N, nv) with a batch of positions; the result is (6,) or (N, 6).

    Example:
        >>> robot = load_robot("ur5")
        >>> q = robot.home_configuration()
        >>> print(body_velocity(robot, q, [0.5, 0, 0, 0, 0, 0], "tool0").round(3))
        [-0.055  0.243  0.     0.     0.     0.5  ]
    """
    J = geometric_jacobian(tree, positions, body, axes)
    v = np.asarray(velocities, dtype=np.float64)
    if v.shape != (*J.shape[:-2], J.shape[-1]):
        raise ConfigurationError(
            f"velocities must have shape {(*J.shape[:-2], J.shape[-1])}, not {v.shape}"
        )
    return (J @ v[..., None])[..., 0]
