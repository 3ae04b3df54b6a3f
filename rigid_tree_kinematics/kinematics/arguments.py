"""Arguments of the kinematics functions: trees, positions, outputs; and their threads."""

from __future__ import annotations

import os
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from functools import cache
from typing import Any, cast

import numpy as np
from numpy.typing import ArrayLike

from rigid_tree_kinematics.arrays import Array
from rigid_tree_kinematics.errors import ConfigurationError
from rigid_tree_kinematics.model import CompiledTree, RigidBodyTree

Tree = RigidBodyTree | CompiledTree

FLOAT64 = np.dtype(np.float64)
# Computing a smaller batch takes less time than starting a thread.
ROWS_WORTH_A_THREAD = 2048


def compiled_of(tree: Tree) -> CompiledTree:
    """Return the arrays of a tree, or the arrays themselves if that is what was given."""
    return tree if isinstance(tree, CompiledTree) else tree.compiled()


def as_positions(compiled: CompiledTree, positions: ArrayLike) -> Array:
    """Return positions as a C-contiguous writable float64 (nq,) or (N, nq) array.

    Copies only what the kernels cannot take as it is. Raises ConfigurationError for another shape.
    """
    q = positions
    if type(q) is not np.ndarray or q.dtype is not FLOAT64 or not q.flags.carray:
        try:
            q = np.array(positions, dtype=np.float64, order="C")
        except (TypeError, ValueError) as error:
            raise ConfigurationError(f"positions must be numbers: {error}") from error
    shape = q.shape
    if shape != compiled.vector_shape and not (
        len(shape) == 2 and shape[1:] == compiled.vector_shape
    ):
        raise ConfigurationError(
            f"robot '{compiled.name}' takes positions of shape ({compiled.position_count},) or "
            f"(N, {compiled.position_count}), not {shape}"
        )
    return q


def output(out: Array | None, shape: tuple[int, ...]) -> Array:
    """Return ``out`` if it has the right shape and layout, or a new array if it is None."""
    if out is None:
        return np.empty(shape)
    if out.shape != shape or out.dtype is not FLOAT64 or not out.flags.carray:
        raise ConfigurationError(
            f"out must be a writable C-contiguous float64 array of shape {shape}, not a "
            f"{out.dtype} of shape {out.shape}"
        )
    return out


def direct_call(kernel: Any) -> Callable[..., Any]:
    """Return a kernel's compiled function, which does not check the types of its arguments.

    That saves a third of the time of a short call. Pass only arrays of the right type, shape and
    layout, such as those of ``as_positions`` and ``output``.
    """
    overloads = getattr(kernel, "overloads", None)  # none with NUMBA_DISABLE_JIT=1
    compiled = next(iter(overloads.values())).entry_point if overloads else kernel
    return cast(Callable[..., Any], compiled)


def refuse_non_finite(compiled: CompiledTree, q: Array) -> None:
    """Raise the ConfigurationError that names the positions which are not finite."""
    columns = np.flatnonzero(~np.isfinite(np.atleast_2d(q)).all(axis=0))
    names = [compiled.position_names[column] for column in columns]
    raise ConfigurationError(f"positions that are not finite: {', '.join(names)}")


def in_threads(
    work: Callable[[int, int], Any],
    rows: int,
    least: int = ROWS_WORTH_A_THREAD,
    threads: int | None = None,
) -> bool:
    """Call ``work(first, last)`` for slices of the rows; return whether all returned true.

    Slices have at least ``least`` rows; there is one for each thread (None: for each core).
    """
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count()
    parts = min(threads or cores or 1, rows // least)
    if parts < 2:
        return bool(work(0, rows))
    edges = [rows * part // parts for part in range(parts + 1)]
    return all(_pool(parts).map(work, edges[:-1], edges[1:]))


@cache
def _pool(threads: int) -> ThreadPoolExecutor:
    return ThreadPoolExecutor(threads, thread_name_prefix="rigid_tree_kinematics")
