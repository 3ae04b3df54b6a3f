"""Trees of axis-aligned boxes: the kernels that build one and ask it.

The nodes of a tree stand in depth-first order, so that a search runs forward through the rows and
skips what is too far. Build times are those of sorting: a tree is built anew when a box changes.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numba import types

from rigid_tree_kinematics.collision.world.arrays import (
    NODE_COLUMNS,
    NODE_FIRST,
    NODE_LAST,
    NODE_NEXT,
)
from rigid_tree_kinematics.kernels import MATRIX, inlined, kernel

_ROWS = types.int64[::1]


@inlined
def _select(keys: Any, order: Any, first: int, last: int, middle: int) -> None:
    """Put the smaller keys of a range before ``middle``, the larger ones behind (quickselect)."""
    low, high = first, last - 1
    while low < high:
        a, b, c = keys[low], keys[(low + high) // 2], keys[high]
        pivot = max(min(a, b), min(max(a, b), c))
        i, j = low, high
        while i <= j:
            while keys[i] < pivot:
                i += 1
            while keys[j] > pivot:
                j -= 1
            if i <= j:
                keys[i], keys[j] = keys[j], keys[i]
                order[i], order[j] = order[j], order[i]
                i += 1
                j -= 1
        if middle <= j:
            high = j
        elif middle >= i:
            low = i
        else:
            break


@kernel(MATRIX(MATRIX, _ROWS, types.int64))
def build_tree(boxes: Any, order: Any, leaf_size: int) -> Any:
    """Return the tree (K, NODE_COLUMNS) of the rows of ``boxes`` that ``order`` lists.

    A box is its low and its high corner (n, 6). ``order`` is rearranged: NODE_FIRST and NODE_LAST
    of a leaf tell which of its entries are in it. Sides are halved at the middle item along the
    longest side of their middles.
    """
    count = order.shape[0]
    if count == 0:
        return np.empty((0, NODE_COLUMNS))
    room = 4 * (count // leaf_size + 1)
    nodes = np.empty((room, NODE_COLUMNS))
    spans = np.empty((room, 2), np.int64)
    keys = np.empty(count)
    waiting = np.empty((128, 2), np.int64)
    waiting[0, 0], waiting[0, 1] = 0, count
    depth, at = 1, 0
    while depth > 0:
        depth -= 1
        first, last = waiting[depth, 0], waiting[depth, 1]
        lx, ly, lz, hx, hy, hz = (math.inf, math.inf, math.inf, -math.inf, -math.inf, -math.inf)
        ax, ay, az, bx, by, bz = lx, ly, lz, hx, hy, hz
        for k in range(first, last):
            row = order[k]
            x0, y0, z0 = boxes[row, 0], boxes[row, 1], boxes[row, 2]
            x1, y1, z1 = boxes[row, 3], boxes[row, 4], boxes[row, 5]
            lx, ly, lz = min(lx, x0), min(ly, y0), min(lz, z0)
            hx, hy, hz = max(hx, x1), max(hy, y1), max(hz, z1)
            x, y, z = x0 + x1, y0 + y1, z0 + z1
            ax, ay, az = min(ax, x), min(ay, y), min(az, z)
            bx, by, bz = max(bx, x), max(by, y), max(bz, z)
        nodes[at, 0], nodes[at, 1], nodes[at, 2] = lx, ly, lz
        nodes[at, 3], nodes[at, 4], nodes[at, 5] = hx, hy, hz
        spans[at, 0], spans[at, 1] = first, last
        if last - first <= leaf_size:
            nodes[at, NODE_FIRST], nodes[at, NODE_LAST] = first, last
        else:
            nodes[at, NODE_FIRST], nodes[at, NODE_LAST] = 0, 0
            axis = 0
            if by - ay > bx - ax:
                axis = 1
            if bz - az > max(bx - ax, by - ay):
                axis = 2
            for k in range(first, last):
                keys[k] = boxes[order[k], axis] + boxes[order[k], axis + 3]
            middle = (first + last) // 2
            _select(keys, order, first, last, middle)
            waiting[depth, 0], waiting[depth, 1] = middle, last
            waiting[depth + 1, 0], waiting[depth + 1, 1] = first, middle
            depth += 2
        at += 1
    # A node's subtree ends where the first node behind its span begins.
    for node in range(at - 1, -1, -1):
        after = node + 1
        while after < at and spans[after, 0] < spans[node, 1]:
            after = int(nodes[after, NODE_NEXT])
        nodes[node, NODE_NEXT] = after
    return nodes[:at].copy()


@kernel(types.int64(MATRIX, _ROWS, MATRIX, MATRIX, types.int64[:, ::1]))
def near_boxes(tree: Any, order: Any, boxes: Any, asked: Any, found: Any) -> int:
    """Return how many pairs of an ``asked`` box (n, 6) and one of the tree's overlap.

    The pairs, asked then of ``boxes``, are written into ``found`` (room, 2) as far as they fit.
    """
    count = 0
    for a in range(asked.shape[0]):
        k = 0
        while k < tree.shape[0]:
            if (
                tree[k, 0] > asked[a, 3]
                or tree[k, 1] > asked[a, 4]
                or tree[k, 2] > asked[a, 5]
                or tree[k, 3] < asked[a, 0]
                or tree[k, 4] < asked[a, 1]
                or tree[k, 5] < asked[a, 2]
            ):
                k = int(tree[k, NODE_NEXT])
                continue
            for place in range(int(tree[k, NODE_FIRST]), int(tree[k, NODE_LAST])):
                row = order[place]
                if (
                    boxes[row, 0] <= asked[a, 3]
                    and boxes[row, 1] <= asked[a, 4]
                    and boxes[row, 2] <= asked[a, 5]
                    and boxes[row, 3] >= asked[a, 0]
                    and boxes[row, 4] >= asked[a, 1]
                    and boxes[row, 5] >= asked[a, 2]
                ):
                    if count < found.shape[0]:
                        found[count, 0], found[count, 1] = a, row
                    count += 1
            k += 1
    return count


@kernel(types.int64(MATRIX, types.int64, MATRIX, types.float64[::1], MATRIX))
def points_in_box(nodes: Any, root: int, points: Any, box: Any, found: Any) -> int:
    """Return how many points of a cloud's tree lie in a box (6,); write them as far as they fit.

    Box and points are in the cloud's frame; ``found`` is (room, 3).
    """
    count = 0
    k, end = root, int(nodes[root, NODE_NEXT])
    while k < end:
        if (
            nodes[k, 0] > box[3]
            or nodes[k, 1] > box[4]
            or nodes[k, 2] > box[5]
            or nodes[k, 3] < box[0]
            or nodes[k, 4] < box[1]
            or nodes[k, 5] < box[2]
        ):
            k = int(nodes[k, NODE_NEXT])
            continue
        for p in range(int(nodes[k, NODE_FIRST]), int(nodes[k, NODE_LAST])):
            x, y, z = points[p, 0], points[p, 1], points[p, 2]
            if box[0] <= x <= box[3] and box[1] <= y <= box[4] and box[2] <= z <= box[5]:
                if count < found.shape[0]:
                    found[count, 0], found[count, 1], found[count, 2] = x, y, z
                count += 1
        k += 1
    return count
