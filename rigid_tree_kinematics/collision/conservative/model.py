"""Putting the conservative level's arrays together, for one choice of moving positions."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from rigid_tree_kinematics.arrays import Array
from rigid_tree_kinematics.collision.conservative.pair_maps import NO_MAPS, PairMaps
from rigid_tree_kinematics.collision.robot import Part, approach, chains_of, hull_reach, joint_axes
from rigid_tree_kinematics.collision.shapes import Hull, as_balls, enclosing_sphere
from rigid_tree_kinematics.collision.world import (
    ENTITY_COLUMNS,
    HULL_COLUMNS,
    HULL_FIRST,
    HULL_LAST,
    HULL_RADIUS,
    PAIR_COLUMNS,
    ConservativeModel,
    World,
)
from rigid_tree_kinematics.kinematics import body_transforms
from rigid_tree_kinematics.model import CompiledTree
from rigid_tree_kinematics.model.compiled import KIND, PARENT, POSITION
from rigid_tree_kinematics.model.joints import POSITION_COUNTS


class ConservativeLevel:
    """The robot's side of the conservative level, laid out once; the world's is laid beside it."""

    def __init__(
        self,
        compiled: CompiledTree,
        parts: Sequence[Part],
        pairs: Sequence[tuple[int, int]],
        padding: float,
        maps: PairMaps = NO_MAPS,
    ) -> None:
        self._compiled = compiled
        # The bodies farthest from the base collide most often: they are looked at first.
        order = sorted(range(len(parts)), key=lambda k: -parts[k].row)
        place = {k: number for number, k in enumerate(order)}
        self._parts = [parts[k] for k in order]
        positions = compiled.position_count
        reaches = [part.reach for part in self._parts]
        self._reach = np.array(reaches).reshape(len(reaches), positions)
        self._pairs = np.array([(place[a], place[b]) for a, b in pairs], np.int64).reshape(-1, 2)
        approaches = [approach(compiled, parts[a], parts[b]) for a, b in pairs]
        whole = [reach for reach, _ in approaches]
        self._pair_reach = np.array(whole).reshape(len(whole), positions)
        by_hull = [rows for _, rows in approaches]
        self._hull_reach = np.concatenate([np.zeros((0, positions)), *by_hull])
        counts_of = [(len(parts[a].hulls), len(parts[b].hulls)) for a, b in pairs]
        begins = _begins([one + two for one, two in counts_of])
        lines = _begins([one * two for one, two in counts_of])
        rows_of_maps = np.array([maps.row_of.get(pair, -1) for pair in pairs], dtype=np.int64)
        columns = [self._pairs, begins[:-1], lines[:-1], rows_of_maps]
        self._pairs = np.column_stack(columns).reshape(-1, PAIR_COLUMNS)
        self._maps = maps
        self._axes = np.tile([0.0, 0.0, 1.0], (lines[-1], 1))
        lengths = np.array([len(part.spheres) for part in self._parts], dtype=np.int64)
        ends = np.cumsum(lengths)
        rows = np.array([part.row for part in self._parts], dtype=np.int64)
        hulls = [hull for part in self._parts for hull in part.hulls]
        counts = np.array([len(part.hulls) for part in self._parts], dtype=np.int64)
        hull_ends = np.cumsum(counts)
        entity_columns = (
            rows,
            ends - lengths,
            ends,
            np.ones_like(rows),
            hull_ends - counts,
            hull_ends,
        )
        self._entities = np.column_stack(entity_columns).reshape(-1, ENTITY_COLUMNS)
        self._hulls, self._corners = hull_arrays(hulls, padding)
        by_part = [hull_reach(compiled, part) for part in self._parts]
        self._world_reach = np.concatenate([np.zeros((0, positions)), *by_part])
        self._balls = np.array([part.ball for part in self._parts]).reshape(-1, 4)
        self._spheres = np.concatenate([np.zeros((0, 4)), *(p.spheres for p in self._parts)])
        # Two parts of the robot keep twice the padding here: doubt, which the exact level settles.
        self._balls[:, 3] += padding
        self._spheres[:, 3] += padding
        self._table = np.array(compiled.table)
        self._chains, self._chain_reach = chains_of(compiled, self._parts)
        self._joint_axes = joint_axes(compiled)

    def model(
        self,
        q: Array,
        moving: NDArray[np.int64],
        world: World,
    ) -> ConservativeModel:
        """Return the arrays for a robot at ``q`` of which only the ``moving`` positions change."""
        frames = body_transforms(self._compiled, q)[:, :3].reshape(-1, 12).copy()
        entities = self._entities.copy()
        entities[:, 3] = (self._reach[:, moving] > 0.0).any(axis=1)
        moves = self._pair_reach > 0.0
        # Bodies fixed to each other are a pair only where somebody asked for it.
        kept = moves[:, moving].any(axis=1) | ~moves.any(axis=1)
        return ConservativeModel(
            self._table,
            self._moving_rows(set(moving.tolist())),
            frames,
            entities,
            self._balls,
            self._spheres,
            self._hulls,
            self._corners,
            self._reach,
            self._pairs[kept],
            self._pair_reach[kept],
            self._hull_reach,
            self._axes,
            *world.arrays,
            self._world_reach,
            self._maps.maps,
            self._maps.cells,
            self._chains,
            self._chain_reach,
            self._joint_axes,
        )

    def _moving_rows(self, moving: set[int]) -> NDArray[np.int64]:
        """Return the bodies whose frames change and on which parts hang, parents first."""
        wanted = set()
        for part in self._parts:
            row = part.row
            while row > 0 and row not in wanted:
                wanted.add(row)
                row = int(self._table[row, PARENT])
        changed: set[int] = set()
        for row in range(1, len(self._table)):
            entry = self._table[row]
            if int(entry[PARENT]) in changed or (not moving.isdisjoint(_entries(entry))):
                changed.add(row)
        return np.array(sorted(wanted & changed), dtype=np.int64)


def hull_arrays(hulls: Sequence[Hull], padding: float) -> tuple[Array, Array]:
    """Return ``hulls`` and ``corners`` of a ConservativeModel."""
    rows = np.zeros((len(hulls), HULL_COLUMNS))
    first = 0
    for row, hull in zip(rows, hulls, strict=True):
        row[:4] = enclosing_sphere(as_balls(hull.corners))
        radius = hull.radius + padding
        row[3] += radius
        row[HULL_RADIUS] = radius
        row[HULL_FIRST], row[HULL_LAST] = first, first + len(hull.corners)
        first += len(hull.corners)
    corners = [hull.corners for hull in hulls]
    return rows, np.concatenate([np.zeros((0, 3)), *corners])


def _begins(counts: Sequence[int]) -> NDArray[np.int64]:
    """Return where each of so many rows begin when they stand below each other, and the end."""
    return np.concatenate([[0], np.cumsum(counts)]).astype(np.int64)


def _entries(entry: Array) -> range:
    """Return which positions a joint reads."""
    first = int(entry[POSITION])
    return range(first, first + POSITION_COUNTS[int(entry[KIND])])
