"""RRT*: a tree whose paths get ever shorter, until the time is up.

Karaman and Frazzoli, "Sampling-based algorithms for optimal motion planning", IJRR 30(7), 2011.
Samples that cannot shorten the path any more are left out: Gammell, Srinivasa, Barfoot, "Informed
RRT*", IROS 2014, here by rejection.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence

import numpy as np
from numpy.typing import NDArray

from rigid_tree_kinematics.arrays import Array
from rigid_tree_kinematics.deadline import Deadline
from rigid_tree_kinematics.model.joints import CIRCLE, INTERVAL
from rigid_tree_kinematics.planning.problem import PlanSettings, Trees
from rigid_tree_kinematics.planning.search.motions import Motions
from rigid_tree_kinematics.planning.search.tree_search import Found, continuous_path

FIRST_CAPACITY = 1024
MOST_NEIGHBOURS = 40  # the nearest of those inside the shrinking ball
CONSERVATIVE_SHARE = 0.5  # of the time limit, for a first path by the conservative level alone
MOST_REJECTED = 100  # samples in a row that cannot help before one is taken all the same


class RrtStar:
    """One search from a start to the nearest, by path, of several goals."""

    def __init__(
        self,
        motions: Motions,
        start: Array,
        goals: Sequence[Array],
        settings: PlanSettings,
        seed: int,
        exact_ends: bool,
    ) -> None:
        # Exact checks are slow: they begin where the conservative level alone finds no path.
        self._conservative_only = motions.has_conservative and not exact_ends
        self._free = motions.surely_free if self._conservative_only else motions.free
        self._motions = motions
        self._space = motions.space
        self._goals = [np.array(goal) for goal in goals]
        self._settings = settings
        self._rng = np.random.default_rng(seed)
        width = len(start)
        self._nodes = np.empty((FIRST_CAPACITY, width))
        self._parents = np.full(FIRST_CAPACITY, -1, dtype=np.int64)
        self._costs = np.zeros(FIRST_CAPACITY)
        self._children: list[list[int]] = [[]]
        self._nodes[0] = start
        self.node_count = 1
        self._reached: dict[int, list[int]] = {}  # goal -> nodes that see it
        self._simple = bool(np.isin(self._space.kinds, (INTERVAL, CIRCLE)).all())
        bounds = (self._space.upper - self._space.lower)[self._space.moving]
        dimension = len(self._space.moving)
        ball = math.pi ** (dimension / 2) / math.gamma(dimension / 2 + 1)
        volume = float(np.prod(bounds))
        # The constant of Karaman and Frazzoli's theorem 38, with the whole space as the free one.
        self._radius = 2.0 * ((1 + 1 / dimension) * volume / ball) ** (1 / dimension)

    @property
    def best_length(self) -> float:
        """The length of the shortest path so far; infinite if there is none."""
        return min((self._through(*pair) for pair in self._meetings()), default=math.inf)

    @property
    def trees(self) -> Trees:
        """The nodes and parents of the one tree."""
        return ((self._nodes[: self.node_count], self._parents[: self.node_count]),)

    def run(self, deadline: Deadline, progress: Callable[[RrtStar], None] | None) -> Found:
        """Grow and rewire until the deadline or the limits say stop."""
        failed = 0
        best = math.inf
        exhausted = False
        while not deadline.over:
            if self.node_count >= self._settings.maximum_nodes:
                exhausted = True
                break
            if failed >= self._settings.maximum_attempts:
                exhausted = True
                break
            added = self._extend(self._sample(best))
            failed = 0 if added else failed + 1
            if added:
                best = self.best_length
            if (
                self._conservative_only
                and deadline.share > CONSERVATIVE_SHARE
                and not self._reached
            ):
                self._conservative_only = False
                self._free = self._motions.free
            if progress is not None:
                progress(self)
        path, goal = self._best_path()
        return Found(path, goal, self.node_count, self.trees, exhausted)

    def _sample(self, best: float) -> Array:
        goal = self._goals[int(self._rng.integers(len(self._goals)))]
        if not self._reached and self._rng.random() < self._settings.goal_bias:
            return goal
        start = self._nodes[0]
        for _ in range(MOST_REJECTED):
            q = self._space.random(start, self._rng)
            over = min(self._space.distance(q, goal) for goal in self._goals)
            if self._space.distance(start, q) + over < best:
                break
        return q

    def _extend(self, target: Array) -> bool:
        """Add a node towards ``target`` by the cheapest parent, and rewire its neighbours."""
        distances = self._distances(target)
        nearest = int(distances.argmin())
        difference = self._space.difference(self._nodes[nearest], target)
        length = float(distances[nearest])
        if length < 1e-9:
            return False
        fraction = min(1.0, self._settings.longest_step / length)
        q = self._space.between(self._nodes[nearest], difference, fraction)
        around = self._distances(q)
        near = self._near(around, nearest)
        order = near[np.argsort(self._costs[near] + around[near], kind="stable")]
        parent = next((int(k) for k in order if self._free(self._nodes[k], q)), None)
        if parent is None:
            return False
        new = self._add(q, parent, float(self._costs[parent] + around[parent]))
        for k in near:
            cost = float(self._costs[new] + around[k])
            if cost < self._costs[k] - 1e-9 and self._free(q, self._nodes[k]):
                self._rewire(int(k), new, cost)
        for number, goal in enumerate(self._goals):
            reach = self._space.distance(q, goal)
            if reach <= self._settings.longest_step and self._free(q, goal):
                self._reached.setdefault(number, []).append(new)
        return True

    def _near(self, distances: Array, nearest: int) -> NDArray[np.int64]:
        count = self.node_count
        shrinking = self._radius * (math.log(count + 1) / (count + 1)) ** (
            1 / len(self._space.moving)
        )
        radius = min(max(shrinking, 1e-6), self._settings.longest_step)
        near = np.flatnonzero(distances <= radius)
        if len(near) > MOST_NEIGHBOURS:
            near = near[np.argpartition(distances[near], MOST_NEIGHBOURS)[:MOST_NEIGHBOURS]]
        return near if nearest in near else np.append(near, nearest)

    def _distances(self, q: Array) -> Array:
        nodes = self._nodes[: self.node_count]
        space = self._space
        if not self._simple:
            return np.array([space.distance(node, q) for node in nodes])
        apart = nodes - q
        circles = space.kinds == CIRCLE
        apart[:, circles] -= 2 * np.pi * np.round(apart[:, circles] / (2 * np.pi))
        apart *= space.weights
        return np.sqrt(np.einsum("ij,ij->i", apart, apart))

    def _add(self, q: Array, parent: int, cost: float) -> int:
        new = self.node_count
        if new == len(self._nodes):
            self._nodes = np.concatenate([self._nodes, np.empty_like(self._nodes)])
            self._parents = np.concatenate([self._parents, np.full_like(self._parents, -1)])
            self._costs = np.concatenate([self._costs, np.zeros_like(self._costs)])
        self._nodes[new] = q
        self._parents[new] = parent
        self._costs[new] = cost
        self._children.append([])
        self._children[parent].append(new)
        self.node_count += 1
        return new

    def _rewire(self, node: int, parent: int, cost: float) -> None:
        self._children[int(self._parents[node])].remove(node)
        self._children[parent].append(node)
        self._parents[node] = parent
        saved = self._costs[node] - cost
        below = [node]
        while below:
            k = below.pop()
            self._costs[k] -= saved
            below += self._children[k]

    def _meetings(self) -> list[tuple[int, int]]:
        return [(goal, node) for goal, nodes in self._reached.items() for node in nodes]

    def _through(self, goal: int, node: int) -> float:
        return float(self._costs[node]) + self._space.distance(
            self._nodes[node], self._goals[goal]
        )

    def _best_path(self) -> tuple[Array | None, int]:
        meetings = self._meetings()
        if not meetings:
            return None, -1
        goal, node = min(meetings, key=lambda pair: self._through(*pair))
        points = [self._goals[goal]]
        while node >= 0:
            points.append(self._nodes[node].copy())
            node = int(self._parents[node])
        return continuous_path(self._space, points[::-1]), goal
