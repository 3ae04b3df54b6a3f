"""The kernels that grow trees: RRT-Connect, CBiRRT and goal-biased RRT.

Kuffner and LaValle, "RRT-Connect", ICRA 2000; LaValle, "Rapidly-exploring random trees", 1998;
Berenson et al., "Manipulation planning on constraint manifolds", ICRA 2009. Nodes at which a
motion was blocked accept only nearer samples, after Yershova, Jaillet, Simeon, LaValle,
"Dynamic-domain RRTs", ICRA 2005, and Jaillet et al., "Adaptive tuning of the sampling domain for
dynamic-domain RRTs", IROS 2005; and shorter steps.

With a bound, only paths that are shorter are found: Wilson et al., "AORRTC: almost-surely
asymptotically optimal planning with RRT-Connect", 2025. A sample comes with a length, which a path
from the roots to it may have at most; the nearest node that allows this is extended.

Each kernel is one planner's loop over motions. It returns to its caller regularly, to check time
and cancellation, and whenever a motion needs an exact check (ASK): the caller writes the answer
into the state, and calls again. Therefore the current motion is part of the trees' arrays.
"""

import math
from typing import Any

from rigid_tree_kinematics.collision.conservative.kernels import FREE, motion_verdict
from rigid_tree_kinematics.collision.world.arrays import CHECKED
from rigid_tree_kinematics.kernels import inlined, kernel, types
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

# Outcomes of the kernels: the budget is spent; the current motion needs an exact check; there is a
# path; a tree has no room; a limit of the search is reached.
RUNNING, ASK, SOLVED, FULL, EXHAUSTED = range(5)
# Phases of the search.
SAMPLE = 0  # draw a configuration and choose the node to extend towards it
EXTEND = 1  # check that extension
CONNECT = 2  # check the other tree's motion towards the new node, or one tree's to a goal
# Verdicts on the current motion; the caller answers ASK by BLOCKED or PASSED.
UNKNOWN, BLOCKED, PASSED, USELESS, UNDECIDED = range(5)

SAME = 1e-20  # squared distance of two configurations that differ by rounding only

# Tuned on MotionBenchMaker's odd-numbered problems; all optima are flat.
SHORTER = 0.85  # steps from a node after one that was blocked
SHORTEST = 0.5  # of the step
NARROWER, WIDER = 0.97, 1.03  # the radius after a blocked motion, or a sample beyond it
GROWTH = 1.5  # of the next piece under constraints
EASY = 300  # motions with the shorter step length; most problems need fewer
TRIAL = 16  # every 16th sample tries the step length for which fewer checks were spent so far
WORTH = 1.7  # a motion adds its length to this power to a tree


@inlined
def _is_exhausted(state: Any) -> bool:
    """Return whether a limit of the search is reached."""
    nodes = state.count[0] + state.count[1]
    return bool(state.failed >= state.most_failed or nodes >= state.most_nodes)


@inlined
def _is_full(trees: Trees, state: Any) -> bool:
    """Return whether there is no room for another node."""
    return bool(max(state.count[0], state.count[1]) + 1 >= trees.nodes.shape[1])


@inlined
def choose_step(state: Any) -> None:
    """Choose the step length that has added more to the trees per check.

    In narrow places, longer steps leave them sooner, or almost none is free.
    """
    state.step = 0
    if state.motions < EASY:
        return
    if state.draws % TRIAL == 0:
        state.step = 1 if state.spent[1] < state.spent[0] else 0
    elif state.gains[1] * state.spent[0] > state.gains[0] * state.spent[1]:
        state.step = 1


@inlined
def _sample_for_two(samples: Samples, trees: Trees, state: Any) -> bool:
    """Draw a sample and choose the node to extend towards it; False if the sample is not taken.

    The trees take turns, unless one has twice the nodes of the other.
    """
    side = state.turn
    if state.count[1 - side] < 2 * state.count[side]:
        side = 1 - side
    state.turn = state.side = side
    state.draws += 1
    limit = math.inf
    copy_numbers(trees.nodes[0, 0], trees.target)
    if state.bound < math.inf:
        limit = _draw_shorter(samples, trees, state)
    else:
        draw(trees.kinds, samples, state.draws, trees.target)
    at, gap = nearest(trees, state, side, trees.target, limit)
    if at < 0:
        return False
    if gap > trees.links[side, at].radius:
        trees.links[side, at].radius *= WIDER
        return False
    state.node, state.phase, state.traveled = at, EXTEND, 0.0
    choose_step(state)
    return True


@inlined
def _sample_for_one(samples: Samples, trees: Trees, state: Any) -> None:
    """Draw a sample, some of which are goals, and choose the node to extend towards it."""
    state.draws += 1
    if uniform(state.seed, 2 * state.draws) < state.goal_bias:
        goal = int(uniform(state.seed, 2 * state.draws + 1) * state.count[1])
        copy_numbers(trees.nodes[1, goal], trees.target)
    else:
        copy_numbers(trees.nodes[0, 0], trees.target)
        draw(trees.kinds, samples, state.draws, trees.target)
    state.side, state.phase = 0, EXTEND
    state.node, _ = nearest(trees, state, 0, trees.target, math.inf)


@inlined
def _draw_shorter(samples: Samples, trees: Trees, state: Any) -> float:
    """Draw a sample on a path that may be below the bound.

    Return the greatest length of the path from its tree's root to it, or -1 for no sample.
    """
    target = trees.target
    number = state.draws * 2 * (samples.moving.shape[0] + 2) - 1
    if state.all_intervals == 1:
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
def _check(checks: MotionChecks, trees: Trees, state: Any, reach: float) -> int:
    """Check a motion of at most ``reach`` from the current node towards the target.

    If the caller has already answered whether the current motion is free, this is the verdict.
    """
    if state.answer != UNKNOWN:
        answer = state.answer
        state.answer = UNKNOWN
        return int(answer)
    start, end, difference = trees.nodes[state.side, state.node], trees.end, trees.difference
    outcome = step_towards(checks, start, trees.target, reach, end, difference)
    if _is_useless(trees, state):
        return USELESS
    state.motions += 1
    if outcome == STUCK:
        return BLOCKED
    if state.has_conservative == 1:
        model, work = checks.model, checks.work
        if motion_verdict(model, checks.kinds, start, difference, work) == FREE:
            return PASSED
    return UNDECIDED if state.motions >= state.next_exact else BLOCKED


@inlined
def _is_useless(trees: Trees, state: Any) -> bool:
    """Return whether a motion ends too near to a node, or on no path shorter than the bound."""
    side = state.side
    if state.bound < math.inf:
        length = math.sqrt(squared_length(trees.kinds, trees.weights, trees.difference))
        rest = to_root(trees, state, 1 - side, trees.end)
        return bool(trees.links[side, state.node].cost + length + rest >= state.bound)
    if state.phase != EXTEND or state.spacing <= 0.0:
        return False
    return bool(state.spacing > nearest(trees, state, side, trees.end, math.inf)[1])


@inlined
def _narrow(trees: Trees, state: Any) -> None:
    """Let the current node accept only nearer samples."""
    node = trees.links[state.side, state.node]
    node.radius = min(NARROWER * node.radius, state.domain)


@inlined
def _shorten(trees: Trees, state: Any) -> None:
    """Shorten the next motions from the current node."""
    node = trees.links[state.side, state.node]
    node.reach = max(SHORTER * node.reach, SHORTEST)


@inlined
def _give_up(state: Any) -> None:
    """Abandon a motion, so that the next sample is drawn."""
    state.failed += 1
    state.phase = SAMPLE


@inlined
def _add_node(trees: Trees, state: Any, reach: float) -> float:
    """Add the end of a motion to the tree, as the current node; return the motion's length."""
    side = state.side
    new = state.count[side]
    length = math.sqrt(squared_length(trees.kinds, trees.weights, trees.difference))
    copy_numbers(trees.end, trees.nodes[side, new])
    node = trees.links[side, new]
    node.parent, node.reach, node.radius = state.node, reach, math.inf
    node.cost = trees.links[side, state.node].cost + length
    state.count[side] = new + 1
    state.node = new
    state.failed = 0
    state.traveled += length
    return length


@inlined
def _arrived(trees: Trees, state: Any) -> bool:
    """Record where the trees may meet; return whether the current node is at the target."""
    state.meeting[state.side] = state.node
    gap = squared_distance(trees.kinds, trees.weights, trees.end, trees.target)
    return bool(gap <= SAME)


@inlined
def _connect(trees: Trees, state: Any) -> bool:
    """Let the other tree grow towards the current node; return whether it is already there."""
    side, other = state.side, 1 - state.side
    state.meeting[side] = state.node
    copy_numbers(trees.nodes[side, state.node], trees.target)
    limit = state.bound - trees.links[side, state.node].cost
    at, gap = nearest(trees, state, other, trees.target, limit)
    if at < 0:
        state.phase = SAMPLE
        return False
    state.meeting[other] = at
    state.side, state.node, state.phase = other, at, CONNECT
    return bool(gap * gap <= SAME)


@inlined
def _try_goal(trees: Trees, state: Any) -> None:
    """Let one tree grow to the goal nearest to the current node, if it is near enough."""
    at, gap = nearest(trees, state, 1, trees.end, math.inf)
    state.phase = SAMPLE
    if gap <= state.threshold:
        state.meeting[1] = at
        copy_numbers(trees.nodes[1, at], trees.target)
        state.phase = CONNECT


GROW = types.int64(CHECKS, SAMPLES, TREES, types.int64)


@kernel(GROW)
def grow_two(checks: MotionChecks, samples: Samples, trees: Trees, budget: int) -> int:
    """Continue RRT-Connect for at most ``budget`` samples and motions; return its outcome."""
    state = trees.state[0]
    for _ in range(budget):
        if state.phase == SAMPLE:
            if _is_exhausted(state):
                return EXHAUSTED
            if not _sample_for_two(samples, trees, state):
                continue
        if _is_full(trees, state):
            return FULL
        extends = state.phase == EXTEND
        share = trees.links[state.side, state.node].reach if extends else 1.0
        before = checks.work.counts[CHECKED]
        verdict = _check(checks, trees, state, share * state.steps[state.step])
        state.spent[state.step] += 1 + checks.work.counts[CHECKED] - before
        if verdict == UNDECIDED:
            return ASK
        if verdict != PASSED:
            if extends and verdict == BLOCKED:
                _narrow(trees, state)
                _shorten(trees, state)
            _give_up(state)
            continue
        state.gains[state.step] += _add_node(trees, state, share) ** WORTH
        if _connect(trees, state) if extends else _arrived(trees, state):
            return SOLVED
    return RUNNING


@kernel(GROW)
def grow_constrained(checks: MotionChecks, samples: Samples, trees: Trees, budget: int) -> int:
    """Continue CBiRRT, like RRT-Connect, but an extension has several pieces."""
    state = trees.state[0]
    for _ in range(budget):
        if state.phase == SAMPLE:
            if _is_exhausted(state):
                return EXHAUSTED
            if not _sample_for_two(samples, trees, state):
                continue
        if _is_full(trees, state):
            return FULL
        extends = state.phase == EXTEND
        verdict = _check(checks, trees, state, trees.links[state.side, state.node].reach)
        if verdict == UNDECIDED:
            return ASK
        if verdict == PASSED:
            length = _add_node(trees, state, 0.0)
            trees.links[state.side, state.node].reach = min(LONGEST_PIECE, GROWTH * length)
            arrived = _arrived(trees, state)
            if extends and not arrived and state.traveled < state.steps[0]:
                continue  # the extension has more pieces
        elif extends and state.traveled > 0.0:
            arrived = False  # the extension ends with its last piece
        else:
            if extends and verdict == BLOCKED:
                _narrow(trees, state)
            _give_up(state)
            continue
        if _connect(trees, state) if extends else arrived:
            return SOLVED
    return RUNNING


@kernel(GROW)
def grow_one(checks: MotionChecks, samples: Samples, trees: Trees, budget: int) -> int:
    """Continue RRT, whose tree from the start grows to the goals, the other tree's roots."""
    state = trees.state[0]
    for _ in range(budget):
        if state.phase == SAMPLE:
            if _is_exhausted(state):
                return EXHAUSTED
            _sample_for_one(samples, trees, state)
        if _is_full(trees, state):
            return FULL
        extends = state.phase == EXTEND
        share = trees.links[0, state.node].reach
        verdict = _check(checks, trees, state, share * state.steps[0] if extends else math.inf)
        if verdict == UNDECIDED:
            return ASK
        if verdict != PASSED:
            if extends and verdict == BLOCKED:
                _shorten(trees, state)
            _give_up(state)
            continue
        if not extends:
            state.meeting[0] = state.node
            return SOLVED
        _add_node(trees, state, share)
        _try_goal(trees, state)
    return RUNNING
