"""Bounding volume hierarchies of axis-aligned boxes: building and searches.

The nodes of a tree are in depth-first order, so a search runs forward through the rows and skips
subtrees that are too far. Building takes as long as sorting.
"""

import math
from typing import Any

import numpy as np

from rigid_tree_kinematics.arrays import Array, Integers
from rigid_tree_kinematics.collision.world.arrays import NODE, Records
from rigid_tree_kinematics.kernels import MATRIX, VECTOR, inlined, kernel, types

_ROWS = types.int64[::1]
_NODES = types.Array(types.from_dtype(NODE), 1)
_SPACE = types.Tuple((types.int64[:, ::1], types.int64[:, ::1], VECTOR))


@inlined
def _select(keys: Array, order: Integers, first: int, last: int, middle: int) -> None:
    """Put a range's smaller keys before ``middle``, the larger ones behind (quickselect)."""
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


def build_tree(boxes: Array, order: Integers, leaf_size: int) -> Records:
    """Return the tree (K,) of the rows of ``boxes`` that ``order`` lists.

    A box is its low and its high corner (n, 6). ``order`` is rearranged: "first" and "last" of a
    leaf are its range of entries. Nodes are split at the median along the axis on which the
    boxes' centers are farthest apart.
    """
    if len(order) == 0:
        return np.empty(0, NODE)
    nodes = np.empty(4 * (len(order) // leaf_size + 1), NODE)
    spans, waiting = np.empty((len(nodes), 2), np.int64), np.empty((128, 2), np.int64)
    count = _fill_tree(boxes, order, leaf_size, nodes, (spans, waiting, np.empty(len(order))))
    return np.array(nodes[:count])


@kernel(types.int64(MATRIX, _ROWS, types.int64, _NODES, _SPACE))
def _fill_tree(
    boxes: Array, order: Integers, leaf_size: int, nodes: Records, space: tuple[Any, Any, Any]
) -> int:
    """Write the nodes of a tree; return their number."""
    count = order.shape[0]
    spans, waiting, keys = space
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
        low, high = nodes[at]["low"], nodes[at]["high"]
        low[0], low[1], low[2] = lx, ly, lz
        high[0], high[1], high[2] = hx, hy, hz
        spans[at, 0], spans[at, 1] = first, last
        if last - first <= leaf_size:
            nodes[at]["first"], nodes[at]["last"] = first, last
        else:
            nodes[at]["first"], nodes[at]["last"] = 0, 0
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
    # A node's subtree ends at the first node after its span.
    for node in range(at - 1, -1, -1):
        after = node + 1
        while after < at and spans[after, 0] < spans[node, 1]:
            after = nodes[after]["next"]
        nodes[node]["next"] = after
    return at


@inlined
def _meets(node: Any, box: Array) -> bool:
    """Return whether a node's box and a box (6,) have a point in common."""
    low, high = node["low"], node["high"]
    return (
        low[0] <= box[3]
        and low[1] <= box[4]
        and low[2] <= box[5]
        and high[0] >= box[0]
        and high[1] >= box[1]
        and high[2] >= box[2]
    )


@inlined
def _overlap(boxes: Array, k: int, box: Array) -> bool:
    """Return whether row ``k`` of ``boxes`` and a box (6,) have a point in common."""
    return (
        boxes[k, 0] <= box[3]
        and boxes[k, 1] <= box[4]
        and boxes[k, 2] <= box[5]
        and boxes[k, 3] >= box[0]
        and boxes[k, 4] >= box[1]
        and boxes[k, 5] >= box[2]
    )


@kernel(types.int64(_NODES, _ROWS, MATRIX, MATRIX, types.int64[:, ::1]))
def near_boxes(
    tree: Records, order: Integers, boxes: Array, others: Array, found: Integers
) -> int:
    """Return the number of overlapping pairs of ``others`` (n, 6) and boxes of the tree.

    The rows of the pairs are written into ``found`` (room, 2); excess rows are dropped.
    """
    count = 0
    for a in range(others.shape[0]):
        k = 0
        while k < tree.shape[0]:
            if not _meets(tree[k], others[a]):
                k = tree[k]["next"]
                continue
            for place in range(tree[k]["first"], tree[k]["last"]):
                row = order[place]
                if not _overlap(boxes, row, others[a]):
                    continue
                if count < found.shape[0]:
                    found[count, 0], found[count, 1] = a, row
                count += 1
            k += 1
    return count


@kernel(types.int64(_NODES, MATRIX, VECTOR, MATRIX))
def points_in_box(nodes: Records, points: Array, box: Array, found: Array) -> int:
    """Return the number of a cloud's points in a box (6,); write as many as fit.

    Box and points are in the cloud's frame; ``found`` is (room, 3).
    """
    count = 0
    k = 0
    while k < nodes.shape[0]:
        if not _meets(nodes[k], box):
            k = nodes[k]["next"]
            continue
        for p in range(nodes[k]["first"], nodes[k]["last"]):
            x, y, z = points[p, 0], points[p, 1], points[p, 2]
            if box[0] <= x <= box[3] and box[1] <= y <= box[4] and box[2] <= z <= box[5]:
                if count < found.shape[0]:
                    found[count, 0], found[count, 1], found[count, 2] = x, y, z
                count += 1
        k += 1
    return count
