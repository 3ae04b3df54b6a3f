"""Functions of one configuration or a batch, computed by kernels on a tree's arrays."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, NoReturn

import numpy as np

from rigid_tree_kinematics.arrays import Array
from rigid_tree_kinematics.errors import ConfigurationError
from rigid_tree_kinematics.kernels.extension import bound
from rigid_tree_kinematics.kinematics.arguments import (
    as_positions,
    as_rates,
    in_threads,
    output,
    refuse_non_finite,
)
from rigid_tree_kinematics.model import CompiledTree

POSITIONS, NUMBER = "positions", ""
TREES = 64  # whose functions are kept


@dataclass(frozen=True, eq=False)
class TreeFunction:
    """A kernel and its batch version, which both return whether they succeeded.

    Their arguments: ``fixed`` ones, the ``inputs``, work space, and the result. Inputs are named:
    POSITIONS first, then velocities or the like by their names, or a NUMBER. ``failure`` makes the
    error where not all went well although all inputs are finite.
    """

    compiled: CompiledTree
    batch: Any
    fixed: tuple[Any, ...]
    inputs: tuple[str, ...]
    result: tuple[int, ...]
    space: tuple[tuple[int, ...], ...] = ()
    failure: Callable[[CompiledTree], Exception] | None = None

    def with_shortcut(self, kernel: Any) -> Callable[..., Array]:
        """Return the function of the inputs and an optional output array."""
        shapes = {POSITIONS: self.compiled.vector_shape, NUMBER: ()}
        inputs = tuple(shapes.get(name, self.compiled.rate_shape) for name in self.inputs)
        space = tuple(map(np.empty, self.space))
        return bound(kernel, self.fixed, inputs, space, self.result, self)

    def __call__(self, *values: Any) -> Array:
        """Convert and check all arguments; split a batch among the cores."""
        count = len(self.inputs)
        q = as_positions(self.compiled, values[0])
        inputs = [
            value
            if name == NUMBER
            else q
            if name == POSITIONS
            else as_rates(self.compiled, q, value, name)
            for name, value in zip(self.inputs, values[:count], strict=True)
        ]
        result = output(
            values[count] if len(values) > count else None, (*q.shape[:-1], *self.result)
        )

        def work(first: int, last: int) -> bool:
            part = slice(first, last) if q.ndim == 2 else None
            rows = (value[part] if isinstance(value, np.ndarray) else value for value in inputs)
            return bool(self.batch(*self.fixed, *rows, *map(np.empty, self.space), result[part]))

        if not in_threads(work, len(q) if q.ndim == 2 else 1):
            self._refuse(inputs)
        return result

    def _refuse(self, inputs: list[Any]) -> NoReturn:
        """Raise an error with the non-finite argument, or the failure."""
        if not np.isfinite(inputs[0]).all():
            refuse_non_finite(self.compiled, inputs[0])
        for name, value in zip(self.inputs, inputs, strict=True):
            if not np.isfinite(value).all():
                raise ConfigurationError(f"{name} has numbers that are not finite")
        assert self.failure is not None
        raise self.failure(self.compiled)
