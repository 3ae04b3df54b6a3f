"""Running one search: the tree-growing kernel, asked again and again."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from rigid_tree_kinematics.arrays import Array
from rigid_tree_kinematics.collision.conservative import FREE, motion_verdict
from rigid_tree_kinematics.collision.world import ConservativeModel, Work, empty_model, make_work
from rigid_tree_kinematics.deadline import Deadline
from rigid_tree_kinematics.planning.problem import PlanSettings, Space, Trees, Validity
from rigid_tree_kinematics.planning.search import tree_search as kernel

FIRST_CAPACITY = 256  # nodes a tree has room for at first
# Samples and motions before time and cancellation are looked at: about a millisecond.
BUDGET = 128
# When the conservative level alone has judged so many motions without a path (some tenths of a
# second), one in so many of those in doubt is looked at exactly, which takes as long as hundreds
# of the others: about half of the time, then.
MOTIONS_BEFORE_ASKING = 20_000
MOTIONS_BETWEEN_QUESTIONS = 500
# Where no end can be left without an exact look, so many are taken before it is one in so many.
QUESTIONS_FROM_ENDS = 100
# New trees after so many motions, then after twice as many, and so on: bad luck is left behind.
MOTIONS_BEFORE_RESTART = 8_000
# Samples that a blocked node takes, at first: by the mean distance of random configurations.
DOMAIN = 0.75
# Motions of growing length that are tried to leave a start or goal that is in doubt.
STEPS_OUT = 60
LONGEST_STEP_OUT = 1.0  # rad, m


class Motions:
    """Judges motions: by the conservative level, then by the validity. Not for several threads."""

    def __init__(self, space: Space, validity: Validity, model: ConservativeModel | None) -> None:
        self.space = space
        self.has_conservative = model is not None
        self.model = empty_model(len(space.kinds)) if model is None else model
        self.work: Work = make_work(self.model)
        self._validity = validity
        self._exact_checks = 0

    @property
    def exact_checks(self) -> int:
        """Motions looked at by the exact level."""
        return self._exact_checks

    @property
    def checks(self) -> int:
        """Configurations looked at by the conservative level, and motions by the exact one."""
        return int(self.work.counts[0]) + self._exact_checks

    def surely_free(self, start: Array, end: Array) -> bool:
        """Return whether the conservative level frees the motion between configurations (nq,)."""
        difference = self.space.difference(start, end)
        return self.has_conservative and (
            motion_verdict(self.model, self.space.kinds, start, difference, self.work) == FREE
        )

    def clear(self, q: Array) -> bool:
        """Return whether the conservative level frees a start or goal."""
        return self.surely_free(q, q)

    def free(self, start: Array, end: Array) -> bool:
        """Return whether the motion is free."""
        return self.surely_free(start, end) or self.exactly_free(start, end)

    def exactly_free(self, start: Array, end: Array) -> bool:
        """Return whether the motion is free, without asking the conservative level first."""
        self._exact_checks += 1
        return self._validity.motion_free(start, end)


@dataclass(frozen=True, eq=False)
class Found:
    """A search's outcome: ``path`` is None if it found none, ``outcome`` the kernel's word."""

    path: Array | None
    goal_index: int
    nodes: int
    trees: Trees
    exhausted: bool


class TreeSearch:
    """One run of RRT-Connect or RRT between a start and goals, all of them free."""

    def __init__(
        self,
        motions: Motions,
        start: Array,
        goals: Sequence[Array],
        settings: PlanSettings,
        seed: int,
        exact_ends: bool,
    ) -> None:
        space = motions.space
        width = len(space.kinds)
        single = settings.planner == "rrt"
        self._motions = motions
        capacity = max(FIRST_CAPACITY, 4 * len(goals))
        self._nodes = np.empty((2, capacity, width))
        self._parents = np.full((2, capacity), -1, dtype=np.int64)
        self._known = np.empty((2, capacity, 2))
        self._nodes[0, 0] = start
        self._nodes[1, : len(goals)] = goals
        self._ends = start, goals
        self._vectors = np.empty((4, width))
        state = np.zeros(kernel.STATE_SIZE, dtype=np.int64)
        state[kernel.PLAIN] = space.is_plain
        state[kernel.HAS_CONSERVATIVE] = motions.has_conservative
        state[kernel.ASKING] = not motions.has_conservative
        state[kernel.EVERY] = 1
        state[kernel.SINGLE_TREE] = single
        state[kernel.MOST_FAILED] = settings.maximum_attempts
        state[kernel.MOST_NODES] = settings.maximum_nodes
        self._state = state
        step = settings.longest_step
        threshold = settings.goal_threshold or 0.5 * step
        spacing = settings.spacing if single else 0.0
        domain = math.inf if single else DOMAIN * space.mean_distance
        self._numbers = np.array([step, settings.goal_bias, threshold, spacing, domain, -1.0])
        self._first = seed, exact_ends

    def run(self, deadline: Deadline, progress: Callable[[TreeSearch], None] | None) -> Found:
        """Search until there is a path, the limits are used up, or the deadline says stop."""
        state, motions = self._state, self._motions
        restart = MOTIONS_BEFORE_RESTART
        self._plant(*self._first, deadline)
        outcome = kernel.RUNNING
        while not deadline.over:
            outcome = self._grow()
            if outcome == kernel.SOLVED:
                return self._solved()
            if outcome == kernel.ASK:
                self._answer()
            elif outcome == kernel.FULL:
                self._make_room()
            elif outcome == kernel.EXHAUSTED:
                break
            elif motions.has_conservative:
                judged = int(state[kernel.MOTIONS])
                if judged > MOTIONS_BEFORE_ASKING and not state[kernel.ASKING]:
                    state[kernel.ASKING], state[kernel.EVERY] = 1, MOTIONS_BETWEEN_QUESTIONS
                if judged > restart and not state[kernel.SINGLE_TREE]:
                    restart += 2 * judged
                    self._plant(int(state[kernel.SEED]) + 1, self._exact_ends, deadline)
            if progress is not None:
                progress(self)
        exhausted = outcome == kernel.EXHAUSTED
        return Found(None, -1, self.node_count, self.trees, exhausted)

    @property
    def node_count(self) -> int:
        """How many nodes both trees have."""
        return int(self._state[kernel.COUNT] + self._state[kernel.COUNT + 1])

    @property
    def trees(self) -> Trees:
        """Nodes and parents of each tree."""
        counts = self._state[kernel.COUNT : kernel.COUNT + 2]
        return tuple(
            (self._nodes[side, :count], self._parents[side, :count])
            for side, count in enumerate(counts)
        )

    def _grow(self) -> int:
        """Go on for a while; return what the kernel says."""
        motions, space = self._motions, self._motions.space
        return int(
            kernel.grow(
                space.kinds,
                space.weights,
                space.lower,
                space.upper,
                space.moving,
                self._nodes,
                self._parents,
                self._known,
                self._recurrence,
                self._state,
                self._numbers,
                self._vectors,
                motions.model,
                motions.work,
                BUDGET,
            )
        )

    def _plant(self, seed: int, exact_ends: bool, deadline: Deadline) -> None:
        """Begin with the ends alone, and samples of a seed."""
        start, goals = self._ends
        state, space = self._state, self._motions.space
        state[kernel.COUNT : kernel.COUNT + 2] = 1, len(goals)
        state[kernel.SEED] = seed
        state[[kernel.DRAWS, kernel.FAILED, kernel.PHASE, kernel.SIDE, kernel.PRESENT]] = 0
        self._recurrence = kernel.recurrence_of(seed, len(space.kinds), space.moving)
        self._exact_ends = exact_ends
        if exact_ends and self._motions.has_conservative:
            state[kernel.ASKING] |= not self._step_out_of_doubt(seed, deadline)
        for side in (0, 1):
            self._known[side, : state[kernel.COUNT + side]] = self._numbers[kernel.STEP], math.inf
        if not state[kernel.SINGLE_TREE]:
            self._begin_with_the_straight_way(start, goals)

    def _answer(self) -> None:
        """Decide the motion in question exactly."""
        state, motions = self._state, self._motions
        start, end = self._nodes[state[kernel.SIDE], state[kernel.FROM]], self._vectors[0]
        state[kernel.ANSWER] = motions.exactly_free(start.copy(), end.copy())
        if motions.has_conservative and motions.exact_checks > QUESTIONS_FROM_ENDS:
            state[kernel.EVERY] = MOTIONS_BETWEEN_QUESTIONS

    def _begin_with_the_straight_way(self, start: Array, goals: Sequence[Array]) -> None:
        """Let the goals' tree run towards the start first, which solves what is easy."""
        space, state = self._motions.space, self._state
        nearest = int(np.argmin([space.distance(goal, start) for goal in goals]))
        difference = space.difference(goals[nearest], start)
        length = space.distance(goals[nearest], start)
        self._vectors[1] = difference * min(1.0, self._numbers[kernel.STEP] / max(length, 1e-12))
        self._vectors[0] = space.between(goals[nearest], self._vectors[1], 1.0)
        self._vectors[2] = start
        state[kernel.SIDE] = 1
        state[kernel.FROM] = nearest
        state[kernel.PHASE] = kernel.CONNECT

    def _step_out_of_doubt(self, seed: int, deadline: Deadline) -> bool:
        """Give ends that are in doubt a neighbour that is not, by one exactly checked motion.

        Return whether the start and some goal can be left so, and the conservative level goes on.
        """
        motions, space = self._motions, self._motions.space
        rng = np.random.default_rng(seed)
        clear = [False, False]
        for side in (0, 1):
            for root in range(int(self._state[kernel.COUNT + side])):
                node = self._nodes[side, root].copy()
                if motions.surely_free(node, node):
                    clear[side] = True
                    continue
                for share in np.linspace(1.0 / STEPS_OUT, 1.0, STEPS_OUT):
                    if deadline.over:
                        return False
                    difference = space.difference(node, space.random(node, rng))
                    length = space.distance(node, space.between(node, difference, 1.0))
                    scale = share * min(1.0, LONGEST_STEP_OUT / max(length, 1e-12))
                    q = self._neighbour(node, difference, scale)
                    if (
                        q is not None
                        and motions.surely_free(q, q)
                        and motions.exactly_free(node, q)
                    ):
                        new = int(self._state[kernel.COUNT + side])
                        self._nodes[side, new], self._parents[side, new] = q, root
                        self._state[kernel.COUNT + side] = new + 1
                        clear[side] = True
                        break
        return all(clear)

    def _neighbour(self, node: Array, difference: Array, scale: float) -> Array | None:
        """Return where a straight motion leads that may be one of the search's, if it may."""
        return self._motions.space.between(node, difference, scale)

    def _make_room(self) -> None:
        self._nodes = np.concatenate([self._nodes, np.empty_like(self._nodes)], axis=1)
        self._parents = np.concatenate([self._parents, np.full_like(self._parents, -1)], axis=1)
        self._known = np.concatenate([self._known, np.empty_like(self._known)], axis=1)

    def _solved(self) -> Found:
        at_start, at_goal = self._state[kernel.MEETING : kernel.MEETING + 2]
        first = kernel.path_to_root(self._nodes[0], self._parents[0], int(at_start))[::-1]
        last = kernel.path_to_root(self._nodes[1], self._parents[1], int(at_goal))
        root = int(at_goal)
        while self._parents[1, root] >= 0:
            root = int(self._parents[1, root])
        path = continuous_path(self._motions.space, [*first, *last])
        return Found(path, root, self.node_count, self.trees, False)


def continuous_path(space: Space, points: Sequence[Array]) -> Array:
    """Return points (k, nq) without repetitions, with circles unwrapped along the path."""
    if space.is_plain:
        rows = np.array(points)
        apart = np.abs(np.diff(rows, axis=0)).max(axis=1, initial=0.0) > 1e-9
        return rows[np.concatenate([[True], apart])]
    path = [points[0]]
    for point in points[1:]:
        difference = space.difference(path[-1], point)
        if space.distance(path[-1], point) > 1e-9:
            reached = space.between(path[-1], difference, 1.0)
            # Adding a difference rounds: where nothing was wrapped, the point itself is meant.
            path.append(np.where(np.abs(reached - point) < 1e-9, point, reached))
    return np.array(path)
