"""The cells of a grid that a sensor has seen, with their lifetime."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from rigid_tree_kinematics.arrays import Array
from rigid_tree_kinematics.collision.shapes.voxel_kernels import AXIS_BITS, FARTHEST_CUBE

Numbers = NDArray[np.int64]
MASK = (1 << AXIS_BITS) - 1


class SeenCells:
    """Keeps cells (by number) for ``lifetime`` (s) after they were seen.

    With lifetime 0 each view replaces the one before.

    Example:
        >>> seen = SeenCells()
        >>> seen.see(np.array([3, 7]), now=0.0, lifetime=1.0)
        True
        >>> seen.see(np.array([7, 9]), now=0.8, lifetime=1.0)
        True
        >>> seen.forget(now=1.5, lifetime=1.0)
        True
        >>> seen.numbers.tolist()
        [7, 9]
    """

    def __init__(self) -> None:
        self.numbers: Numbers = np.empty(0, dtype=np.int64)  # rising
        self._times: Array = np.empty(0)

    def see(self, numbers: Numbers, now: float, lifetime: float) -> bool:
        """Add the cells seen at time ``now`` (s), in rising order; return whether any changed.

        Cells older than ``lifetime`` are removed.
        """
        before = self.numbers
        if lifetime > 0.0:
            both = np.concatenate([numbers, self.numbers])
            times = np.concatenate([np.full(len(numbers), now), self._times])
            # The first of equal numbers counts: the one that was seen last.
            self.numbers, first = np.unique(both, return_index=True)
            self._times = times[first]
            self.forget(now, lifetime)
        else:
            self.numbers, self._times = numbers, np.full(len(numbers), now)
        return not np.array_equal(before, self.numbers)

    def forget(self, now: float, lifetime: float) -> bool:
        """Remove the cells older than ``lifetime``; return whether there were any."""
        if lifetime <= 0.0:
            return False
        young = self._times > now - lifetime
        self.numbers, self._times = self.numbers[young], self._times[young]
        return not bool(young.all())


def cells_along_axes(numbers: Numbers) -> Numbers:
    """Return the numbers of cells along x, y and z, (n, 3); cell 0 starts at 0.

    Example:
        >>> own = OwnBody(load_robot("planar_two_link"), padding=0.01)
        >>> cells = own.cells([[0.82, 0.53, 0.31]], np.eye(4), np.zeros(2), [], size=0.1)
        >>> cells_along_axes(cells.numbers)
        array([[8, 5, 3]])
    """
    x, y, z = numbers >> (2 * AXIS_BITS), (numbers >> AXIS_BITS) & MASK, numbers & MASK
    cells: Numbers = np.column_stack([x, y, z]) - FARTHEST_CUBE
    return cells


def cell_centres(numbers: Numbers, size: float) -> Array:
    """Return the centres of cells of ``size`` (m), (n, 3).

    Example:
        >>> own = OwnBody(load_robot("planar_two_link"), padding=0.01)
        >>> cells = own.cells([[0.82, 0.53, 0.31]], np.eye(4), np.zeros(2), [], size=0.1)
        >>> print(cell_centres(cells.numbers, 0.1))
        [[0.85 0.55 0.35]]
    """
    return (cells_along_axes(numbers).astype(np.float64) + 0.5) * size


def cell_radius(size: float) -> float:
    """Return the radius (m) of a ball around a cell's middle that contains the cell.

    Example:
        >>> print(round(cell_radius(0.05), 4))
        0.0433
    """
    return 0.5 * math.sqrt(3.0) * size
