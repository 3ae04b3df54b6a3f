"""The kernel that grows trees: RRT-Connect, and RRT with a bias towards the goals.

Kuffner and LaValle, "RRT-Connect", ICRA 2000; LaValle, "Rapidly-exploring random trees", 1998.
Nodes at which a motion was blocked take nearer samples only, after Yershova, Jaillet, Simeon,
LaValle, "Dynamic-domain RRTs", ICRA 2005, and Jaillet et al., "Adaptive tuning of the sampling
domain for dynamic-domain RRTs", IROS 2005; and shorter steps. Samples are an additive
recurrence (Roberts, "The unreasonable effectiveness of quasirandom sequences", 2018), shifted by
the seed: they cover the space more evenly than chance.

The search is a machine of states over arrays. It returns to its caller now and then, so that time
and cancellation are looked at, and whenever a motion is to be decided exactly: the caller decides
it, puts the answer into the state, and calls again.
"""

from __future__ import annotations

import math
import random
from functools import cache
from typing import Any

import numpy as np
from numba import types
from numpy.typing import NDArray

from rigid_tree_kinematics.arrays import Array
from rigid_tree_kinematics.collision.conservative.kernels import FREE, is_clear, motion_verdict
from rigid_tree_kinematics.collision.world.arrays import MODEL, WORK
from rigid_tree_kinematics.ik.chain.space import uniform
from rigid_tree_kinematics.kernels import BATCH, MATRIX, READ_1D, inlined, kernel
from rigid_tree_kinematics.kinematics.topology import (
    KINDS,
    squared_distance,
    squared_length,
    write_between,
    write_difference,
)
from rigid_tree_kinematics.model.joints.joint_types import CIRCLE, INTERVAL, QUATERNION

# What the kernel returns.
RUNNING, ASK, SOLVED, FULL, EXHAUSTED = range(5)

# Entries of the integer state.
PHASE = 0  # what comes next, see below
SIDE = 1  # the tree that grows: 0 from the start, 1 from the goals
COUNT = 2  # two entries: nodes in each tree
FAILED = 4  # attempts in a row that added nothing
DRAWS = 5  # samples drawn
FROM = 6  # the node that the motion in question starts at
ANSWER = 7  # the caller's: 1 the motion is free
MEETING = 8  # two entries: where the trees met
MOTIONS = 10  # motions judged
SETTINGS = 11  # from here on what the caller chose
SEED = 11
HAS_CONSERVATIVE = 12  # 1: the conservative level knows the obstacles
ASKING = 13  # 1: the caller decides what the conservative level cannot
SINGLE_TREE = 14  # 1: RRT, 0: RRT-Connect
MOST_FAILED = 15
MOST_NODES = 16
PRESENT = 17  # 1: SIDE, FROM and the motion hold an answered question
TURN = 18  # the tree that was extended towards a sample last
PLAIN = 19  # 1: all positions are intervals
EVERY = 20  # so many motions lie between two questions
ASKED = 21  # MOTIONS at the last question
STATE_SIZE = 22

# Entries of the real-valued state.
STEP, GOAL_BIAS, THRESHOLD, SPACING, DOMAIN = range(5)
CAME = 5  # where constraints are held: how far an extension has come; negative: nowhere yet

# Columns of what is known of a node.
REACH = 0  # how far a motion from it goes
RADIUS = 1  # samples farther than this are not taken

# Phases.
SAMPLE = 0  # draw a configuration and extend towards it
EXTEND = 1  # judge that extension
CONNECT = 2  # judge the other tree's step towards the new node
FINISH = 3  # judge the last motion to a goal (one tree)

SAME = 1e-20  # squared distance of two configurations that differ by rounding only

# Measured on MotionBenchMaker's problems with odd numbers; all are flat optima.
SHORTER = 0.85  # steps from a node after one that was blocked
SHORTEST = 0.5  # of STEP
NARROWER, WIDER = 0.97, 1.03  # the radius after a blocked motion, or a sample beyond it


@inlined
def nearest(plain: bool, kinds: Any, weights: Any, nodes: Any, count: int, q: Any) -> Any:
    """Return the node nearest to ``q`` (nq,), and how far it is."""
    best, at = math.inf, 0
    if plain:
        for i in range(count):
            squared = 0.0
            for k in range(q.shape[0]):
                squared += (weights[k] * (nodes[i, k] - q[k])) ** 2
            if squared < best:
                best, at = squared, i
    else:
        for i in range(count):
            squared = squared_distance(kinds, weights, nodes[i], q)
            if squared < best:
                best, at = squared, i
    return at, math.sqrt(best)


@inlined
def _coordinate(recurrence: Any, at: int, count: int) -> float:
    """Return the count-th number of one coordinate's recurrence, in [0, 1)."""
    value = recurrence[0, at] + count * recurrence[1, at]
    return value - math.floor(value)


@inlined
def draw(
    kinds: Any, moving: Any, lower: Any, upper: Any, recurrence: Any, count: int, q: Any
) -> None:
    """Draw the moving positions."""
    for m in range(moving.shape[0]):
        k = moving[m]
        if kinds[k] == INTERVAL or kinds[k] == CIRCLE:
            q[k] = lower[k] + (upper[k] - lower[k]) * _coordinate(recurrence, k, count)
        elif kinds[k] == QUATERNION:
            # Shoemake 1992: uniform over the rotations.
            u = _coordinate(recurrence, k, count)
            first = 2.0 * math.pi * _coordinate(recurrence, k + 1, count)
            second = 2.0 * math.pi * _coordinate(recurrence, k + 2, count)
            inner, outer = math.sqrt(1.0 - u), math.sqrt(u)
            q[k] = inner * math.sin(first)
            q[k + 1] = inner * math.cos(first)
            q[k + 2] = outer * math.sin(second)
            q[k + 3] = outer * math.cos(second)


@inlined
def _aim(
    kinds: Any, weights: Any, node: Any, target: Any, step: float, difference: Any, q: Any
) -> bool:
    """Write the motion from a node towards a target, at most a step long; return if it arrives."""
    write_difference(kinds, node, target, difference)
    length = math.sqrt(squared_length(kinds, weights, difference))
    arrives = length <= step
    if not arrives:
        scale = step / length
        for k in range(kinds.shape[0]):
            difference[k] *= scale
    write_between(kinds, node, difference, 1.0, q)
    return arrives


_integers = types.int64[::1]


@kernel(
    types.int64(
        KINDS,
        READ_1D,
        READ_1D,
        READ_1D,
        types.Array(types.int64, 1, "C", readonly=True),
        BATCH,
        types.int64[:, ::1],
        BATCH,
        MATRIX,
        _integers,
        READ_1D,
        MATRIX,
        MODEL,
        WORK,
        types.int64,
    ),
)
def grow(
    kinds: Any,
    weights: Any,
    lower: Any,
    upper: Any,
    moving: Any,
    nodes: Any,
    parents: Any,
    known: Any,
    recurrence: Any,
    state: Any,
    numbers: Any,
    vectors: Any,
    model: Any,
    work: Any,
    budget: int,
) -> int:
    """Go on with a search for at most ``budget`` samples and motions.

    ``nodes`` (2, capacity, nq) and ``parents`` (2, capacity) are the trees, the roots' parents -1;
    ``known`` (2, capacity, 2) holds REACH and RADIUS of each node. ``recurrence`` (2, nq) is where
    the samples begin and by what they go on. ``vectors`` (4, nq): where the motion in question
    ends, its difference, what the growing tree aims at, and work space.
    """
    end, difference, target, spare = vectors[0], vectors[1], vectors[2], vectors[3]
    capacity = nodes.shape[1]
    plain = state[PLAIN] == 1
    longest = numbers[STEP]
    for _ in range(budget):
        side = state[SIDE]
        phase = state[PHASE]
        if state[PRESENT] == 0:
            if phase == SAMPLE:
                if state[FAILED] >= state[MOST_FAILED]:
                    return EXHAUSTED
                if state[COUNT] + state[COUNT + 1] >= state[MOST_NODES]:
                    return EXHAUSTED
                if state[COUNT] + 1 >= capacity or state[COUNT + 1] + 1 >= capacity:
                    return FULL
                if state[SINGLE_TREE] == 0:
                    # The trees take turns, but that one which has twice the nodes of the other.
                    side = state[TURN]
                    if state[COUNT + 1 - side] < 2 * state[COUNT + side]:
                        side = 1 - side
                    state[TURN] = state[SIDE] = side
                state[DRAWS] += 1
                to_goal = (
                    state[SINGLE_TREE] == 1
                    and uniform(state[SEED], 2 * state[DRAWS]) < numbers[GOAL_BIAS]
                )
                if to_goal:
                    pick = int(uniform(state[SEED], 2 * state[DRAWS] + 1) * state[COUNT + 1])
                    target[:] = nodes[1, pick]
                else:
                    target[:] = nodes[0, 0]
                    draw(kinds, moving, lower, upper, recurrence, state[DRAWS], target)
                at, gap = nearest(plain, kinds, weights, nodes[side], state[COUNT + side], target)
                if gap > known[side, at, RADIUS] and not to_goal:
                    known[side, at, RADIUS] *= WIDER
                    state[FAILED] += 1
                    continue
                reach = known[side, at, REACH]
                _aim(kinds, weights, nodes[side, at], target, reach, difference, end)
                state[FROM] = at
                state[PHASE] = phase = EXTEND
                if numbers[SPACING] > 0.0:
                    _, gap = nearest(plain, kinds, weights, nodes[side], state[COUNT + side], end)
                    if gap < numbers[SPACING]:
                        state[FAILED] += 1
                        state[PHASE] = SAMPLE
                        continue
            # The motion is known: judge it.
            state[MOTIONS] += 1
            free = False
            if state[HAS_CONSERVATIVE] == 1:
                start = nodes[side, state[FROM]]
                # Most motions that are blocked are so at their end: a look at it costs least.
                free = is_clear(model, end, work)
                free = free and motion_verdict(model, kinds, start, difference, work) == FREE
            since = state[MOTIONS] - state[ASKED]
            if not free and state[ASKING] == 1 and since >= state[EVERY]:
                state[ASKED] = state[MOTIONS]
                state[PRESENT] = 1
                return ASK
        else:
            state[PRESENT] = 0
            free = state[ANSWER] == 1

        at = state[FROM]
        if not free:
            state[FAILED] += 1
            if phase == EXTEND:
                reach = known[side, at, REACH]
                known[side, at, REACH] = max(SHORTER * reach, SHORTEST * longest)
                radius = known[side, at, RADIUS]
                known[side, at, RADIUS] = min(NARROWER * radius, numbers[DOMAIN])
            state[PHASE] = SAMPLE
            continue

        if phase == FINISH:
            state[MEETING] = at
            return SOLVED
        reach = longest
        if phase == EXTEND:
            reach = known[side, at, REACH]
        new = state[COUNT + side]
        nodes[side, new] = end
        parents[side, new] = at
        known[side, new, REACH] = reach
        known[side, new, RADIUS] = math.inf
        state[COUNT + side] = new + 1
        state[FAILED] = 0
        if state[SINGLE_TREE] == 1:
            at, gap = nearest(plain, kinds, weights, nodes[1], state[COUNT + 1], end)
            state[PHASE] = SAMPLE
            if gap <= numbers[THRESHOLD]:
                state[MEETING + 1] = at
                target[:] = nodes[1, at]
                _aim(kinds, weights, nodes[0, new], target, math.inf, difference, end)
                state[FROM] = new
                state[PHASE] = FINISH
            continue
        if phase == EXTEND:
            # The other tree now runs towards the new node.
            state[MEETING + side] = new
            target[:] = end
            side = 1 - side
            state[SIDE] = side
            at, _ = nearest(plain, kinds, weights, nodes[side], state[COUNT + side], target)
        else:
            at = new
        write_difference(kinds, nodes[side, at], target, spare)
        if phase == CONNECT and squared_length(kinds, weights, spare) <= SAME:
            state[MEETING + side] = at
            return SOLVED
        if state[COUNT + side] + 1 >= capacity:
            state[PHASE] = SAMPLE
            return FULL
        arrives = _aim(kinds, weights, nodes[side, at], target, longest, difference, end)
        if arrives and phase == EXTEND and squared_length(kinds, weights, difference) <= SAME:
            state[MEETING + side] = at
            return SOLVED
        state[FROM] = at
        state[PHASE] = CONNECT
    return RUNNING


def recurrence_of(seed: int, positions: int, moving: NDArray[np.int64]) -> Array:
    """Return where samples begin and by what they go on, (2, positions), for a seed.

    The steps are the powers of the root above 1 of x^(d + 1) = x + 1 in d dimensions; the
    beginnings are random.
    """
    recurrence = np.zeros((2, positions))
    # Python's generator: NumPy's takes longer to seed than an easy search takes.
    draw = random.Random(seed).random
    recurrence[0] = [draw() for _ in range(positions)]
    recurrence[1, moving] = _steps(len(moving))
    return recurrence


@cache
def _steps(dimension: int) -> Array:
    root = 2.0
    for _ in range(64):
        root = (1.0 + root) ** (1.0 / (dimension + 1))
    return np.asarray(root ** -np.arange(1.0, dimension + 1.0))


def path_to_root(nodes: Any, parents: Any, at: int) -> list[Any]:
    """Return the configurations from a node back to its root."""
    path = []
    while at >= 0:
        path.append(np.array(nodes[at]))
        at = int(parents[at])
    return path
