"""The arrays of a search's trees, and nearest-neighbor search, sixteen nodes at a time."""

import math
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from rigid_tree_kinematics.arrays import Array, Integers
from rigid_tree_kinematics.kernels import BATCH, VECTOR, inlined, types
from rigid_tree_kinematics.kernels.lanes import (
    WIDE,
    any_less,
    floor_of,
    load_lanes,
    sixteen,
    store_lanes,
)
from rigid_tree_kinematics.kinematics.topology import TURN, distance, squared_distance
from rigid_tree_kinematics.model.joints.joint_types import CIRCLE

NODE = np.dtype(
    [
        ("parent", "i8"),  # -1 for roots
        ("reach", "f8"),  # of the next motion: a share of the step, or a length if constrained
        ("radius", "f8"),  # samples farther than this are not taken
        ("cost", "f8"),  # length of the path from the root
    ],
    align=True,
)

STATE = np.dtype(
    [
        ("phase", "i8"),
        ("side", "i8"),  # the tree that grows: 0 from the start, 1 from the goals
        ("turn", "i8"),  # the tree that was last extended towards a sample
        ("node", "i8"),  # the current motion starts there
        ("count", "i8", (2,)),  # nodes in each tree
        ("copied", "i8", (2,)),  # nodes in the columns of each tree
        ("meeting", "i8", (2,)),  # nodes where the trees met
        ("draws", "i8"),  # samples drawn
        ("failed", "i8"),  # motions in a row that added nothing
        ("motions", "i8"),  # motions checked
        ("traveled", "f8"),  # length of an extension so far
        ("answer", "i8"),  # of the caller: its verdict on the current motion
        ("step", "i8"),  # index of the current step length in ``steps``
        ("gains", "f8", (2,)),  # what motions of each step length have added to the trees
        ("spent", "f8", (2,)),  # checks of configurations for them
        # Written by the caller:
        ("seed", "i8"),
        ("has_conservative", "i8"),  # 1: the conservative level knows the obstacles
        ("next_exact", "i8"),  # after this many motions, an undecided one is checked exactly
        ("all_intervals", "i8"),  # 1: all positions are intervals, without circles and quaternions
        ("has_quaternions", "i8"),  # 1: some positions are quaternions
        ("most_failed", "i8"),
        ("most_nodes", "i8"),
        ("steps", "f8", (2,)),  # longest motions
        ("domain", "f8"),  # samples that a blocked node takes, at first
        ("bound", "f8"),  # a path is shorter than this
        ("goals", "i8"),  # roots of the tree from the goals
        ("goal_bias", "f8"),
        ("threshold", "f8"),  # distance of a goal that is tried directly
        ("spacing", "f8"),  # nodes nearer to another than this are rejected
    ],
    align=True,
)


class Trees(NamedTuple):
    """The trees from the start and from the goals, and the current motion.

    They have a capacity of n nodes each.
    """

    kinds: Integers  # (nq,)
    weights: Array  # (nq,)
    nodes: Array  # (2, n, nq)
    links: NDArray[Any]  # (2, n) of NODE
    columns: NDArray[np.float32]  # (2 * nq * n,) the nodes' positions, each position's together
    lanes: NDArray[np.float32]  # (16,) work space
    end: Array  # (nq,) of the current motion
    difference: Array  # (nq,) from its start to its end
    target: Array  # (nq,) of the growing tree
    state: NDArray[Any]  # (1,) of STATE


TREES = types.NamedTuple(
    (
        types.int64[::1],
        VECTOR,
        BATCH,
        types.Array(types.from_dtype(NODE), 2),
        *2 * (types.float32[::1],),
        *3 * (VECTOR,),
        types.Array(types.from_dtype(STATE), 1),
    ),
    Trees,
)


def make_trees(kinds: Integers, weights: Array, capacity: int) -> Trees:
    """Return empty trees with room for nodes, a multiple of 16."""
    width = len(kinds)
    end, difference, target = np.empty((3, width))
    return Trees(
        kinds,
        weights,
        np.empty((2, capacity, width)),
        np.empty((2, capacity), NODE),
        np.empty(2 * width * capacity, dtype=np.float32),
        np.empty(WIDE, dtype=np.float32),
        end,
        difference,
        target,
        np.zeros(1, STATE),
    )


def with_more_room(trees: Trees) -> Trees:
    """Return the same trees with twice the room."""
    trees.state["copied"] = 0
    return trees._replace(
        nodes=np.concatenate([trees.nodes, trees.nodes], axis=1),
        links=np.concatenate([trees.links, trees.links], axis=1),
        columns=np.empty(2 * len(trees.columns), dtype=np.float32),
    )


@inlined
def _squared_in_lanes(trees: Trees, side: int, first: int, q: Array) -> Any:
    """Return the squared distances of sixteen nodes of a tree from ``q`` (nq,)."""
    room, width = trees.nodes.shape[1], q.shape[0]
    squared = sixteen(0.0, 0.0)
    for k in range(width):
        away = load_lanes(trees.columns, (side * width + k) * room + first) - q[k]
        if trees.kinds[k] == CIRCLE:
            away = away - TURN * floor_of(away * (1.0 / TURN) + 0.5)
        away = away * trees.weights[k]
        squared = squared + away * away
    return squared


@inlined
def _copy_to_columns(trees: Trees, state: Any, side: int) -> None:
    """Copy a tree's new nodes into its columns."""
    room, width = trees.nodes.shape[1], trees.nodes.shape[2]
    for i in range(state.copied[side], state.count[side]):
        for k in range(width):
            trees.columns[(side * width + k) * room + i] = trees.nodes[side, i, k]
    state.copied[side] = state.count[side]


@inlined
def nearest(trees: Trees, state: Any, side: int, q: Array, limit: float) -> Any:
    """Return the node of a tree nearest to ``q`` (nq,), and its distance.

    The path from the root to ``q`` through this node is at most ``limit`` long; the index is -1 if
    there is no such node.
    """
    links, count, best, at = trees.links[side], state.count[side], math.inf, -1
    if state.has_quaternions == 1:
        for i in range(count):
            squared = squared_distance(trees.kinds, trees.weights, trees.nodes[side, i], q)
            if squared < best and links[i].cost + math.sqrt(squared) <= limit:
                best, at = squared, i
        return at, math.sqrt(best)
    _copy_to_columns(trees, state, side)
    for first in range(0, count, WIDE):
        lanes = _squared_in_lanes(trees, side, first, q)
        if any_less(lanes, best):
            store_lanes(trees.lanes, 0, lanes)
            for i in range(first, min(first + WIDE, count)):
                squared = trees.lanes[i - first]
                if squared < best and links[i].cost + math.sqrt(squared) <= limit:
                    best, at = squared, i
    if at < 0:
        return at, math.inf
    return at, distance(trees.kinds, trees.weights, trees.nodes[side, at], q)


@inlined
def to_root(trees: Trees, state: Any, side: int, q: Array) -> float:
    """Return the distance of ``q`` (nq,) from the nearest root of a tree."""
    best = math.inf
    for i in range(1 if side == 0 else state.goals):
        best = min(best, squared_distance(trees.kinds, trees.weights, trees.nodes[side, i], q))
    return math.sqrt(best)
