"""The exact level: coal's distances between the real shapes, and motions bounded by them."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rigid_tree_kinematics.collision.parts import Part, pair_reach
from rigid_tree_kinematics.collision.reach import Range, reach_of_balls
from rigid_tree_kinematics.collision.solids import Solid
from rigid_tree_kinematics.kinematics import body_transforms
from rigid_tree_kinematics.kinematics.topology import (
    between_kernel,
    difference_kernel,
)
from rigid_tree_kinematics.model import CompiledTree
from rigid_tree_kinematics.model.transforms import Array, inverse

RESOLUTION = 1e-5  # m; where a motion comes nearer than this it is called blocked
MOST_LOOKS = 5000  # configurations looked at in one motion before it is called blocked


@dataclass(frozen=True, eq=False)
class Contact:
    """Two things that touch: bodies or obstacles, how deep (m), and where (base frame)."""

    first: str
    second: str
    depth: float
    point: Array


@dataclass(frozen=True, eq=False)
class Distance:
    """The smallest distance (m, negative: penetration) and the nearest points (base frame).

    Infinite, between things without name, if there is nothing that could touch.
    """

    distance: float
    first: str
    second: str
    point_first: Array
    point_second: Array


class ExactLevel:
    """Parts of a robot against each other (``pairs`` of indices) and against the world."""

    def __init__(
        self,
        compiled: CompiledTree,
        parts: Sequence[Part],
        pairs: Sequence[tuple[int, int]],
        world: Sequence[tuple[str, Solid, Array]],
        padding: float,
        apart: Collection[tuple[int, int]] = (),
    ) -> None:
        import coal

        self._coal = coal
        self._compiled = compiled
        self._kinds = compiled.position_kinds
        self._padding = padding
        self._names: list[str] = []
        self._solids: list[Solid] = []
        self._poses: list[Array] = []
        self._rows: list[int] = []
        members: list[list[int]] = []
        for part in parts:
            members.append([self._add(part.name, s, T, part.row) for s, T in part.solids])
        standing = [self._add(name, solid, T, 0) for name, solid, T in world]
        # One entry for each two solids that must not touch, and how fast they can approach.
        couples = [
            (i, j, check)
            for check, (a, b) in enumerate(pairs)
            for i in members[a]
            for j in members[b]
        ]
        self._pairs = [(parts[a], parts[b]) for a, b in pairs]
        self._movers = [part for part in parts if part.reach.any()]
        check = len(pairs)
        for part, own in zip(parts, members, strict=True):
            if part.reach.any():
                couples += [(i, j, check) for i in own for j in standing]
                check += 1
        table = np.array(couples, dtype=np.int64).reshape(-1, 3)
        self._first, self._second, self._check = table.T
        # Pairs that are proven to stay apart have a distance, but need no look.
        proven = np.array([pair in apart for pair in pairs] + [False] * len(self._movers), bool)
        self._doubtful = np.flatnonzero(~proven[self._check])
        self._reach = self._reach_within(None)
        self._balls = np.array([s.ball for s in self._solids]).reshape(-1, 4)
        self._local = np.array(self._poses).reshape(-1, 4, 4)
        slack = np.array([s.radius for s in self._solids] or [0.0])
        self._slack = padding + slack[self._first] + slack[self._second]
        self._radii = self._balls[self._first, 3] + self._balls[self._second, 3] + padding
        boxes = np.array([_box_around(s.geometry) for s in self._solids]).reshape(-1, 2, 3)
        self._box_centres, self._box_halves = boxes[:, 0], boxes[:, 1]

    def contacts(self, q: Array) -> Iterator[Contact]:
        """Yield what touches, or comes nearer than the padding."""
        frames = self._frames(q)
        poses: dict[int, Any] = {}
        for k in self._doubtful[self._gaps(frames, self._doubtful) <= 0.0]:
            contact = self._contact(int(k), frames, poses)
            if contact is not None:
                yield contact

    def touching_pairs(self, q: Array, asked: NDArray[np.bool_]) -> NDArray[np.bool_]:
        """Return which of the ``asked`` pairs touch at ``q`` (nq,); both are (pairs,)."""
        frames = self._frames(q)
        poses: dict[int, Any] = {}
        touching = np.zeros(len(self._pairs), dtype=np.bool_)
        couples = np.flatnonzero(self._check < len(self._pairs))
        couples = couples[asked[self._check[couples]]]
        for k in couples[self._gaps(frames, couples) <= 0.0]:
            pair = self._check[k]
            if not touching[pair]:
                touching[pair] = self._contact(int(k), frames, poses) is not None
        return touching

    def distance(self, q: Array) -> Distance:
        """Return the smallest distance of two things that must not touch."""
        frames = self._frames(q)
        poses: dict[int, Any] = {}
        gaps = self._gaps(frames)
        nowhere = np.full(3, np.nan)
        best = Distance(np.inf, "", "", nowhere, nowhere)
        for k in np.argsort(gaps):
            if gaps[k] >= best.distance:
                break
            if self._hull_distance(int(k), frames, poses) >= best.distance:
                continue
            found = self._distance(int(k), frames, poses)
            if found.distance < best.distance:
                best = found
        return best

    def motion_contact(self, a: Array, b: Array) -> Contact | None:
        """Return None if the straight way from ``a`` to ``b`` is free all along, else a contact.

        As on the conservative level, a distance that exceeds what the motion can take away clears
        an interval around where it was measured.
        """
        difference, q = np.empty((2, len(a)))
        difference_kernel(self._kinds, a, b, difference)
        reach = self._reach
        if not np.isfinite(reach).all():  # a joint without limits goes only so far in one motion
            between_kernel(self._kinds, a, difference, 1.0, q)
            reach = self._reach_within((np.minimum(a, q), np.maximum(a, q)))
        speeds = (reach @ np.abs(difference))[self._check]
        waiting: list[tuple[float, float, NDArray[np.int64]]] = [(0.0, 1.0, self._doubtful)]
        for _ in range(MOST_LOOKS):
            if not waiting:
                return None
            low, high, open_couples = waiting.pop()
            middle, half = 0.5 * (low + high), 0.5 * (high - low)
            between_kernel(self._kinds, a, difference, middle, q)
            frames = self._frames(q)
            poses: dict[int, Any] = {}
            gaps = self._gaps(frames, open_couples)
            need = speeds[open_couples] * half
            left, cleared = [], 1.0
            for at in np.flatnonzero((gaps <= need) | (gaps <= RESOLUTION)):
                k = int(open_couples[at])
                enough = max(need[at], RESOLUTION)
                if self._hull_distance(k, frames, poses) > enough:
                    continue
                found = self._distance(k, frames, poses)
                if found.distance <= RESOLUTION:
                    return self._as_contact(found)
                if found.distance < need[at]:
                    left.append(k)
                    cleared = min(cleared, found.distance / speeds[k])
            if left:
                still_open = np.array(left)
                waiting.append((low, middle - cleared, still_open))
                waiting.append((middle + cleared, high, still_open))
        return self._as_contact(found)

    def _reach_within(self, within: Range | None) -> Array:
        """Return how fast pairs, then parts and the world, can approach, (checks, nq)."""
        reaches = [pair_reach(self._compiled, one, two, within) for one, two in self._pairs]
        reaches += [
            reach_of_balls(self._compiled, part.row, part.spheres, within=within)
            for part in self._movers
        ]
        return np.array(reaches).reshape(len(reaches), self._compiled.position_count)

    def _add(self, name: str, solid: Solid, pose: Array, row: int) -> int:
        self._names.append(name)
        self._solids.append(solid)
        self._poses.append(pose)
        self._rows.append(row)
        return len(self._names) - 1

    def _frames(self, q: Array) -> Array:
        """Return every solid's frame in the base frame, (solids, 4, 4)."""
        bodies = body_transforms(self._compiled, q)
        return bodies[self._rows] @ self._local

    def _gaps(self, frames: Array, which: Any = slice(None)) -> Array:
        """Return lower bounds of the distances of the couples."""
        rotations, shifts = frames[:, :3, :3], frames[:, :3, 3]
        first, second = self._first[which], self._second[which]
        centres = np.einsum("nij,nj->ni", rotations, self._balls[:, :3]) + shifts
        apart = centres[first] - centres[second]
        balls = np.sqrt((apart * apart).sum(axis=1)) - self._radii[which]
        # Boxes along the base's axes are tighter around what is long or flat.
        centres = np.einsum("nij,nj->ni", rotations, self._box_centres) + shifts
        halves = np.einsum("nij,nj->ni", np.abs(rotations), self._box_halves)
        beyond = np.abs(centres[first] - centres[second]) - halves[first] - halves[second]
        outside = np.maximum(beyond, 0.0)
        boxes = np.sqrt((outside * outside).sum(axis=1)) + np.minimum(beyond.max(axis=1), 0.0)
        return np.asarray(np.maximum(balls, boxes - self._slack[which]))

    def _pose(self, item: int, frames: Array, poses: dict[int, Any]) -> Any:
        if item not in poses:
            T = frames[item]
            poses[item] = self._coal.Transform3s(np.array(T[:3, :3]), np.array(T[:3, 3]))
        return poses[item]

    def _contact(self, k: int, frames: Array, poses: dict[int, Any]) -> Contact | None:
        i, j = int(self._first[k]), int(self._second[k])
        one, two = self._solids[i], self._solids[j]
        convex = one.hull is one.geometry and two.hull is two.geometry
        if not convex and self._hull_distance(k, frames, poses) > 0.0:
            return None
        request, result = self._coal.CollisionRequest(), self._coal.CollisionResult()
        request.security_margin = self._slack[k]
        at = self._pose(i, frames, poses), self._pose(j, frames, poses)
        if self._coal.collide(one.geometry, at[0], two.geometry, at[1], request, result):
            found = result.getContact(0)
            depth = self._slack[k] - float(found.penetration_depth)
            return Contact(self._names[i], self._names[j], depth, np.array(found.pos))
        inner = self._enclosed(i, j, frames)
        if inner is None:
            return None
        return Contact(self._names[i], self._names[j], float(one.ball[3]), inner)

    def _hull_distance(self, k: int, frames: Array, poses: dict[int, Any]) -> float:
        """Return a lower bound of a couple's distance."""
        i, j = int(self._first[k]), int(self._second[k])
        distance = self._coal.distance(
            self._solids[i].hull,
            self._pose(i, frames, poses),
            self._solids[j].hull,
            self._pose(j, frames, poses),
            self._coal.DistanceRequest(),
            self._coal.DistanceResult(),
        )
        return float(distance - self._slack[k])

    def _distance(self, k: int, frames: Array, poses: dict[int, Any]) -> Distance:
        i, j = int(self._first[k]), int(self._second[k])
        result = self._coal.DistanceResult()
        distance = self._coal.distance(
            self._solids[i].geometry,
            self._pose(i, frames, poses),
            self._solids[j].geometry,
            self._pose(j, frames, poses),
            self._coal.DistanceRequest(),
            result,
        )
        inner = self._enclosed(i, j, frames) if distance > 0.0 else None
        if inner is not None:
            # How deep is at least known: as far as it is from the surface around it.
            deep = -distance - self._slack[k]
            return Distance(float(deep), self._names[i], self._names[j], inner, inner)
        one, two = np.array(result.getNearestPoint1()), np.array(result.getNearestPoint2())
        if distance > 0.0:  # from the points of a cloud to the surfaces of its balls
            along = (two - one) / distance
            one, two = one + self._solids[i].radius * along, two - self._solids[j].radius * along
        distance -= self._slack[k]
        return Distance(float(distance), self._names[i], self._names[j], one, two)

    def _enclosed(self, i: int, j: int, frames: Array) -> Array | None:
        """Return a point of one solid that is inside of the other's closed surface."""
        for inner, outer in ((i, j), (j, i)):
            solid = self._solids[outer]
            if solid.surface is None:
                continue
            T = inverse(frames[outer]) @ frames[inner]
            members = self._solids[inner].members @ T[:3, :3].T + T[:3, 3]
            for k in np.flatnonzero(solid.may_enclose(members)):
                if solid.encloses(members[k]):
                    return (frames[outer] @ np.append(members[k], 1.0))[:3]
        return None

    def _as_contact(self, found: Distance) -> Contact:
        middle = 0.5 * (found.point_first + found.point_second)
        return Contact(found.first, found.second, -found.distance, middle)


def _box_around(geometry: Any) -> tuple[Array, Array]:
    """Return centre and half sizes (3,) of the box around a coal geometry, in its own frame."""
    geometry.computeLocalAABB()
    low, high = np.array(geometry.aabb_local.min_), np.array(geometry.aabb_local.max_)
    return 0.5 * (low + high), 0.5 * (high - low)
