"""The kernel that grows trees: RRT-Connect, goal-biased RRT and CBiRRT.

Kuffner and LaValle, "RRT-Connect", ICRA 2000; LaValle, "Rapidly-exploring random trees", 1998;
Berenson et al., "Manipulation planning on constraint manifolds", ICRA 2009. Nodes at which a
motion was blocked accept only nearer samples, after Yershova, Jaillet, Simeon, LaValle,
"Dynamic-domain RRTs", ICRA 2005, and Jaillet et al., "Adaptive tuning of the sampling domain for
dynamic-domain RRTs", IROS 2005; and shorter steps.

With a bound, only paths that are shorter are found: Wilson et al., "AORRTC: almost-surely
asymptotically optimal planning with RRT-Connect", 2025. A sample comes with a length, which a path
from the roots to it may have at most; the nearest node that allows this is extended.

The search is a state machine over arrays. It returns to its caller regularly, to check time and
cancellation, and whenever a motion needs an exact check: the caller decides it, writes the answer
into the state, and calls again.
"""

import math
from typing import Any

from rigid_tree_kinematics.arrays import Array
from rigid_tree_kinematics.collision.conservative.kernels import FREE, motion_verdict
from rigid_tree_kinematics.kernels import MATRIX, inlined, kernel, types
from rigid_tree_kinematics.kernels.random_stream import uniform
from rigid_tree_kinematics.kinematics.topology import (
    copy_numbers,
    squared_distance,
    squared_length,
)
from rigid_tree_kinematics.planning.search.motion_kernels import (
    CHECKS,
    LONGEST_PIECE,
    STUCK,
    MotionChecks,
    step_towards,
)
from rigid_tree_kinematics.planning.search.sample_kernels import (
    SAMPLES,
    Samples,
    draw,
    draw_between,
)
from rigid_tree_kinematics.planning.search.tree_kernels import TREES, Trees, nearest, to_root

# Outcomes of the kernel.
RUNNING, ASK, SOLVED, FULL, EXHAUSTED = range(5)
READY = 5  # inside the kernel: there is a motion to check
# Phases.
SAMPLE = 0  # draw a configuration and extend towards it
EXTEND = 1  # check that extension
CONNECT = 2  # check the other tree's motion towards the new node
FINISH = 3  # check the last motion to a goal (one tree)
# Verdicts on a motion.
BLOCKED, PASSED, USELESS = range(3)

SAME = 1e-20  # squared distance of two configurations that differ by rounding only

# Tuned on MotionBenchMaker's odd-numbered problems; all optima are flat.
SHORTER = 0.85  # steps from a node after one that was blocked
SHORTEST = 0.5  # of the longest step
NARROWER, WIDER = 0.97, 1.03  # the radius after a blocked motion, or a sample beyond it
GROWTH = 1.5  # of the next piece under constraints


@inlined
def _draw_shorter(samples: Samples, trees: Trees, state: Any, target: Array) -> float:
    """Draw a sample on a path that may be below the bound.

    Return the greatest length of the path from its tree's root to it, or -1 for no sample.
    """
    number = state.draws * 2 * (samples.moving.shape[0] + 2) - 1
    if state.plain == 1:
        goal = int(uniform(state.seed, number) * state.goals)
        ends = trees.nodes[0, 0], trees.nodes[1, goal]
        if not draw_between(trees.kinds, trees.weights, samples, state, ends[0], ends[1], target):
            return -1.0
    else:
        draw(trees.kinds, samples, state.draws, target)
    least = to_root(trees, state, state.side, target)
    most = state.bound - to_root(trees, state, 1 - state.side, target)
    if least >= most:
        return -1.0
    return float(least + (most - least) * uniform(state.seed, number - 1))


@inlined
def _take_sample(samples: Samples, trees: Trees, state: Any, target: Array) -> int:
    """Draw a sample and choose the node to extend towards it, unless it is too far."""
    if state.failed >= state.most_failed or state.count[0] + state.count[1] >= state.most_nodes:
        return EXHAUSTED
    if state.single_tree == 0:
        # The trees take turns, unless one has twice the nodes of the other.
        side = state.turn
        if state.count[1 - side] < 2 * state.count[side]:
            side = 1 - side
        state.turn = state.side = side
    state.draws += 1
    to_goal = state.single_tree == 1 and uniform(state.seed, 2 * state.draws) < state.goal_bias
    limit = math.inf
    copy_numbers(trees.nodes[0, 0], target)
    if to_goal:
        pick = int(uniform(state.seed, 2 * state.draws + 1) * state.count[1])
        copy_numbers(trees.nodes[1, pick], target)
    elif state.bound < math.inf:
        limit = _draw_shorter(samples, trees, state, target)
    else:
        draw(trees.kinds, samples, state.draws, target)
    side = state.side
    at, gap = nearest(trees, state, side, target, limit)
    if at < 0:
        return RUNNING
    if gap > trees.radius[side, at] and not to_goal:
        trees.radius[side, at] *= WIDER
        return RUNNING
    state.node, state.phase, state.traveled = at, EXTEND, 0.0
    return RUNNING


@inlined
def _reach(trees: Trees, state: Any) -> float:
    """Return the maximum length of the next motion."""
    if state.phase == EXTEND or state.constrained == 1:
        return float(trees.reach[state.side, state.node])
    return math.inf if state.phase == FINISH else float(state.longest_step)


@inlined
def _asks(state: Any) -> bool:
    """Return whether the caller checks a doubtful motion."""
    if state.asking == 0 or state.motions - state.last_question < state.every:
        return False
    state.last_question = state.motions
    state.pending = 1
    return True


@inlined
def _give_up(trees: Trees, state: Any, verdict: int) -> None:
    """Abandon a rejected motion, so that the next sample is drawn."""
    side, node = state.side, state.node
    state.failed += 1
    if state.phase == EXTEND and verdict == BLOCKED:
        trees.radius[side, node] = min(NARROWER * trees.radius[side, node], state.domain)
        if state.constrained == 0:
            reach = SHORTER * trees.reach[side, node]
            trees.reach[side, node] = max(reach, SHORTEST * state.longest_step)
    state.phase = SAMPLE


@inlined
def _add_node(trees: Trees, state: Any, end: Array, difference: Array) -> None:
    """Add the end of a motion to the tree."""
    side = state.side
    new = state.count[side]
    length = math.sqrt(squared_length(trees.kinds, trees.weights, difference))
    reach = state.longest_step
    if state.constrained == 1:
        reach = min(LONGEST_PIECE, GROWTH * length)
    elif state.phase == EXTEND:
        reach = trees.reach[side, state.node]
    copy_numbers(end, trees.nodes[side, new])
    trees.parents[side, new] = state.node
    trees.reach[side, new] = reach
    trees.radius[side, new] = math.inf
    trees.costs[side, new] = trees.costs[side, state.node] + length
    state.count[side] = new + 1
    state.node = new
    state.failed = 0
    state.traveled += length


@inlined
def _is_useless(trees: Trees, state: Any, end: Array, difference: Array) -> bool:
    """Return whether a motion ends too near to a node, or on no path shorter than the bound."""
    side = state.side
    if state.bound < math.inf:
        length = math.sqrt(squared_length(trees.kinds, trees.weights, difference))
        rest = to_root(trees, state, 1 - side, end)
        return bool(trees.costs[side, state.node] + length + rest >= state.bound)
    if state.phase != EXTEND or state.spacing <= 0.0:
        return False
    gap = nearest(trees, state, side, end, math.inf)[1]
    return bool(state.spacing > gap)


@inlined
def _connect(trees: Trees, state: Any, target: Array) -> bool:
    """Let the other tree grow towards this one's node; return whether it is already there."""
    side, other = state.side, 1 - state.side
    state.meeting[side] = state.node
    copy_numbers(trees.nodes[side, state.node], target)
    limit = state.bound - trees.costs[side, state.node]
    at, gap = nearest(trees, state, other, target, limit)
    if at < 0:
        state.phase = SAMPLE
        return False
    state.meeting[other] = at
    state.side, state.node, state.phase = other, at, CONNECT
    return bool(gap * gap <= SAME)


@inlined
def _continue(trees: Trees, state: Any, end: Array, target: Array) -> bool:
    """Choose the motion after a new node; return whether the trees have met."""
    if state.single_tree == 1:
        # A goal that is near is tried directly.
        at, gap = nearest(trees, state, 1, end, math.inf)
        state.phase = SAMPLE
        if gap <= state.threshold:
            state.meeting[1] = at
            copy_numbers(trees.nodes[1, at], target)
            state.phase = FINISH
        return False
    arrived = squared_distance(trees.kinds, trees.weights, end, target) <= SAME
    if state.phase == CONNECT:
        state.meeting[state.side] = state.node
        return arrived
    if state.constrained == 1 and not arrived and state.traveled < state.longest_step:
        return False  # the extension has more pieces
    return _connect(trees, state, target)


@inlined
def _next_motion(samples: Samples, trees: Trees, state: Any, target: Array) -> int:
    """Draw a sample if there is no current motion; return READY if a motion is to be checked."""
    if state.phase == SAMPLE:
        if _take_sample(samples, trees, state, target) == EXHAUSTED:
            return EXHAUSTED
        if state.phase == SAMPLE:
            return RUNNING
    return FULL if max(state.count[0], state.count[1]) + 1 >= trees.nodes.shape[1] else READY


@inlined
def _settle(trees: Trees, state: Any, vectors: Array, verdict: int) -> bool:
    """Apply the result of a motion's check; return whether there is a path."""
    end, difference, target = vectors[0], vectors[1], vectors[2]
    state.pending = 0
    if verdict == PASSED:
        if state.phase == FINISH:
            state.meeting[0] = state.node
            return True
        _add_node(trees, state, end, difference)
        return _continue(trees, state, end, target)
    if state.phase == EXTEND and state.traveled > 0.0:
        return _connect(trees, state, target)
    _give_up(trees, state, verdict)
    return False


@kernel(types.int64(CHECKS, SAMPLES, TREES, MATRIX, types.int64), allocates=False)
def grow(checks: MotionChecks, samples: Samples, trees: Trees, vectors: Array, budget: int) -> int:
    """Continue a search for at most ``budget`` samples and motions; return its outcome.

    ``vectors`` (3, nq): the end of the current motion, its difference, and the target of the
    growing tree.
    """
    state, end, difference, target = trees.state[0], vectors[0], vectors[1], vectors[2]
    for _ in range(budget):
        verdict = PASSED if state.answer == 1 else BLOCKED
        if state.pending == 0:
            ready = _next_motion(samples, trees, state, target)
            if ready == RUNNING:
                continue
            if ready != READY:
                return ready
            start, reach = trees.nodes[state.side, state.node], _reach(trees, state)
            outcome = step_towards(checks, start, target, reach, end, difference)
            useless = _is_useless(trees, state, end, difference)
            verdict = USELESS if useless else BLOCKED
            state.motions += verdict == BLOCKED
            if verdict == BLOCKED and outcome != STUCK:
                model, work, kinds = checks.model, checks.work, checks.kinds
                known = state.has_conservative == 1
                if known and motion_verdict(model, kinds, start, difference, work) == FREE:
                    verdict = PASSED
                elif _asks(state):
                    return ASK
        if _settle(trees, state, vectors, verdict):
            return SOLVED
    return RUNNING
