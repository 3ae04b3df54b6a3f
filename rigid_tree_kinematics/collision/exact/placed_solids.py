"""Contacts and distances between the solids of a robot and a world, computed by coal."""

import functools
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from rigid_tree_kinematics.arrays import Array
from rigid_tree_kinematics.collision.robot.solids import Solid, points_solid, solids_of_placed
from rigid_tree_kinematics.collision.world import World
from rigid_tree_kinematics.collision.world.arrays import CLOUD
from rigid_tree_kinematics.collision.world.box_tree import points_in_box
from rigid_tree_kinematics.model.transforms import inverse

HULLS_SUFFICE = 0.25  # of the clearance needed: meshes are not checked if their hulls prove it


@dataclass(frozen=True, eq=False)
class Contact:
    """A contact of two bodies or obstacles: depth (m) and position (base frame)."""

    first: str
    second: str
    depth: float
    point: Array


@dataclass(frozen=True, eq=False)
class Distance:
    """The smallest distance (m, negative if penetrating) and the closest points (base frame).

    Infinite, with empty names, if there is nothing that could touch.
    """

    distance: float
    first: str
    second: str
    point_first: Array
    point_second: Array

    def as_contact(self) -> Contact:
        """Return the contact at the midpoint of the closest points."""
        middle = 0.5 * (self.point_first + self.point_second)
        return Contact(self.first, self.second, -self.distance, middle)


@dataclass(frozen=True, eq=False)
class RobotSolids:
    """A robot's n solids, each in its own frame.

    ``coal`` is the module; ``names`` are the names of their bodies; ``box_centers`` and
    ``box_halves`` (n, 3) are their bounding boxes; ``padding`` (m) is the distance below which
    they are in contact.
    """

    coal: Any
    names: list[str]
    solids: list[Solid]
    box_centers: Array
    box_halves: Array
    padding: float


class _Met(NamedTuple):
    """A pair of solids with their poses and the padding between them."""

    one: Solid
    at_one: Any
    two: Solid
    at_two: Any
    slack: float

    @property
    def are_hulls(self) -> bool:
        """Whether both are their own hulls."""
        return self.one.hull is self.one.geometry and self.two.hull is self.two.geometry


class PlacedSolids:
    """The solids of a robot at one configuration, in a world.

    A pair is the index ``i`` of one of the robot's solids and the index ``j`` of another one, or
    of a row of the world, numbered after the solids. ``frames`` (n, 4, 4) are the poses of the
    robot's solids, ``at_rows`` caches coal's poses of the world's rows.
    """

    def __init__(
        self, robot: RobotSolids, world: World, frames: Array, at_rows: dict[int, Any]
    ) -> None:
        self._coal = robot.coal
        self._robot = robot
        self._world = world
        self.frames = frames
        self._poses: dict[int, Any] = {}
        self._at_rows = at_rows

    @functools.cached_property
    def boxes(self) -> tuple[Array, Array]:
        """Centers and half sizes (n, 3) of the solids' bounding boxes, base frame."""
        turns, shifts = self.frames[:, :3, :3], self.frames[:, :3, 3]
        centers = np.einsum("nij,nj->ni", turns, self._robot.box_centers) + shifts
        return centers, np.einsum("nij,nj->ni", np.abs(turns), self._robot.box_halves)

    def name(self, item: int) -> str:
        """Return the body's name, or the obstacle's."""
        count = len(self.frames)
        if item < count:
            return self._robot.names[item]
        return self._world.pieces[item - count].obstacle

    def _frame(self, item: int) -> Array:
        count = len(self.frames)
        return np.asarray(self.frames[item] if item < count else self._world.poses[item - count])

    def _pose(self, item: int) -> Any:
        poses = self._poses if item < len(self.frames) else self._at_rows
        if item not in poses:
            T = self._frame(item)
            poses[item] = self._coal.Transform3s(np.array(T[:3, :3]), np.array(T[:3, 3]))
        return poses[item]

    def _met(self, i: int, j: int, within: float) -> _Met | None:
        """Return a pair, a cloud with only the points nearer than ``within``; None if none is."""
        one = self._robot.solids[i]
        slack = self._robot.padding + one.radius
        two = self._solid(i, j, within + slack)
        if two is None:
            return None
        return _Met(one, self._pose(i), two, self._pose(j), slack + two.radius)

    def _solid(self, i: int, j: int, within: float) -> Solid | None:
        count = len(self.frames)
        if j < count:
            return self._robot.solids[j]
        world, row = self._world, j - count
        placed = world.pieces[row]
        if placed.piece.kind != CLOUD:
            return solids_of_placed(placed.shape)[placed.number]
        radius = placed.piece.size[0]
        T = inverse(world.poses[row]) @ self.frames[i]
        half = self._robot.box_halves[i] + within + radius
        center = T[:3, :3] @ self._robot.box_centers[i] + T[:3, 3]
        around = np.abs(T[:3, :3]) @ half
        box = np.concatenate([center - around, center + around])
        cloud = placed.piece
        found = np.empty((1024, 3))
        while True:
            number = points_in_box(cloud.nodes, cloud.points, box, found)
            if number <= len(found):
                break
            found = np.empty((number, 3))
        points = found[:number]
        inside = np.abs((points - center) @ T[:3, :3]) <= half
        points = points[inside.all(axis=1)]
        return points_solid(points, radius) if len(points) else None

    def contact(self, i: int, j: int) -> Contact | None:
        """Return the contact of two solids that touch or are nearer than the padding."""
        met = self._met(i, j, 0.0)
        if met is None:
            return None
        result = self._collide(met, 0.0)
        if result.isCollision():
            found = result.getContact(0)
            depth = met.slack - float(found.penetration_depth)
            return Contact(self.name(i), self.name(j), depth, np.array(found.pos))
        inner = self._enclosed(i, j, met)
        if inner is None:
            return None
        return Contact(self.name(i), self.name(j), float(met.one.bounding_sphere[3]), inner)

    def _collide(self, met: _Met, margin: float) -> Any:
        """Return coal's result for two geometries that are nearer than a margin or not."""
        request, result = self._coal.CollisionRequest(), self._coal.CollisionResult()
        request.security_margin = met.slack + margin
        two = met.two.geometry
        self._coal.collide(met.one.geometry, met.at_one, two, met.at_two, request, result)
        return result

    def _between_hulls(self, met: _Met) -> float:
        return self._coal_distance(met, met.one.hull, met.two.hull)[0] - met.slack

    def _coal_distance(self, met: _Met, one: Any, two: Any) -> tuple[float, Any]:
        """Return coal's distance between two geometries, and its result object."""
        result = self._coal.DistanceResult()
        request = self._coal.DistanceRequest()
        distance = self._coal.distance(one, met.at_one, two, met.at_two, request, result)
        return float(distance), result

    def distance(self, i: int, j: int, limit: float) -> Distance | None:
        """Return a pair's distance, None if hulls or a cloud's points are beyond ``limit``."""
        met = self._met(i, j, limit)
        if met is None or (not met.are_hulls and self._between_hulls(met) > limit):
            return None
        distance, result = self._coal_distance(met, met.one.geometry, met.two.geometry)
        names = self.name(i), self.name(j)
        inner = self._enclosed(i, j, met) if distance > 0.0 else None
        if inner is not None:
            # The depth is at least the distance from the surface around it.
            return Distance(-distance - met.slack, *names, inner, inner)
        one, two = np.array(result.getNearestPoint1()), np.array(result.getNearestPoint2())
        if distance > 0.0:  # move from the points of a cloud to the surfaces of its spheres
            along = (two - one) / distance
            one, two = one + met.one.radius * along, two - met.two.radius * along
        return Distance(distance - met.slack, *names, one, two)

    def clearance(self, i: int, j: int, need: float, least: float) -> float:
        """Return a lower bound of a pair's distance; 0 if the distance is below ``least``.

        A bound of ``need`` or more suffices. The distance of two meshes, which takes up to a
        hundred times longer, is computed only if collision tests do not decide.
        """
        met = self._met(i, j, need)
        if met is None:
            return need
        between_hulls = self._between_hulls(met)
        if met.are_hulls or between_hulls >= HULLS_SUFFICE * need:
            return between_hulls if between_hulls >= least else 0.0
        if self._enclosed(i, j, met) is not None:
            return 0.0
        if self._collide(met, least).isCollision():
            return 0.0
        if not self._collide(met, need).isCollision():
            return need
        apart = self._coal_distance(met, met.one.geometry, met.two.geometry)[0] - met.slack
        return apart if apart >= least else 0.0

    def _enclosed(self, i: int, j: int, met: _Met) -> Array | None:
        """Return a point of one solid that is inside the other's closed surface."""
        solids = {i: met.one, j: met.two}
        for inner, outer in ((i, j), (j, i)):
            solid = solids[outer]
            if solid.surface is None:
                continue
            place = self._frame(outer)
            T = inverse(place) @ self._frame(inner)
            members = solids[inner].members @ T[:3, :3].T + T[:3, 3]
            for k in np.flatnonzero(solid.may_enclose(members)):
                if solid.encloses(members[k]):
                    return np.asarray((place @ np.append(members[k], 1.0))[:3])
        return None
