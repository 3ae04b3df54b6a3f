"""Forward kinematics: where the bodies are."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from rigid_tree_kinematics.arrays import Array
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
from rigid_tree_kinematics.kinematics.batch import body_transforms_batch
from rigid_tree_kinematics.model.transforms import inverse

_one_configuration = direct_call(kernels.body_transforms)
_one_chain = direct_call(kernels.chain_transform)


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
    """
    compiled = compiled_of(tree)
    q = as_positions(compiled, positions)
    table = compiled.table
    if q.ndim == 1:
        # The shortest way to the kernel: here half of the time is Python's.
        shape = compiled.frames_shape
        result = np.empty(shape) if out is None else output(out, shape)
        finite = _one_configuration(table, q, result)
    else:
        result = output(out, (q.shape[0], *compiled.frames_shape))
        finite = in_threads(
            lambda a, b: body_transforms_batch(table, q[a:b], result[a:b]), q.shape[0]
        )
    if not finite:
        refuse_non_finite(compiled, q)
    return result


def body_transform(tree: Tree, positions: ArrayLike, body: str, other: str | None = None) -> Array:
    """Return T_other_body: one body's frame in another's (None: the base's).

    Only the joints between each of the two and the base are computed. (4, 4) for one
    configuration, (N, 4, 4) for a batch. Raises UnknownNameError and ConfigurationError.
    """
    compiled = compiled_of(tree)
    q = as_positions(compiled, positions)
    table = compiled.table
    row = compiled.index_of(body)
    other_row = 0 if other is None else compiled.index_of(other)
    if q.ndim == 1:
        result = output(None, (4, 4))
        finite = _one_chain(table, q, row, result)
        if other_row and finite:
            T_base_other = output(None, (4, 4))
            _one_chain(table, q, other_row, T_base_other)
            result = inverse(T_base_other) @ result
    else:
        result, finite = _chain_batch(table, q, row)
        if other_row and finite:
            T_base_other, _ = _chain_batch(table, q, other_row)
            result = inverse(T_base_other) @ result
    if not finite:
        refuse_non_finite(compiled, q)
    return result


def _chain_batch(table: Array, q: Array, row: int) -> tuple[Array, bool]:
    result = output(None, (q.shape[0], 4, 4))
    finite = in_threads(
        lambda a, b: kernels.chain_transform_batch(table, q[a:b], row, result[a:b]), q.shape[0]
    )
    return result, finite
