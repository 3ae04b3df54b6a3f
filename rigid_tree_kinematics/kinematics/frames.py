"""Forward kinematics: where the bodies are."""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache

from numpy.typing import ArrayLike

from rigid_tree_kinematics.arrays import Array
from rigid_tree_kinematics.kinematics import kernels
from rigid_tree_kinematics.kinematics.arguments import Tree, compiled_of
from rigid_tree_kinematics.kinematics.batch import body_transforms_batch
from rigid_tree_kinematics.kinematics.tree_function import NUMBER, POSITIONS, TREES, TreeFunction
from rigid_tree_kinematics.model import CompiledTree
from rigid_tree_kinematics.model.transforms import inverse


def body_transforms(tree: Tree, positions: ArrayLike, out: Array | None = None) -> Array:
    """Return the frame of every body in the base frame.

    Args:
        tree: a tree, or its ``compiled()`` arrays.
        positions: one configuration (nq,), or a batch (N, nq), which is shared among the cores.
        out: where to write the result, to save the allocation.

    Returns:
        (n, 4, 4), or (N, n, 4, 4): T_base_body in the order of ``compiled().body_names``, the
        base first.

    Raises ConfigurationError for a wrong shape or positions that are not finite.

    Example:
        >>> robot = load_robot("ur5")
        >>> frames = body_transforms(robot, robot.home_configuration())
        >>> print(frames.shape, frames[-1][:3, 3].round(3))  # the last body: tool0
        (11, 4, 4) [0.487 0.109 0.432]
    """
    return _frames(compiled_of(tree))(positions, out)


def body_transform(tree: Tree, positions: ArrayLike, body: str, other: str | None = None) -> Array:
    """Return T_other_body: one body's frame in another's (None: the base's).

    Only the joints between each of the two and the base are computed. (4, 4) for one
    configuration, (N, 4, 4) for a batch. Raises UnknownNameError and ConfigurationError.

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


@lru_cache(maxsize=TREES)
def _frames(compiled: CompiledTree) -> Callable[..., Array]:
    return TreeFunction(
        compiled,
        body_transforms_batch,
        fixed=(compiled.table,),
        inputs=(POSITIONS,),
        result=(len(compiled.body_names), 4, 4),
    ).with_shortcut(kernels.body_transforms)


@lru_cache(maxsize=TREES)
def _chain(compiled: CompiledTree) -> Callable[..., Array]:
    return TreeFunction(
        compiled,
        kernels.chain_transform_batch,
        fixed=(compiled.table,),
        inputs=(POSITIONS, NUMBER),
        result=(4, 4),
    ).with_shortcut(kernels.chain_transform)
