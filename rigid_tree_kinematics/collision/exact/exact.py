"""The exact level: coal's distances of the exact shapes, of configurations and motions.

A couple is a row (first solid, second solid, check). The second solid is one of the robot's, or
a row of the world, numbered after the robot's solids. The check is the index of the pair of parts,
or of the part among the obstacles, whose maximum approach applies.
"""

from __future__ import annotations

import copy
from collections.abc import Collection, Iterator, Sequence
from typing import Any

import numpy as np

from rigid_tree_kinematics.arrays import Array, Integers, Mask
from rigid_tree_kinematics.collision.exact.placed_solids import (
    Contact,
    Distance,
    PlacedSolids,
    RobotSolids,
)
from rigid_tree_kinematics.collision.robot import Part
from rigid_tree_kinematics.collision.robot.parts import pair_reach, part_reach
from rigid_tree_kinematics.collision.robot.reach import Range
from rigid_tree_kinematics.collision.world import NO_OBSTACLES, World
from rigid_tree_kinematics.collision.world.box_tree import near_boxes
from rigid_tree_kinematics.kinematics import body_transforms
from rigid_tree_kinematics.kinematics.topology import between, difference
from rigid_tree_kinematics.model import CompiledTree
from rigid_tree_kinematics.needed_packages import needs

RESOLUTION = 1e-5  # m; motions with a smaller distance are blocked
MOST_CHECKS = 5000  # configurations checked in one motion before it is reported as blocked
# m; the smallest distance is searched among obstacles this near first, then among farther ones.
NEAR, FARTHER, FARTHEST = 0.1, 4.0, 100.0


class ExactLevel:
    """Checks parts of a robot against each other (``pairs`` of indices) and against a world.

    Only the parts of bodies ``in_world`` are checked against the world; None: of all bodies.
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
        with needs("coal", "checking collisions"):
            import coal

        self._compiled = compiled
        self._kinds = compiled.position_kinds
        self._world = NO_OBSTACLES
        self._at_rows: dict[int, Any] = {}  # coal's poses of the world's rows
        self._pairs = [(parts[a], parts[b]) for a, b in pairs]
        movers = [part for part in parts if part.reach.any()]
        self._movers = [part for part in movers if in_world is None or part.row in in_world]
        owners = [k for k, part in enumerate(parts) for _ in part.solids]
        members = [np.flatnonzero(np.array(owners) == k) for k in range(len(parts))]
        check_of = {part: len(pairs) + k for k, part in enumerate(self._movers)}
        solids = [solid for part in parts for solid, _ in part.solids]
        own = [
            (i, j, number)
            for number, (a, b) in enumerate(pairs)
            for i in members[a]
            for j in members[b]
        ]
        self._own = np.array(own, dtype=np.int64).reshape(-1, 3)
        self._members = [part.tolist() for part in members]
        # Pairs that are proven to stay apart have a distance, but need no check.
        proven = np.array([pair in apart for pair in pairs], dtype=np.bool_)
        self._doubtful = self._own[~proven[self._own[:, 2]]]
        self._rows = np.array([parts[k].row for k in owners], dtype=np.int64)
        self._local = np.array([T for part in parts for _, T in part.solids]).reshape(-1, 4, 4)
        # Of each solid; -1 if it does not move.
        checks = [check_of.get(parts[k], -1) for k in owners]
        self._world_check = np.array(checks, dtype=np.int64)
        self._moving = np.flatnonzero(self._world_check >= 0)
        self._reach = self._reach_within(None)
        self._spheres = np.array([s.bounding_sphere for s in solids]).reshape(-1, 4)
        self._radius = np.array([s.radius for s in solids])
        boxes = np.array([_box_around(s.geometry) for s in solids]).reshape(-1, 2, 3)
        names = [parts[k].name for k in owners]
        self._robot = RobotSolids(coal, names, solids, boxes[:, 0], boxes[:, 1], padding)

    def among(self, world: World) -> ExactLevel:
        """Return the level for the same robot in another world."""
        twin = copy.copy(self)
        twin._world, twin._at_rows = world, {}
        return twin

    def contact_between(self, q: Array, one: int, two: int) -> Contact | None:
        """Return a contact of two parts (indices); None if they are apart."""
        return self._any_contact(q, self._members[one], self._members[two])

    def contact_with(self, q: Array, part: int, row: int) -> Contact | None:
        """Return a contact of a part (index) and a row of the world; None if they are apart."""
        return self._any_contact(q, self._members[part], [len(self._rows) + row])

    def _any_contact(self, q: Array, ones: list[int], twos: list[int]) -> Contact | None:
        placed = self._placed(q)
        found = (placed.contact(i, j) for i in ones for j in twos)
        return next((contact for contact in found if contact is not None), None)

    def contacts(self, q: Array) -> Iterator[Contact]:
        """Yield the contacts: distances below the padding, or penetrations."""
        placed = self._placed(q)
        couples = np.vstack((self._doubtful, self._near(placed, 0.0)))
        for i, j, _ in couples[self._gaps(placed, couples) <= 0.0].tolist():
            contact = placed.contact(i, j)
            if contact is not None:
                yield contact

    def touching_pairs(self, q: Array, candidates: Mask) -> Mask:
        """Return which of the ``candidates`` (pairs,) are in contact at ``q`` (nq,), (pairs,)."""
        placed = self._placed(q)
        touching = np.zeros(len(self._pairs), dtype=np.bool_)
        couples = self._own[candidates[self._own[:, 2]]]
        for i, j, pair in couples[self._gaps(placed, couples) <= 0.0].tolist():
            touching[pair] = touching[pair] or placed.contact(i, j) is not None
        return touching

    def distance(self, q: Array) -> Distance:
        """Return the smallest distance of all checked pairs."""
        placed = self._placed(q)
        reach = NEAR
        while True:
            couples = np.vstack((self._own, self._near(placed, reach)))
            best = self._nearest(couples, placed, reach)
            if best.distance <= reach or reach == np.inf:
                return best
            reach = np.inf if reach > FARTHEST else reach * FARTHER

    def near(self, q: Array, own: float, world: float) -> list[Distance]:
        """Return pairs' smallest distances below ``own`` or, to obstacles, ``world`` (m)."""
        placed = self._placed(q)
        found: dict[tuple[str, str], Distance] = {}
        around = self._near(placed, world)
        couples = np.vstack((self._own, around))
        reaches = np.repeat((own, world), (len(self._own), len(around)))
        gaps = self._gaps(placed, couples)
        for k in np.flatnonzero(gaps < reaches):
            i, j, _ = couples[k].tolist()
            pair = (placed.name(i), placed.name(j))
            limit = min(reaches[k], found[pair].distance) if pair in found else reaches[k]
            distance = placed.distance(i, j, limit) if gaps[k] < limit else None
            if distance is not None and distance.distance < limit:
                found[pair] = distance
        return list(found.values())

    def _nearest(self, couples: Integers, placed: PlacedSolids, reach: float) -> Distance:
        """Return the smallest distance of couples; distances to clouds only below ``reach``."""
        nowhere = np.full(3, np.nan)
        best = Distance(np.inf, "", "", nowhere, nowhere)
        gaps = self._gaps(placed, couples)
        for k in np.argsort(gaps):
            if gaps[k] >= best.distance:
                break
            i, j, _ = couples[k].tolist()
            found = placed.distance(i, j, min(best.distance, reach))
            if found is not None and found.distance < best.distance:
                best = found
        return best

    def motion_contact(self, a: Array, b: Array) -> Contact | None:
        """Return a contact on the straight motion from ``a`` to ``b``; None if it is free.

        As on the conservative level, an interval is free if the distances at its middle exceed
        the possible approach until its ends.
        """
        motion, kinds, reach = difference(self._kinds, a, b), self._kinds, self._reach
        if not np.isfinite(
            reach
        ).all():  # without limits, a joint still moves by a finite distance
            ends = a, between(kinds, a, motion)
            reach = self._reach_within((np.minimum(*ends), np.maximum(*ends)))
        by_check = reach @ np.abs(motion)
        growth = np.zeros(len(self._rows))
        growth[self._moving] = 0.5 * by_check[self._world_check[self._moving]]
        middle_placed = self._placed(between(kinds, a, motion, 0.5))
        near = self._near(middle_placed, np.maximum(growth, RESOLUTION))
        couples = np.vstack((self._doubtful, near))
        speeds = by_check[couples[:, 2]]
        waiting: list[tuple[float, float, Integers]] = [(0.0, 1.0, np.arange(len(speeds)))]
        for _ in range(MOST_CHECKS):
            if not waiting:
                return None
            low, high, open_couples = waiting.pop()
            middle, half = 0.5 * (low + high), 0.5 * (high - low)
            placed = self._placed(between(kinds, a, motion, middle))
            gaps = self._gaps(placed, couples[open_couples])
            need = speeds[open_couples] * half
            left, cleared = [], 1.0
            for at in np.flatnonzero((gaps <= need) | (gaps <= RESOLUTION)):
                k = open_couples[at]
                i, j, _ = couples[k].tolist()
                clearance = placed.clearance(i, j, max(need[at], RESOLUTION), RESOLUTION)
                if clearance < max(need[at], RESOLUTION):
                    narrow = placed, i, j
                    if clearance == 0.0:
                        return _contact(*narrow)
                    left.append(k)
                    cleared = min(cleared, clearance / speeds[k])
            if left:
                still_open = np.array(left)
                waiting.append((low, middle - cleared, still_open))
                waiting.append((middle + cleared, high, still_open))
        return _contact(*narrow)

    def _reach_within(self, within: Range | None) -> Array:
        """Return the reach of pairs, then of parts among obstacles, (checks, nq)."""
        compiled = self._compiled
        reaches = [pair_reach(compiled, one, two, within) for one, two in self._pairs]
        reaches += [part_reach(compiled, part, 0, within) for part in self._movers]
        return np.array(reaches).reshape(len(reaches), compiled.position_count)

    def _placed(self, q: Array) -> PlacedSolids:
        """Return the solids of the robot at a configuration and of the world."""
        bodies = body_transforms(self._compiled, q)
        frames = bodies[self._rows] @ self._local
        return PlacedSolids(self._robot, self._world, frames, self._at_rows)

    def _near(self, placed: PlacedSolids, growth: Array | float) -> Integers:
        """Return couples of solids and obstacles whose boxes, grown by ``growth`` (m), overlap."""
        world, moving = self._world, self._moving
        centers, halves = placed.boxes
        grown = halves + (growth + self._radius + self._robot.padding)[:, np.newaxis]
        boxes = np.hstack([centers - grown, centers + grown])[moving]
        found = np.empty((256, 2), dtype=np.int64)
        while True:
            count = near_boxes(world.arrays.tree, world.arrays.order, world.boxes, boxes, found)
            if count <= len(found):
                break
            found = np.empty((count, 2), dtype=np.int64)
        first, rows = moving[found[:count, 0]], found[:count, 1]
        return np.column_stack((first, len(self._rows) + rows, self._world_check[first]))

    def _gaps(self, placed: PlacedSolids, couples: Integers) -> Array:
        """Return lower bounds of the couples' distances."""
        count = len(self._rows)
        padding = self._robot.padding
        centers, halves = placed.boxes
        rotations, shifts = placed.frames[:, :3, :3], placed.frames[:, :3, 3]
        spheres = np.einsum("nij,nj->ni", rotations, self._spheres[:, :3]) + shifts
        first, own = couples[:, 0], couples[:, 1] < count
        second = np.minimum(couples[:, 1], count - 1)
        two_centers, two_halves, two_spheres = centers[second], halves[second], spheres[second]
        two_radii = self._spheres[second, 3]
        slack = padding + self._radius[first] + np.where(own, self._radius[second], 0.0)
        # The boxes and spheres of the world contain the radius of a cloud.
        rows = couples[~own, 1] - count
        low, high = self._world.boxes[rows, :3], self._world.boxes[rows, 3:]
        around = self._world.arrays.obstacles["sphere"][rows]
        two_centers[~own], two_halves[~own] = 0.5 * (low + high), 0.5 * (high - low)
        two_spheres[~own], two_radii[~own] = around[:, :3], around[:, 3]
        apart = np.linalg.norm(spheres[first] - two_spheres, axis=1)
        by_spheres = apart - self._spheres[first, 3] - two_radii - padding
        # Axis-aligned boxes are tighter around long or flat shapes.
        beyond = np.abs(centers[first] - two_centers) - halves[first] - two_halves
        outside = np.maximum(beyond, 0.0)
        boxes = np.linalg.norm(outside, axis=1) + np.minimum(beyond.max(axis=1), 0.0)
        return np.asarray(np.maximum(by_spheres, boxes - slack))


def _contact(placed: PlacedSolids, i: int, j: int) -> Contact:
    """Return the contact of two solids that touch or nearly touch."""
    found = placed.distance(i, j, np.inf)
    assert found is not None  # two solids have a distance
    return found.as_contact()


def _box_around(geometry: Any) -> tuple[Array, Array]:
    """Return center and half sizes (3,) of a coal geometry's bounding box, in its own frame."""
    geometry.computeLocalAABB()
    low, high = np.array(geometry.aabb_local.min_), np.array(geometry.aabb_local.max_)
    return 0.5 * (low + high), 0.5 * (high - low)
