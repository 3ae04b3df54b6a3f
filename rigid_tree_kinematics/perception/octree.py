"""Cells of a grid as an octree, in the bytes of OctoMap's OcTree."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

DEPTH = 16  # levels of an OcTree below its root
MIDDLE = 1 << (DEPTH - 1)  # the key of the cell that starts at 0
OCCUPIED, PARENT = 0b10, 0b11  # of a child: a cell with points in it; a node with children


def octree_data(cells: NDArray[np.int64]) -> bytes:
    """Return occupied cells as ``OcTree::writeBinaryData`` writes them; the rest is unknown.

    ``cells`` (n, 3) are the numbers of cells along x, y and z: cell 0 reaches from 0 to the
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
