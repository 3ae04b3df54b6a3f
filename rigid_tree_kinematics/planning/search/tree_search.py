"""One search, by repeated calls of the kernel that grows trees."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from rigid_tree_kinematics.arrays import Array
from rigid_tree_kinematics.deadline import Deadline
from rigid_tree_kinematics.ik.constraints import NODE, REQUESTED, satisfied
from rigid_tree_kinematics.kernels.lanes import WIDE
from rigid_tree_kinematics.model.joints import QUATERNION
from rigid_tree_kinematics.planning.problem import PlanSettings, Space, Trees
from rigid_tree_kinematics.planning.search import growth_kernels as kernel
from rigid_tree_kinematics.planning.search.motion_kernels import LONGEST_PIECE, motion_satisfies
from rigid_tree_kinematics.planning.search.motions import Motions
from rigid_tree_kinematics.planning.search.sample_kernels import Samples, recurrence_of
from rigid_tree_kinematics.planning.search.tree_kernels import make_trees, with_more_room

FIRST_CAPACITY = 256  # nodes a tree has room for at first
# Samples and motions before time and cancellation are checked: about a millisecond.
BUDGET = 128

# Exact checks. After this many conservative checks of motions without a path (some tenths of a
# second), the exact level checks one undecided motion in MOTIONS_BETWEEN_EXACT_CHECKS. An exact
# check takes as long as hundreds of others, and rarely finds an undecided motion free.
MOTIONS_BEFORE_EXACT_CHECKS = 20_000
MOTIONS_BETWEEN_EXACT_CHECKS = 5_000
NEVER = 2**62  # motions
# If no end can be left without exact checks, this many undecided motions are checked first.
EXACT_CHECKS_FROM_ENDS = 100

# Restarts. The root of a tree with fewer nodes than SMALL is enclosed: the search restarts after
# this many motions, then after increasing numbers up to a limit. ``maximum_attempts`` is larger by
# default.
SMALL = 16
MOTIONS_BEFORE_RESTART = 8_000
MOST_BEFORE_RESTART = 50_000
AFTER_RESTART = 0.5  # times the default step length and domain

# Step lengths and samples.
LONGER = 2.0  # times the step length: the other step length that is tried
# Initial estimate of what a check adds to the trees (see kernel.WORTH), and its weight in checks.
FIRST_GAIN, FIRST_SPENT = 1.0 / 30.0, 10.0
# Initial sampling radius of a blocked node, times the mean distance of random configurations.
DOMAIN = 0.6
# Unlimited positions are sampled a meter farther out after this many motions, so that the search
# finds its way around obstacles of any size, and most samples are near the ends.
MOTIONS_FOR_A_METER = 256

# Motions out of an undecided start or goal: the number of increasing lengths that are tried.
STEPS_OUT = 60
DIRECTIONS_OUT = 20  # of each length; the first motion to a proven configuration is checked
LONGEST_STEP_OUT = 1.0  # rad, m
LONGEST_DETOUR = 2.0  # times the requested motion: the limit after a projection


@dataclass(frozen=True, eq=False)
class Found:
    """The result of a search; ``path`` is None if there is none."""

    path: Array | None
    goal_index: int
    nodes: int
    trees: Trees
    exhausted: bool


class TreeSearch:
    """One run of RRT-Connect or RRT between a free start and free goals.

    Under constraints, which the start and the goals satisfy, RRT-Connect is CBiRRT. With a
    ``bound``, RRT-Connect finds only paths that are shorter (AORRTC). ``exact_ends``: only the
    exact level has proven the start, or all goals, free.
    """

    def __init__(
        self,
        motions: Motions,
        start: Array,
        goals: Sequence[Array],
        settings: PlanSettings,
        seed: int,
        exact_ends: bool,
        bound: float = math.inf,
    ) -> None:
        space, checks = motions.space, motions.checks
        self._motions, self._settings, self._goal_count = motions, settings, len(goals)
        self._has_undecided_ends = exact_ends and motions.has_conservative
        self._is_single = settings.planner == "rrt"
        if self._is_single:
            self._grow = kernel.grow_one
        elif motions.constrained:
            self._grow = kernel.grow_constrained
        else:
            self._grow = kernel.grow_two
        capacity = max(FIRST_CAPACITY, -4 * len(goals) // WIDE * -WIDE)
        self._arrays = make_trees(checks.kinds, checks.weights, capacity)
        self._arrays.nodes[0, 0] = start
        self._arrays.nodes[1, : len(goals)] = goals
        self._state = state = self._arrays.state[0]  # a view
        state["seed"] = seed
        state["all_intervals"] = space.is_plain
        state["has_quaternions"] = not space.is_plain and QUATERNION in space.kinds
        state["has_conservative"] = motions.has_conservative
        state["next_exact"] = NEVER if motions.has_conservative else 0
        state["most_failed"] = settings.maximum_attempts
        state["most_nodes"] = settings.maximum_nodes
        state["goal_bias"] = settings.goal_bias
        state["threshold"] = settings.goal_threshold or 0.5 * settings.longest_step
        state["spacing"] = settings.spacing if self._is_single else 0.0
        state["bound"], state["goals"] = bound, len(goals)
        # What a restart changes:
        self._scale = 1.0  # of the default step length and domain
        self._motions_before_restart = MOTIONS_BEFORE_RESTART
        self._recurrence = recurrence_of(seed, len(space.kinds), space.moving)
        self._samples = self._sampled_region()

    def run(self, deadline: Deadline, progress: Callable[[TreeSearch], None] | None) -> Found:
        """Search until there is a path, or a limit or the deadline is reached."""
        motions = self._motions
        self._start_trees(deadline)
        outcome = kernel.RUNNING
        while not deadline.over:
            outcome = self._grow(motions.checks, self._samples, self._arrays, BUDGET)
            if outcome == kernel.SOLVED:
                return self._solved()
            if motions.space.opened is not None:
                self._samples = self._sampled_region()
            if outcome == kernel.ASK:
                self._check_exactly()
            elif outcome == kernel.FULL:
                self._arrays = with_more_room(self._arrays)
            elif outcome == kernel.EXHAUSTED:
                break
            elif motions.has_conservative:
                self._change_course(deadline)
            if progress is not None:
                progress(self)
        exhausted = outcome == kernel.EXHAUSTED
        return Found(None, -1, self.node_count, self.trees, exhausted)

    @property
    def node_count(self) -> int:
        """The number of nodes of both trees."""
        return int(self._state["count"][0] + self._state["count"][1])

    @property
    def trees(self) -> Trees:
        """Nodes and parents of each tree."""
        arrays = self._arrays
        return tuple(
            (arrays.nodes[side, :count], arrays.links["parent"][side, :count])
            for side, count in enumerate(self._state["count"])
        )

    def _change_course(self, deadline: Deadline) -> None:
        """After many motions without a path, check some exactly, or restart from small trees."""
        state = self._state
        checked = int(state["motions"])
        if checked > MOTIONS_BEFORE_EXACT_CHECKS and state["next_exact"] == NEVER:
            state["next_exact"] = checked
        if checked > self._motions_before_restart and not self._is_single:
            self._motions_before_restart += min(2 * checked, MOST_BEFORE_RESTART)
            if state["count"].min() < SMALL:
                self._restart(deadline)

    def _restart(self, deadline: Deadline) -> None:
        """Start again from the roots, with another seed and shorter steps."""
        space = self._motions.space
        self._state["seed"] += 1
        self._scale = AFTER_RESTART
        self._recurrence = recurrence_of(int(self._state["seed"]), len(space.kinds), space.moving)
        self._samples = self._sampled_region()
        self._start_trees(deadline)

    def _start_trees(self, deadline: Deadline) -> None:
        """Reduce the trees to their roots, and let these grow first."""
        state, settings = self._state, self._settings
        state["count"][:] = 1, self._goal_count
        state["copied"][:] = 0
        adapts = settings.step is None
        step = settings.longest_step * (self._scale if adapts else 1.0)
        state["steps"] = step, LONGER * step if adapts else step
        state["spent"] = FIRST_SPENT
        state["gains"] = FIRST_SPENT * FIRST_GAIN * state["steps"] ** kernel.WORTH
        for name in ("draws", "failed", "phase", "side", "answer", "step"):
            state[name] = 0
        links = self._arrays.links
        links["parent"], links["cost"], links["radius"] = -1, 0.0, math.inf
        links["reach"] = LONGEST_PIECE if self._motions.constrained else 1.0
        if self._has_undecided_ends and not self._leave_undecided_ends(deadline):
            state["next_exact"] = 0
        if not self._is_single:
            self._try_the_straight_line()

    def _sampled_region(self) -> Samples:
        """Return the sampled region, whose unlimited positions range farther by and by."""
        space = self._motions.space.widened(int(self._state["motions"]) / MOTIONS_FOR_A_METER)
        domain = math.inf if self._is_single else self._scale * DOMAIN
        self._state["domain"] = domain * space.mean_distance
        return Samples(space.moving, space.lower, space.upper, self._recurrence)

    def _check_exactly(self) -> None:
        """Answer whether the current motion is free, by the exact level."""
        state, motions = self._state, self._motions
        start, end = self._arrays.nodes[state["side"], state["node"]], self._arrays.end
        free = motions.exactly_free(start.copy(), end.copy())
        state["answer"] = kernel.PASSED if free else kernel.BLOCKED
        late = state["motions"] > MOTIONS_BEFORE_EXACT_CHECKS
        if motions.has_conservative and (late or motions.exact_checks > EXACT_CHECKS_FROM_ENDS):
            state["next_exact"] = state["motions"] + MOTIONS_BETWEEN_EXACT_CHECKS

    def _try_the_straight_line(self) -> None:
        """Let the goals' tree grow to the start first, which solves easy problems."""
        state, nodes = self._state, self._arrays.nodes
        first = self._inner(0, 0)
        for root in range(self._goal_count):
            self._inner(1, root)
        self._arrays.target[:] = target = nodes[0, first]
        gaps = [self._motions.space.distance(q, target) for q in nodes[1, : state["count"][1]]]
        state["meeting"][0] = first
        state["side"], state["node"], state["phase"] = 1, gaps.index(min(gaps)), kernel.CONNECT

    def _inner(self, side: int, root: int) -> int:
        """Return a neighbor in the interior of the constraints of a root at their edge.

        It is the root itself if there is none or none is needed.
        """
        constraints = self._motions.constraints
        if constraints is None:
            return root
        node = self._arrays.nodes[side, root].copy()
        if satisfied(constraints.arrays, NODE, node, constraints.work):
            return root
        inner = constraints.projected(node)
        if inner is None or not self._satisfies(node, inner):
            return root
        return self._add(side, root, inner) if self._motions.free(node, inner) else root

    def _leave_undecided_ends(self, deadline: Deadline) -> bool:
        """Give undecided ends a neighbor that is proven free, by an exactly checked motion.

        Return whether the start and a goal are then connected to proven configurations.
        """
        motions = self._motions
        rng = np.random.default_rng(int(self._state["seed"]))
        clear = [False, False]
        for side in (0, 1):
            for root in range(int(self._state["count"][side])):
                node = self._arrays.nodes[side, root].copy()
                if motions.clear(node):
                    clear[side] = True
                    continue
                for share in np.linspace(1.0 / STEPS_OUT, 1.0, STEPS_OUT).tolist():
                    if deadline.over:
                        return False
                    some = (self._neighbor(node, share, rng) for _ in range(DIRECTIONS_OUT))
                    q = next((q for q in some if q is not None and motions.clear(q)), None)
                    if q is not None and motions.exactly_free(q, node):
                        self._add(side, root, q)
                        clear[side] = True
                        break
        return all(clear)

    def _neighbor(self, node: Array, share: float, rng: np.random.Generator) -> Array | None:
        """Return a random configuration near a node; None if the motion violates constraints.

        Its distance is at most ``share`` times LONGEST_STEP_OUT, before projection.
        """
        space, constraints = self._motions.space, self._motions.constraints
        motion = space.difference(node, space.random(node, rng))
        length = space.distance(node, space.between(node, motion, 1.0))
        scale = share * min(1.0, LONGEST_STEP_OUT / max(length, 1e-12))
        wanted = space.between(node, motion, scale)
        if constraints is None:
            return wanted
        q = constraints.projected(wanted)
        if q is None or space.distance(node, q) > LONGEST_DETOUR * space.distance(node, wanted):
            return None
        return q if self._satisfies(node, q) else None

    def _satisfies(self, start: Array, end: Array) -> bool:
        """Return whether a straight motion satisfies the requested constraints."""
        checks = self._motions.checks
        motion = self._motions.space.difference(start, end)
        return bool(
            motion_satisfies(checks.constraints, REQUESTED, start, motion, checks.constraint_work)
        )

    def _add(self, side: int, parent: int, q: Array) -> int:
        """Add a node to a tree; return its index."""
        new = int(self._state["count"][side])
        if new + 1 >= self._arrays.nodes.shape[1]:
            self._arrays = with_more_room(self._arrays)
        trees = self._arrays
        trees.nodes[side, new], link = q, trees.links[side, new]  # a view
        length = self._motions.space.distance(trees.nodes[side, parent], q)
        link["parent"], link["cost"] = parent, trees.links[side, parent]["cost"] + length
        self._state["count"][side] = new + 1
        return new

    def _solved(self) -> Found:
        first, last = ([node] for node in self._state["meeting"].tolist())
        for found, parents in zip((first, last), self._arrays.links["parent"], strict=True):
            while (parent := int(parents[found[-1]])) >= 0:  # back to the roots
                found.append(parent)
        nodes = self._arrays.nodes
        points = np.concatenate((nodes[0, first[::-1]], nodes[1, last]))
        path = continuous_path(self._motions.space, points)
        return Found(path, last[-1], self.node_count, self.trees, False)


def continuous_path(space: Space, points: Array) -> Array:
    """Return points (k, nq) without duplicates, and without jumps along the path."""
    points = space.continuous(points)
    new = np.ones(len(points), dtype=np.bool_)
    new[1:] = (np.abs(points[1:] - points[:-1]) > 1e-9).any(axis=1)
    return np.asarray(points[new])
