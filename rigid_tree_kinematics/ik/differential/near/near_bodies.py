"""NearBodies: the rows of a collision barrier, and the guard of whole motions."""

import math
from itertools import pairwise

import numpy as np

import rigid_tree_kinematics.ik.differential.steps.layout as layout
from rigid_tree_kinematics.arrays import Array, Integers
from rigid_tree_kinematics.collision.world import ConservativeModel
from rigid_tree_kinematics.errors import ModelError
from rigid_tree_kinematics.ik.differential.near.collision_barrier import CollisionBarrier
from rigid_tree_kinematics.ik.differential.near.kernels import add_found, find_near, is_clear
from rigid_tree_kinematics.ik.differential.near.near_arrays import (
    OTHER,
    PERIOD,
    ROBOT_PAIR,
    NearRows,
    bodies_of,
    near_rows,
)
from rigid_tree_kinematics.ik.differential.steps.layout import Program
from rigid_tree_kinematics.ik.differential.steps.step_kernels import write_stop
from rigid_tree_kinematics.kernels.extension import bound
from rigid_tree_kinematics.kinematics.polyline import corners
from rigid_tree_kinematics.kinematics.topology import integrated
from rigid_tree_kinematics.model import CompiledTree

OTHERS_WITHIN = 0.05  # m
LEAST = 1e-4  # m, between bodies that are found by exact distances
STOP_STEPS = 10_000  # of a stop that is not on one line; a longer one is not proven to be free


class NearBodies:
    """The near bodies of one engine; raises ModelError if the checker is of another robot."""

    def __init__(
        self, barrier: CollisionBarrier, compiled: CompiledTree, program: Program
    ) -> None:
        self._barrier, self._checker = barrier, barrier.checker
        if not np.array_equal(self._checker.compiled.table, compiled.table):
            raise ModelError(f"the collision checker is not of this robot, '{compiled.name}'")
        self._compiled, self._program = compiled, program
        self._all = np.arange(compiled.position_count)
        self._accelerations = np.array(program.joints[:, layout.ACCELERATION])
        self._before = np.empty(0)
        self.reset()

    def reset(self) -> None:
        """Clear the distances that bodies had at the start."""
        self._near: NearRows | None = None
        self._model: ConservativeModel | None = None

    def update(self, state: Array, dt: float) -> None:
        """Find the near bodies at the start of a step. Raises the errors of the checker."""
        q = state[: self._compiled.position_count]
        model = self._checker.conservative_model(q, self._all)
        if model is not self._model:
            self._follow_scene(model, state)
        assert self._near is not None
        self._near.settings[PERIOD] = dt
        self._before = state
        self._find(state)

    def is_safe(self, state: Array) -> bool:
        """Return whether the step to a state is free, and a stop after it.

        A stop on one line is free for all later time steps. If joints end at their limits before
        the others, they leave the line, and the stop is checked for the present time step only:
        in smaller ones, these joints brake later, and no bound of both paths is known.
        """
        return bool(self._guard(state)[0] != 0.0)

    def add_others(self, state: Array) -> bool:
        """Add rows by exact distances, also where hulls overlap; return whether there are any."""
        assert self._near is not None
        q, near, index = (
            state[: self._compiled.position_count],
            self._near,
            self._compiled.body_index,
        )
        attached = {name: item.body for name, item in self._checker.scene.attached.items()}
        before = len(self.rows)
        for item in self._checker.near(q, OTHERS_WITHIN, OTHERS_WITHIN):
            first, second = (
                index.get(attached.get(name, name), 0) for name in (item.first, item.second)
            )
            if item.distance <= 0.0:
                continue
            near.points[0], near.points[1] = item.point_first, item.point_second
            near.axis[:] = (item.point_first - item.point_second) / item.distance
            row = first, second, ROBOT_PAIR if second else OTHER
            add_found(self._bodies, near, state, *row, item.distance - LEAST)
        return len(self.rows) > before

    @property
    def rows(self) -> Integers:
        """The bodies of the rows (a copy)."""
        assert self._near is not None
        return np.array(self._near.bodies[: self._near.counts[layout.NEAR]])

    def names(self, rows: Integers, q: Array) -> tuple[str, ...]:
        """Return the names of the bodies of rows, and of obstacles near them at ``q`` (nq,)."""
        bodies, within = self._compiled.body_names, self._barrier.within
        near = self._checker.near(q, 0.0, within) if (rows[:, 2] != ROBOT_PAIR).any() else []
        near = sorted(near, key=lambda item: item.distance)
        attached = self._checker.scene.attached
        names = []
        for first, second, obstacle in rows.tolist():
            one, two = bodies[first], bodies[second]
            if obstacle != ROBOT_PAIR:
                own = {one, *(name for name, item in attached.items() if item.body == one)}
                pairs = ((item.first, item.second) for item in near if item.first in own)
                one, two = next(pairs, (one, "an obstacle"))
            names.append(f"'{one}' near '{two}'")
        return tuple(names)

    def _follow_scene(self, model: ConservativeModel, state: Array) -> None:
        """Bind the kernels to the arrays of a changed scene."""
        self._bodies = bodies = bodies_of(self._compiled, model)
        before = self._near
        near = near_rows(self._compiled, bodies, self._accelerations, self._program)
        if before is not None and len(before.floors) == len(near.floors):
            near.floors[:] = before.floors
        self._near, barrier = near, self._barrier
        near.settings[:PERIOD] = *barrier.minimum_distances, barrier.within, barrier.decay_rate
        examples = (state,), (), np.empty(1)
        both = bodies, near
        self._find = bound(find_near, both, *examples, self._find_anyway)
        self._guard = bound(is_clear, both, *examples, self._check)
        self._model = model

    def _find_anyway(self, state: Array) -> Array:
        assert self._near is not None
        out = np.empty(1)
        assert self._near is not None
        find_near(self._bodies, self._near, state, out)
        return out

    def _check(self, state: Array) -> Array:
        """Check a motion that is not proven free yet; return 1 if it is safe, else 0."""
        compiled, checker = self._compiled, self._checker
        nq, nv = compiled.position_count, compiled.velocity_count
        start, v = self._before[:nq], state[nq : nq + nv]
        # The step and the stop are on one line, but for joints that stop earlier, at their limit.
        period = float(self._program.settings[layout.PERIOD])
        stopping = float((np.abs(v) / self._accelerations).max(initial=0.0))
        end = integrated(compiled, start, v, period + 0.5 * stopping)
        waypoints = np.array([start, end])
        if not ((end >= compiled.lower) & (end <= compiled.upper)).all():
            steps = math.ceil(stopping / period) + 2
            if steps > STOP_STEPS:
                return np.zeros(1)
            stop = np.empty((steps, len(state)))
            count = write_stop(self._program, state, stop)
            waypoints = corners(np.vstack((start, stop[:count, :nq])))
        is_free = all(checker.motion_free(a, b) for a, b in pairwise(waypoints))
        return np.array([is_free or not checker.is_free(start)], dtype=np.float64)
