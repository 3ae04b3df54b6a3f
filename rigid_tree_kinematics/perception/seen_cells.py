"""The cells of a grid that a sensor has seen, with lifetimes, and as OctoMap's octree."""

import math

import numpy as np
from numpy.typing import NDArray

from rigid_tree_kinematics.arrays import Array
from rigid_tree_kinematics.collision.shapes.voxel_kernels import AXIS_BITS, FARTHEST_CUBE

Numbers = NDArray[np.int64]
MASK = (1 << AXIS_BITS) - 1
DEPTH = 16  # levels of an OcTree below its root
MIDDLE = 1 << (DEPTH - 1)  # the key of the cell that starts at 0
OCCUPIED, PARENT = 0b10, 0b11  # of a child: a cell with points in it; a node with children


class SeenCells:
    """Keeps cells (by number) for ``lifetime`` (s) after they were seen.

    With a lifetime of 0, each call of ``add`` replaces all cells.

    Example:
        >>> seen = SeenCells()
        >>> seen.add(np.array([3, 7]), now=0.0, lifetime=1.0)
        True
        >>> seen.add(np.array([7, 9]), now=0.8, lifetime=1.0)
        True
        >>> seen.remove_old(now=1.5, lifetime=1.0)
        True
        >>> seen.numbers.tolist()
        [7, 9]
    """

    def __init__(self) -> None:
        self.numbers: Numbers = np.empty(0, dtype=np.int64)  # ascending
        self._times: Array = np.empty(0)

    def add(self, numbers: Numbers, now: float, lifetime: float) -> bool:
        """Add the cells seen at time ``now`` (s), increasing; return whether any changed.

        Cells older than ``lifetime`` are removed.
        """
        before = self.numbers
        if lifetime > 0.0:
            both = np.concatenate([numbers, self.numbers])
            times = np.concatenate([np.full(len(numbers), now), self._times])
            # The first of equal numbers is kept, which was seen last.
            self.numbers, first = np.unique(both, return_index=True)
            self._times = times[first]
            self.remove_old(now, lifetime)
        else:
            self.numbers, self._times = numbers, np.full(len(numbers), now)
        return not np.array_equal(before, self.numbers)

    def remove_old(self, now: float, lifetime: float) -> bool:
        """Remove the cells older than ``lifetime``; return whether there were any."""
        if lifetime <= 0.0:
            return False
        young = self._times > now - lifetime
        self.numbers, self._times = self.numbers[young], self._times[young]
        return not bool(young.all())


def cells_along_axes(numbers: Numbers) -> Numbers:
    """Return the indices of cells along x, y and z, (n, 3); cell 0 starts at 0.

    Example:
        >>> own = OwnBody(load_robot("planar_two_link"), padding=0.01)
        >>> cells = own.cells([[0.82, 0.53, 0.31]], np.eye(4), np.zeros(2), [], size=0.1)
        >>> cells_along_axes(cells.numbers)
        array([[8, 5, 3]])
    """
    x, y, z = numbers >> (2 * AXIS_BITS), (numbers >> AXIS_BITS) & MASK, numbers & MASK
    cells: Numbers = np.column_stack([x, y, z]) - FARTHEST_CUBE
    return cells


def cell_centers(numbers: Numbers, size: float) -> Array:
    """Return the centers of cells of ``size`` (m), (n, 3).

    Example:
        >>> own = OwnBody(load_robot("planar_two_link"), padding=0.01)
        >>> cells = own.cells([[0.82, 0.53, 0.31]], np.eye(4), np.zeros(2), [], size=0.1)
        >>> print(cell_centers(cells.numbers, 0.1))
        [[0.85 0.55 0.35]]
    """
    return (cells_along_axes(numbers).astype(np.float64) + 0.5) * size


def cell_radius(size: float) -> float:
    """Return the radius (m) of a cell's bounding sphere.

    Example:
        >>> print(round(cell_radius(0.05), 4))
        0.0433
    """
    return 0.5 * math.sqrt(3.0) * size


def octree_data(cells: Numbers) -> bytes:
    """Return occupied cells as ``OcTree::writeBinaryData`` writes them; the rest is unknown.

    ``cells`` (n, 3) are the numbers of cells along x, y and z: cell 0 extends from 0 to the
    resolution. Those beyond an octree's 65,536 cells along an axis are left out. The format is
    that of ``OccupancyOcTreeBase::writeBinaryNode`` (OctoMap): two bits for each of eight
    children, the node before its children.

    Example:
        >>> len(octree_data(np.array([[0, 0, 0], [0, 0, 1]])))  # bytes
        32
    """
    keys = cells + MIDDLE
    keys = keys[((keys >= 0) & (keys < 2 * MIDDLE)).all(axis=1)]
    codes = np.zeros(len(keys), dtype=np.int64)  # a child's number on each level, the root's first
    for bit in range(DEPTH):
        for axis in range(3):
            codes |= ((keys[:, axis] >> bit) & 1) << (3 * bit + axis)
    children = np.unique(codes)
    words, firsts, depths = [], [], []
    for depth in reversed(range(DEPTH)):
        what = OCCUPIED if depth == DEPTH - 1 else PARENT
        nodes, owners = np.unique(children >> 3, return_inverse=True)
        word = np.zeros(len(nodes), dtype=np.int64)
        np.add.at(word, owners, what << (2 * (children & 7)))
        words.append(word)
        firsts.append(nodes << (3 * (DEPTH - depth)))  # the first cell that lies in it
        depths.append(np.full(len(nodes), depth))
        children = nodes
    order = np.lexsort([np.concatenate(depths), np.concatenate(firsts)])
    return np.concatenate(words)[order].astype("<u2").tobytes()
