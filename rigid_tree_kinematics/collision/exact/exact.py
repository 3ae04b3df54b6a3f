"""The exact level: coal's distances of the exact shapes, of configurations and motions."""

from __future__ import annotations

import copy
from collections.abc import Collection, Iterable, Iterator, Sequence

import numpy as np

from rigid_tree_kinematics.arrays import Array, Mask
from rigid_tree_kinematics.collision.exact.answers import Contact, Distance
from rigid_tree_kinematics.collision.exact.approaches import Approaches
from rigid_tree_kinematics.collision.exact.placed_solids import COUPLE, PlacedSolids
from rigid_tree_kinematics.collision.exact.robot_solids import RobotSolids
from rigid_tree_kinematics.collision.exact.world_solids import WorldSolids
from rigid_tree_kinematics.collision.robot import Part
from rigid_tree_kinematics.collision.world import NO_OBSTACLES, World
from rigid_tree_kinematics.collision.world.arrays import Records
from rigid_tree_kinematics.kinematics.topology import between, difference
from rigid_tree_kinematics.model import CompiledTree

RESOLUTION = 1e-5  # m; motions with a smaller distance are blocked
MOST_CHECKS = 5000  # configurations checked in one motion before it is reported as blocked
# m; the smallest distance is searched among obstacles this near first, then among farther ones.
NEAR, FARTHER, FARTHEST = 0.1, 4.0, 100.0


class ExactLevel:
    """Checks parts of a robot against each other (``pairs`` of indices) and against a world.

    The checks are the ``pairs``, then the moving parts among the obstacles: only of bodies
    ``in_world``; None: of all bodies. Each check has a couple of solids for every two that could
    touch. Pairs that are ``apart`` in all configurations have a distance, but need no check.
    """

    def __init__(
        self,
        compiled: CompiledTree,
        parts: Sequence[Part],
        pairs: Sequence[tuple[int, int]],
        padding: float,
        apart: Collection[tuple[int, int]] = (),
        in_world: Collection[int] | None = None,
    ) -> None:
        self._compiled = compiled
        self._solids = RobotSolids.of(parts, padding)
        movers = [
            k
            for k, part in enumerate(parts)
            if part.reach.any() and (in_world is None or part.row in in_world)
        ]
        self._approaches = Approaches(
            compiled, [(parts[a], parts[b]) for a, b in pairs], [parts[k] for k in movers]
        )
        self._own = _own_couples(self._solids, pairs)
        unproven = np.array([pair not in apart for pair in pairs], dtype=np.bool_)
        self._undecided = self._own[unproven[self._own["check"]]]
        check_of_part = np.full(len(parts), -1)
        check_of_part[movers] = len(pairs) + np.arange(len(movers))
        self._world_checks = check_of_part[self._solids.parts]  # (solids,), -1: none
        self._in_world = np.flatnonzero(self._world_checks >= 0)  # solids
        self._world = WorldSolids(NO_OBSTACLES)

    def among(self, world: World) -> ExactLevel:
        """Return the level for the same robot in another world."""
        twin = copy.copy(self)
        twin._world = WorldSolids(world)
        return twin

    # -- configurations --------------------------------------------------------------------------

    def contact_between(self, q: Array, one: int, two: int) -> Contact | None:
        """Return a contact of two parts (indices); None if they are apart."""
        return self._any_contact(q, one, self._solids.of_part[two])

    def contact_with(self, q: Array, part: int, row: int) -> Contact | None:
        """Return a contact of a part (index) and a row of the world; None if they are apart."""
        return self._any_contact(q, part, [len(self._solids) + row])

    def _any_contact(self, q: Array, part: int, others: Iterable[int]) -> Contact | None:
        placed, own = self._placed(q), self._solids.of_part[part]
        found = (placed.contact(i, j) for i in own for j in others)
        return next((contact for contact in found if contact is not None), None)

    def contacts(self, q: Array) -> Iterator[Contact]:
        """Yield the contacts: distances below the padding, or penetrations."""
        placed = self._placed(q)
        couples = np.concatenate((self._undecided, self._near(placed, 0.0)))
        for i, j, _ in couples[placed.gaps(couples) <= 0.0].tolist():
            contact = placed.contact(i, j)
            if contact is not None:
                yield contact

    def touching_pairs(self, q: Array, candidates: Mask) -> Mask:
        """Return which of the ``candidates`` (pairs,) are in contact at ``q`` (nq,), (pairs,)."""
        placed = self._placed(q)
        touching = np.zeros_like(candidates)
        couples = self._own[candidates[self._own["check"]]]
        for i, j, pair in couples[placed.gaps(couples) <= 0.0].tolist():
            touching[pair] = touching[pair] or placed.contact(i, j) is not None
        return touching

    def distance(self, q: Array) -> Distance:
        """Return the smallest distance of all checked pairs."""
        placed = self._placed(q)
        reach = NEAR
        while True:
            couples = np.concatenate((self._own, self._near(placed, reach)))
            best = _nearest(placed, couples, reach)
            if best.distance <= reach or reach == np.inf:
                return best
            reach = np.inf if reach > FARTHEST else reach * FARTHER

    def near(self, q: Array, own: float, world: float) -> list[Distance]:
        """Return pairs' smallest distances below ``own`` or, to obstacles, ``world`` (m)."""
        placed = self._placed(q)
        found: dict[tuple[str, str], Distance] = {}
        around = self._near(placed, world)
        couples = np.concatenate((self._own, around))
        reaches = np.repeat((own, world), (len(self._own), len(around)))
        gaps = placed.gaps(couples)
        close = np.flatnonzero(gaps < reaches)
        rows = zip(couples[close].tolist(), gaps[close].tolist(), reaches[close], strict=True)
        for (i, j, _), gap, reach in rows:
            pair = (placed.name(i), placed.name(j))
            limit = min(reach, found[pair].distance) if pair in found else reach
            distance = placed.distance(i, j, limit) if gap < limit else None
            if distance is not None and distance.distance < limit:
                found[pair] = distance
        return list(found.values())

    # -- motions ---------------------------------------------------------------------------------

    def motion_contact(self, a: Array, b: Array) -> Contact | None:
        """Return a contact on the straight motion from ``a`` to ``b``; None if it is free.

        As on the conservative level, an interval is free if the distances at its middle exceed
        the possible approach until its ends.
        """
        kinds = self._compiled.position_kinds
        motion = difference(kinds, a, b)
        approaches = self._approaches.along(a, motion)
        couples = self._met_along(a, motion, approaches)
        # Intervals, and the couples that are not proven apart there.
        waiting: list[tuple[float, float, Records]] = [(0.0, 1.0, couples)]
        for _ in range(MOST_CHECKS):
            if not waiting:
                return None
            low, high, unproven = waiting.pop()
            middle, half = 0.5 * (low + high), 0.5 * (high - low)
            placed = self._placed(between(kinds, a, motion, middle))
            needs = np.maximum(approaches[unproven["check"]] * half, RESOLUTION)
            left, cleared = [], 1.0
            close = np.flatnonzero(placed.gaps(unproven) <= needs)
            for k, (i, j, check) in zip(close, unproven[close].tolist(), strict=True):
                clearance = placed.clearance(i, j, needs[k], RESOLUTION)
                if clearance < needs[k]:
                    nearest = placed, i, j
                    if clearance == 0.0:
                        return _contact(*nearest)
                    left.append(k)
                    cleared = min(cleared, clearance / approaches[check])
            if left:
                waiting.append((low, middle - cleared, unproven[left]))
                waiting.append((middle + cleared, high, unproven[left]))
        return _contact(*nearest)

    def _met_along(self, a: Array, motion: Array, approaches: Array) -> Records:
        """Return the couples that could meet along a motion."""
        half = np.zeros(len(self._solids))
        half[self._in_world] = 0.5 * approaches[self._world_checks[self._in_world]]
        middle = self._placed(between(self._compiled.position_kinds, a, motion, 0.5))
        near = self._near(middle, np.maximum(half, RESOLUTION))
        return np.concatenate((self._undecided, near))

    def _placed(self, q: Array) -> PlacedSolids:
        """Return the solids of the robot at a configuration and of the world."""
        return PlacedSolids(self._solids, self._world, self._solids.frames(self._compiled, q))

    def _near(self, placed: PlacedSolids, growth: Array | float) -> Records:
        """Return couples of solids and obstacles whose boxes, grown by ``growth`` (m), overlap."""
        first, second = placed.near_world(self._in_world, growth)
        couples = np.empty(len(first), COUPLE)
        couples["first"], couples["second"] = first, second
        couples["check"] = self._world_checks[first]
        return couples


def _own_couples(solids: RobotSolids, pairs: Sequence[tuple[int, int]]) -> Records:
    """Return the couples of the pairs of parts, which are their checks."""
    of_part = solids.of_part
    rows = [(i, j, k) for k, (a, b) in enumerate(pairs) for i in of_part[a] for j in of_part[b]]
    return np.array(rows, COUPLE)


def _nearest(placed: PlacedSolids, couples: Records, reach: float) -> Distance:
    """Return the smallest distance of couples; distances to clouds only below ``reach``."""
    nowhere = np.full(3, np.nan)
    best = Distance(np.inf, "", "", nowhere, nowhere)
    gaps = placed.gaps(couples)
    for k in np.argsort(gaps):
        if gaps[k] >= best.distance:
            break
        i, j, _ = couples[k].tolist()
        found = placed.distance(i, j, min(best.distance, reach))
        if found is not None and found.distance < best.distance:
            best = found
    return best


def _contact(placed: PlacedSolids, i: int, j: int) -> Contact:
    """Return the contact of two solids that touch or nearly touch."""
    found = placed.distance(i, j, np.inf)
    assert found is not None  # two solids have a distance
    return found.as_contact()
