"""Frames, Jacobians, velocities and the center of mass at configurations."""

from collections.abc import Callable
from functools import lru_cache

import numpy as np
from numpy.typing import ArrayLike

from rigid_tree_kinematics.arrays import Array
from rigid_tree_kinematics.errors import ConfigurationError, ModelError
from rigid_tree_kinematics.kinematics import kernels
from rigid_tree_kinematics.kinematics.arguments import (
    NUMBER,
    POSITIONS,
    TREES,
    Tree,
    compiled_of,
    tree_function,
)
from rigid_tree_kinematics.kinematics.derivative_kernels import (
    jacobian_derivative,
    jacobian_derivative_batch,
)
from rigid_tree_kinematics.model import CompiledTree
from rigid_tree_kinematics.model.columns import VELOCITY
from rigid_tree_kinematics.model.transforms import inverse


def body_transforms(tree: Tree, positions: ArrayLike, out: Array | None = None) -> Array:
    """Return the frame of every body in the base frame.

    Args:
        tree: a tree, or its ``compiled()`` arrays.
        positions: one configuration (nq,), or a batch (N, nq), which is divided among the cores.
        out: array for the result, to save the allocation.

    Returns:
        (n, 4, 4), or (N, n, 4, 4): T_base_body in the order of ``compiled().body_names``, the
        base first.

    Raises ConfigurationError for a wrong shape or positions that are not finite. A quaternion of
    zero is not noticed, here and in the other functions, and results in NaN: use
    ``tree.configuration`` to check positions.

    Example:
        >>> robot = load_robot("ur5")
        >>> frames = body_transforms(robot, robot.home_configuration())
        >>> print(frames.shape, frames[-1][:3, 3].round(3))  # the last body: tool0
        (11, 4, 4) [0.487 0.109 0.432]
    """
    return _frames(compiled_of(tree))(positions, out)


def body_transform(tree: Tree, positions: ArrayLike, body: str, other: str | None = None) -> Array:
    """Return T_other_body: a body's frame in another body's frame (None: the base's).

    Only the chains of both bodies are computed. (4, 4) for one configuration, (N, 4, 4) for a
    batch. Raises UnknownNameError and ConfigurationError.

    Example:
        >>> robot = load_robot("ur5")
        >>> q = robot.home_configuration()
        >>> print(body_transform(robot, q, "tool0", "forearm_link")[:3, 3].round(3))
        [-0.487 -0.082  0.109]
    """
    compiled = compiled_of(tree)
    frame = _chain(compiled)
    T_base_body = frame(positions, compiled.index_of(body))
    if other is None:
        return T_base_body
    return inverse(frame(positions, compiled.index_of(other))) @ T_base_body


def poses_in_parents(tree: Tree, q: Array) -> Array:
    """Return every body's pose in its parent (n, 7): x y z (m), qx qy qz qw with qw >= 0.

    The base's row is the identity. ``q`` (nq,) has to be finite; it is not checked.

    Example:
        >>> robot = load_robot("ur5")
        >>> print(poses_in_parents(robot, robot.home_configuration())[-1].round(3))
        [0.  0.  0.  0.5 0.5 0.5 0.5]
    """
    compiled = compiled_of(tree)
    poses = np.empty((len(compiled.body_names), 7))
    kernels.parent_poses(compiled.table, q, poses)
    return poses


def geometric_jacobian(
    tree: Tree, positions: ArrayLike, body: str, axes: str = "base", out: Array | None = None
) -> Array:
    """Return J with ``J @ v`` = the body's velocity: linear (m/s), then angular (rad/s).

    The linear part is the velocity of the body frame's origin. ``v`` has ``velocity_count``
    entries: one for a simple joint, the rates of (x, y, theta) for a planar one, and (linear,
    angular) in the moved joint frame for a floating one.

    Args:
        tree: a tree, or its ``compiled()`` arrays.
        positions: one configuration (nq,), or a batch (N, nq).
        body: name of the body.
        axes: whether the result is along the axes of the "base" or of the "body".
        out: array for the result.

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
    return _jacobian(compiled)(positions, compiled.index_of(body), _in_base(axes), out)


def jacobian_time_derivative(
    tree: Tree, positions: ArrayLike, velocities: ArrayLike, body: str, axes: str = "base"
) -> Array:
    """Return dJ/dt of ``geometric_jacobian``: J @ a + dJ/dt @ v is the body's acceleration.

    That holds along the base's axes, for the linear acceleration (m/s^2) of the frame's origin
    and the angular one (rad/s^2). Along the body's axes, it is the derivative of the entries.

    Args:
        tree: a tree, or its ``compiled()`` arrays.
        positions: one configuration (nq,), or a batch (N, nq).
        velocities: of the joints, (nv,) or (N, nv).
        body: name of the body.
        axes: whether the Jacobian is along the axes of the "base" or of the "body".

    Returns:
        (6, nv), or (N, 6, nv). Raises UnknownNameError and ConfigurationError.

    Example:
        >>> robot = load_robot("planar_two_link")
        >>> q, v = [0.0, 0.0], [2.0, 0.0]  # rad, rad/s
        >>> body = robot.body_names[-1]
        >>> J, dJ = geometric_jacobian(robot, q, body), jacobian_time_derivative(robot, q, v, body)
        >>> reach = J[1, 0]  # m
        >>> print((dJ @ v)[0] == -reach * 2.0**2)  # the centripetal acceleration
        True
    """
    compiled = compiled_of(tree)
    row = compiled.index_of(body)
    return _jacobian_derivative(compiled)(positions, velocities, row, _in_base(axes))


def _in_base(axes: str) -> bool:
    if axes not in ("base", "body"):
        raise ConfigurationError(f"axes must be 'base' or 'body', not '{axes}'")
    return axes == "base"


def chain_jacobian(
    tree: Tree, positions: ArrayLike, body: str, axes: str = "base"
) -> tuple[Array, tuple[str, ...]]:
    """Return the Jacobian of the joints that move a body, and the joint of each column.

    These are the columns of ``geometric_jacobian`` for the chain from the base to the body, in the
    order of ``joint_names``: (6, k), or (N, 6, k) for a batch. A mimic joint adds to its
    source's column.

    Example:
        >>> nao = load_robot("nao")
        >>> J, joints = chain_jacobian(nao, nao.home_configuration(), "l_gripper")
        >>> print(J.shape, *joints)
        (6, 5) LShoulderPitch LShoulderRoll LElbowYaw LElbowRoll LWristYaw
    """
    compiled = compiled_of(tree)
    row, moving = compiled.index_of(body), set()
    while row > 0:
        moving.add(int(compiled.table[row, VELOCITY]))
        row = int(compiled.parents[row])
    columns: list[int] = []
    joints: list[str] = []
    for name, (first, count) in compiled.velocity_slots.items():
        if first in moving:
            columns += range(first, first + count)
            joints += [name] * count
    J = geometric_jacobian(tree, positions, body, axes)
    return J[..., np.array(columns, dtype=np.intp)], tuple(joints)


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
    twists: Array = (J @ v[..., None])[..., 0]
    return twists


def center_of_mass(tree: Tree, positions: ArrayLike) -> Array:
    """Return the center of mass in the base frame (m): (3,), or (N, 3) for a batch.

    Raises ModelError if the robot has no mass.

    Example:
        >>> nao = load_robot("nao")
        >>> print(center_of_mass(nao, nao.home_configuration()).round(3))
        [ 0.018  0.    -0.047]
    """
    center: Array = _mass(compiled_of(tree))(positions)[..., 0].copy()
    return center


def center_of_mass_jacobian(tree: Tree, positions: ArrayLike) -> Array:
    """Return J with ``J @ v`` = the velocity of the center of mass: (3, nv), or (N, 3, nv).

    Example:
        >>> robot = load_robot("ur5")
        >>> q = [0.3, -1.2, 1.5, -0.8, 0.9, 0.2]
        >>> velocity = center_of_mass_jacobian(robot, q) @ [0.5, 0, 0, 0, 0, 0]
        >>> print(velocity[:2].round(3))  # m/s
        [-0.051  0.059]
    """
    J: Array = _mass(compiled_of(tree))(positions)[..., 1:].copy()
    return J


@lru_cache(maxsize=TREES)
def _frames(compiled: CompiledTree) -> Callable[..., Array]:
    one, many, shape = (
        kernels.body_transforms,
        kernels.body_transforms_batch,
        (len(compiled.table), 4, 4),
    )
    return tree_function(compiled, one, many, (compiled.table,), (POSITIONS,), shape)


@lru_cache(maxsize=TREES)
def _chain(compiled: CompiledTree) -> Callable[..., Array]:
    one, many, inputs = kernels.chain_transform, kernels.chain_transform_batch, (POSITIONS, NUMBER)
    return tree_function(compiled, one, many, (compiled.table,), inputs, (4, 4))


@lru_cache(maxsize=TREES)
def _jacobian(compiled: CompiledTree) -> Callable[..., Array]:
    inputs, shape = (POSITIONS, NUMBER, NUMBER), (6, compiled.velocity_count)
    one, many = kernels.jacobian, kernels.jacobian_batch
    return tree_function(compiled, one, many, (compiled.table,), inputs, shape)


@lru_cache(maxsize=TREES)
def _jacobian_derivative(compiled: CompiledTree) -> Callable[..., Array]:
    inputs, shape = (POSITIONS, "velocities", NUMBER, NUMBER), (6, compiled.velocity_count)
    one, many = jacobian_derivative, jacobian_derivative_batch
    return tree_function(compiled, one, many, (compiled.table,), inputs, shape, (shape,))


@lru_cache(maxsize=TREES)
def _mass(compiled: CompiledTree) -> Callable[..., Array]:
    """Return the function of the center of mass and its Jacobian side by side: (3, 1 + nv)."""
    if compiled.mass.sum() <= 0.0:
        raise ModelError(
            f"robot '{compiled.name}' has no mass: its description gives no inertial elements"
        )
    fixed = compiled.table, compiled.mass, compiled.center_of_mass
    bodies, shape = len(compiled.table), (3, 1 + compiled.velocity_count)
    space = (bodies, 4, 4), (bodies, 4)
    one, many = kernels.center_of_mass, kernels.center_of_mass_batch
    return tree_function(compiled, one, many, fixed, (POSITIONS,), shape, space)
