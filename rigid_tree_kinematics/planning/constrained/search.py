"""Running one search whose motions hold constraints."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from rigid_tree_kinematics.arrays import Array
from rigid_tree_kinematics.ik import ConstraintSet
from rigid_tree_kinematics.ik.constraints import NODE, REQUESTED, satisfied
from rigid_tree_kinematics.planning.constrained.motion_kernels import LONGEST_PIECE, way_holds
from rigid_tree_kinematics.planning.constrained.search_kernel import grow_held
from rigid_tree_kinematics.planning.problem import PlanSettings
from rigid_tree_kinematics.planning.search import (
    BUDGET,
    CONNECT,
    COUNT,
    FROM,
    MEETING,
    PHASE,
    REACH,
    SIDE,
    Motions,
    TreeSearch,
)

LONGEST_NEIGHBOUR_WAY = 2.0  # times the motion wanted, that a projection may make of it


class HeldSearch(TreeSearch):
    """One run of CBiRRT between a start and goals, which are free and meet the constraints."""

    def __init__(
        self,
        motions: Motions,
        held: ConstraintSet,
        start: Array,
        goals: Sequence[Array],
        settings: PlanSettings,
        seed: int,
        exact_ends: bool,
    ) -> None:
        self._held = held
        super().__init__(motions, start, goals, settings, seed, exact_ends)

    def _grow(self) -> int:
        motions, space = self._motions, self._motions.space
        return int(
            grow_held(
                self._held.arrays,
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
                self._held.work,
                motions.model,
                motions.work,
                BUDGET,
            )
        )

    def _begin_with_the_straight_way(self, start: Array, goals: Sequence[Array]) -> None:
        """Let the goals' tree run towards the start first, which solves what is easy."""
        entries = [self._enter(0, 0), *(self._enter(1, root) for root in range(len(goals)))]
        self._known[:, :, REACH] = LONGEST_PIECE
        space, state = self._motions.space, self._state
        target = self._nodes[0, entries[0]]
        count = int(state[COUNT + 1])
        gaps = [space.distance(node, target) for node in self._nodes[1, :count]]
        self._vectors[2] = target
        state[SIDE] = 1
        state[FROM] = int(np.argmin(gaps))
        state[PHASE] = CONNECT
        state[MEETING] = entries[0]

    def _enter(self, side: int, root: int) -> int:
        """Give a root at the edge of what is allowed a neighbour that has room around itself.

        Return the neighbour, or the root.
        """
        held, node = self._held, self._nodes[side, root].copy()
        if satisfied(held.arrays, NODE, node, held.work):
            return root
        inner = held.projected(node)
        if inner is None:
            return root
        way = self._motions.space.difference(node, inner)
        kept = way_holds(held.arrays, REQUESTED, node, way, held.work)
        if not kept or not self._motions.free(node, inner):
            return root
        new = int(self._state[COUNT + side])
        if new + 1 >= self._nodes.shape[1]:
            self._make_room()
        self._nodes[side, new], self._parents[side, new] = inner, root
        self._known[side, new] = LONGEST_PIECE, np.inf
        self._state[COUNT + side] = new + 1
        return new

    def _neighbour(self, node: Array, difference: Array, scale: float) -> Array | None:
        wanted = self._motions.space.between(node, difference, scale)
        q = self._held.projected(wanted)
        if q is None:
            return None
        space = self._motions.space
        if space.distance(node, q) > LONGEST_NEIGHBOUR_WAY * space.distance(node, wanted):
            return None
        way = space.difference(node, q)
        return q if way_holds(self._held.arrays, REQUESTED, node, way, self._held.work) else None
