"""Functions of configurations that call kernels: argument checks, batches and threads."""

import os
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from functools import cache
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from rigid_tree_kinematics.arrays import Array
from rigid_tree_kinematics.errors import ConfigurationError
from rigid_tree_kinematics.kernels.extension import bound
from rigid_tree_kinematics.model import CompiledTree, RigidBodyTree

Tree = RigidBodyTree | CompiledTree

POSITIONS, NUMBER = "positions", ""
TREES = 64  # with cached functions
FLOAT64 = np.dtype(np.float64)
ROWS_WORTH_A_THREAD = 2048  # smaller batches take less time than starting a thread


def compiled_of(tree: Tree) -> CompiledTree:
    """Return the compiled arrays of a tree; arrays are returned unchanged."""
    return tree if isinstance(tree, CompiledTree) else tree.compiled()


def as_positions(compiled: CompiledTree, positions: ArrayLike) -> Array:
    """Return positions as a C-contiguous writable float64 (nq,) or (N, nq) array.

    Copies only what the kernels cannot use directly. Raises ConfigurationError for another shape.
    """
    q = _as_numbers(positions, "positions")
    shape = q.shape
    if shape != compiled.vector_shape and not (
        len(shape) == 2 and shape[1:] == compiled.vector_shape
    ):
        raise ConfigurationError(
            f"robot '{compiled.name}' requires positions of shape ({compiled.position_count},) or "
            f"(N, {compiled.position_count}), not {shape}"
        )
    return q


def as_rates(compiled: CompiledTree, q: Array, values: ArrayLike, name: str) -> Array:
    """Return velocities (or similar) as such an array, in a shape that fits the positions."""
    rates = _as_numbers(values, name)
    wanted = (*q.shape[:-1], compiled.velocity_count)
    if rates.shape != wanted:
        raise ConfigurationError(f"{name} must have shape {wanted}, not {rates.shape}")
    return rates


def _as_numbers(values: ArrayLike, name: str) -> Array:
    if type(values) is np.ndarray and values.dtype is FLOAT64 and values.flags.carray:
        return values
    try:
        return np.array(values, dtype=np.float64, order="C")
    except (TypeError, ValueError, OverflowError) as error:
        raise ConfigurationError(f"{name} must be numbers: {error}") from error


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


def in_threads(
    work: Callable[[int, int], Any],
    rows: int,
    least: int = ROWS_WORTH_A_THREAD,
    threads: int | None = None,
) -> bool:
    """Call ``work(first, last)`` for slices of the rows; return whether all returned true.

    Slices have at least ``least`` rows; there is one for each thread (None: for each core).
    """
    parts = min(threads or core_count(), rows // least)
    if parts < 2:
        return bool(work(0, rows))
    edges = [rows * part // parts for part in range(parts + 1)]
    return all(_pool(parts).map(work, edges[:-1], edges[1:]))


def core_count() -> int:
    """Return the number of cores that this process can use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


@cache
def _pool(threads: int) -> ThreadPoolExecutor:
    return ThreadPoolExecutor(threads, thread_name_prefix="rigid_tree_kinematics")


if hasattr(os, "register_at_fork"):  # not on Windows
    os.register_at_fork(after_in_child=_pool.cache_clear)  # threads do not exist there


def tree_function(
    compiled: CompiledTree,
    kernel: Any,
    batch: Any,
    fixed: tuple[Any, ...],
    inputs: tuple[str, ...],
    result: tuple[int, ...],
    space: tuple[tuple[int, ...], ...] = (),
    failure: Callable[[CompiledTree], Exception] | None = None,
) -> Callable[..., Array]:
    """Return a function of the ``inputs`` and an optional output array.

    ``kernel`` and its version for a ``batch`` return whether they succeeded. Their arguments are
    ``fixed`` ones, the inputs, work arrays of the shapes ``space``, and an array of the shape
    ``result``. Inputs are POSITIONS, then the names of velocities or similar, or NUMBER.
    ``failure`` creates the error if a kernel fails although all inputs are finite.
    """

    def general(*values: Any) -> Array:
        """Convert and check all arguments; divide a batch among the cores."""
        q = as_positions(compiled, values[0])
        given = [q, *values[1 : len(inputs)]]
        for k, name in enumerate(inputs):
            if name not in (POSITIONS, NUMBER):
                given[k] = as_rates(compiled, q, given[k], name)
        out = values[len(inputs)] if len(values) > len(inputs) else None
        out = output(out, (*q.shape[:-1], *result))

        def work(first: int, last: int) -> bool:
            part = slice(first, last) if q.ndim == 2 else None
            rows = (value[part] if isinstance(value, np.ndarray) else value for value in given)
            return bool(batch(*fixed, *rows, *map(np.empty, space), out[part]))

        if in_threads(work, len(q) if q.ndim == 2 else 1):
            return out
        for name, value in zip(inputs, given, strict=True):
            finite = np.isfinite(value)
            if name == POSITIONS and not finite.all():
                bad = np.flatnonzero(~np.atleast_2d(finite).all(axis=0))
                names = ", ".join(compiled.position_names[k] for k in bad)
                raise ConfigurationError(f"positions that are not finite: {names}")
            if not finite.all():
                raise ConfigurationError(f"{name} has numbers that are not finite")
        assert failure is not None
        raise failure(compiled)

    examples = {POSITIONS: np.empty(compiled.vector_shape), NUMBER: 0}
    like = tuple(examples.get(name, np.empty(compiled.rate_shape)) for name in inputs)
    return bound(kernel, fixed, like, tuple(map(np.empty, space)), np.empty(result), general)
