"""Running one search: the tree-growing kernel, asked again and again."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from rigid_tree_kinematics.collision.conservative import FREE, motion_verdict
from rigid_tree_kinematics.collision.conservative_arrays import (
    CLOSELY,
    ConservativeModel,
    Work,
    empty_model,
    make_work,
)
from rigid_tree_kinematics.model.transforms import Array
from rigid_tree_kinematics.planning import tree_search as kernel
from rigid_tree_kinematics.planning.deadline import Deadline
from rigid_tree_kinematics.planning.result import PlanSettings, Trees
from rigid_tree_kinematics.planning.space import Space
from rigid_tree_kinematics.planning.validity import Validity

FIRST_CAPACITY = 256  # nodes a tree has room for at first
BUDGET = 64  # motions judged before time and cancellation are looked at
# When so many motions failed in a row, or were judged without a path, near obstacles are looked at
# closely.
FAILURES_BEFORE_LOOKING = 60
MOTIONS_BEFORE_LOOKING = 600
# When the conservative level alone has failed so often in a row, or judged so many motions without
# a path (some tenths of a second), doubtful motions are looked at exactly, which is slow.
FAILURES_BEFORE_ASKING = 400
MOTIONS_BEFORE_ASKING = 20_000
# Motions of growing length that are tried to leave a start or goal that is in doubt.
STEPS_OUT = 60
LONGEST_STEP_OUT = 1.0  # rad, m


class Motions:
    """Judges motions: by the conservative level, then by the validity. Not for several threads."""

    def __init__(self, space: Space, validity: Validity, model: ConservativeModel | None) -> None:
        self.space = space
        self.has_conservative = model is not None
        self.model = empty_model(len(space.kinds)) if model is None else model
        self.work: Work = make_work(self.model, closely=False)
        self._validity = validity
        self._exact_checks = 0

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

    @property
    def closely(self) -> bool:
        """Whether the conservative level takes its time where the robot is near obstacles."""
        return bool(self.work.counts[CLOSELY])

    def look_closely(self) -> None:
        """Let it take its time from now on."""
        self.work.counts[CLOSELY] = 1

    def clear(self, q: Array) -> bool:
        """Return whether the conservative level frees a start or goal, if need be closely."""
        if self.surely_free(q, q):
            return True
        self.look_closely()
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
        self._nodes[0, 0] = start
        self._nodes[1, : len(goals)] = goals
        self._vectors = np.empty((4, width))
        state = np.zeros(kernel.STATE_SIZE, dtype=np.int64)
        state[kernel.COUNT : kernel.COUNT + 2] = 1, len(goals)
        state[kernel.SEED] = seed
        state[kernel.HAS_CONSERVATIVE] = motions.has_conservative
        state[kernel.ASKING] = not motions.has_conservative
        state[kernel.SINGLE_TREE] = single
        state[kernel.MOST_FAILED] = settings.maximum_attempts
        state[kernel.MOST_NODES] = settings.maximum_nodes
        self._state = state
        threshold = settings.goal_threshold or 0.5 * settings.step
        spacing = settings.spacing if single else 0.0
        self._numbers = np.array([settings.step, settings.goal_bias, threshold, spacing])
        self._most_failed = settings.maximum_attempts
        if exact_ends and motions.has_conservative:
            state[kernel.ASKING] = not self._step_out_of_doubt(seed)
        if not single:
            self._begin_with_the_straight_way(start, goals)

    def run(self, deadline: Deadline, progress: Callable[[TreeSearch], None] | None) -> Found:
        """Search until there is a path, the limits are used up, or the deadline says stop."""
        state, motions, space = self._state, self._motions, self._motions.space
        if not state[kernel.ASKING]:
            failures = FAILURES_BEFORE_ASKING if motions.closely else FAILURES_BEFORE_LOOKING
            state[kernel.MOST_FAILED] = min(self._most_failed, failures)
        outcome = kernel.RUNNING
        while not deadline.over:
            outcome = kernel.grow(
                space.kinds,
                space.weights,
                space.lower,
                space.upper,
                space.moving,
                self._nodes,
                self._parents,
                state,
                self._numbers,
                self._vectors,
                motions.model,
                motions.work,
                BUDGET,
            )
            if outcome == kernel.SOLVED:
                return self._solved()
            if outcome == kernel.ASK:
                side, at = state[kernel.SIDE], state[kernel.FROM]
                start, end = self._nodes[side, at], self._vectors[0]
                state[kernel.ANSWER] = motions.exactly_free(start.copy(), end.copy())
            elif outcome == kernel.FULL:
                self._make_room()
            elif outcome == kernel.EXHAUSTED:
                if state[kernel.ASKING] or self.node_count >= state[kernel.MOST_NODES]:
                    break
                self._go_deeper()
            elif not state[kernel.ASKING]:
                patience = MOTIONS_BEFORE_ASKING if motions.closely else MOTIONS_BEFORE_LOOKING
                if state[kernel.MOTIONS] > patience:
                    self._go_deeper()
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

    def _step_out_of_doubt(self, seed: int) -> bool:
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
                    difference = space.difference(node, space.random(node, rng))
                    length = space.distance(node, space.between(node, difference, 1.0))
                    scale = share * min(1.0, LONGEST_STEP_OUT / max(length, 1e-12))
                    q = space.between(node, difference, scale)
                    if motions.surely_free(q, q) and motions.exactly_free(node, q):
                        new = int(self._state[kernel.COUNT + side])
                        self._nodes[side, new], self._parents[side, new] = q, root
                        self._state[kernel.COUNT + side] = new + 1
                        clear[side] = True
                        break
        return all(clear)

    def _go_deeper(self) -> None:
        """Look closely from now on, or where that is not enough, exactly."""
        if not self._motions.closely:
            self._motions.look_closely()
            self._state[kernel.MOST_FAILED] = min(self._most_failed, FAILURES_BEFORE_ASKING)
        else:
            self._state[kernel.ASKING] = 1
            self._state[kernel.MOST_FAILED] = self._most_failed

    def _make_room(self) -> None:
        self._nodes = np.concatenate([self._nodes, np.empty_like(self._nodes)], axis=1)
        self._parents = np.concatenate([self._parents, np.full_like(self._parents, -1)], axis=1)

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
    path = [points[0]]
    for point in points[1:]:
        difference = space.difference(path[-1], point)
        if space.distance(path[-1], point) > 1e-9:
            reached = space.between(path[-1], difference, 1.0)
            # Adding a difference rounds: where nothing was wrapped, the point itself is meant.
            path.append(np.where(np.abs(reached - point) < 1e-9, point, reached))
    return np.array(path)
